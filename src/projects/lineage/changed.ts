import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { changeableOf, elementColumns, pageColumns } from '../../rules/columns';
import { relinked } from '../../rules/links';
import { elementsThen, pagesThen } from '../../rules/point';
import { bytes } from '../../rules/sizes';
import { live } from '../../database/statements/deletion';
import { statement } from '../../database/statements/statement';
import { MAX_CHANGED } from '../../limits';

/*
 * SQL for what has changed in the source of a remix since a revision, next to what the remix has. $1 is the remix, $2 the source, $3 and $4
 * its revisions then and now. `copies` is jsonb: the id of each copied page, by that of the page in the source.
 * The source is read at these revisions, so it need not be locked: a write in the meantime makes a later one. All links are shown as they
 * are in a copy, so that what a remix has not changed is the same text in both.
 */

const [then, now] = ['$3::int', '$4::int'];
export const pageNames = changeableOf(pageColumns);
export const elementNames = changeableOf(elementColumns);

const both = `
    p as materialized (select * from projects where id = $2),
    m as materialized (select id, user_id from projects where id = $1)`;

/** SQL for elements of the source at a revision, with the links of a copy. `pages` are rows of its pages at that revision; `where` picks some elements. */
export const copiedElements = (pages: string, at: string, where: string, copies: string, source = '$2'): string => `
    select e.id, e.page_id, e.type, ${elementNames.map((name) => `${name === 'attributes' ? relinked({ source, project: 'm.id', user: 'm.user_id', copies }) : `e.${name}`} as ${name}`).join(', ')}
    from (with g as (select * from ${pages}) ${elementsThen(at, where)}) e, m`;

/** Columns of JSON, whose contents are read only if they are needed. */
const free = (names: readonly string[]): string[] => names.filter((name) => name !== 'x' && name !== 'y');

/** SQL for whether two rows differ in a column. Most JSON that is equal is also the same text, and comparing text is faster. */
const differs = (one: string, other: string, name: string): string => ['text', ...free([name]).map(() => 'jsonb')].map((type) => `${one}.${name}::${type} is distinct from ${other}.${name}::${type}`).join(' and ');

/** SQL for the names of the columns in which two rows differ. A row that is missing differs in all of them. */
const differing = (one: string, other: string, names: readonly string[]): string => `
    array_remove(array[${names.map((name) => `case when ${differs(one, other, name)} then '${name}' end`).join(', ')}], null)`;

const sizes = (names: readonly string[]): string => `json_build_object(${free(names).map((name) => `'${name}', ${['b', 't', 'c'].map((row) => `coalesce(${bytes(`${row}.${name}`)}, 0)`).join(' + ')}`).join(', ')})`;

/** SQL for whether a moderator removed the thing with this id. */
export const removedByModerator = (type: string, id: string): string => `exists (select from trash r where r.type = '${type}' and r.thing_id = ${id} and r.moderated)`;

/** Something that was changed in the source: its state before (b), its state now (t), and its copy in the remix (c), which may have been removed. */
const sharedColumns = {
    source_id: 'text',
    /** of the copy; null if there is none */
    id: 'text?',
    /** whether the source had it before, and has it now */
    was: 'boolean',
    is: 'boolean',
    /** whether the remix has it */
    here: 'boolean',
    /** columns that the source changed */
    theirs: 'text[]',
    /** columns that the remix has changed; if the source did not have it before, those that differ between both */
    ours: 'text[]',
    /** of each JSON column in all three states */
    bytes: known<Record<string, number>>('json', {}),
    /** whether a moderator removed the copy */
    moderated: 'boolean'
} as const;
export type Changed = RowOf<typeof sharedColumns>;

type Coordinates = { x: number; y: number } | null;

