import type { Knex } from 'knex';

import { fromLiveProject, fromProject } from '../../projects/fragments';
import { fromActiveUser, isActiveUser, joinActiveUser } from '../../accounts/users/fragments';
import { byLookup } from '../../database/declaration';
import { listRowColumns } from '../../api/request/pagination';
import { holdUser } from '../../rules/hold-user';
import { hasVisibility, isListed, isShared, mayRead, maySee } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { boundedPageColumns, newestPage } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import { live } from '../../database/statements/deletion';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import type { ListRow, ListPlace } from '../../api/request/pagination';
import { MAX_COLLECTED, MAX_COLLECTIONS } from '../../limits';
import { listPage } from '../../projects/lists';
import { collectionJsonWith } from './json';
import type { CollectionFields } from './json';

const collectionJson = collectionJsonWith(isListed('p'));

/** A user by a parameter, who sees what is public and what is their own. Moderators see no more here. */
const userIn = (parameter: string): { id: string; moderator: string } => ({ id: `${parameter}::bigint`, moderator: 'false' });

/** SQL for whether a collection shows the project in the row `p` to a user. */
export const shows = (parameter: string): string => `(${live('p')} and (${isListed('p')} or ${maySee('p', userIn(parameter))}))`;

const byUser = statement({ parameters: ['bigint', 'bigint', 'integer', 'bigint'], row: { ...boundedPageColumns, found: 'boolean' }, place: byLookup }, newestPage(
    `select * from collections c where c.user_id = $1 and (${hasVisibility('c', 'public')} or c.user_id = $4)`, 'c', collectionJson, ['$2::bigint', '$3::int'], `${isActiveUser('$1')} as found,`
));

/** The collections of a user that a reader may see in a list, newest first. Undefined if there is no such user. */
export async function listCollections(db: Database, userId: string, { beforeId, count }: ListPlace, readerId: string | null): Promise<BoundedPage | undefined> {
    const { found, ...list } = await runAlways(db, byUser, [userId, beforeId, count, readerId]);
    return found ? list : undefined;
}

/** SQL for what a reader sees of the collection $5. */
const visible = `
    from collection_projects i cross join lateral (select ${fromProject('i.project_id')} and ${shows('$4')} limit 1) shown
    where i.collection_id = $5::bigint`;

// After the project in the cursor, wherever it is in the order now. One that the reader does not see is as good as none, and then the place counts where it
// was: so a forged cursor tells nothing of what is hidden. What somebody took out, or nobody may see any more, leaves a gap between the places.
const contents = statement({ parameters: ['bigint', 'bigint', 'integer', 'bigint', 'bigint'], row: { ...listRowColumns, json: 'text?' }, place: byLookup }, listPage(`
    select i.project_id, 0 as rank, i.place ${visible} and exists (select from seen) and i.place > coalesce((select i.place ${visible} and i.project_id = $2::bigint), $1::bigint)
    order by i.place limit $3::int + 1`,
'(select json from seen),', 'k.place', `
    seen as materialized (
        select ${collectionJson} as json from collections c ${joinActiveUser('c.user_id')}
        where c.id = $5 and (${isShared('c')} or c.user_id = $4::bigint)
    ),`));

/** A collection, and a page of the projects in it that a reader may see. Undefined if there is no such collection for the reader. */
export async function findCollection(db: Database, id: string, { time, beforeId, count }: ListPlace, readerId: string | null): Promise<ListRow & { json: string } | undefined> {
    const { json, ...row } = await runAlways(db, contents, [time, beforeId, count, readerId, id]);
    return json === null ? undefined : { json, ...row };
}

const insert = statement({ parameters: ['bigint', 'text', 'text', 'text'], row: { id: 'text', json: 'text' }, place: byLookup }, `
    insert into collections as c (user_id, title, description, visibility)
    select id, $2, $3, $4 ${fromActiveUser('$1')} and (select count(*) from collections o where o.user_id = $1) < ${MAX_COLLECTIONS}
    returning c.id::text as id, ${collectionJson} as json`);

