import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { LRUCache } from 'lru-cache';

import type { Database } from '../db/connection';
import { fault, invalid, notFound } from '../errors/errors';
import { clientAddress } from '../http/client-address';
import { holdsTag } from '../http/entity-tags';
import { rangeOf } from './byte-ranges';
import { findAsset } from './queries';
import type { AssetFacts } from './register';
import type { Scale } from './scaled';
import { NoSuchBytes, nameOf } from './storage';
import type { AssetStorage, Width } from './storage';
import { extensions, isAssetType, isImage, isPicture } from './types';

/** Assets of which the facts are kept in memory: they never change, and whether an asset is still there shows in its bytes. */
const MOST_KNOWN = 10_000;

/**
 * Headers of all bytes. Nothing in a drawing runs or is fetched, whoever shows it; and it is downloaded, where the address itself is opened.
 */
const SAFE = {
    'content-security-policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'`,
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes'
};

interface Served {
    name: string;
    type: string;
    size: number;
}

type Asking = Pick<Request, 'headers' | 'raw'>;

export type ServeAsset = <Refs extends ReqRef>(request: Asking, h: ResponseToolkit<Refs>, hash: string, width: Width | undefined) => Promise<ResponseObject>;

/** Answers with the bytes of assets. */
export function assetServer(db: Database, storage: AssetStorage, scale: Scale, trustedProxies: number): ServeAsset {
    const known = new LRUCache<string, Omit<AssetFacts, 'hash'>>({ max: MOST_KNOWN });

    const factsOf = async (hash: string): Promise<Omit<AssetFacts, 'hash'>> => {
        const facts = known.get(hash) ?? await findAsset(db, hash);
        if (facts === undefined) {
            throw notFound('asset');
        }

        known.set(hash, facts);
        return facts;
    };

    const served = async ({ raw }: Pick<Asking, 'raw'>, hash: string, width: Width | undefined): Promise<Served> => {
        const { type, size } = await factsOf(hash);
        if (width !== undefined && !isImage(type)) {
            throw invalid([{ path: 'width', message: `"width" is for pictures, and this is ${type}` }]);
        }

        return width === undefined || !isPicture(type) ? { name: nameOf(hash), type, size } :
            { type: 'image/webp', ...await scale(hash, width, clientAddress(raw.req, trustedProxies)) };
    };

    return async (request, h, hash, width) => {
        try {
            const { name, type, size } = await served(request, hash, width);
            // A part of another state than the client has is of no use to it (RFC 9110 section 13.1.5).
            const condition = request.headers['if-range'];
            const range = condition === undefined || condition === `"${name}"` ? rangeOf(textOf(request.headers.range), size) : undefined;
            if (range === null) {
                throw outOfRange(size);
            }

            if (holdsTag(request, name)) {
                return withHeaders(h.response().code(304), name);
            }

            const response = withHeaders(h.response(await storage.open(name, range)).type(type), name)
                .header('content-disposition', dispositionOf(hash, type))
                .bytes(range === undefined ? size : range.end - range.start + 1);
            return range === undefined ? response : response.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
        }
        catch (error) {
            if (error instanceof NoSuchBytes) {
                known.delete(hash);
                throw notFound('asset');
            }

            throw error;
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

const dispositionOf = (hash: string, type: string): string => {
    const extension = type === 'image/webp' || !isAssetType(type) ? 'webp' : extensions[type];
    return `${extension === 'svg' ? 'attachment' : 'inline'}; filename="${hash.slice(0, 16)}.${extension}"`;
};

function outOfRange(size: number): Error {
    const error = fault('range_not_satisfiable', size);
    error.output.headers['content-range'] = `bytes */${size}`;
    return error;
}
