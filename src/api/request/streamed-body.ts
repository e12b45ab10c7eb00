import { Readable } from 'node:stream';

import type { Request } from '@hapi/hapi';

import { ClientGone } from './client-gone';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** bytes after which no more of a body is made that is made piece by piece: who asked takes only its beginning */
        mostRead?: number;
    }
}

/** Most bytes that are made before the client takes them: as much as a page may hold, so that a slow client gets a page in one state. */
const READ_AHEAD = 32 * 1024 * 1024;

/** Thrown if the thing that is being sent has changed, so that the rest would not belong to what was sent before. */
export class ChangedWhileSent extends Error {
    constructor() {
        super('It has changed while it was being sent');
        this.name = 'ChangedWhileSent';
    }
}

/**
 * A response body that is made piece by piece. If a piece cannot be made, the connection is closed without the end of the body, which is how a
 * client sees that something is missing (RFC 9112 section 8). For a HEAD, nothing is made.
 * @param bytes about how many it has
 */
export function streamedBody(request: Pick<Request, 'app' | 'log' | 'method'>, pieces: AsyncGenerator<string>, bytes: number): Readable {
    const { app: { mostRead }, method } = request;
    const wanted = mostRead === undefined ? pieces : beginningOf(pieces, mostRead);
    return Readable.from(method === 'head' ? [] : wanted, { objectMode: false, highWaterMark: Math.min(bytes, READ_AHEAD) }).on('error', (error) => {
        if (!(error instanceof ChangedWhileSent || error instanceof ClientGone)) {
            request.log(['error', 'fault'], error);
        }
    });
}

async function* beginningOf(pieces: AsyncGenerator<string>, most: number): AsyncGenerator<string> {
    let length = 0;
    for await (const piece of pieces) {
        yield piece;
        length += Buffer.byteLength(piece);
        if (length >= most) {
            return;
        }
    }
}
