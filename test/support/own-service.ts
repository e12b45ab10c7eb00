import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cloneDatabase } from './database';
import type { TestDatabase } from './database';
import { listen } from './host';
import { addressIn, build, startProgram } from './program';
import type { Program } from './program';
import { callerOf } from './server';
import type { Caller } from './server';

/** The built service at a fixed address, as `npm start` starts it, which a test stops and starts again. Its database goes on, so there is no demo community to wait for. */
export class OwnService {
    readonly #folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    #program: Program | undefined;
    #port = 0;
    #database: TestDatabase | undefined;

    get url(): string {
        return `http://127.0.0.1:${this.#port}`;
    }

    readonly #caller = callerOf(async (method, path, headers, payload) => {
        const response = await fetch(`${this.url}${path}`, { method, headers, body: payload === undefined || typeof payload === 'string' ? payload : new Uint8Array(payload), redirect: 'manual' });
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
    });

    call: Caller['call'] = (...args) => this.#caller.call(...args);

    open: Caller['open'] = (...args) => this.#caller.open(...args);

    start = async (settings: Record<string, string> = {}): Promise<void> => {
        if (this.#program !== undefined) {
            return;
        }

        await build();
        if (this.#port === 0) {
            const server = createServer();
            this.#port = await listen(server);
            await new Promise((resolve) => void server.close(resolve));
        }

        this.#database ??= await cloneDatabase({ pool: 1 });
        this.#program = startProgram('start', { PORT: String(this.#port), RATE_LIMIT: 'off', LIST_MAX_AGE: '0', THUMBNAILS: 'off', DATA_DIR: join(this.#folder, 'data'), DATABASE_URL: this.#database.url, ...settings }, { log: join(this.#folder, 'log') });
        await addressIn(this.#program);
    };

    stop = async (): Promise<void> => {
        this.#program?.child.kill('SIGTERM');
        await this.#program?.ended;
        this.#program = undefined;
    };

    /** what it has logged at level error or above since it was started */
    errors = (): string[] => readFileSync(join(this.#folder, 'log'), 'utf8').split('\n').filter((line) => line !== '' && JSON.parse(line).level >= 50);

    remove = async (): Promise<void> => {
        await this.stop();
        await this.#database?.drop();
        rmSync(this.#folder, { recursive: true, force: true });
    };
}
