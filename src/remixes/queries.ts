import type { Database } from '../db/connection';
import { run, runOne, statement } from '../db/statement';
import { projectJson } from '../representations/project';
import { projectChain } from '../projects/queries';

// The share lock keeps the source as it is until its copy is committed; it waits for edits under way. The remixer is
// locked before it, in the order of a user's deletion, which the copy would else be in the way of.
const source = statement(`
    with remixer as materialized (select id from users where id = $3 and deleted_at is null for share)
    select 1 as found ${projectChain} and exists (select from remixer) for share of p`);

/** Holds the source still, and the remixer's account; false where either is not there. */
export async function holdSource(db: Database, userId: string, id: string, remixerId: string): Promise<boolean> {
    const rows = await run(db, source, [userId, id, remixerId]);
    return rows.length > 0;
}

/** An element's link targets as text. */
const target = (name: string): string => `(e.attributes ->> '${name}')`;

/** Whether an element is a link to the source project ($1). Targets that are not text or numbers name nothing, and so match nothing. */
const linksHere = `e.type = 'link' and coalesce(
    ${target('targetProjectId')} = $1::text or (coalesce(${target('targetProjectId')}, '') = '' and ${target('targetPageId')} <> ''), false)`;

/**
 * The attributes of such a link, pointed at the remix `m`, and at the copied page where there is one. They are put
 * together without the blanks of json_object_agg, which could make them larger than they may be; string_agg leaves out
 * the page where there is no copy of it.
 */
const relinked = `(
    select ('{' || string_agg(to_json(key) || ':' || value, ',') || '}')::json from (
        select key, value from json_each(e.attributes) where key not in ('targetProjectId', 'targetUserId', 'targetPageId')
        union all select 'targetProjectId', to_json(m.id::text)
        union all select 'targetUserId', to_json(m.user_id::text)
        union all select 'targetPageId', to_json(ids.copies ->> ${target('targetPageId')})
    ) pairs)`;

// One statement: the copies' ids are drawn first, so that links can be pointed at pages not yet there. Its
// foreign keys are checked when all of it is in place.
const copy = statement<{ id: string; json: string }>(`
    with m as (
        insert into projects (user_id, remixed_from, version, title, thumbnail, page_count)
        select $2::bigint, id, $3, title, thumbnail, page_count from projects where id = $1
        returning *
    ), copies as materialized (
        select id as source, nextval('pages_id_seq') as copy, x, y, styles, element_count from (
            select * from pages where project_id = $1 and deleted_at is null order by id) g
    ), copied_pages as (
        insert into pages (id, project_id, x, y, styles, element_count)
        select c.copy, m.id, c.x, c.y, c.styles, c.element_count from copies c, m
    ), ids as materialized (
        select coalesce(jsonb_object_agg(source, copy::text), '{}') as copies from copies
    ), copied_elements as (
        insert into elements (page_id, type, attributes, styles)
        select c.copy, e.type, case when ${linksHere} then ${relinked} else e.attributes end, e.styles
        from m, ids, copies c
        join elements e on e.page_id = c.source and e.deleted_at is null
        order by c.copy, e.id
    )
    select p.id, ${projectJson} as json from m p join users u on u.id = p.user_id`);

/** A deep copy of the source held before, whatever its size in one statement. */
export function copyProject(db: Database, id: string, remixerId: string, version: string): Promise<{ id: string; json: string } | undefined> {
    return runOne(db, copy, [id, remixerId, version]);
}
