import type { BoundedPage } from '../../database/bounded-page';
import { fieldOf } from '../../api/json/is-object';
import { MAX_ID } from '../../api/request/schema';
import { MAX_LISTED } from '../../limits';
import { printable } from './show';

/** Rows of a list, newest first. They are read a hundred at a time. @param most how many at most */
export async function* rowsOf(list: (before: string, count: number) => Promise<Pick<BoundedPage, 'items' | 'id'>>, most = Infinity): AsyncGenerator<unknown> {
    let left = most;
    for (let before: string | null = MAX_ID; before !== null && left > 0;) {
        const { items, id }: Pick<BoundedPage, 'items' | 'id'> = await list(before, Math.min(left, MAX_LISTED));
        const rows: unknown[] = JSON.parse(`[${items}]`);
        yield* rows;
        left -= rows.length;
        before = id;
    }
}

/** A field of a row, by its path, such as `owner.username`, as a line shows it. */
function textOf(row: unknown, path: string): string {
    const value = path.split('.').reduce(fieldOf, row);
    return printable(value === null || value === undefined ? null : String(value));
}

/** Prints rows, one on each line, with tabs between the columns. The first line names them. */
export async function linesOf(columns: readonly string[], rows: AsyncIterable<unknown> | Iterable<unknown>, print: (line: string) => void): Promise<void> {
    print(columns.map((path) => path.replace('.', ' ')).join('\t'));
    for await (const row of rows) {
        print(columns.map((path) => textOf(row, path)).join('\t'));
    }
}
