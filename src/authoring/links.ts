/*
 * SQL of the one rule by which the links of a copy are pointed at the copy: in a remix and in an import. The element is in the row `e`.
 */

/** An element's link targets as text. */
const target = (name: string): string => `(e.attributes ->> '${name}')`;

/**
 * Whether an element is a link into the project that is copied: it names it, or names a page and no project. Targets that are not text or numbers name nothing.
 * @param source an expression of that project's id as text, null if it is not known
 */
const linksInto = (source: string): string => `e.type = 'link' and coalesce(
    coalesce(${target('targetProjectId')} = ${source}, false) or (coalesce(${target('targetProjectId')}, '') = '' and ${target('targetPageId')} <> ''), false)`;

/**
 * SQL for the attributes of an element of the copy. They are put together without the blanks of json_object_agg, which could make them larger than
 * they may be; string_agg leaves out the page where there is no copy of it.
 * @param copy expressions of the ids of the copy and of its owner, and of a jsonb object with the ids of pages that are copied as keys, and of their copies as text
 */
export const copiedAttributes = (source: string, copy: { project: string; user: string; pages: string }): string => `case when ${linksInto(source)} then (
    select ('{' || string_agg(to_json(key) || ':' || value, ',') || '}')::json from (
        select key, value from json_each(e.attributes) where key not in ('targetProjectId', 'targetUserId', 'targetPageId')
        union all select 'targetProjectId', to_json((${copy.project})::text)
        union all select 'targetUserId', to_json((${copy.user})::text)
        union all select 'targetPageId', to_json(${copy.pages} ->> ${target('targetPageId')})
    ) pairs) else e.attributes end`;
