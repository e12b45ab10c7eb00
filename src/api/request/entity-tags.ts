import type { Readable } from 'node:stream';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { reply } from './responses';

/** The state that a write says it was made against. */
export interface Precondition {
    /** `revision` of the body; null where there is none */
    revision: number | null;
    /** the strong entity tags of `If-Match`, without quotes; null where there is none or it is `*` */
    tags: string[] | null;
}

/** Largest revision: a 32-bit signed integer. */
const MAX_REVISION = 2 ** 31 - 1;

/** The revision of the state that a write was made against; null if it stated none or several. The entity tag of a project has its author's revision too, after a point. */
export function statedRevision({ revision, tags }: Precondition): number | null {
    const [tag = '', ...others] = tags ?? [];
    const ofTag = Number(tag.split('.', 1));
    return revision ?? (others.length === 0 && Number.isInteger(ofTag) && ofTag > 0 && ofTag <= MAX_REVISION ? ofTag : null);
}

/** The content encoding that hapi adds to a tag. It says nothing about the state that the tag stands for. */
const encoding = /-(?:gzip|deflate|br)$/;

/** The end of the tag of a project whose thumbnail the service made. A new thumbnail of that kind is no change for writers. */
const madeThumbnail = /~[0-9a-f]{12}$/;

/** The tags in an `If-Match` or `If-None-Match` field, without quotes, `W/` and content encoding. Without `weak`, weak tags are left out. */
function tagsOf(field: string, weak: boolean): string[] {
    return [...field.matchAll(/(W\/)?"([^"]*)"/g)]
        .filter(([, mark]) => weak || mark === undefined)
        .map(([, , tag = '']) => tag.replace(encoding, ''))
        // `"*"` is a tag, and not the `*` that stands for all of them.
        .filter((tag) => tag !== '*');
}

function headerOf(request: Pick<Request, 'headers'>, name: string): string | undefined {
    const field: unknown = request.headers[name];
    return typeof field === 'string' ? field : undefined;
}

/** Reads the precondition of a write (RFC 9110 section 13.1.1): weak tags never match, and `*` matches whatever exists. */
export function preconditionOf(request: Pick<Request, 'headers'>, revision: number | undefined): Precondition {
    const field = headerOf(request, 'if-match');
    return {
        revision: revision ?? null,
        tags: field === undefined || field.trim() === '*' ? null : tagsOf(field, false).map((tag) => tag.replace(madeThumbnail, ''))
    };
}

/** The tags of `If-None-Match` (RFC 9110 section 13.1.2), for a query; `*` stands for any tag. */
export function tagsOfClient(request: Pick<Request, 'headers'>): string[] {
    const field = headerOf(request, 'if-none-match');
    if (field === undefined) {
        return [];
    }

    return field.trim() === '*' ? ['*'] : tagsOf(field, true);
}

/** Whether the client has the state with this tag, as `tagMatches` decides it in a query. */
export const matchesTag = (request: Pick<Request, 'headers'>, tag: string): boolean => tagsOfClient(request).some((one) => one === tag || one === '*');

/** SQL for "the client has this state", given the expression of a tag and the parameter that `tagsOfClient` is passed as. */
export const tagMatches = (tag: string, parameter: string): string => `(${tag} = any(${parameter}::text[]) or '*' = any(${parameter}::text[]))`;

/** SQL for "the precondition of the write holds", given the expressions and the parameters of both. */
export function preconditionHolds(revision: string, tag: string, parameters: { revision: string; tags: string }): string {
    return `(${parameters.revision}::int is null or ${revision} = ${parameters.revision}) and
        (${parameters.tags}::text[] is null or ${tag} = any(${parameters.tags}))`;
}

/**
 * Responds to a GET with an entity tag: 200, or 304 where `json` is null because the client was found to hold the tag.
 * hapi adds the content encoding to a strong tag, as RFC 9110 section 8.8.3.3 wants it.
 */
export function conditional<Refs extends ReqRef>(h: ResponseToolkit<Refs>, tag: string, json: string | Buffer | Readable | null, weak = false): ResponseObject {
    if (json !== null) {
        return reply(h, json).etag(tag, { weak, vary: true });
    }

    return h.response().code(304).etag(weak ? tag : heldForm(h.request, tag), { weak, vary: false });
}

/**
 * The tag that a 200 would have, as a 304 has to have it (RFC 9110 section 15.4.5): with the content encoding only where the
 * client has it so. hapi would add that to every 304, though a body that is too small is sent without compression. Brotli is of what is kept compressed.
 */
function heldForm({ headers, info }: Pick<Request, 'headers' | 'info'>, tag: string): string {
    const held = String(headers['if-none-match']);
    return [info.acceptEncoding, 'br'].map((name) => `${tag}-${name}`).find((encoded) => held.includes(`"${encoded}"`)) ?? tag;
}
