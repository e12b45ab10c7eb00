import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Streams that are opened at a time. */
const TOGETHER = 100;

/** Addresses that they come from, since one address may have only half of a process's connections. */
const ADDRESSES = 20;

/** Event streams that are open. */
export interface Streams {
    /** how many were lost */
    lost(): number;
    close(): void;
}

/**
 * Opens an event stream of each project, with plain sockets, so that reading them costs little.
 * @param changed called for each change that a stream is told of
 * @throws Error if one is rejected
 */
export async function openStreams(base: string, projects: readonly string[], changed: () => void = () => undefined): Promise<Streams> {
    const sockets: Socket[] = [];
    let lost = 0;
    const open = (path: string): Promise<void> => new Promise((resolve, reject) => {
        const socket = connect({ port: Number(new URL(base).port), host: '127.0.0.1', localAddress: `127.0.0.${2 + sockets.length % ADDRESSES}` });
        sockets.push(socket);
        socket.once('error', reject).once('data', (head) => (head.toString().startsWith('HTTP/1.1 200') ? resolve() : reject(new Error(`${path}: ${head.toString()}`))));
        socket.on('data', (data) => {
            if (data.includes('event: change')) {
                changed();
            }
        }).on('close', () => ++lost);
        socket.write(`GET ${path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });

    for (let from = 0; from < projects.length; from += TOGETHER) {
        await Promise.all(projects.slice(from, from + TOGETHER).map(open));
    }

    return {
        lost: () => lost,
        close: () => sockets.forEach((socket) => socket.destroy())
    };
}
