import { createHash, randomBytes } from 'node:crypto';

import { addViews, joinLiveProject } from '../../projects/fragments';
import { inProjectOfEachRow, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { mayRead } from '../../rules/visibility';
import { batched } from '../../api/concurrency/batcher';
import { run, runOne, statement } from '../../database/statements/statement';

// The salt of yesterday is kept too, for requests that began before midnight.
const insertSalt = statement({ parameters: ['date', 'bytea'] }, `insert into view_salts (day, salt) values ($1, $2) on conflict do nothing`);
const findSalt = statement({ parameters: ['date'], row: { salt: 'bytea' } }, `select salt from view_salts where day = $1`);
const forgetSalts = statement({ parameters: ['date'] }, `delete from view_salts where day < $1::date - 1`);

/**
 * The salt of a UTC day, the same for all instances: the first that needs it creates it. It is deleted a day later, and from then
 * on no hash can be traced to a viewer.
 */
async function saltOf(db: Database, day: string): Promise<Buffer> {
    const found = await runOne(db, findSalt, [day]);
    if (found !== undefined) {
        return found.salt;
    }

    await run(db, insertSalt, [day, randomBytes(32)]);
    await run(db, forgetSalts, [day]);
    return saltOf(db, day);
}

/** A hash that tells viewers of a day apart, and cannot be traced to one once the day's salt is gone. @param day UTC, as YYYY-MM-DD */
export const hashOfDay = async (db: Database, day: string, viewer: string): Promise<Buffer> => hashWith(await saltOf(db, day), viewer);

const hashWith = (salt: Buffer, viewer: string): Buffer => createHash('sha256').update(salt).update(viewer).digest();

/** Maximum views of past days that a batch deletes: five times as many as it can add. */
const MAX_FORGOTTEN = 1000;

// Rows are written in one order, so that two instances never deadlock. Views of past days are
// deleted a few at a time: a statement that had to delete them all could take too long, and then would every day.
const views = statement({ parameters: ['bigint[]', 'date[]', 'bytea[]', 'bigint[]', 'date', 'boolean[]', 'boolean[]'], row: { n: 'integer', counted: 'boolean' }, place: writing(inProjectOfEachRow(1)) }, `
    with asked as materialized (
        select a.*, p.user_id as author_id, row_number() over (partition by a.project_id, a.viewer, a.day order by a.n) = 1 as first
        from unnest($1::bigint[], $2::date[], $3::bytea[], $4::bigint[], $6::boolean[], $7::boolean[]) with ordinality as a (project_id, day, viewer, user_id, moderator, teaches, n)
        ${joinLiveProject('a.project_id')} and ${mayRead('p', { id: 'a.user_id', moderator: 'a.moderator', teaches: 'a.teaches' })}
    ), seen as (
        insert into project_views (day, project_id, viewer)
        select day, project_id, viewer from asked where first and author_id is distinct from user_id
        order by project_id, viewer, day
        on conflict do nothing returning day, project_id, viewer
    ), past as (
        select project_id, viewer, day from project_views where day < $5::date - 1 order by day limit ${MAX_FORGOTTEN} for update skip locked
    ), forgotten as (
        delete from project_views v using past where v.project_id = past.project_id and v.viewer = past.viewer and v.day = past.day
    ), counted as (
        ${addViews('select project_id, count(*) from seen group by project_id order by project_id')}
    )
    select a.n::int as n, a.first and s.viewer is not null as counted
    from asked a left join seen s on s.project_id = a.project_id and s.viewer = a.viewer and s.day = a.day`);

export interface Viewing {
    projectId: string;
    /** UTC, as YYYY-MM-DD */
    day: string;
    /** identifies the viewer; only a hash of it is stored */
    viewer: string;
    userId: string | null;
    moderator: boolean;
    teaches: boolean;
}

/** Returns whether the view was counted: once for each viewer and day. Undefined if there is no such project that the viewer may see. */
export type CountView = (viewing: Viewing) => Promise<boolean | undefined>;

/** Counts views in batches, so that a project that many people view is written once for all of them. */
export function viewCounter(db: Database): CountView {
    /** the salt of the current day, by its day */
    const salts = new Map<string, Buffer>();

    const count = batched(async (batch: readonly (Viewing & { hash: Buffer })[]): Promise<{ counted: boolean | undefined }[]> => {
        const rows = await run(db, views, [
            batch.map(({ projectId }) => projectId), batch.map(({ day }) => day), batch.map(({ hash }) => hash), batch.map(({ userId }) => userId), batch[0]?.day, batch.map(({ moderator }) => moderator), batch.map(({ teaches }) => teaches)
        ]);
        const counted = new Map(rows.map((row) => [row.n, row.counted]));
        return batch.map((_viewing, index) => ({ counted: counted.get(index + 1) }));
    });

    return async (viewing) => {
        const salt = salts.get(viewing.day) ?? await saltOf(db, viewing.day);
        if (!salts.has(viewing.day)) {
            salts.clear();
            salts.set(viewing.day, salt);
        }

        const { counted } = await count({ ...viewing, hash: hashWith(salt, viewing.viewer) });
        return counted;
    };
}
