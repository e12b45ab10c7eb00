import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import type { Request } from '@hapi/hapi';

import { MAX_BODY_BYTES, MAX_GUEST_BODY_BYTES } from '../../limits';
import { fault } from '../errors/errors';
import { fieldOf } from '../json/is-object';
import { readJson } from '../json/parse';
import type { ClientLimits } from './client-limits';
import { mediaTypeOf } from './media-type';
import { bodyTooLarge, receiveBody } from './receive-body';

/** The field of a body that says what the header `Idempotency-Key` says. */
export const KEY_FIELD = 'idempotency_key';

const encodings = new Set(['identity', 'gzip', 'deflate']);
const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json$/;

/** The one media type of the body of a PATCH. Others, such as those of RFC 7396 and RFC 6902, promise to change an inner part of a field, which is replaced as a whole. */
export const PATCH_TYPE = 'application/json';

/**
 * hapi accepts the token and then hands on the body as a stream, decompressed: its own way of reading has no limit per
 * caller, waits for the rest of a body that is too large, and lets broken UTF-8 pass.
 */
export const payloadOptions = {
    output: 'stream',
    parse: 'gunzip',
    maxBytes: Number.MAX_SAFE_INTEGER,
    timeout: false,
    // Otherwise hapi would reject a malformed Content-Type, after waiting for the body.
    override: 'application/octet-stream'
} as const;

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** the handler reads the body itself, as a stream */
        readsBody?: boolean;
        /** most bytes of its body, if it is not as others */
        mostBytes?: number;
    }
}

/** Limits the memory that request bodies take, by caller and for the whole process. */
export interface BodyBudget {
    /** Charges bytes of a request's body to its caller until the request is over. @returns the error if that is too much */
    chargeBody(request: Request, bytes: number): Error | undefined;
    /** The error for a write by a user who leaves too many responses unread, before anything is done. */
    refuseWrite(request: Request): Error | undefined;
}

/** The limits for reading a body. */
export interface BodyOptions {
    budgets: BodyBudget;
    limits: ClientLimits;
}

/** Stage: a body may turn out not to be in its encoding though nobody reads it, or not yet. Without a listener that error would end the process. */
export function expectBody({ payload }: Pick<Request, 'payload'>): void {
    if (payload instanceof Readable) {
        payload.on('error', () => undefined);
    }
}

/**
 * Stage: reads the request's body and turns it into the value it says: JSON by its type, in UTF-8, without text that
 * PostgreSQL cannot keep. No body is `{}`.
 */
export async function readBody(request: Request, { budgets, limits }: BodyOptions): Promise<void> {
    const error = budgets.refuseWrite(request);
    if (error !== undefined) {
        throw error;
    }

    const { headers, method, path } = request;
    const bytes = await bytesOf(request, budgets, limits);
    const payload = bytes.length === 0 ? {} : await valueOf(request, bytes);
    const key: unknown = headers['idempotency-key'] ?? fieldOf(payload, KEY_FIELD);
    if (key !== undefined) {
        request.app.sent = { key: String(key), fingerprint: createHash('sha256').update(`${method} ${path} `).update(bytes).digest('base64'), bytes: bytes.length };
    }

    Object.assign(request, { payload });
}

const noBytes = Buffer.alloc(0);

function bytesOf(request: Request, budgets: BodyBudget, limits: ClientLimits): Buffer | Promise<Buffer> {
    const { headers, payload, route, raw } = request;
    const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
    if (length === 0) {
        return noBytes;
    }

    assert(payload instanceof Readable, 'payloadOptions say so');
    const most = route.settings.app?.mostBytes ?? (route.settings.auth?.mode === 'required' ? MAX_BODY_BYTES : MAX_GUEST_BODY_BYTES);
    if (Number(length) > most) {
        throw bodyTooLarge(most);
    }

    return receiveBody(raw.req, payload, { most, charge: (bytes) => budgets.chargeBody(request, bytes) }, limits);
}

/** @throws 415 where the body has an encoding that is not known */
export function checkEncoding(headers: Request['headers']): void {
    const encoding = String(headers['content-encoding'] ?? 'identity');
    if (!encodings.has(encoding)) {
        throw fault('unsupported_encoding', encoding);
    }
}

/** @throws 415 where the body is not JSON in UTF-8 by its headers, 400 where it is not by its bytes */
function valueOf({ headers, method }: Request, bytes: Buffer): Promise<unknown> {
    checkEncoding(headers);
    const header = String(headers['content-type'] ?? '');
    const type = mediaTypeOf(header);
    const charset = header.toLowerCase().split(';').slice(1).map((part) => part.trim()).find((parameter) => parameter.startsWith('charset='))?.slice(8).replace(/"/g, '');
    const isKnown = method === 'patch' ? type === PATCH_TYPE : jsonType.test(type);
    if (!isKnown || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
        throw method === 'patch' ? unknownPatch() : fault('unsupported_media_type');
    }

    return readJson(bytes);
}

/** 415 for a body of PATCH that is of another type, with the one that it can have (RFC 5789 section 2.2). */
function unknownPatch(): Error {
    const error = fault('unsupported_media_type', 'A PATCH replaces each field in its body as a whole, and its body has to be JSON in UTF-8: send it with "Content-Type: application/json".');
    error.output.headers['accept-patch'] = PATCH_TYPE;
    return error;
}