const changedPageColumns = {
    ...sharedColumns,
    /** whether something on the copy of a page that the source removed is the remix's own */
    mixed: 'boolean',
    base: known<Coordinates>('json?', { x: 1, y: 1 }),
    place: known<Coordinates>('json?', { x: 1, y: 1 }),
    own: known<Coordinates>('json?', { x: 1, y: 1 })
} as const;
export type ChangedPage = RowOf<typeof changedPageColumns>;

const changedElementColumns = {
    ...sharedColumns,
    /** the copy of its page */
    page: 'text',
    source_page: 'text'
} as const;
export type ChangedElement = RowOf<typeof changedElementColumns>;

const shared = (names: readonly string[]): string => `
    coalesce(t.id, b.id)::text as source_id, c.id::text as id, b.id is not null as was, t.id is not null as is, coalesce(c.here, false) as here,
    ${differing('b', 't', names)} as theirs, case when b.id is null then ${differing('t', 'c', names)} else ${differing('b', 'c', names)} end as ours, ${sizes(names)} as bytes`;

const place = (row: string): string => `case when ${row}.id is not null then json_build_object('x', ${row}.x, 'y', ${row}.y) end`;

/** Pages that were changed, or on which something was. $5 are the copies. */
export const changedPages = statement({ parameters: ['bigint', 'bigint', 'integer', 'integer', 'jsonb'], row: changedPageColumns, place: inProject(1) }, `
    with ${both},
    b as materialized (${pagesThen(then, `and g.project_revision > ${then}`)}),
    t as materialized (${pagesThen(now, `and g.project_revision > ${then}`)}),
    c as materialized (
        select g.*, ${live('g')} as here, ${removedByModerator('page', 'g.id')} as moderated
        from pages g where g.project_id = $1 and g.copied_from in (select id from b union all select id from t)
    ), lost as materialized (select * from b where id not in (select id from t) and id in (select copied_from from c where here)),
    mixed as materialized (
        select coalesce(o.page_id, n.page_id) as id from (${copiedElements('lost', then, '', '$5::jsonb')}) o
        full join (
            select e.copied_from, c.copied_from as page_id, ${elementNames.map((name) => `e.${name}`).join(', ')} from c join elements e on e.page_id = c.id and ${live('e')} where c.copied_from in (select id from lost)
        ) n on n.copied_from = o.id and n.page_id = o.page_id
        where o.id is null or n.page_id is null or ${differing('o', 'n', elementNames)} <> '{}'
    )
    select ${shared(pageNames)}, coalesce(c.moderated, false) as moderated, b.id in (select id from mixed) and b.id is not null as mixed, ${place('b')} as base, ${place('t')} as place, ${place('c')} as own
    from b full join t on t.id = b.id left join c on c.copied_from = coalesce(t.id, b.id)
    order by coalesce(t.id, b.id)`);

/** SQL for elements on the pages $5 of the source, which it has now and the remix has or had. $6 are the copies. */
const onPages = (picked: string): string => `
    ${both},
    copies as materialized (
        select g.id, g.copied_from, ${live('g')} as here from pages g where g.project_id = $1 and g.copied_from = any($5::bigint[])
    ), picked as materialized (${picked}),
    bg as materialized (${pagesThen(then, 'and g.id = any($5::bigint[])')}),
    tg as materialized (${pagesThen(now, 'and g.id = any($5::bigint[])')}),
    b as materialized (${copiedElements('bg', then, 'and e.id in (select id from picked)', '$6::jsonb')}),
    t as materialized (${copiedElements('tg', now, 'and e.id in (select id from picked)', '$6::jsonb')}),
    c as materialized (
        select e.id, e.copied_from, ${elementNames.map((name) => `e.${name}`).join(', ')}, ${live('e')} and g.here as here, ${removedByModerator('element', 'e.id')} as moderated
        from copies g join elements e on e.page_id = g.id and e.copied_from in (select id from picked)
    )`;

