import type { ThingType } from '../api/representations/things';
import { elementColumns, expressions, namesOf, pageColumns, projectColumns, recordedOf } from './columns';
import type { AuthoredColumns } from './columns';

/*
 * SQL for a project as it was at a revision: the rows of `versions` have the values before each change (projects/history/schema.sql), so the value of a
 * column at a revision is in the first version after it, or in the row itself if there is none.
 */

/** The field of a version if a change set no column: it changed the revision, or whether the thing is deleted. */
export const SELF = 'self';

/** SQL for the value of a column in the JSON of its version. */
const fromJson: Readonly<Record<string, (value: string) => string>> = {
    'integer': (value) => `(${value} #>> '{}')::integer`,
    'json': (value) => value,
    'text': (value) => `${value} #>> '{}'`,
    'text[]': (value) => `array(select json_array_elements_text(${value}))`
};

const alias = (name: string): string => `v_${name}`;

/** Joins the first version after the revision `at` of each of these columns, if the row has changed since. */
function joinVersions(kind: ThingType, row: string, names: readonly string[], at: string, hasChanged: string): string {
    return names.map((name) => `
        left join lateral (
            select to_revision, revision, updated_at, deleted, value from versions v
            where ${hasChanged} and v.project_id = p.id and v.type = '${kind}' and v.id = ${row}.id and v.field = '${name}' and v.to_revision > ${at}
            order by v.to_revision limit 1
        ) ${alias(name)} on true`).join('');
}

/** SQL for the columns that authors write, as they were. */
const columnsThen = <Row>(columns: AuthoredColumns<Row>, row: string): Record<string, string> => Object.fromEntries(namesOf(columns).map((name) => {
    const value = fromJson[columns.types[name]]?.(`${alias(name)}.value`);
    return [name, !recordedOf(columns).includes(name) ? `${row}.${name}` : `case when ${alias(name)}.to_revision is null then ${row}.${name} else ${value} end`];
}));

const selected = (columns: Readonly<Record<string, string>>): string => Object.entries(columns).map(([name, value]) => `${value} as ${name}`).join(', ');

/** SQL for a query of the rows that existed at the revision `at` of the project in the row `p`, as they were then. */
function rowsThen<Row>(kind: ThingType, row: string, parent: string, columns: AuthoredColumns<Row>, at: string, from: string): string {
    const names = [...recordedOf(columns), SELF];
    const hasChanged = `${row}.project_revision > ${at}`;
    // All versions of one change have the same revision of the thing.
    const first = `least(${names.map((name) => `${alias(name)}.to_revision`).join(', ')})`;
    const ofFirst = (column: string): string => `case ${first} ${names.map((name) => `when ${alias(name)}.to_revision then ${alias(name)}.${column}`).join(' ')} end`;
    return `
        select ${row}.id, ${row}.${parent}, ${selected(columnsThen(columns, row))}, ${row}.created_at,
            case when ${hasChanged} then ${ofFirst('revision')} else ${row}.revision end as revision,
            case when ${hasChanged} then ${ofFirst('updated_at')} else ${row}.updated_at end as updated_at
        from ${from} ${joinVersions(kind, row, names, at, hasChanged)}
        where ${row}.created_revision <= ${at} and case when ${hasChanged} then not coalesce(${ofFirst('deleted')}, true) else ${row}.deleted_at is null end`;
}

/** SQL for the pages of the project in the row `p` as they were. `where` picks some of them. */
export const pagesThen = (at: string, where = ''): string => rowsThen('page', 'g', 'project_id', pageColumns, at, `p join pages g on g.project_id = p.id ${where}`);

/** SQL for the elements as they were, of pages in the rows `g` that existed then. `where` picks some of them. */
export const elementsThen = (at: string, where = ''): string => rowsThen('element', 'e', 'page_id', elementColumns, at, `p, g join elements e on e.page_id = g.id ${where}`);

/** SQL for the project in the row `p` as it was. `changed` is an expression of when it was last changed. */
export const projectThen = (at: string, changed: string): string => `
    select ${selected({ ...expressions(['id', 'user_id', 'version', 'remixed_from', 'featured', 'held_at', 'held_reason', 'created_at'], (name) => `p.${name}`), ...columnsThen(projectColumns, 'p') })},
        ${at} as revision, ${changed} as updated_at
    from p ${joinVersions('project', 'p', recordedOf(projectColumns), at, 'true')}`;
