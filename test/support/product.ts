import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { addressIn, build, startProgram } from './program';
import { fromRunner } from './runner';
import type { Shared } from './runner';
import { callerOf } from './server';
import type { Caller } from './server';

/** The built service, started as `npm start` starts it, on an empty data folder. */
export interface Product extends Caller {
    url: string;
    /** its `DATA_DIR` */
    dataDir: string;
    /** what it has logged at level error or above since {@link startProduct} */
    errors(): string[];
    stop(): Promise<void>;
}

/** Without rate limits, because tests would have to wait, with lists that show writes at once, and without drawing what no test looks at. */
const settings = { PORT: '0', RATE_LIMIT: 'off', LIST_MAX_AGE: '0', THUMBNAILS: 'off' };

/** Builds the service and starts it. */
export async function startService(): Promise<Shared['product'] & { stop(): Promise<void> }> {
    await build();
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    const log = join(folder, 'log');
    const program = startProgram('start', { ...settings, DATA_DIR: join(folder, 'data') }, { log });
    return {
        url: await addressIn(program),
        log,
        stop: async () => {
            program.child.kill('SIGTERM');
            await program.ended;
            rmSync(folder, { recursive: true, force: true });
        }
    };
}

/** The service to test. Under the test runner all files share one, so a test must not depend on what others create. */
export async function startProduct(): Promise<Product> {
    const shared = await fromRunner('product');
    const { url, log, stop } = shared === undefined ? await startService() : { ...shared, stop: () => Promise.resolve() };
    const from = statSync(log).size;
    return {
        url,
        dataDir: join(dirname(log), 'data'),
        ...callerOf(async (method, path, headers, payload) => {
            const response = await fetch(`${url}${path}`, { method, headers, body: payload === undefined || typeof payload === 'string' ? payload : new Uint8Array(payload), redirect: 'manual' });
            return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
        }),
        errors: () => readFileSync(log).subarray(from).toString().split('\n').filter((line) => line !== '' && JSON.parse(line).level >= 50),
        stop
    };
}
