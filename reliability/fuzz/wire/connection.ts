import { connect } from 'node:net';

import type { Input } from './input';

/** What was received over a connection. */
export interface Answered {
    /** the statuses of all responses in order, without informational ones */
    statuses: number[];
    /** as Latin-1 */
    text: string;
    /** whether it was still open after the time limit */
    hung: boolean;
}

/** The longest duration of a connection in milliseconds. */
const PATIENCE = 15_000;

/** How many local addresses to connect from, since each has a limited number of ports. */
const ADDRESSES = 50;
let serial = 0;

/** Sends bytes over a new connection, and reads until it is closed. */
export async function send(port: number, { bytes, ending }: Pick<Input, 'bytes' | 'ending'>): Promise<Answered> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + ++serial % ADDRESSES}` });
    const chunks: Buffer[] = [];
    let hung = false;
    await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
            hung = true;
            socket.destroy();
        }, PATIENCE);
        socket.on('data', (chunk) => void chunks.push(chunk));
        // A server that rejects a body early may break the connection.
        socket.on('error', () => undefined);
        socket.on('close', () => {
            clearTimeout(timer);
            resolve();
        });
        if (ending === 'end') {
            socket.end(bytes);
        }
        else {
            socket.write(bytes, () => void (ending === 'reset' && socket.resetAndDestroy()));
        }
    });
    const text = Buffer.concat(chunks).toString('latin1');
    return { statuses: [...text.matchAll(/HTTP\/1\.1 ([2-9]\d\d) /g)].map(([, status]) => Number(status)), text, hung };
}

/** What is wrong with what was received; undefined if nothing is. */
export function faultOf({ answer }: Pick<Input, 'answer'>, { statuses, text, hung }: Answered): string | undefined {
    // A stream of events ends after minutes.
    if (hung && !text.includes('content-type: text/event-stream')) {
        return 'the connection was left open';
    }

    const server = statuses.find((status) => status >= 500);
    if (server !== undefined) {
        return `the answer is ${server}`;
    }

    if (answer === 'refused' && statuses.length === 0) {
        return 'there is no answer';
    }

    const accepted = answer === 'harmless' ? undefined : statuses.find((status) => status < 400);
    return accepted === undefined ? undefined : `it was not refused: ${accepted}`;
}
