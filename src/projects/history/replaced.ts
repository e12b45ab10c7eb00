import type { ThingType } from '../../api/representations/things';
import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { changeableOf, elementColumns, pageColumns, projectColumns, recordedOf } from '../../rules/columns';
import { gone, live } from '../../database/statements/deletion';
import { statement } from '../../database/statements/statement';

/*
 * The things that a change replaced and created, for undoing it. If the points before it were thinned out, it is all that was done since the last point before them.
 */

/** A column that a change set, or `self`: of several changes that were merged, the first time that they did. All values are JSON texts. */
const replacedColumns = {
    id: 'text',
    field: 'text',
    before: 'text?',
    /** whether a later change set the column too; then, what the change made of it and what it is now */
    later: 'boolean',
    after: 'text?',
    current: 'text?',
    /** whether the thing was deleted before the change, after it, and is now */
    was_gone: 'boolean',
    gone_after: 'boolean',
    gone_now: 'boolean',
    /** whether the thing is different from what it was after the change, with what is on it */
    touched: 'boolean',
    /** the page of an element */
    page_id: 'text?',
    page_gone: 'boolean',
    /** deleted by a moderator */
    moderated: 'boolean'
} as const;
export type Replaced = RowOf<typeof replacedColumns>;

/** A change, as far as it decides whether it can be undone. */
const extentColumns = {
    /** the revision before it */
    since: 'integer',
    kind: 'text',
    /** of all values that it replaced */
    bytes: 'double precision',
    /** whether something that it removed was deleted for good */
    incomplete: 'boolean'
} as const;

export const extent = statement({ parameters: ['bigint', 'integer'], row: extentColumns, place: inProject(1) }, `
    select c.from_revision as since, c.kind, (
            select coalesce(sum(octet_length(value::text)), 0) from versions where project_id = $1 and to_revision > c.from_revision and to_revision <= $2
        )::float8 as bytes, exists (
            select from history_gaps h where h.project_id = $1 and h.from_revision <= c.from_revision and h.to_revision > c.from_revision and h.to_revision <= $2
        ) as incomplete
    from project_changes c where c.project_id = $1 and c.revision = $2`);

const firstLater = (columns: string, type: string, id: string, where = ''): string => `(
    select ${columns} from versions l where l.project_id = $1 and l.type = ${type} and l.id = ${id} ${where} and l.to_revision > $2 order by l.to_revision limit 1)`;

/** SQL for whether a thing was made by the change. */
const isMade = (row: string): string => `(${row}.created_revision > $3 and ${row}.created_revision <= $2)`;

/** SQL for whether a field of a thing that is there is not what it was at $2. */
const differs = (type: 'page' | 'element', row: string, names: readonly string[]): string => `exists (
    select from (
        select distinct on (l.field) l.field, l.value from versions l where l.project_id = $1 and l.type = '${type}' and l.id = ${row}.id and l.to_revision > $2 order by l.field, l.to_revision
    ) l where case l.field ${names.map((name) => `when '${name}' then l.value::jsonb is distinct from to_json(${row}.${name})::jsonb`).join(' ')} else false end)`;

const [pageNames, elementNames] = [changeableOf(pageColumns), changeableOf(elementColumns)];

/** SQL for whether a thing is not what it was at $2. Later changes that were taken back themselves do not count. */
const touched = {
    element: (row: string): string => `(${row}.project_revision > $2 and ${differs('element', row, elementNames)})`,
    page: (row: string): string => `(${row}.project_revision > $2 and (${differs('page', row, pageNames)} or exists (
        select from elements i where i.page_id = ${row}.id and i.project_revision > $2 and (
            ${live('i')} is distinct from (i.created_revision <= $2 and not coalesce(${firstLater('l.deleted', `'element'`, 'i.id')}, ${gone('i')})) or (${live('i')} and ${differs('element', 'i', elementNames)})))))`,
    project: (): string => 'false'
};

/** SQL for what the change of the project $1 that ended at $2, and began at $3, replaced in a kind of thing that it did not make. */
const replaced = (type: ThingType, row: string, names: readonly string[], from: string, page: { id: string; gone: string }): string => `
    with v as materialized (
        select distinct on (id, field) id, type, field, value, first_value(deleted) over (partition by id order by to_revision) as was_gone
        from versions where project_id = $1 and type = '${type}' and to_revision > $3 and to_revision <= $2 order by id, field, to_revision
    )
    select v.id::text as id, v.field, v.value::text as before, v.was_gone, l.to_revision is not null as later, l.value::text as after,
        case when l.to_revision is not null then case v.field ${names.map((name) => `when '${name}' then to_json(${row}.${name})::text`).join(' ')} end end as current,
        coalesce(${firstLater('l.deleted', 'v.type', 'v.id')}, ${gone(row)}) as gone_after, ${gone(row)} as gone_now, ${touched[type](row)} as touched,
        ${page.id}::text as page_id, ${page.gone} as page_gone, exists (select from trash t where t.type = v.type and t.thing_id = v.id and t.moderated) as moderated
    from v ${from} left join lateral ${firstLater('l.to_revision, l.value', 'v.type', 'v.id', 'and l.field = v.field')} l on true
    ${type === 'project' ? '' : `where not ${isMade(row)}`} order by v.id`;

const nowhere = { id: 'null', gone: 'false' };
export const replacements = {
    project: statement({ parameters: ['bigint', 'integer', 'integer'], row: replacedColumns, place: inProject(1) }, replaced('project', 'p', recordedOf(projectColumns), 'join projects p on p.id = v.id', nowhere)),
    page: statement({ parameters: ['bigint', 'integer', 'integer'], row: replacedColumns, place: inProject(1) }, replaced('page', 'g', pageNames, 'join pages g on g.id = v.id', nowhere)),
    element: statement({ parameters: ['bigint', 'integer', 'integer'], row: replacedColumns, place: inProject(1) }, replaced('element', 'e', elementNames, 'join elements e on e.id = v.id join pages g on g.id = e.page_id', { id: 'e.page_id', gone: gone('g') }))
};

const madeColumns = {
    type: known<'page' | 'element'>('text'),
    id: 'text',
    touched: 'boolean',
    /** the page of an element */
    page_id: 'text?',
    page_gone: 'boolean'
} as const;
export type Made = RowOf<typeof madeColumns>;

/** SQL for whether a thing that the change made is there, and was when it ended. */
const stays = (type: 'page' | 'element', row: string): string => `${isMade(row)} and ${live(row)} and not coalesce(${firstLater('l.deleted', `'${type}'`, `${row}.id`)}, false)`;

/** The things that the change created and that still exist, without those on a page that it created too. */
export const made = statement({ parameters: ['bigint', 'integer', 'integer'], row: madeColumns, place: inProject(1) }, `
    select 'page' as type, g.id::text as id, ${touched.page('g')} as touched, null as page_id, false as page_gone from pages g where g.project_id = $1 and ${stays('page', 'g')}
    union all
    select 'element', e.id::text, ${touched.element('e')}, g.id::text, ${gone('g')} from pages g join elements e on e.page_id = g.id
        where g.project_id = $1 and not ${isMade('g')} and ${stays('element', 'e')}`);
