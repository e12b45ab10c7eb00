import { usernameOf } from '../../accounts/users/fragments';
import { boundedPageColumns, newestPage } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runAlways, statement } from '../../database/statements/statement';
import type { Acting } from './staff';

/** Acts of staff and operators, as the log shows them. */
export const adminActs = [
    'announce', 'create_code', 'delete_app', 'delete_code', 'distrust_app', 'grant', 'maintain', 'remove', 'reset_password', 'restore', 'revoke', 'suspend', 'switch_off', 'trust_app', 'unsuspend', 'withdraw'
] as const;

export type AdminAct = typeof adminActs[number];

/** Types of act targets. */
export const targetTypes = ['user', 'app', 'webhook', 'announcement', 'sign_up_code', 'place'] as const;

interface Entry {
    act: AdminAct;
    type: typeof targetTypes[number];
    /** null for the place itself */
    id: string | null;
    /** what it is called at the moment */
    name?: string | null;
    /** more about it: the permission, or the reason */
    detail?: string | null;
}

const add = statement({ parameters: ['bigint', 'text', 'text', 'bigint', 'text', 'text'] }, `
    insert into admin_log (staff_id, staff_name, act, type, thing_id, name, detail) values ($1, ${usernameOf('$1')}, $2, $3, $4, $5, $6)`);

/** Adds a line to the log, as a part of the transaction that does what it says. */
export async function noteAct(trx: Database, { staffId }: Acting, { act, type, id, name = null, detail = null }: Entry): Promise<void> {
    await run(trx, add, [staffId, act, type, id, name, detail]);
}

const entryJson = jsonObject({
    at: plainQuoted(isoTime('l.at')),
    by: orNull(jsonObject({ id: plainQuoted('l.staff_id'), username: quoted('l.staff_name') })),
    act: plainQuoted('l.act'),
    target: jsonObject({ type: plainQuoted('l.type'), id: orNull(plainQuoted('l.thing_id')), name: orNull(quoted('l.name')) }),
    detail: orNull(quoted('l.detail'))
});

/** Reads a page of rows with ids that are older than the given one, newest first. */
export function newestList(rows: string, row: string, json: string): (db: Database, before: string, count: number) => Promise<BoundedPage> {
    const list = statement({ parameters: ['bigint', 'integer'], row: boundedPageColumns }, newestPage(rows, row, json));
    return (db, before, count) => runAlways(db, list, [before, count]);
}

/** Entries of the log. */
export const listActs = newestList('select l.* from admin_log l where true', 'l', entryJson);
