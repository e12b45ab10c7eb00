import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running server. */
export interface Listening {
    child: ChildProcess;
    pid: number;
    /** http://127.0.0.1:<port> */
    base: string;
    /** Truncates its log, which grows by megabytes a second. */
    forget(): void;
}

/** How long a server may take to start, in milliseconds, and how long to stop. */
const START = 60_000;
const STOP = 15_000;

/** All processes of a run, so that none outlives it. */
export class Processes {
    readonly #running = new Set<ChildProcess>();
    readonly #dir: string;
    #ending = false;

    /** @param dir for logs; must hold no `.env` */
    constructor(dir: string) {
        this.#dir = dir;
    }

    /** @throws Error once everything is being stopped */
    start(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
        if (this.#ending) {
            throw new Error('the bench is ending');
        }

        const child = spawn(file, args, { cwd: this.#dir, ...options });
        this.#running.add(child);
        // A missing program emits `error` instead of `exit`.
        const gone = (): void => void this.#running.delete(child);
        child.once('exit', gone).once('error', gone);
        return child;
    }

    /** Starts a script of this build with its output in a file of that name, and a channel for messages. */
    script(name: string, [file, ...args]: readonly [string, ...string[]], { env = {}, node = [] }: { env?: Record<string, string>; node?: readonly string[] } = {}): ChildProcess {
        const log = openSync(this.#log(name), 'a');
        try {
            return this.start(process.execPath, [...node, file, ...args], {
                env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', log, log, 'ipc']
            });
        }
        finally {
            closeSync(log);
        }
    }

    /** Starts the built service, or that of another build, on a database, with default settings except those given; the abuse limits and the drawing of thumbnails are off. */
    async service(name: string, url: string, settings: Record<string, string> = {}, program = join(__dirname, '..', '..', 'src', 'operations', 'main.js')): Promise<Listening> {
        const port = await freePort();
        const child = this.script(name, [program], {
            node: ['--require', join(__dirname, 'loop-delay.js')],
            env: { DATABASE_URL: url, RATE_LIMIT: 'off', THUMBNAILS: 'off', PORT: String(port), ...settings }
        });
        const base = `http://127.0.0.1:${port}`;
        await this.#until(name, child, async () => (await fetch(`${base}/health`)).ok);
        return this.#listening(name, child, base);
    }

    /** Starts one of the peers in peers.ts. */
    async peer(name: string, kind: string, { url, pool, bytes }: { url: string; pool: number; bytes: string }): Promise<Listening> {
        const child = this.script(name, [join(__dirname, '..', 'scenarios', 'peer.js'), kind, String(pool), bytes], { env: { DATABASE_URL: url } });
        let port = 0;
        child.once('message', (message) => {
            port = Number(message);
        });
        await this.#until(name, child, () => Promise.resolve(port > 0));
        return this.#listening(name, child, `http://127.0.0.1:${port}`);
    }

    async stop(child: ChildProcess): Promise<void> {
        if (!this.#running.has(child)) {
            return;
        }

        const ended = new Promise((resolve) => {
            child.once('exit', resolve);
        });
        child.kill('SIGTERM');
        const patience = setTimeout(() => child.kill('SIGKILL'), STOP);
        await ended;
        clearTimeout(patience);
    }

    /** Stops everything, for good. */
    async stopAll(): Promise<void> {
        this.#ending = true;
        await Promise.all([...this.#running].map((child) => this.stop(child)));
    }

    /** Kills everything at process exit, when waiting is impossible. */
    abandon(): void {
        for (const child of this.#running) {
            child.kill('SIGKILL');
        }
    }

    /** The end of a script's output. */
    words(name: string): string {
        return readFileSync(this.#log(name), 'utf8').slice(-2000);
    }

    #log(name: string): string {
        return join(this.#dir, `${name}.log`);
    }

    #listening(name: string, child: ChildProcess, base: string): Listening {
        return { child, base, pid: child.pid ?? 0, forget: () => truncateSync(this.#log(name), 0) };
    }

    async #until(name: string, child: ChildProcess, ready: () => Promise<boolean>): Promise<void> {
        const deadline = Date.now() + START;
        while (!await ready().catch(() => false)) {
            if (!this.#running.has(child) || Date.now() > deadline) {
                throw new Error(`${name} did not start:\n${this.words(name)}`);
            }

            await sleep(50);
        }
    }
}

function freePort(): Promise<number> {
    return new Promise((resolve, reject) => {
        const probe = createServer();
        probe.once('error', reject);
        probe.listen(0, '127.0.0.1', () => {
            const address = probe.address();
            probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
        });
    });
}