/** Ids of elements on the pages $3 of the source $1 that were changed after the revision $2: at most one more than the limit. */
export const changedIds = statement({ parameters: ['bigint', 'integer', 'bigint[]'], row: { ids: 'text[]' }, place: inProject(1) }, `
    select array(
        select e.id::text from pages g join elements e on e.page_id = g.id
        where g.project_id = $1 and g.id = any($3::bigint[]) and e.project_revision > $2::int order by e.id limit ${MAX_CHANGED + 1}
    ) as ids`);

/**
 * The elements $7, which were changed. Each has a page in `copies`. The joins are full joins because PostgreSQL expects only a few
 * elements, and would compare each with each; it never does that for a full join.
 */
export const changedElements = statement({ parameters: ['bigint', 'bigint', 'integer', 'integer', 'bigint[]', 'jsonb', 'bigint[]'], row: changedElementColumns, place: inProject(1) }, `
    with ${onPages('select unnest($7::bigint[]) as id')}
    select ${shared(elementNames)}, coalesce(c.moderated, false) as moderated, g.id::text as page, g.copied_from::text as source_page
    from b full join t on t.id = b.id full join copies g on g.copied_from = coalesce(t.page_id, b.page_id) full join c on c.copied_from = coalesce(t.id, b.id)
    where coalesce(t.id, b.id, 0) > 0
    order by coalesce(t.id, b.id)`);

/** A JSON column of a thing in all three states, as text. */
const contentColumns = {
    source_id: 'text',
    name: 'text',
    base: 'text?',
    theirs: 'text?',
    ours: 'text?'
} as const;
export type Content = RowOf<typeof contentColumns>;

const contents = (names: readonly string[], records: string): string => {
    const side = (row: string): string => `case f.name ${free(names).map((name) => `when '${name}' then ${row}.${name}::text`).join(' ')} end`;
    return `select w.source_id::text as source_id, f.name, ${side('b')} as base, ${side('t')} as theirs, ${side('c')} as ours
    from json_to_recordset(${records}::json) as w (source_id bigint, names text[]) cross join unnest(w.names) as f (name)
    left join b on b.id = w.source_id left join t on t.id = w.source_id left join c on c.copied_from = w.source_id`;
};

/** The contents of columns, on the pages $5 of the source: of pages those in $6 (JSON: `{source_id, names}`), of elements those in $7, with the copies in $6. */
export const contentsOf = {
    page: statement({ parameters: ['bigint', 'bigint', 'integer', 'integer', 'bigint[]', 'json'], row: contentColumns, place: inProject(1) }, `
        with ${both}, b as materialized (${pagesThen(then, 'and g.id = any($5::bigint[])')}), t as materialized (${pagesThen(now, 'and g.id = any($5::bigint[])')}),
        c as materialized (select copied_from, ${pageNames.join(', ')} from pages where project_id = $1 and copied_from = any($5::bigint[]))
        ${contents(pageNames, '$6')}`),
    element: statement({ parameters: ['bigint', 'bigint', 'integer', 'integer', 'bigint[]', 'jsonb', 'json'], row: contentColumns, place: inProject(1) }, `with ${onPages('select source_id as id from json_to_recordset($7::json) as w (source_id bigint)')} ${contents(elementNames, '$7')}`)
};

/** The pages of a remix that are copies, and of which pages. */
export const copiedPages = statement({ parameters: ['bigint'], row: { copies: known<Record<string, string>>('json', { 1: '2' }) }, place: inProject(1) }, `
    select coalesce(json_object_agg(copied_from, id::text), '{}') as copies from pages where project_id = $1 and copied_from is not null`);

/** Ids for new pages. */
export const drawPages = statement({ parameters: ['integer'], row: { ids: 'text[]' } }, `select array(select nextval('pages_id_seq')::text from generate_series(1, $1::int)) as ids`);

/** Where the pages of a remix are. */
export const placesOf = statement({ parameters: ['bigint'], row: { id: 'text', x: 'integer', y: 'integer' }, place: inProject(1) }, `select id::text as id, x, y from pages g where project_id = $1 and ${live('g')} order by g.id`);
