import type { ChangeKind } from '../api/representations/change';
import { projectColumns } from './columns';

/*
 * SQL of everything that inserts or updates projects, pages and elements: single routes, batched edits, bulk, remix, import, deletion and
 * restoring of an account. Only sizes.ts, which changes no revision, and the purge write past this. What is set here
 * for the history is taken up by the triggers of projects/history/schema.sql.
 */

const rows = { projects: 'p', pages: 'g', elements: 'e' } as const;

type Table = keyof typeof rows;

/** How many things of a kind were created, updated and removed: numbers or SQL. */
type Counts = readonly [created: number | string, updated: number | string, removed: number | string];

const none: Counts = [0, 0, 0];

/** SQL for what a change did: whether it changed the project's own columns (0 or 1), and how many pages and elements it did something to. */
export const counts = ({ project = 0, pages = none, elements = none }: { project?: number; pages?: Counts; elements?: Counts }): string => {
    return `array[${[project, ...pages, ...elements].join(', ')}]::integer[]`;
};

/** Who changed a project, and how: the part of a change that only the writer knows. */
export interface Author {
    /** an expression of the user's id */
    author: string;
    /** an expression of the id of the app whose token the user had, of the type bigint; null without one */
    app: string;
    kind: ChangeKind;
    /** an expression as `counts` makes it */
    counts: string;
}

/** For what is done by nobody's token. */
export const NO_APP = 'null::bigint';

const authorValues = ({ author, app, kind, counts: change_counts }: Author): Record<string, string> => ({ changed_by: author, changed_app: app, change_kind: `'${kind}'`, change_counts });

/** The values of a new project's columns for its history; `revision` is an expression of its first revision. */
export const begins = (author: Author, revision = '1'): Record<string, string> => ({ ...authorValues(author), change_revision: revision });

/** Values for a new page or element: at which revision of its project it was made. */
export const beginsAt = (revision: string): Record<string, string> => ({ project_revision: revision, created_revision: revision });

/**
 * SQL that inserts rows.
 * @param values the expression of each column
 * @param rest what follows, from the FROM on
 */
export const inserted = (table: Table, values: Readonly<Record<string, string>>, rest: string): string => `
    insert into ${table} as ${rows[table]} (${Object.keys(values).join(', ')})
    select ${Object.values(values).join(', ')} ${rest}`;

/** How a row changes. */
interface Change {
    /** columns that authors write, and expressions of their new values; one that is null changes nothing */
    columns?: Readonly<Record<string, string>>;
    /** further assignments */
    set?: readonly string[];
    /** by how much the revision grows, 1 if not given */
    times?: string;
    /** by how many bytes the row, and what is in it, grow; not of elements, whose pages count them */
    grown?: string;
}

interface Changes {
    projects: Change & Author;
    /** `at` is an expression of the project's new revision */
    pages: Change & { at: string };
    elements: Change & { at: string };
}

/**
 * Assignments that a kind of row needs besides. `counted_revision` is for the release before this one, which counts a project again where it is not the revision;
 * it leaves `changed_app` as it is, so `changed_app_revision` says which change that is of.
 */
const moves: { [Kind in Table]: (change: Changes[Kind]) => string[] } = {
    projects: ({ times = '1', grown = '0', ...author }) => [
        `counted_revision = p.counted_revision + ${times}`, `project_bytes = p.project_bytes + ${grown}`, `change_revision = p.revision + ${times}`,
        `changed_app_revision = case when ${author.app} is not null then p.revision + ${times} end`, ...Object.entries(authorValues(author)).map(([name, value]) => `${name} = ${value}`)
    ],
    pages: ({ grown, at }) => [`project_revision = ${at}`, ...grown === undefined ? [] : [`page_bytes = g.page_bytes + ${grown}`]],
    elements: ({ at }) => [`project_revision = ${at}`]
};

const notInHistory: ReadonlySet<string> = new Set(projectColumns.notInHistory);

/** SQL for the names of the columns that a change sets and the history keeps, with commas between them; `self` if it sets none. */
function namesSet(columns: Readonly<Record<string, string>>): string {
    const names = Object.entries(columns).filter(([name]) => !notInHistory.has(name)).map(([name, value]) => `case when ${value} is not null then '${name}' end`);
    return names.length === 0 ? `'self'` : `coalesce(nullif(concat_ws(',', ${names.join(', ')}), ''), 'self')`;
}

/**
 * SQL that updates rows, called p, g or e, and moves their revision.
 * @param rest what follows, from the FROM on
 */
export function updated<Kind extends Table>(table: Kind, change: Changes[Kind], rest: string): string {
    const row = rows[table];
    const { columns = {}, set = [], times = '1' } = change;
    const all = [
        ...Object.entries(columns).map(([name, value]) => `${name} = coalesce(${value}, ${row}.${name})`), ...set,
        `revision = ${row}.revision + ${times}`, `written = ${namesSet(columns)}`, ...moves[table](change), 'updated_at = now()'
    ];
    return `
    update ${table} ${row} set ${all.join(', ')} ${rest}`;
}

/** SQL, as a common table expression, that counts a write in its project, given the one row of `written` with `project_id` and the bytes by which that has `grown`. */
export const projectMoved = (author: Author, ...set: string[]): string => `
    project_moved as (${updated('projects', { ...author, set, grown: 'w.grown' }, 'from written w where p.id = w.project_id')})`;

/** SQL for a write in a page, given also its `page_id` and the new revision `at` of the project. */
export const parentsMoved = (author: Author, ...set: string[]): string => `
    page_moved as (${updated('pages', { set, grown: 'w.grown', at: 'w.at' }, 'from written w where g.id = w.page_id')}), ${projectMoved(author)}`;
