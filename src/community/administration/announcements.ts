import { usernameOf } from '../../accounts/users/fragments';
import { fault } from '../../api/errors/errors';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { lookup, run, runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_ANNOUNCEMENTS } from '../../limits';
import { existing } from '../../rules/existing';
import { noteAct } from './log';
import { act } from './staff';
import type { Acting } from './staff';

/** How much an announcement matters. The constraint announcements_level_known has the same. */
export const levels = ['info', 'warning'] as const;

export interface NewAnnouncement {
    text: string;
    level: typeof levels[number];
    /** ISO 8601 */
    until: string;
}

const shown = {
    id: plainQuoted('n.id'),
    text: quoted('n.text'),
    level: plainQuoted('n.level'),
    until: plainQuoted(isoTime('n.until'))
};

/** SQL for the JSON text of the announcement in the row `n`, for everybody. */
const publicJson = jsonObject(shown);

/** JSON text for the staff. */
const announcementJson = jsonObject({ ...shown, by: orNull(quoted('n.staff_name')), created_at: plainQuoted(isoTime('n.created_at')) });

const current = (json: string): string => `select coalesce(string_agg(${json}, ',' order by n.id desc), '') as items from announcements n where n.until > now()`;
const open = lookup({ row: { items: 'text' } }, current(publicJson));
const own = lookup({ row: { items: 'text' } }, current(announcementJson));

/** JSON texts of the announcements that have not ended, newest first, with commas between them. */
export const listAnnouncements = async (db: Database, forStaff: boolean): Promise<string> => (await runAlways(db, forStaff ? own : open, [])).items;

// No two are made at once, so that the limit holds.
const lock = statement({}, 'select pg_advisory_xact_lock(1303, 0)');
const insert = statement({ parameters: ['bigint', 'text', 'text', 'timestamp with time zone'], row: { id: 'bigint', json: 'text' } }, `
    with n as (
        insert into announcements (staff_name, text, level, until) select ${usernameOf('$1')}, $2, $3, $4
        where (select count(*) from announcements where until > now()) < ${MAX_ANNOUNCEMENTS} returning *
    )
    select n.id, ${announcementJson} as json from n`);

/** Shows a text on all pages until a time. @returns its id and its JSON text @throws 409 if there are too many already */
export function announce(db: Database, acting: Acting, { text, level, until }: NewAnnouncement): Promise<{ id: string; json: string }> {
    return act(db, acting, null, async (trx) => {
        await run(trx, lock, []);
        const made = await runOne(trx, insert, [acting.staffId, text, level, until]);
        if (made === undefined) {
            throw fault('announcement_limit');
        }

        await noteAct(trx, acting, { act: 'announce', type: 'announcement', id: made.id, name: text, detail: until });
        return made;
    });
}

const end = statement({ parameters: ['bigint'], row: { text: 'text', json: 'text' } }, `
    with n as (update announcements set until = now() where id = $1 and until > now() returning *) select n.text, ${announcementJson} as json from n`);

/** Ends an announcement. @returns its JSON text @throws 404 if there is none, or it has ended already */
export function withdraw(db: Database, acting: Acting, id: string): Promise<string> {
    return act(db, acting, null, async (trx) => {
        const ended = existing(await runOne(trx, end, [id]), 'announcement');
        await noteAct(trx, acting, { act: 'withdraw', type: 'announcement', id, name: ended.text });
        return ended.json;
    });
}
