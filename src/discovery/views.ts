import { createHash, randomBytes } from 'node:crypto';

import type { Database } from '../db/connection';
import { run, runOne, statement } from '../db/statement';

/** Days whose viewers are remembered: today, for whoever is a moment late past midnight. */
const insertSalt = statement(`insert into view_salts (day, salt) values ($1, $2) on conflict do nothing`);
const findSalt = statement<{ salt: Buffer }>(`select salt from view_salts where day = $1`);
const forgetSalts = statement(`delete from view_salts where day < $1::date - 1`);
const forgetViews = statement(`delete from project_views where day < $1::date - 1`);

/**
 * The salt of a UTC day, the same for all instances: whoever comes first makes it. It is gone a day later, and with
 * it any way back from a hash to a viewer.
 */
async function saltOf(db: Database, day: string): Promise<Buffer> {
    const found = await runOne(db, findSalt, [day]);
    if (found !== undefined) {
        return found.salt;
    }

    await run(db, insertSalt, [day, randomBytes(32)]);
    await run(db, forgetSalts, [day]);
    await run(db, forgetViews, [day]);
    return saltOf(db, day);
}

const view = statement<{ counted: boolean }>(`
    with project as materialized (
        select p.id, p.user_id from projects p join users u on u.id = p.user_id and u.deleted_at is null
        where p.id = $1 and p.deleted_at is null
    ), seen as (
        insert into project_views (day, project_id, viewer)
        select $2, id, $3 from project where user_id is distinct from $4::bigint
        on conflict do nothing returning project_id
    ), counted as (
        insert into project_stats as s (project_id, views) select project_id, 1 from seen
        on conflict (project_id) do update set views = s.views + 1
    )
    select exists (select from seen) as counted from project`);

/** Salts by day, as far as this process has read them; a day's salt never changes. */
export type Salts = Map<string, Buffer>;

export interface Viewing {
    projectId: string;
    /** UTC, as YYYY-MM-DD */
    day: string;
    /** what tells one viewer from another, and is never kept */
    viewer: string;
    userId: string | null;
}

/** Counts a view once a viewer and day; undefined where there is no such project. */
export async function countView(db: Database, salts: Salts, { projectId, day, viewer, userId }: Viewing): Promise<boolean | undefined> {
    let salt = salts.get(day);
    if (salt === undefined) {
        salt = await saltOf(db, day);
        salts.clear();
        salts.set(day, salt);
    }

    const hash = createHash('sha256').update(salt).update(viewer).digest();
    const row = await runOne(db, view, [projectId, day, hash, userId]);
    return row?.counted;
}
