import { usernameOf } from '../../accounts/users/fragments';
import { hashCode, newCode } from '../../api/auth/secrets';
import { fault } from '../../api/errors/errors';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runOne, statement } from '../../database/statements/statement';
import { MAX_SIGN_UP_CODES } from '../../limits';
import { existing } from '../../rules/existing';
import { newestList, noteAct } from './log';
import { act } from './staff';
import type { Acting } from './staff';

/** SQL for the JSON text of the sign-up code in the row `k`, without the code, which is not kept. */
const codeJson = jsonObject({
    id: plainQuoted('k.id'),
    uses_left: 'k.uses_left',
    note: orNull(quoted('k.note')),
    by: orNull(quoted('k.staff_name')),
    created_at: plainQuoted(isoTime('k.created_at')),
    expires_at: plainQuoted(isoTime('k.expires_at'))
});

/** Codes that still open accounts, newest first. */
export const listCodes = newestList('select k.* from sign_up_codes k where k.uses_left > 0 and k.expires_at > now()', 'k', codeJson);

/** A code that is to be made. */
export interface NewCode {
    /** accounts that it opens */
    uses: number;
    /** seconds from now */
    expiresIn: number;
    /** for the staff, what it is for */
    note: string | null;
}

// No two are made at once, so that the limit holds.
const lock = statement({}, 'select pg_advisory_xact_lock(1304, 0)');
const insert = statement({ parameters: ['bigint', 'bytea', 'integer', 'double precision', 'text'], row: { id: 'bigint', json: 'text' } }, `
    with k as (
        insert into sign_up_codes (staff_name, hash, uses_left, expires_at, note) select ${usernameOf('$1')}, $2, $3, now() + make_interval(secs => $4), $5
        where (select count(*) from sign_up_codes where uses_left > 0 and expires_at > now()) < ${MAX_SIGN_UP_CODES} returning *
    )
    select k.id, ${codeJson} as json from k`);

/** Makes a code that opens accounts. @returns the code, which is not kept, and its JSON text without it @throws 409 if there are too many */
export function createCode(db: Database, acting: Acting, { uses, expiresIn, note }: NewCode): Promise<{ code: string; json: string }> {
    return act(db, acting, null, async (trx) => {
        const code = newCode();
        await run(trx, lock, []);
        const made = await runOne(trx, insert, [acting.staffId, hashCode(code), uses, expiresIn, note]);
        if (made === undefined) {
            throw fault('sign_up_code_limit');
        }

        await noteAct(trx, acting, { act: 'create_code', type: 'sign_up_code', id: made.id, name: note });
        return { code, json: made.json };
    });
}

const remove = statement({ parameters: ['bigint', 'bytea'], row: { id: 'bigint', note: 'text?', json: 'text' } }, `
    delete from sign_up_codes k where k.id = $1 or k.hash = $2 returning k.id, k.note, ${codeJson} as json`);

/** Ends a code, by its id or by the code itself. @returns its JSON text @throws 404 if there is none */
export function endCode(db: Database, acting: Acting, { id, code }: { id?: string; code?: string }): Promise<string> {
    return act(db, acting, null, async (trx) => {
        const ended = existing(await runOne(trx, remove, [id, code === undefined ? undefined : hashCode(code)]), 'sign-up code');
        await noteAct(trx, acting, { act: 'delete_code', type: 'sign_up_code', id: ended.id, name: ended.note });
        return ended.json;
    });
}
