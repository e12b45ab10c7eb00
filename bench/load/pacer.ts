import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

import { Client } from './client';
import { sampleOf } from '../measure/figures';

/**
 * A reader in a process of its own that sends requests at a fixed pace, without waiting for responses. Times count from
 * when a request was due, so that delays by earlier requests are visible. It also reports how late it was itself.
 * Arguments: base URL, file of paths, milliseconds between two requests. Sends "ready", then requests until it gets "stop".
 */
const [base = '', file = '', interval = '5'] = process.argv.slice(2);
const paths = readFileSync(file, 'utf8').trim().split('\n');
const pace = Number(interval);
const client = new Client(base, 64);
const times: number[] = [];
const failures: string[] = [];
const open = new Set<Promise<void>>();
let [late, stopped] = [0, false];

try {
    // The reader must be on time even on a busy machine; the system may not allow this.
    setPriority(constants.priority.PRIORITY_HIGH);
}
catch {
    // Then it is as late as other processes, and reports that.
}

process.on('disconnect', () => process.exit());
process.on('message', () => {
    stopped = true;
});

async function ask(due: number, n: number): Promise<void> {
    try {
        await client.call({ path: paths[n % paths.length] ?? '/' }, 200);
        times.push(performance.now() - due);
    }
    catch (error) {
        failures.push(String(error));
    }
}

async function read(): Promise<void> {
    for (let n = 0; n < 50; ++n) {
        await client.call({ path: paths[n % paths.length] ?? '/' }, 200);
    }

    process.send?.('ready');
    const began = performance.now();
    for (let n = 0; !stopped; ++n) {
        const due = began + n * pace;
        await new Promise((resolve) => {
            setTimeout(resolve, Math.max(0, due - performance.now()));
        });
        late = Math.max(late, performance.now() - due);
        const asked = ask(due, n).finally(() => open.delete(asked));
        open.add(asked);
    }

    await Promise.all(open);
    const { p50, p95, p99, max } = sampleOf(times);
    process.send?.({ requests: times.length, p50, p95, p99, max, late, failure: failures[0] ?? '' }, () => process.exit());
}

void read().catch((error: unknown) => {
    process.send?.({ requests: 0, failure: String(error) }, () => process.exit());
});
