import { live } from '../database/statements/deletion';
import { MAX_ANCESTORS } from '../limits';
import { isListed, isPublic } from './visibility';

/*
 * SQL for whom a remix is owed to: `projects.credits` (projects/schema.sql) lists all that it was remixed from. Remixes of an older release have no
 * list: theirs is put together from what is still stored.
 */

/** SQL for a query of the ancestors of a project, nearest first: `depth` and `n` order them; `title` and `author` (the id of a user) only if the ancestor was public. */
export const ancestorsOf = (project: string): string => `
    with recursive up as (
        select 0 as depth, p.remixed_from as id, p.credits from projects p where p.id = ${project} and p.remixed_from is not null
        union all
        select up.depth + 1, s.remixed_from, s.credits from up join projects s on s.id = up.id where up.credits is null and s.remixed_from is not null and up.depth < ${MAX_ANCESTORS}
    )
    select up.depth, 0 as n, up.id, s.title, s.user_id as author from up left join projects s on s.id = up.id and ${isPublic('s')} where up.credits is null
    union all
    select up.depth, c.n, (c.value ->> 'id')::bigint, c.value ->> 'title', (c.value ->> 'author')::bigint from up, json_array_elements(up.credits) with ordinality as c (value, n) where up.credits is not null
    order by depth, n limit ${MAX_ANCESTORS}`;

/** SQL for the credits of such rows. */
const listOf = (rows: string): string => `(
    select json_agg(json_strip_nulls(json_build_object('id', id::text, 'title', title, 'author', author::text)) order by depth, n)
    from (select * from (${rows}) all_of_them order by depth, n limit ${MAX_ANCESTORS}) a)`;

/** SQL for the credits of a remix that is made of the project in a row. */
export const newCredits = (source: string): string => listOf(`
    select -1 as depth, 0 as n, ${source}.id, case when ${isListed(source)} then ${source}.title end as title, case when ${isListed(source)} then ${source}.user_id end as author
    union all select * from (${ancestorsOf(`${source}.id`)}) above`);

/** SQL that keeps the credits of remixes of an older release. `sources` are the ids of the projects that are about to go for good. */
export const keepCredits = (sources: string): string => `
    update projects r set credits = ${listOf(ancestorsOf('r.id'))} where r.remixed_from in (${sources}) and r.credits is null and ${live('r')}`;
