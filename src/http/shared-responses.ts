import { createHash } from 'node:crypto';

import type { ReqRef, Request, ResponseObject, ResponseToolkit, RouteOptions } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';

import { conditional, holdsTag } from './entity-tags';

/** An answer that all who ask the same share for a while. */
export interface Shared {
    body: Buffer;
    /** weak: the counters in it may lag */
    tag: string;
    link: string | undefined;
}

/** Makes an answer to share. */
export function share(content: string | Buffer, link?: string): Shared {
    const body = Buffer.from(content);
    return { body, tag: createHash('sha256').update(body).digest('base64url').slice(0, 22), link };
}

/** Answers of the public lists by path and query string. */
export type SharedAnswers = LRUCache<string, Shared, () => Promise<Shared>>;

const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Keeps answers for so many milliseconds, and lets whoever asks while one is being made wait for that one.
 * With 0, nothing is kept.
 */
export function sharedAnswers(maxAge: number): SharedAnswers | undefined {
    return maxAge === 0 ? undefined : new LRUCache({
        ttl: maxAge, maxSize: MOST_BYTES, sizeCalculation: ({ body }) => body.length, fetchMethod: (_key, _stale, { context }) => context()
    });
}

/** What an answer goes by: the path and query string as they were sent. */
const keyOf = (request: Asked): string => String(request.raw.req.url);

type Asked = Pick<Request, 'headers' | 'raw'>;

/** Answers with what `make` makes, or is making for somebody else. */
export async function answerShared<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, request: Asked, answers: SharedAnswers | undefined, make: () => Promise<Shared>
): Promise<ResponseObject> {
    return answerWith(h, request, await answers?.fetch(keyOf(request), { context: make }) ?? await make());
}

/**
 * Route option: where an answer is kept, it is given before anything is parsed or validated again. Only a request that
 * validated has made one.
 */
export const keptFirst = (answers: SharedAnswers | undefined): RouteOptions['ext'] => ({
    onPreAuth: {
        method: (request, h) => {
            const kept = answers?.get(keyOf(request));
            return kept === undefined ? h.continue : answerWith(h, request, kept).takeover();
        }
    }
});

function answerWith<Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: Asked, answer: Shared): ResponseObject {
    const response = conditional(h, answer.tag, holdsTag(request, answer.tag) ? null : answer.body, true);
    return answer.link === undefined ? response : response.header('link', answer.link);
}
