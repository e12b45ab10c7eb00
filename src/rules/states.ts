import { joinUser } from '../accounts/users/fragments';
import { inProject, known } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { run, statement } from '../database/statements/statement';
import type { Statement } from '../database/statements/statement';
import { JsonText } from '../api/json/json-text';
import { LARGE } from '../limits';
import { writerJson } from '../api/representations/change';
import { elementJson, elementsJson } from '../api/representations/element';
import { pageAloneJson } from '../api/representations/page';
import { projectJsonWith } from '../api/representations/project';
import type { ThingType } from '../api/representations/things';
import { elementChain, pageChain, projectChain } from './chain';
import { changeableOf, elementColumns, pageColumns } from './columns';
import { SELF, elementsThen, pagesThen, projectThen } from './point';
import { readerParameters, readerTypes, readerValues } from './visibility';
import type { Reader } from './visibility';
import { FRAME, bytes, elementBytes, pageWeight } from './sizes';

/** The two states in a revision conflict: a thing as it is, and as it was. Its contents are `JsonText`. */
export interface States {
    current: object;
    /** as it was at the stated revision; null if it never had that revision, or the state is no longer stored */
    base: object | null;
    /** `{id, username}` of the user who changed it last; null if that is unknown */
    changedBy: object | null;
}

/** A thing without its contents, and the JSON texts of these; null for what is left out. */
const stateColumns = { is_base: 'boolean', changed_by: known<object | null>('json?', {}), thing: known<object>('json', {}) } as const;
type Row = RowOf<typeof stateColumns>;

const none = (): string => `'null'`;

/** SQL for the author of the change of the project in the row `p` that ended at this revision. */
const changedBy = (revision: string): string => `(
    select ${writerJson} from project_changes c left ${joinUser('c.author_id')} where c.project_id = p.id and c.revision = ${revision})::json as changed_by`;

/**
 * SQL, as common table expressions given `p` and the row `now` of a page or an element: at which revision of the project it had the revision
 * in a parameter. A version says what revision its thing had before a change. The state before it is that at the end of the last change that is
 * kept before. Each field is read from the newest version back, since most clients state a recent revision.
 */
const pointOf = (type: 'page' | 'element', fields: readonly string[], revision: string): string => `
    next as materialized (
        select v.to_revision
        from p, now, unnest(array['${[...fields, SELF].join('\', \'')}']) as f (field) cross join lateral (
            select v.revision, v.to_revision from versions v
            where v.project_id = p.id and v.type = '${type}' and v.id = now.id and v.field = f.field and v.revision <= ${revision}
            order by v.to_revision desc limit 1
        ) v
        where v.revision = ${revision} limit 1
    ), point as materialized (
        select case when now.revision = ${revision} then p.revision else (
            select c.from_revision from project_changes c, next where c.project_id = p.id and c.revision >= next.to_revision order by c.revision limit 1
        ) end as at from p, now
    )`;

const at = '(select at from point)';

const project = statement({ parameters: ['bigint', 'bigint', 'integer', ...readerTypes], row: { ...stateColumns, thumbnail: 'text' }, place: inProject(2) }, `
    with p as materialized (select p.* ${projectChain(readerParameters(3))})
    select false as is_base, ${changedBy('p.revision')}, ${projectJsonWith(`'null'`)}::json as thing, p.thumbnail::text as thumbnail
    from p ${joinUser('p.user_id')}
    union all
    select true, null, ${projectJsonWith(`'null'`)}::json, p.thumbnail::text
    from (${projectThen('$3::int', 'coalesce((select c.at from project_changes c where c.project_id = p.id and c.revision = $3), p.updated_at)')}) p
    ${joinUser('p.user_id')}
    where exists (select from p now where now.revision = $3 union all select from project_changes c where c.project_id = p.id and c.revision = $3)
    order by is_base`);

const isSmall = `$5::boolean and (select ${pageWeight} from p, now g) <= ${LARGE}`;
const wasSmall = `${isSmall} and (select coalesce(sum(${elementBytes} + ${FRAME}), 0) from e) + ${bytes('g.styles')} <= ${LARGE}`;

const page = statement({ parameters: ['bigint', 'bigint', 'bigint', 'integer', 'boolean', ...readerTypes], row: { ...stateColumns, styles: 'text', elements: 'text?' }, place: inProject(2) }, `
    with p as materialized (select p.* ${pageChain(readerParameters(5))}),
    now as materialized (select g.* from p join pages g on g.id = $3),
    ${pointOf('page', changeableOf(pageColumns), '$4')},
    g as materialized (${pagesThen(at, 'and g.id = $3')}),
    e as materialized (${elementsThen(at, `and ${isSmall}`)})
    select false as is_base, ${changedBy('g.project_revision')}, ${pageAloneJson('p.user_id', none)}::json as thing, g.styles::text as styles,
        case when ${isSmall} then '[' || ${elementsJson('g.id', 'p.user_id')} || ']' end as elements
    from p, now g
    union all
    select true, null, ${pageAloneJson('p.user_id', none)}::json, g.styles::text,
        case when ${wasSmall} then '[' || coalesce((select string_agg(${elementJson('p.user_id')}, ',' order by e.id) from e), '') || ']' end
    from p, g where g.revision = $4
    order by is_base`);

const element = statement({ parameters: ['bigint', 'bigint', 'bigint', 'bigint', 'integer', ...readerTypes], row: { ...stateColumns, attributes: 'text', styles: 'text' }, place: inProject(2) }, `
    with p as materialized (select p.* ${elementChain(readerParameters(5))}),
    now as materialized (select e.* from p join elements e on e.id = $4),
    ${pointOf('element', changeableOf(elementColumns), '$5')},
    g as materialized (select g.id from p join pages g on g.id = $3),
    e as materialized (${elementsThen(at, 'and e.id = $4')})
    select false as is_base, ${changedBy('e.project_revision')}, ${elementJson('p.user_id', none)}::json as thing, e.attributes::text as attributes, e.styles::text as styles
    from p, now e
    union all
    select true, null, ${elementJson('p.user_id', none)}::json, e.attributes::text, e.styles::text
    from p, e where e.revision = $5
    order by is_base`);

const statements: Readonly<Record<ThingType, Statement<Row>>> = { project, page, element };

function shown({ is_base: _isBase, changed_by: _changedBy, thing, ...contents }: Row): object {
    const texts = Object.entries(contents).flatMap(([name, text]) => (typeof text === 'string' ? [[name, new JsonText(text)]] : []));
    return { ...thing, ...Object.fromEntries(texts) };
}

/**
 * A thing as it is, and as it was at one of its own revisions; undefined if it does not exist.
 * @param chain the ids in its path
 * @param revision null if none was stated
 * @param reader who gets the answer
 * @param whole whether a page is shown with its elements, if it has and had at most 4 MiB of JSON
 */
export async function findStates(db: Database, kind: ThingType, chain: readonly string[], revision: number | null, reader: Reader, whole: boolean): Promise<States | undefined> {
    const [current, base] = await run(db, statements[kind], [...chain, revision, ...kind === 'page' ? [whole] : [], ...readerValues(reader)]);
    return current && { current: shown(current), base: base === undefined ? null : shown(base), changedBy: current.changed_by };
}
