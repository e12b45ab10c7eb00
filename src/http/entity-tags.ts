import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { fault, forbidden, notFound } from '../errors/errors';
import { reply } from './responses';

/** What a write may say of the state it was made against. */
export interface Precondition {
    /** `revision` of the body */
    revision: number | null;
    /** the strong entity tags of `If-Match`, without quotes; null where there is none or it is `*` */
    tags: string[] | null;
}

/** The outcome of a write to one thing: its statement tells all of this in one round trip. */
export interface Outcome {
    /** whether this caller may do it at all */
    allowed: boolean;
    /** the JSON text after the write; null where a precondition did not hold */
    written: string | null;
}

/** hapi appends the content encoding to a tag; the state it stands for is the same. */
const encoded = /-(?:gzip|deflate|br)$/;

/** The opaque tags of an `If-Match` or `If-None-Match` field, quotes and a weak mark taken off. */
function tagsOf(field: string, weak: boolean): string[] {
    return [...field.matchAll(/(W\/)?"([^"]*)"/g)]
        .filter(([, mark]) => weak || mark === undefined)
        .map(([, , tag = '']) => tag.replace(encoded, ''))
        // In quotes it is a tag like any other, and none of ours.
        .filter((tag) => tag !== '*');
}

function headerOf(request: Pick<Request, 'headers'>, name: string): string | undefined {
    const field: unknown = request.headers[name];
    return typeof field === 'string' ? field : undefined;
}

/** RFC 9110 section 13.1.1: strong comparison; `*` holds for whatever exists. */
export function preconditionOf(request: Pick<Request, 'headers'>, revision: number | undefined): Precondition {
    const field = headerOf(request, 'if-match');
    return {
        revision: revision ?? null,
        tags: field === undefined || field.trim() === '*' ? null : tagsOf(field, false)
    };
}

/** RFC 9110 section 13.1.2, for a query: the tags the client holds, `*` standing for any. */
export function heldTags(request: Pick<Request, 'headers'>): string[] {
    const field = headerOf(request, 'if-none-match');
    if (field === undefined) {
        return [];
    }

    return field.trim() === '*' ? ['*'] : tagsOf(field, true);
}

/** Whether the client holds this tag, as `held` asks it in a query. */
export const holdsTag = (request: Pick<Request, 'headers'>, tag: string): boolean => heldTags(request).some((one) => one === tag || one === '*');

/** SQL for "the client holds this already", given the expression of a tag and the parameter of `heldTags`. */
export const held = (tag: string, parameter: string): string => `(${tag} = any(${parameter}::text[]) or '*' = any(${parameter}::text[]))`;

/** SQL for the precondition of a write, given its parameters. */
export function holds(revision: string, tag: string, parameters: { revision: string; tags: string }): string {
    return `(${parameters.revision}::int is null or ${revision} = ${parameters.revision}) and
        (${parameters.tags}::text[] is null or ${tag} = any(${parameters.tags}))`;
}

/** Answers a GET: 304 where the client was found to hold the tag, and so there is no body. */
export function conditional<Refs extends ReqRef>(h: ResponseToolkit<Refs>, tag: string, json: string | Buffer | null, weak = false): ResponseObject {
    const response = json === null ? h.response().code(304) : reply(h, json);
    return response.etag(tag, { weak, vary: true });
}

/**
 * Reads a write's outcome, in the order of the contract; `current` reads the JSON text as it stands, for a conflict.
 * @throws 404 where the chain is broken, 403 where it is someone else's, 409 or 412 where it has moved on.
 */
export async function settle(
    outcome: Outcome | undefined, what: string, precondition: Precondition, current: () => Promise<{ json: string | null } | undefined>
): Promise<string> {
    if (outcome === undefined) {
        throw notFound(what);
    }

    if (!outcome.allowed) {
        throw forbidden(`This ${what} is someone else's.`);
    }

    if (outcome.written === null) {
        const found = await current();
        // It may have been deleted meanwhile.
        throw found?.json ? movedOn(what, found.json, precondition.tags !== null && precondition.revision === null) : notFound(what);
    }

    return outcome.written;
}

export function movedOn(what: string, current: string, byTag: boolean): Error {
    const message = `The ${what} has moved on since the revision that this was made against. Merge with "current", and send it again.`;
    return fault(byTag ? 412 : 409, 'revision_conflict', message, { current });
}
