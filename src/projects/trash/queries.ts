import { logsAct, logsActParameters } from '../../community/moderation/fragments';
import { leavesClasses } from '../../classes/fragments';
import { leavesComments } from '../../community/comments/fragments';
import { leavesFilters } from '../../community/filters/fragments';
import { leavesLikes } from '../../community/likes/fragments';
import { leavesReports } from '../../community/reports/fragments';
import { fromUser, joinUser } from '../../accounts/users/fragments';
import { boundedPageColumns } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import { inAllShards, inProject, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { existing } from '../../rules/existing';
import { refuseThingHandedIn, withdrawWorks } from '../../rules/handed-in';
import { changeSet, writableColumns, unchanged, writeChangeSet } from '../../rules/change-set';
import { nulls, pageColumns } from '../../rules/columns';
import { keepCredits } from '../../rules/credits';
import { counts, updated } from '../../rules/write-sql';
import type { Database } from '../../database/statements/connection';
import { gone, restores } from '../../database/statements/deletion';
import { isoTime, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fault, forbidden } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import { writerJson } from '../../api/representations/change';
import { elementJson } from '../../api/representations/element';
import { pageAloneJson } from '../../api/representations/page';
import { projectJson } from '../../api/representations/project';
import type { ThingType } from '../../api/representations/things';
import { MAX_LISTED_BYTES } from '../../limits';

/** SQL for the JSON text of the deleted thing of the entry `t`, in the project `p` of the user `owner`, without its pages or elements. */
const thingJson = `case t.type
    when 'project' then (select ${projectJson} ${fromUser('p.user_id')})
    when 'page' then (select ${pageAloneJson('p.user_id')} from pages g where g.id = t.thing_id)
    else (select ${elementJson('p.user_id')} from elements e where e.id = t.thing_id) end`;

/** The entries of the user $1; $2 is the number of days that entries are kept. */
const entries = `
    from trash t join projects p on p.id = t.project_id
    where t.user_id = $1 and t.deleted_at > now() - make_interval(days => $2::int)`;

// An element may have megabytes, so the page is made one entry after the other, and none is read that it has no room for.
const list = statement({ parameters: ['bigint', 'integer', 'bigint', 'integer', 'boolean'], row: boundedPageColumns, place: inAllShards({ kind: 'items', count: 4 }) }, `
    with recursive c as materialized (
        select row_number() over () as n, t.* from (
            select t.* ${entries} and t.id < $3::bigint and (t.moderated or not $5::boolean) order by t.id desc limit $4::int + 1
        ) t
    ), made as (
        select 0::bigint as n, null::bigint as id, null::text as json, 0::bigint as bytes
        union all
        select t.n, t.id, one.json, m.bytes + octet_length(one.json) from made m join c t on t.n = m.n + 1
        cross join lateral (
            select ${jsonObject({
        id: plainQuoted('t.id'), type: plainQuoted('t.type'), thing: thingJson,
        project: jsonObject({ id: plainQuoted('p.id'), title: quoted('p.title') }),
        deleted_at: plainQuoted(isoTime('t.deleted_at')), deleted_by: writerJson, purge_at: plainQuoted(isoTime('(t.deleted_at + make_interval(days => $2::int))'))
    })} as json from projects p left ${joinUser('t.deleted_by')} where p.id = t.project_id offset 0
        ) one
        where m.n < $4 and m.bytes <= ${MAX_LISTED_BYTES}
    ), shown as (select * from made where n > 0 and (n = 1 or bytes <= ${MAX_LISTED_BYTES}))
    select coalesce((select string_agg(s.json, ',' order by s.id desc) from shown s), '') as items,
        0 as rank, (select min(id) from shown where (select count(*) from shown) < (select count(*) from c)) as id`);

/** Which entries of a user's trash are listed: those of so many days that are older than an entry, or of them only what moderators removed. */
interface Listed {
    userId: string;
    days: number;
    before: string;
    count: number;
    moderated: boolean;
}

/** Entries of a user's trash, newest first. */
export const listTrash = (db: Database, { userId, days, before, count, moderated }: Listed): Promise<BoundedPage> =>
    runAlways(db, list, [userId, days, before, count, moderated]);

const entryColumns = {
    type: known<ThingType>('text'),
    thing_id: 'text',
    project_id: 'text',
    moderated: 'boolean',
    project_gone: 'boolean',
    /** the page of an element */
    page_gone: 'boolean'
} as const;
type Entry = RowOf<typeof entryColumns>;

const projectOf = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text' }, place: inAllShards() }, 'select project_id::text as id from trash where id = $2 and user_id = $1');

/** The id of the project that an entry is of. @throws 404 if there is no such entry */
export async function projectOfEntry(db: Database, { userId, entry }: EntryPath): Promise<string> {
    const row = existing(await runOne(db, projectOf, [userId, entry]), 'entry of the trash');
    return row.id;
}

const hold = statement({ parameters: ['bigint', 'bigint'], place: writing(inAllShards()) }, 'select from projects where id = (select project_id from trash where id = $2 and user_id = $1) for no key update');

export const find = statement({ parameters: ['bigint', 'integer', 'bigint'], row: entryColumns, place: inAllShards() }, `
    select t.type::text as type, t.thing_id::text as thing_id, t.project_id::text as project_id, t.moderated, ${gone('p')} as project_gone,
        coalesce((select ${gone('g')} from elements e join pages g on g.id = e.page_id where t.type = 'element' and e.id = t.thing_id), false) as page_gone
    ${entries} and t.id = $3`);

/**
 * An entry of a user's trash. Its project is locked first, so the entry is read as other transactions have left it.
 * @throws 404 if there is no such entry, 403 if a moderator removed it and the caller is none, or if nobody did and the trash is not the caller's
 */
async function holdEntry(trx: Database, { userId, entry, days }: EntryPath, caller: CurrentUser): Promise<Entry> {
    await run(trx, hold, [userId, entry]);
    const found = existing(await runOne(trx, find, [userId, days, entry]), 'entry of the trash');
    if (found.moderated && !caller.moderator) {
        throw fault('removed_by_moderator');
    }

    if (!found.moderated && caller.id !== userId) {
        throw forbidden('Only the owner of the trash can restore this, or delete it for good: no moderator removed it.');
    }

    return found;
}

const log = statement({ parameters: logsActParameters, place: writing(inProject(5)) }, logsAct);

/** Logs what moderators do with entries that a moderator removed. */
async function logIfModerating(trx: Database, act: 'restore' | 'purge', { userId }: EntryPath, { type, thing_id: id, project_id: projectId, moderated }: Entry, caller: CurrentUser): Promise<void> {
    if (moderated) {
        await run(trx, log, [caller.id, act, type, id, projectId, userId, null]);
    }
}

const projectBack = statement({ parameters: ['bigint', 'bigint', 'bigint'], place: writing(inProject(1)) }, updated('projects', { author: '$2', app: '$3::bigint', kind: 'restore', counts: counts({ project: 1 }), set: [restores] }, 'where p.id = $1'));

const elementBack = changeSet({ kind: 'restore', parameters: ['bigint'], elements: `select $3::bigint as id, true as shown, ${unchanged.element}` });
const pageBack = changeSet({
    kind: 'restore', parameters: ['bigint', 'integer', 'integer'],
    pages: `select $3::bigint as id, true as shown, $4::integer as x, $5::integer as y, ${nulls(pageColumns, writableColumns.page.filter((name) => name !== 'x' && name !== 'y'))}`
});

const thing = statement({ parameters: ['thing', 'bigint', 'bigint'], row: { json: 'text' }, place: inProject(3) }, `
    select ${thingJson} as json from (select $1::thing as type, $2::bigint as thing_id) t, projects p where p.id = $3`);

/** An entry of a user's trash. */
interface EntryPath {
    userId: string;
    entry: string;
    days: number;
}

/** The new place for a restored page, if the request has one. */
export interface Coordinates {
    x?: number;
    y?: number;
}

/**
 * Restores the thing of an entry with everything that was in it. Needs a transaction.
 * @throws 404 if there is no such entry, 403 as `holdEntry` does, 409 if its project or page does not exist any more, or its place is taken
 */
export async function restoreEntry(trx: Database, place: EntryPath, caller: CurrentUser, { x, y }: Coordinates): Promise<{ type: ThingType; json: string }> {
    const found = await holdEntry(trx, place, caller);
    const { type, thing_id: id, project_id: project } = found;
    if ((type !== 'project' && found.project_gone) || found.page_gone) {
        throw fault('parent_deleted');
    }

    if (type === 'project') {
        await run(trx, projectBack, [project, caller.id, caller.app]);
    }
    else if (type === 'page') {
        await writeChangeSet(trx, pageBack, project, caller, id, x ?? null, y ?? null);
    }
    else {
        await writeChangeSet(trx, elementBack, project, caller, id);
    }

    await logIfModerating(trx, 'restore', place, found, caller);
    const { json } = await runAlways(trx, thing, [type, id, project]);
    return { type, json };
}

const purgeThing: Readonly<Record<ThingType, readonly ReturnType<typeof statement>[]>> = {
    element: [
        statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `with e as (delete from elements where id = $1 returning id, project_id, project_revision, created_revision),
            gap as (insert into history_gaps select project_id, created_revision, project_revision from e),
            v as (delete from versions v using e where v.project_id = e.project_id and v.type = 'element' and v.id = e.id)
            update projects p set known_since = greatest(known_since, e.project_revision) from e where p.id = e.project_id`)
    ],
    page: [
        statement({ parameters: ['bigint'], place: writing(inAllShards()) }, `with g as (delete from pages where id = $1 returning id, project_id, project_revision, created_revision),
            gap as (insert into history_gaps select project_id, created_revision, project_revision from g),
            v as (delete from versions v using g where v.project_id = g.project_id and ((v.type = 'page' and v.id = g.id) or (v.type = 'element' and v.id in (select id from elements where page_id = g.id)))),
            t as (delete from trash where type = 'element' and thing_id in (select id from elements where page_id = $1))
            update projects p set known_since = greatest(known_since, g.project_revision) from g where p.id = g.project_id`)
    ],
    project: [
        keepCredits('$1'), 'delete from versions where project_id = $1', 'delete from project_changes where project_id = $1', 'delete from history_gaps where project_id = $1',
        'delete from trash where project_id = $1', ...leavesClasses('$1'), ...leavesComments('$1'), leavesLikes('$1'),
        ...leavesFilters('$1'), ...leavesReports('$1'),
        'delete from projects where id = $1'
    ].map((sql) => statement({ parameters: ['bigint'], place: writing(inProject(1)) }, sql))
};

const forget = statement({ parameters: ['bigint'], place: writing(inAllShards()) }, 'delete from trash where id = $1');

/** Deletes the thing of an entry for good. Needs a transaction. @throws the same errors as `restoreEntry`; 409 if it was handed in to a class and no moderator removed it */
export async function purgeEntry(trx: Database, place: EntryPath, caller: CurrentUser): Promise<void> {
    const found = await holdEntry(trx, place, caller);
    if (!found.moderated) {
        await refuseThingHandedIn(trx, found.project_id, found.type, found.thing_id);
    }

    if (found.type === 'project') {
        await withdrawWorks(trx, found.project_id);
    }

    for (const sql of purgeThing[found.type]) {
        await run(trx, sql, [found.thing_id]);
    }

    await run(trx, forget, [place.entry]);
    await logIfModerating(trx, 'purge', place, found, caller);
}
