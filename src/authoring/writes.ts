/*
 * SQL of everything that inserts or updates projects, pages and elements: single routes, batched edits, bulk, remix, deletion and
 * restoring of an account. Only `countProject` (sizes.ts), which changes no revision, and the purge write past this.
 */

const rows = { projects: 'p', pages: 'g', elements: 'e' } as const;

type Table = keyof typeof rows;

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
    /** assignments */
    set?: readonly string[];
    /** by how much the revision grows, 1 if not given */
    times?: string;
    /** by how many bytes the row, and what is in it, grow; not of elements, whose pages count them */
    grown?: string;
}

/** The size of a project is counted for one revision. If it was not counted at the revision before, it is not at this one either. */
const moves: Readonly<Record<Table, (change: Change) => string[]>> = {
    projects: ({ times = '1', grown = '0' }) => [`counted_revision = p.counted_revision + ${times}`, `project_bytes = p.project_bytes + ${grown}`],
    pages: ({ grown }) => (grown === undefined ? [] : [`page_bytes = g.page_bytes + ${grown}`]),
    elements: () => []
};

/**
 * SQL that updates rows, called p, g or e, and moves their revision.
 * @param rest what follows, from the FROM on
 */
export function updated(table: Table, change: Change, rest: string): string {
    const row = rows[table];
    const set = [...change.set ?? [], `revision = ${row}.revision + ${change.times ?? '1'}`, ...moves[table](change), 'updated_at = now()'];
    return `
    update ${table} ${row} set ${set.join(', ')} ${rest}`;
}

/** SQL, as a common table expression, that counts a write in its project, given the one row of `written` with `project_id` and the bytes by which that has `grown`. */
export const projectMoved = (...set: string[]): string => `project_moved as (${updated('projects', { set, grown: 'w.grown' }, 'from written w where p.id = w.project_id')})`;

/** The same for a write in a page, given its `page_id` too. */
export const parentsMoved = (...set: string[]): string => `
    page_moved as (${updated('pages', { set, grown: 'w.grown' }, 'from written w where g.id = w.page_id')}), ${projectMoved()}`;
