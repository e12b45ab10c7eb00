import type { ProjectPlace } from './things.js';

export interface ReadOptions {
    signal?: AbortSignal;
}

export interface ListOptions extends ReadOptions {
    /** how many to request at a time, 1 to 100; 50 if left out */
    count?: number;
}

/** Items of a list, newest first. More are requested only when needed. */
export type List<Item> = AsyncGenerator<Item, void, undefined>;

/** Reads a list by cursors, so that nothing is skipped or repeated while it grows. */
export async function* each<Item>(count: number, read: (query: { count: number; after?: string }) => Promise<{ items: Item[]; next: string | null }>): List<Item> {
    let after: string | undefined;
    do {
        const { items, next } = await read({ count, after });
        yield* items;
        after = next ?? undefined;
    } while (after !== undefined);
}

/** The parameters in the path of a project. */
export const pathOf = ({ id, user_id }: ProjectPlace): { user: string; project: string } => ({ user: user_id, project: id });
