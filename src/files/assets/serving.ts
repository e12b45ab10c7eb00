import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';

import type { Database } from '../../database/statements/connection';
import { fault, invalid, isFault, notFound } from '../../api/errors/errors';
import { signalOf } from '../../api/request/client-gone';
import { matchesTag } from '../../api/request/entity-tags';
import { rangeOf } from './byte-ranges';
import { findAsset, isSender } from './queries';
import type { ServedFacts } from './queries';
import type { Scale } from './scaled';
import { NoSuchBytes, POSTER, storedName, typeOfSize } from './storage';
import type { AssetStorage, ByteRange, Size } from './storage';
import { extensions, isImage, isPicture } from './types';
import type { AssetType } from './types';

/** Assets of which the facts are kept in memory, for a while: they never change, but an asset may be blocked. */
const MAX_KNOWN = 10_000;

/** Files of at most so many bytes are kept in memory; bytes of all, and what each takes besides. */
const SMALL = 64 * 1024;
const MAX_KEPT = 16 * 1024 * 1024;
const FOR_ENTRY = 600;

/**
 * Milliseconds after which a file is read again and facts are looked up again, or one that was removed would be answered for as long as it
 * is asked for.
 */
const KEPT_FOR = 5000;

/** Nothing in a drawing runs or is fetched, also where somebody opens it by itself. */
export const drawingPolicy = `sandbox; default-src 'none'; style-src 'unsafe-inline'`;

/** Headers of all bytes. A drawing is downloaded, where the address itself is opened. */
const SAFE = {
    'content-security-policy': drawingPolicy,
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes'
};

declare module '@hapi/hapi' {
    interface ResponseObject {
        /** Whether the status and the headers of a stream are those of the response. Missing in hapi's types. */
        passThrough(enabled: boolean): ResponseObject;
    }
}

type Asking = Pick<Request, 'active' | 'app' | 'callerOfHeader' | 'headers' | 'raw' | 'turn'>;

export type ServeAsset = <Refs extends ReqRef>(request: Asking, h: ResponseToolkit<Refs>, hash: string, size: Size | undefined) => Promise<ResponseObject>;

/** Answers with the bytes of assets. */
export function assetServer(db: Database, storage: AssetStorage, scale: Scale): ServeAsset {
    const known = new LRUCache<string, ServedFacts>({ max: MAX_KNOWN, ttl: KEPT_FOR });

    /** Whether the caller has sent an asset. Whoever cannot be known has not. */
    const isSenders = async (request: Asking, hash: string): Promise<boolean> => {
        const { user, mayReadProjects } = request.headers.authorization === undefined ? {} : await request.callerOfHeader().catch(() => ({ user: undefined, mayReadProjects: false }));
        return user !== undefined && mayReadProjects === true && isSender(db, hash, user.id);
    };

    const factsOf = async (request: Asking, hash: string): Promise<ServedFacts> => {
        const facts = known.get(hash) ?? await findAsset(db, hash);
        request.app.isPrivate = facts?.withheld === true;
        if (facts === undefined || (facts.withheld && !await isSenders(request, hash))) {
            throw notFound('asset');
        }

        if (!facts.withheld) {
            known.set(hash, facts);
        }

        return facts;
    };

    const kept = new LRUCache<string, Buffer>({
        maxSize: MAX_KEPT, sizeCalculation: ({ length }) => length + FOR_ENTRY, ttl: KEPT_FOR, ttlAutopurge: true
    });

    const read = async (name: string, size: number, part: ByteRange): Promise<Buffer | Readable> => {
        if (size > SMALL) {
            return storage.open(name, part);
        }

        const bytes = kept.get(name) ?? await buffer(await storage.open(name));
        kept.set(name, bytes, { noUpdateTTL: true });
        return bytes.subarray(part.start, part.end + 1);
    };

    return async (request, h, hash, wanted) => {
        try {
            const facts = await factsOf(request, hash);
            if (wanted !== undefined && !isImage(facts.type)) {
                throw invalid([{ path: 'width', message: `"width" is for pictures, and this is ${facts.type}` }]);
            }

            const scaled = isPicture(facts.type) || wanted === POSTER.size ? wanted : undefined;
            const name = storedName(hash, scaled);
            // Before the range (RFC 9110 section 13.2.2), and without a look at the bytes.
            if (matchesTag(request, name)) {
                return withHeaders(h.response().code(304), name);
            }

            const { type, size } = scaled === undefined ? facts : {
                type: typeOfSize(scaled), size: await scale(hash, scaled, request.turn(), signalOf(request))
            };
            // A part of another state than the client has is of no use to it (RFC 9110 section 13.1.5).
            const condition = request.headers['if-range'];
            const range = condition === undefined || condition === `"${name}"` ? rangeOf(textOf(request.headers.range), size) : undefined;
            if (range === null) {
                throw outOfRange(size);
            }

            // Also for the whole file: a stream whose end is not known tries to read beyond it.
            const part = range ?? { start: 0, end: size - 1 };
            // A bucket's response has a status and headers of its own.
            const response = withHeaders(h.response(await read(name, size, part)).passThrough(false).type(type), name)
                .header('content-disposition', dispositionOf(hash, type))
                .bytes(part.end - part.start + 1);
            return range === undefined ? response : response.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
        }
        catch (error) {
            if (error instanceof NoSuchBytes) {
                known.delete(hash);
                throw notFound('asset');
            }

            // It was accepted when pictures could be larger.
            throw isFault(error) && error.data.code === 'type_mismatch' ? invalid([{ path: 'width', message: `"width" cannot be used: ${error.message}` }]) : error;
        }
    };
}

const textOf = (header: unknown): string | undefined => (typeof header === 'string' ? header : undefined);

function withHeaders(response: ResponseObject, tag: string): ResponseObject {
    for (const [name, value] of Object.entries(SAFE)) {
        response.header(name, value);
    }

    return response.etag(tag, { weak: false, vary: false });
}

const dispositionOf = (hash: string, type: AssetType): string => {
    const extension = extensions[type];
    return `${extension === 'svg' ? 'attachment' : 'inline'}; filename="${hash.slice(0, 16)}.${extension}"`;
};

function outOfRange(size: number): Error {
    const error = fault('range_not_satisfiable', size);
    error.output.headers['content-range'] = `bytes */${size}`;
    return error;
}
