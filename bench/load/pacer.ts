import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

import { Client } from './client';
import { sampleOf } from '../measure/figures';

/**
 * A reader in a process of its own that asks at a fixed pace, whatever comes back when. A time counts from when its
 * request was due, so that requests held up by the one before them show it. Its own lateness is told as well.
 * Arguments: base URL, file of paths, milliseconds between two requests. Says "ready", asks until told "stop".
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
    // It has to be on time on a machine that is fully busy; the system may not allow it.
    setPriority(constants.priority.PRIORITY_HIGH);
}
catch {
    // Then it is as late as everybody else, and says so.
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
