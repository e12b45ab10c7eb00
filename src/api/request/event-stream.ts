import { Readable } from 'node:stream';

import { Boom } from '@hapi/boom';

/** Shortest and longest time in milliseconds that a client is asked to wait before it connects again. */
const RETRY = { least: 1000, most: 5000 };

/** A time at random, so that those who were cut off together do not all come back together. */
const retry = (): string => `retry: ${RETRY.least + Math.floor(Math.random() * (RETRY.most - RETRY.least))}\n\n`;

/** The status in the log of a response whose client did not read it, as nginx has it. */
const CLIENT_CLOSED_REQUEST = 499;

/** A response body of the type `text/event-stream` (WHATWG HTML, section 9.2). */
export class EventStream extends Readable {
    readonly #most: number;

    /** @param most bytes that may wait for the client before the stream is cut off */
    constructor(most: number) {
        super({ read: () => undefined });
        this.#most = most;
        // The headers go out with the first bytes.
        this.#write(retry());
    }

    /** @param data JSON text; an EventSource drops events without data */
    event(name: string, data: string, id?: number): void {
        this.#write(`event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
    }

    /** Keeps proxies from closing the connection. It has no id, as a client would take that for the last event's. */
    comment(): void {
        this.#write(':\n\n');
    }

    /** Ends the stream. The client connects again after a while. */
    end(): void {
        this.#write(retry());
        this.push(null);
    }

    #write(text: string): void {
        this.push(text);
        if (this.readableLength > this.#most) {
            this.destroy(new Boom('The client does not read its stream', { statusCode: CLIENT_CLOSED_REQUEST }));
        }
    }
}
