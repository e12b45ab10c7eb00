import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { encoding } from '@hapi/accept';
import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { conditional, matchesTag } from '../request/entity-tags';
import { tagOf } from '../request/shared-responses';

/** A text that is kept as it is and compressed, so that a request for it takes no work. */
export interface Compressed {
    tag: string;
    forms: ReadonlyMap<string, Buffer>;
}

const encodings = ['br', 'gzip', 'identity'];

/** Compresses a text once, in other threads. */
export async function compressed(text: string): Promise<Compressed> {
    const body = Buffer.from(text);
    const [br, gz] = await Promise.all([
        promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }), promisify(gzip)(body, { level: 9 })
    ]);
    return { tag: tagOf(body), forms: new Map([['br', br], ['gzip', gz], ['identity', body]]) };
}

/** Responds with the form that the client prefers, or 304. hapi adds the content encoding to the tag. */
export function respondCompressed<Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: Pick<Request, 'headers'>, { tag, forms }: Compressed): ResponseObject {
    if (matchesTag(request, tag)) {
        return conditional(h, tag, null).vary('accept-encoding');
    }

    const preferred = preferredEncoding(request.headers['accept-encoding']);
    const response = conditional(h, tag, forms.get(preferred) ?? null);
    return preferred === 'identity' ? response.vary('accept-encoding') : response.compressed(preferred).vary('accept-encoding');
}

function preferredEncoding(accepted: unknown): string {
    try {
        return typeof accepted === 'string' ? encoding(accepted, encodings) || 'identity' : 'identity';
    }
    catch {
        // An `Accept-Encoding` that is malformed prefers nothing.
        return 'identity';
    }
}
