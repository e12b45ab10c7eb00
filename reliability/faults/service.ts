import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { fakeHost } from '../../test/support/host';
import type { Target } from './wire';

/** The service as `npm start` runs it, from the same build as this suite. */
const program = resolve(__dirname, '../../src/operations/main.js');

/** The operators' commands from the same build. */
export const adminProgram = resolve(__dirname, '../../src/operations/cli/main.js');

/** Only the given variables, nothing from the tester's own environment or `.env`. */
export const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({ ...process.env, ...fakeHost(env).env });

/** Milliseconds for a start. */
const START = 60_000;

let starts = 0;

/** One instance of the service: a process that can be killed and started again. */
export class Service implements Target {
    url: string | null = null;
    name = '';
    under = new Map<string, number>();
    answered = 0;
    /** log lines at level error and above */
    readonly faults: string[] = [];
    /** ids of requests that may have logged an error */
    readonly excused = new Set<string>();
    child: ChildProcess | undefined;
    ended: Promise<string> = Promise.resolve('never started');
    #err = '';
    #heard = '';
    readonly #env: (name: string) => Record<string, string>;
    readonly #probe: readonly string[];

    /**
     * @param env gets the name of the process, and returns its settings
     * @param probe options of Node that load a script before the service; it gets a channel for messages
     */
    constructor(env: (name: string) => Record<string, string>, probe: readonly string[] = []) {
        this.#env = env;
        this.#probe = probe;
        process.on('exit', () => this.child?.kill('SIGKILL'));
    }

    /**
     * Starts it, and waits until it listens at a free port, which differs each time.
     * @throws Error with its output if it ends instead
     */
    async start(): Promise<void> {
        this.name = `fault-${++starts}`;
        this.under = new Map();
        this.answered = 0;
        this.#err = '';
        this.#heard = '';
        const child = spawn(process.execPath, [...this.#probe, program], {
            cwd: '/', env: environment({ HOST: '127.0.0.1', PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'warn', THUMBNAILS: 'off', ...this.#env(this.name) }),
            stdio: ['ignore', 'pipe', 'pipe', ...this.#probe.length > 0 ? ['ipc' as const] : []]
        });
        this.child = child;
        child.stdout?.on('data', (data) => this.#hear(String(data)));
        child.stderr?.on('data', (data) => {
            this.#err += data;
        });
        this.ended = new Promise((end) => void child.once('close', (code, signal) => {
            if (this.child === child) {
                this.url = null;
            }

            end(signal ?? `exit code ${code}: ${this.#err.slice(-2000)}`);
        }));
        const deadline = Date.now() + START;
        for (;;) {
            const ending = await Promise.race([this.ended, sleep(10)]);
            const [, url] = /Pagewright is at (http:\S+)/.exec(this.#err) ?? [];
            if (url !== undefined && ending === undefined) {
                this.url = url;
                return;
            }

            if (ending !== undefined || Date.now() > deadline) {
                child.kill('SIGKILL');
                throw new Error(`The service did not start: ${ending ?? `nothing for ${START} ms: ${this.#err}`}`);
            }
        }
    }

    /** Collects parts of lines. */
    #hear(text: string): void {
        const lines = `${this.#heard}${text}`.split('\n');
        this.#heard = lines.pop() ?? '';
        this.faults.push(...lines.filter((line) => /"level":[56]0/.test(line)));
    }

    /** Kills it, or asks it to end, and waits until it has ended. Returns the requests in progress, by kind. */
    async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Map<string, number>> {
        const under = new Map([...this.under].filter(([, n]) => n > 0));
        this.url = null;
        this.child?.kill(signal);
        await this.ended;
        return under;
    }
}

/** Starts services that use a database, at a URL for each of their names, until the scenario ends. */
export async function startServices(count: number, urlOf: (name: string) => string, defer: (end: () => Promise<unknown>) => void): Promise<Service[]> {
    const services = Array.from({ length: count }, () => new Service((name) => ({ DATABASE_URL: urlOf(name), DATABASE_POOL: '8' })));
    defer(() => Promise.all(services.map((service) => service.kill())));
    await Promise.all(services.map((service) => service.start()));
    return services;
}
