import type { CallOptions } from './api.js';
import type { ProjectPlace } from './things.js';

export interface ListOptions extends CallOptions {
    /** how many to request at a time, 1 to 100; 50 if left out */
    count?: number;
}

export interface PageOptions extends ListOptions {
    /** the `next` of the page before; the first page if it is null or left out */
    after?: string | null;
}

/** One page of a list. */
export interface ListPage<Item> {
    items: Item[];
    /** the cursor of the page after it, null at the end of the list */
    next: string | null;
}

/** Items of a list, newest first. More are requested only when needed. */
export interface List<Item> extends AsyncGenerator<Item, void, undefined> {
    /** Requests one page, for lists with a "More" button. */
    page(options?: PageOptions): Promise<ListPage<Item>>;
}

interface PageQuery {
    count: number;
    after?: string;
}

/**
 * Reads a list by cursors, so that nothing is skipped or repeated while it grows.
 * @param listOptions of the whole list: a timeout is for each request
 */
export function each<Item>(listOptions: ListOptions | undefined, read: (query: PageQuery, options: CallOptions) => Promise<ListPage<Item>>): List<Item> {
    const page = ({ after, ...options }: PageOptions = {}): Promise<ListPage<Item>> => {
        const { count = 50, signal, timeout } = { ...listOptions, ...options };
        return read({ count, ...typeof after === 'string' && { after } }, { signal, timeout });
    };

    const all = async function* (): AsyncGenerator<Item, void, undefined> {
        let after: string | null = null;
        do {
            const { items, next }: ListPage<Item> = await page({ after });
            yield* items;
            after = next;
        } while (after !== null);
    };

    return Object.assign(all(), { page });
}

/** Reads a list to its end. */
export async function whole<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of list) {
        items.push(item);
    }

    return items;
}

/** The parameters in the path of a project. */
export const pathOf = ({ id, user_id }: ProjectPlace): { user: string; project: string } => ({ user: user_id, project: id });
