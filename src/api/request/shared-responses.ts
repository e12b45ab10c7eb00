import { createHash } from 'node:crypto';

import type { ReqRef, Request, ResponseObject, ResponseToolkit, RouteOptions } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';

import { conditional, matchesTag } from './entity-tags';
import { listUrl } from './list-url';
import { ownCopy } from './own-copy';
import { reply } from './responses';
import { sendAgain } from './send-again';
import type { Sendable } from './send-again';

/** The body of a response to GET that is the same for everyone. */
export interface SharedResponse extends Sendable {
    /** entity tag: a hash of the body */
    tag: string;
    /** whether the tag is weak, as it is where the body has `stats`, which may lag */
    weak: boolean;
    /** cursor of the next page of a list; null at its end, and where it is no list */
    next: string | null;
    /** whether some request's URL, to the letter, was the key that this is cached under */
    atItsUrl: boolean;
    /** the `Link` header of requests with that URL, once one was answered from the cache; null where they have none */
    link?: string | null;
}

/** A hash for an entity tag. */
export function tagOf(...parts: readonly (string | Buffer)[]): string {
    const hash = createHash('sha256');
    for (const part of parts) {
        hash.update(part);
    }

    return hash.digest('base64url').slice(0, 22);
}

/** Makes a response from its body, with a strong entity tag unless told otherwise. @param tag of the state that it shows; a hash of the body if left out */
export function sharedResponse(content: string | Buffer, { weak = false, next = null, tag }: { weak?: boolean; next?: string | null; tag?: string } = {}): SharedResponse {
    const body = Buffer.from(content);
    return { body, tag: tag ?? tagOf(body), weak, next, atItsUrl: false };
}

/** Responses by URL. A key is written by us, from validated values: see `respondShared`. */
export class ResponseCache extends LRUCache<string, SharedResponse> {
    /** those that are being made, by the same keys */
    readonly #making = new Map<string, Promise<SharedResponse>>();

    /** The response that is kept or being made, or else a new one. `fetch` of lru-cache does the same, with an AbortController for each. */
    async shared(key: string, make: () => Promise<SharedResponse>): Promise<SharedResponse> {
        return this.get(key) ?? await (this.#making.get(key) ?? this.#make(ownCopy(key), make));
    }

    #make(key: string, make: () => Promise<SharedResponse>): Promise<SharedResponse> {
        const making = make().then((response) => {
            this.set(key, response);
            return response;
        }).finally(() => this.#making.delete(key));
        this.#making.set(key, making);
        return making;
    }
}

/** Bounds of the cache: responses, and bytes of their bodies and keys. */
const MAX_RESPONSES = 1000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Bytes that an entry takes besides its body and its key, by a heap snapshot. */
const ENTRY_BYTES = 600;

/**
 * A cache that keeps responses for some milliseconds and then drops them. A request for one that is being made waits for it.
 * @param maxBytes of all responses
 */
export const responseCache = (maxAge: number, maxBytes = MAX_BYTES): ResponseCache => new ResponseCache({
    ttl: maxAge,
    ttlAutopurge: true,
    max: MAX_RESPONSES,
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length + ENTRY_BYTES
});

/** The cache of public lists. @returns undefined where `maxAge` is 0, so that nothing is kept */
export const listCache = (maxAge: number): ResponseCache | undefined => (maxAge === 0 ? undefined : responseCache(maxAge));

type ListRequest = Pick<Request, 'headers' | 'path' | 'query' | 'raw'>;

/**
 * Responds from the cache, or with what `make` returns.
 * @param url the request's URL, written from its validated values, so that all spellings of a request share one entry
 */
export async function respondShared<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, request: ListRequest, cache: ResponseCache | undefined, url: string, make: () => Promise<SharedResponse>
): Promise<ResponseObject> {
    if (cache === undefined) {
        return respondWith(h, request, await make());
    }

    const response = await cache.shared(url, make);
    response.atItsUrl ||= request.raw.req.url === url;
    return respondWith(h, request, response);
}

/**
 * Route option: responds from the cache before anything is parsed or validated. The request's URL has to be the key to the
 * letter, and a request with just that URL has to have been validated and to have led to that key.
 */
export const fromCacheFirst = (cache: ResponseCache | undefined): RouteOptions['ext'] => ({
    onPreAuth: {
        method: (request, h) => {
            const cached = cache?.get(String(request.raw.req.url));
            if (!cached?.atItsUrl) {
                return h.continue;
            }

            if (sendAgain(request, cached)) {
                return h.abandon;
            }

            cached.link ??= linkOf(request, cached);
            return respondWith(h, request, cached, cached.link).takeover();
        }
    }
});

/** Responds with 304 to a client that has the body, and with a link to the next page of a list (RFC 8288). */
export function respondWith<Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: Omit<ListRequest, 'raw'>, shared: SharedResponse, link = linkOf(request, shared)): ResponseObject {
    const { body, tag, weak } = shared;
    const response = conditional(h, tag, matchesTag(request, tag) ? null : body, weak);
    return link === null ? response : response.header('link', link);
}

/** Responds with a page of a list that is made for its caller, and with a link to the next one (RFC 8288). */
export function replyList<Refs extends ReqRef>(h: ResponseToolkit<Refs>, { path, query }: Pick<ListRequest, 'path' | 'query'>, json: string, next: string | null): ResponseObject {
    const response = reply(h, json);
    return next === null ? response : response.header('link', linkTo(path, query, next));
}

const linkTo = (path: string, query: ListRequest['query'], next: string): string => `<${listUrl(path, { ...query, page: typeof query.page === 'number' ? undefined : query.page, after: next })}>; rel="next"`;

const linkOf = ({ path, query }: Pick<ListRequest, 'path' | 'query'>, { next }: SharedResponse): string | null => {
    return next && linkTo(path, query, next);
};
