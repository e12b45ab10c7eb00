import { parentPort, workerData } from 'node:worker_threads';

import { OrdinaryUser } from '../attacks/ordinary-user';

/** What an ordinary user saw between "begin" and "end". Times in milliseconds. */
export interface Seen {
    slowest: number;
    slowestStep: string;
    requests: number;
    failures: readonly string[];
}

/**
 * An ordinary user in a thread of its own: in the search's, which also makes bodies of millions of values, each request would wait for those.
 * Works from "begin" to "end", and then says what it saw.
 */
async function work(): Promise<void> {
    const user = await OrdinaryUser.open(String(workerData));
    parentPort?.on('message', (message) => {
        if (message === 'begin') {
            user.start();
        }
        else {
            void user.pause().then(() => {
                const { slowest, slowestStep, requests, failures } = user;
                const seen: Seen = { slowest, slowestStep, requests, failures: [...failures] };
                parentPort?.postMessage(seen);
            });
        }
    });
    parentPort?.postMessage('ready');
}

void work();
