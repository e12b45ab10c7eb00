import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';

import { conditional, holdsTag } from './entity-tags';

/** A body as it was last answered. It is good for as long as the store names this tag, which every request asks. */
interface Rendered {
    tag: string;
    body: Buffer;
}

/** Bodies by path, the least recently asked for going first. */
export type RenderedBodies = LRUCache<string, Rendered>;

/** Most bytes kept, and most of one body. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_BYTES_OF_ONE = 4 * 1024 * 1024;

export const renderedBodies = (): RenderedBodies => new LRUCache({
    maxSize: MOST_BYTES, maxEntrySize: MOST_BYTES_OF_ONE, sizeCalculation: ({ body }) => body.length
});

export interface Source {
    /** the tag as the store has it now; undefined where the thing is not there */
    tag(): Promise<string | undefined>;
    /** the whole body, and the tag it belongs to */
    contents(): Promise<{ tag: string; body: string } | undefined>;
}

/**
 * Answers a GET of something large: 304, the body kept, or one made anew, as the store's tag decides. A thing with one
 * tag has one body, so nothing stale is ever answered. Undefined where the thing is not there.
 */
export async function answerRendered<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, request: Pick<Request, 'headers' | 'path'>, bodies: RenderedBodies, source: Source
): Promise<ResponseObject | undefined> {
    const kept = bodies.get(request.path);
    // Where neither we nor the client have anything, the tag would tell nothing.
    if (kept !== undefined || request.headers['if-none-match'] !== undefined) {
        const tag = await source.tag();
        if (tag === undefined) {
            return undefined;
        }

        if (holdsTag(request, tag)) {
            return conditional(h, tag, null);
        }

        if (kept?.tag === tag) {
            return conditional(h, tag, kept.body);
        }
    }

    const made = await source.contents();
    if (made === undefined) {
        return undefined;
    }

    const body = Buffer.from(made.body);
    bodies.set(request.path, { tag: made.tag, body });
    return conditional(h, made.tag, body);
}
