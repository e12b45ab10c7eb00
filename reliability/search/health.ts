import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Milliseconds between two requests. */
const EVERY = 20;

/**
 * Requests /health until it is told to stop, and then tells the time of the slowest request. In a thread of its own: in the search's, which
 * also makes bodies of millions of values, each would wait for those.
 */
async function watchHealth(url: string): Promise<void> {
    let isOver = false;
    parentPort?.once('message', () => {
        isOver = true;
    });
    let slowest = 0;
    while (!isOver) {
        const began = performance.now();
        await fetch(`${url}/health`).then((response) => response.text()).catch(() => undefined);
        slowest = Math.max(slowest, performance.now() - began);
        await sleep(EVERY);
    }

    parentPort?.postMessage(slowest);
}

void watchHealth(String(workerData));
