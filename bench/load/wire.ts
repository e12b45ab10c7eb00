import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Called with the status of the response, or 0 if the connection broke, and the `code` of an error. */
export type Answered = (status: number, code: string) => void;

/**
 * A minimal HTTP client on one connection. It takes only a few microseconds for a request, because the load shares the
 * machine with the service. Of a response it reads only the status, `Content-Length` and `Connection: close`.
 */
export class Wire {
    /** resolves when the connection is open, or broken */
    readonly opened: Promise<void>;
    readonly #socket: Socket;
    #answered: Answered | undefined;
    /** the received text of an incomplete head, or of an error */
    #text = '';
    /** bytes of the body that are missing; undefined before the head is complete */
    #left: number | undefined;
    #status = 0;
    /** whether the response has `Connection: close` */
    #last = false;

    constructor(port: number) {
        this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
        this.#socket.on('data', (chunk) => this.#take(chunk));
        this.#socket.on('error', () => undefined);
        this.#socket.on('close', () => this.#end(0));
        this.opened = new Promise((resolve) => {
            this.#socket.once('connect', resolve).once('close', resolve);
        });
    }

    get closed(): boolean {
        return this.#last || this.#socket.destroyed;
    }

    /** Sends a complete request; one at a time. */
    send(request: string, answered: Answered): void {
        this.#answered = answered;
        if (this.#socket.destroyed) {
            this.#end(0);
        }
        else {
            this.#socket.write(request, 'latin1');
        }
    }

    destroy(): void {
        this.#answered = undefined;
        this.#socket.destroy();
    }

    #take(chunk: Buffer): void {
        if (this.#left === undefined) {
            this.#text += chunk.toString('latin1');
            const end = this.#text.indexOf('\r\n\r\n');
            if (end < 0) {
                return;
            }

            const head = this.#text.slice(0, end);
            this.#status = Number(head.slice(9, 12));
            this.#last = /\r\nconnection: close/i.test(head);
            const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? '0';
            this.#left = Number(length) - (this.#text.length - end - 4);
        }
        else {
            this.#left -= chunk.length;
            this.#text += this.#status >= 400 ? chunk.toString('latin1') : '';
        }

        if (this.#left <= 0) {
            this.#end(this.#status);
        }
    }

    #end(status: number): void {
        const [answered, text] = [this.#answered, this.#text];
        [this.#answered, this.#text, this.#left] = [undefined, '', undefined];
        answered?.(status, status >= 400 ? /"code":"(\w+)"/.exec(text)?.[1] ?? '' : '');
    }
}
