import type * as Boom from '@hapi/boom';
import type { Request, ResponseObject, Server } from '@hapi/hapi';

import { tooMuch } from './overload';

/** Bytes of large answers that may wait for their clients to take them, and from which on one counts. */
const MOST_BYTES = 256 * 1024 * 1024;
const LARGE = 256 * 1024;

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** bytes of its answer, where that is large */
        answerBytes?: number;
    }
}

/**
 * Bounds what clients are to be sent and do not take: answers why a large answer to a GET is refused, where so much is
 * waiting already. What a write is answered is not, as the write has been done.
 */
export function unread(server: Server): (request: Request, response: ResponseObject) => Boom.Boom | undefined {
    let waiting = 0;
    server.events.on('response', ({ app: { answerBytes } }) => {
        waiting -= answerBytes ?? 0;
    });

    return (request, { source }) => {
        const bytes = bytesOf(source);
        if (bytes < LARGE) {
            return undefined;
        }

        if (request.method === 'get' && waiting + bytes > MOST_BYTES) {
            return tooMuch();
        }

        request.app.answerBytes = bytes;
        waiting += bytes;
        return undefined;
    };
}

/** Bytes of a body, if it is a Buffer; of a text, its characters. */
const bytesOf = (source: unknown): number => (typeof source === 'string' || Buffer.isBuffer(source) ? source.length : 0);
