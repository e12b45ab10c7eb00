import type { Readable } from 'node:stream';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';

import { conditional, holdsTag } from './entity-tags';
import { ownCopy } from './own-copy';

/** A response body and the entity tag of the state it shows. It is good as long as the database has that tag, which is asked for each request. */
interface Rendered {
    tag: string;
    body: Buffer;
}

/** Response bodies by the ids in the path. */
export type RenderedBodies = LRUCache<string, Rendered>;

/** Bounds of the cache: bodies, bytes of all of them with their keys, and bytes of one. */
const MAX_BODIES = 4000;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Bytes that an entry takes besides its body, by a heap snapshot. */
const ENTRY_BYTES = 600;

/** A cache that drops the least recently used bodies. */
export const renderedBodies = (): RenderedBodies => new LRUCache({
    max: MAX_BODIES, maxSize: MAX_BYTES, maxEntrySize: MAX_BODY_BYTES, sizeCalculation: ({ body }) => body.length + ENTRY_BYTES
});

/** Where a response is read from. Both functions return undefined if the thing does not exist. */
export interface Source {
    /** reads the current tag */
    tag(): Promise<string | undefined>;
    /** reads the whole body, and the tag it belongs to; a large body is a stream, and is not cached */
    contents(): Promise<{ tag: string; body: string | Readable } | undefined>;
}

/**
 * Responds to a GET of something large with 304, the cached body, or a body that is read anew, as the current tag decides.
 * A state has one tag and one body, so nothing stale is ever sent.
 * @param ids the validated ids of the path, which name one thing however the path was written
 * @returns undefined if the thing does not exist
 */
export async function answerRendered<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, request: Pick<Request, 'headers'>, bodies: RenderedBodies, ids: readonly string[], source: Source
): Promise<ResponseObject | undefined> {
    const key = ids.join('/');
    const cached = bodies.get(key);
    // If neither we nor the client have a body, its tag is of no use.
    if (cached !== undefined || request.headers['if-none-match'] !== undefined) {
        const tag = await source.tag();
        if (tag === undefined) {
            return undefined;
        }

        if (holdsTag(request, tag)) {
            return conditional(h, tag, null);
        }

        if (cached?.tag === tag) {
            return conditional(h, tag, cached.body);
        }
    }

    const contents = await source.contents();
    if (contents === undefined) {
        return undefined;
    }

    if (typeof contents.body !== 'string') {
        return conditional(h, contents.tag, contents.body);
    }

    const body = Buffer.from(contents.body);
    bodies.set(ownCopy(key), { tag: contents.tag, body });
    return conditional(h, contents.tag, body);
}
