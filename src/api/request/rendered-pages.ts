import type { Readable } from 'node:stream';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';

import { conditional, matchesTag } from './entity-tags';
import { ownCopy } from './own-copy';

/** A response body and the entity tag of the state it shows. It is valid as long as the database has that tag, which every request checks. */
interface Rendered {
    tag: string;
    body: Buffer;
}

/** Response bodies by the ids in the path. */
export class RenderedBodies extends LRUCache<string, Rendered> {
    /** by the same ids, what resolves when a body that is being read is kept, or cannot be */
    readonly reading = new Map<string, Promise<unknown>>();
}

/** Bounds of the cache: bodies, bytes of all of them with their keys, and bytes of one. */
const MAX_BODIES = 4000;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Bytes that an entry takes besides its body, by a heap snapshot. */
const ENTRY_BYTES = 600;
/** Milliseconds that a body is kept before it is read anew, so that an idle process gives its memory back. */
const KEPT_FOR = 60_000;

/** A cache that drops the least recently used bodies, and those that it has had for a while. */
export const renderedBodies = (keptFor = KEPT_FOR): RenderedBodies => new RenderedBodies({
    max: MAX_BODIES, maxSize: MAX_BYTES, maxEntrySize: MAX_BODY_BYTES, sizeCalculation: ({ body }) => body.length + ENTRY_BYTES,
    ttl: keptFor, ttlAutopurge: true
});

/** An entity tag, and whether what it stands for is for everybody. */
interface Tag {
    tag: string;
    open: boolean;
}

/** Where a response is read from. Both functions return undefined if there is nothing that the caller may see. */
export interface BodySource {
    /** whether the tag is read first also where no body is kept: if `contents` took longer than `tag` to find nothing, the time would tell whether a private body is kept */
    tagFirst?: boolean;
    /** reads the current tag */
    tag(): Promise<Tag | undefined>;
    /** reads the whole body, and the tag it belongs to; a large body is a stream, and is not cached */
    contents(): Promise<Tag & { body: string | Readable } | undefined>;
}

/** A response, and whether it is for everybody. */
interface Answer {
    response: ResponseObject;
    open: boolean;
}

/**
 * Responds to a GET of something large with 304, the cached body, or a body that is read anew, as the current tag decides.
 * A state has one tag and one body, so nothing stale is ever sent.
 * @param ids the validated ids of the path, which name one thing however the path was written
 * @returns undefined if there is nothing that the caller may see
 */
export async function answerRendered<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, request: Pick<Request, 'headers'>, bodies: RenderedBodies, ids: readonly string[], source: BodySource
): Promise<Answer | undefined> {
    const key = ids.join('/');
    // A request that comes while the same body is read waits for it, so that it is not read many times at once. The tag says whether it is still valid.
    const reading = bodies.reading.get(key);
    if (reading !== undefined) {
        await reading;
    }

    const cached = bodies.get(key);
    // If neither we nor the client have a body, its tag tells only whether there is anything to read.
    if (source.tagFirst || cached !== undefined || request.headers['if-none-match'] !== undefined) {
        const found = await source.tag();
        if (found === undefined) {
            return undefined;
        }

        const { tag, open } = found;
        if (matchesTag(request, tag)) {
            return { response: conditional(h, tag, null), open };
        }

        if (cached?.tag === tag) {
            return { response: conditional(h, tag, cached.body), open };
        }
    }

    const contents = await read(bodies, key, source);
    return contents && { response: conditional(h, contents.tag, contents.body), open: contents.open };
}

const nothing = (): void => undefined;

/** Reads a body, and keeps it if it is a text. */
async function read(bodies: RenderedBodies, key: string, source: BodySource): Promise<Tag & { body: Buffer | Readable } | undefined> {
    const kept = source.contents().then((contents) => {
        if (contents === undefined) {
            return undefined;
        }

        const { tag, open, body } = contents;
        if (typeof body !== 'string') {
            return { tag, open, body };
        }

        const rendered = { tag, body: Buffer.from(body) };
        bodies.set(ownCopy(key), rendered);
        return { ...rendered, open };
    });
    const ended = kept.then(nothing, nothing);
    bodies.reading.set(key, ended);
    try {
        return await kept;
    }
    finally {
        if (bodies.reading.get(key) === ended) {
            bodies.reading.delete(key);
        }
    }
}
