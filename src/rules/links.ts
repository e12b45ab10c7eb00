/*
 * SQL that makes the links of a copied project lead to the copy: for remixes, for changes that a remix pulls from its source, and for imports.
 */

/** A link target of the element in the row `e`, as text. */
const target = (name: string): string => `(e.attributes ->> '${name}')`;

/** SQL for the new targets of links. */
interface Copy {
    /** the id of the project that was copied; null if it is unknown */
    source: string;
    /** the ids of the copy and of its owner */
    project: string;
    user: string;
    /** jsonb: the id of each copied page, by the id of the original */
    copies: string;
}

/** Whether an element is a link to the source. Targets that are neither text nor numbers match nothing. */
const linksTo = (source: string): string => `e.type = 'link' and coalesce(
    ${target('targetProjectId')} = ${source}::text or (coalesce(${target('targetProjectId')}, '') = '' and ${target('targetPageId')} <> ''), false)`;

/**
 * SQL for the attributes of the element in the row `e` in a copy of its project: those of a link to that project are pointed at the copy, and at
 * the copied page if there is one. They are put together without the blanks of json_object_agg, which could make them larger than they may be;
 * string_agg leaves out the page if there is no copy of it.
 */
export const relinked = ({ source, project, user, copies }: Copy): string => `case when ${linksTo(source)} then (
    select ('{' || string_agg(to_json(key) || ':' || value, ',') || '}')::json from (
        select key, value from json_each(e.attributes) where key not in ('targetProjectId', 'targetUserId', 'targetPageId')
        union all select 'targetProjectId', to_json((${project})::text)
        union all select 'targetUserId', to_json((${user})::text)
        union all select 'targetPageId', to_json(${copies} ->> ${target('targetPageId')})
    ) pairs) else e.attributes end`;
