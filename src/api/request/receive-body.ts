import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

import { pacedStart } from '../concurrency/paced-start';
import { fault } from '../errors/errors';
import { BodyChunks } from './body-chunks';
import type { ClientLimits } from './client-limits';
import { closeAtOnce } from './lingering-close';

const KIB = 1024;

export type BodyTimes = Pick<ClientLimits, 'bodyBegins' | 'body'>;

/** The limits of a request body. */
export interface BodyLimits {
    /** most bytes, also after decompression */
    most: number;
    /** Charges bytes of memory to the caller. @returns the error where that is too much */
    charge(bytes: number): Error | undefined;
}

/** Bytes of memory that a body takes before any of it is there, and that its decompression takes. */
export const FOR_BODY = 16 * KIB;
const FOR_DECODER = 64 * KIB;

/**
 * Chunks that a body may come in, whatever their size, and fewest bytes of each on average beyond that. Node.js calls a function
 * for each, thousands of times for one read from the connection, and nothing else is done meanwhile.
 */
const MAX_CHUNKS = 2048;
const SMALLEST_CHUNKS = 64;

/** The error 413 `payload_too_large`. @param most bytes that are allowed */
export const bodyTooLarge = (most: number): Error => fault('payload_too_large', most);

/** Calls `late` with the error 408 if a body does not begin, or end, in time. @returns what stops it */
export function bodyTimer(request: IncomingMessage, { bodyBegins, body }: BodyTimes, late: (error: Error) => void): () => void {
    const isLate = (): void => late(fault('request_timeout'));
    let timer = setTimeout(() => {
        if (request.readableDidRead) {
            timer = setTimeout(isLate, body - bodyBegins);
        }
        else {
            isLate();
        }
    }, bodyBegins);
    return () => clearTimeout(timer);
}

/** Throws what is left of a body away as it comes. @param source the request itself, or a stream that decompresses it */
export function discardBody(request: IncomingMessage, source: Readable): void {
    if (source !== request) {
        request.unpipe();
        source.destroy();
    }

    request.resume();
}

/**
 * Reads the body of a request. Its bytes are charged as they arrive, so one that is announced and never sent
 * costs little; one that was there before it was asked for fits into a buffer of its connection and is not charged.
 * If there is an error, what is left of the body is thrown away as it comes.
 * @param source the request itself, or a stream that decompresses it
 * @throws 408 where the body does not begin or end in time, 413 where it is too large, 400 where it is cut short, not in
 * its encoding, or in too many small chunks, and what `charge` returns
 */
export function receiveBody(request: IncomingMessage, source: Readable, { most, charge }: BodyLimits, times: BodyTimes): Promise<Buffer> {
    const isDecoded = source !== request;
    const isCharged = isDecoded || !request.complete;
    const chunks = new BodyChunks();
    let count = 0;
    let isOver = false;

    return new Promise((resolve, reject) => {
        const end = (error?: Error): void => {
            if (isOver) {
                return;
            }

            isOver = true;
            stopTimer();
            if (error === undefined) {
                resolve(chunks.joined());
                return;
            }

            discardBody(request, source);
            reject(error);
        };

        const take = (bytes: number): void => {
            const error = isCharged && bytes > 0 ? charge(bytes) : undefined;
            if (error !== undefined) {
                end(error);
            }
        };

        const stopTimer = bodyTimer(request, times, end);
        take(FOR_BODY + (isDecoded ? FOR_DECODER : 0));
        for (const stream of isDecoded ? [request, source] : [request]) {
            stream.on('error', () => afterErrors(() => end(malformed())));
        }

        source.on('end', () => end()).on('data', (chunk: Buffer) => {
            // What comes after an error is thrown away.
            if (isOver) {
                return;
            }

            const taken = chunks.add(chunk);
            if (chunks.length > most) {
                end(bodyTooLarge(most));
            }
            else if (++count > MAX_CHUNKS && chunks.length < SMALLEST_CHUNKS * count) {
                closeAtOnce(request);
                // Or up to 2 MiB more would be read from the connection before anything else is done.
                request.socket.pause();
                end(fault('malformed_body', `The body comes in too many small chunks. Send it with Content-Length, or in chunks of ${SMALLEST_CHUNKS} bytes and more.`));
            }
            else {
                take(taken);
            }
        });
    });
}

/** If a thousand connections end at once, Node.js reports all of them in one turn of the event loop. The work for each is done in later turns. */
const afterErrors = pacedStart();

const malformed = (): Error => fault('malformed_body');