/** Creates a collection. In a transaction, so that the limit holds for simultaneous requests. @returns undefined if the user has too many */
export async function insertCollection(trx: Knex.Transaction, userId: string, { title, description, visibility }: CollectionFields): Promise<{ id: string; json: string } | undefined> {
    await holdUser(trx, userId);
    return await runOne(trx, insert, [userId, title, description, visibility]);
}

const hold = statement({ parameters: ['bigint', 'bigint', 'bigint'], row: { owned: 'boolean' } }, `
    select c.user_id = $3 as owned from collections c ${joinActiveUser('c.user_id')}
    where c.user_id = $1 and c.id = $2 and (${isShared('c')} or c.user_id = $3) for no key update of c`);

/** Locks a collection that the caller wants to change. @returns whether it is their own; undefined if there is none that they may see */
export async function holdCollection(trx: Knex.Transaction, userId: string, id: string, callerId: string): Promise<boolean | undefined> {
    const found = await runOne(trx, hold, [userId, id, callerId]);
    return found?.owned;
}

const update = statement({ parameters: ['bigint', 'text', 'text', 'text'], row: { json: 'text' }, place: byLookup }, `
    update collections c set title = coalesce($2, c.title), description = coalesce($3, c.description), visibility = coalesce($4, c.visibility), updated_at = now()
    where c.id = $1 returning ${collectionJson} as json`);

/** Changes a collection that is locked: its own fields, or only its revision because its projects have changed. */
export async function updateCollection(trx: Knex.Transaction, id: string, { title, description, visibility }: Partial<CollectionFields> = {}): Promise<string> {
    return (await runAlways(trx, update, [id, title ?? null, description ?? null, visibility ?? null])).json;
}

const remove = statement({ parameters: ['bigint'], row: { json: 'text' }, place: byLookup }, `delete from collections c where c.id = $1 returning ${collectionJson} as json`);

export async function deleteCollection(trx: Knex.Transaction, id: string): Promise<string> {
    return (await runAlways(trx, remove, [id])).json;
}

const put = statement({ parameters: ['bigint', 'bigint', 'integer', 'bigint'], row: { found: 'boolean', put: 'boolean' }, place: byLookup }, `
    with wanted as materialized (
        select p.id ${fromLiveProject('$2')} and ${mayRead('p', userIn('$4'))}
    ), others as materialized (
        select i.project_id, i.place from collection_projects i where i.collection_id = $1 and i.project_id <> $2
    ), shown as (
        select o.place, row_number() over (order by o.place) - 1 as position from others o
        cross join lateral (select ${fromProject('o.project_id')} and ${shows('$4')} limit 1) shown
    ), target as materialized (
        select w.id, coalesce((select place from shown where position = $3::int), (select max(place) + 1 from others), 1) as place
        from wanted w where (select count(*) from others) < ${MAX_COLLECTED}
    ), moved as (
        update collection_projects i set place = i.place + 1 from target t where i.collection_id = $1 and i.project_id <> $2 and i.place >= t.place
    ), put as (
        insert into collection_projects (collection_id, project_id, place) select $1, id, place from target
        on conflict (collection_id, project_id) do update set place = excluded.place returning place
    )
    select exists (select from wanted) as found, exists (select from put) as put`);

/**
 * Puts a project into a collection that is locked, or moves it there.
 * @param position among what its owner sees; at the end if undefined
 * @returns whether there is such a project that the owner may see, and whether there is room for it
 */
export function putProject(trx: Knex.Transaction, id: string, projectId: string, position: number | undefined, ownerId: string): Promise<{ found: boolean; put: boolean }> {
    return runAlways(trx, put, [id, projectId, position ?? null, ownerId]);
}

const take = statement({ parameters: ['bigint', 'bigint'], row: { taken: 'boolean' } }, 'delete from collection_projects where collection_id = $1 and project_id = $2 returning true as taken');

/** Takes a project out of a collection that is locked. @returns whether it was in it */
export async function takeProject(trx: Knex.Transaction, id: string, projectId: string): Promise<boolean> {
    return await runOne(trx, take, [id, projectId]) !== undefined;
}
