import type { Request } from '@hapi/hapi';

import { fault } from '../errors/errors';

/** A signal that the client of a request has left, or has its response: what is still done for it is of no use. */
export function clientLeft({ raw: { res } }: Pick<Request, 'raw'>): AbortSignal {
    const left = new AbortController();
    res.once('close', () => left.abort(fault('malformed_body')));
    return left.signal;
}
