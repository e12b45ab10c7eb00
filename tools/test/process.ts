import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import type { Shared } from '../../test/support/runner';

/** The result of a test file. */
export interface Outcome {
    passed: number;
    failed: number;
    /** the title of each skipped test, with the reason if it has one */
    skipped: string[];
    /** the text of each failure: more than `failed` if something failed outside of the tests */
    failures: string[];
    /** what this machine lacks, and how to get it, if that is why all are skipped */
    missing?: string;
    seconds: number;
    /** seconds of CPU time of the process that ran it, without those of the processes that it started */
    cpu: number;
}

/** Time limit for a test file in seconds, also on a machine that is busy with other things. */
const PATIENCE = 1800;

/** A process that runs one test file at a time. */
export class TestProcess {
    readonly #child: ChildProcess;
    readonly #ready: Promise<unknown>;
    #output = '';
    #failing: string[] = [];

    constructor({ coverage, make }: { coverage: boolean; make: (name: keyof Shared) => Promise<unknown> }) {
        this.#child = fork(join(__dirname, 'worker.js'), coverage ? ['--coverage'] : [], {
            // With more room for new objects, a tenth less time goes into collecting garbage. Most code runs a few times, so quick code at once saves another sixth.
            execArgv: ['--max-semi-space-size=64', '--always-sparkplug'],
            env: { ...process.env, NODE_ENV: 'test', PAGEWRIGHT_TEST_RUNNER: '1' }, stdio: ['ignore', 'pipe', 'pipe', 'ipc']
        });
        for (const stream of [this.#child.stdout, this.#child.stderr]) {
            stream?.on('data', (data) => {
                this.#output = `${this.#output}${data}`.slice(-20_000);
            });
        }

        this.#child.on('message', (message) => {
            const { make: name, failing } = JSON.parse(String(message));
            if (failing !== undefined) {
                this.#failing.push(failing);
            }

            if (name !== undefined) {
                make(name).then((value) => this.#send({ made: name, value }), (error: Error) => this.#send({ made: name, error: error.message }));
            }
        });
        this.#ready = this.#answer('ready');
        this.#ready.catch(() => undefined);
    }

    /** Whether it can run another file. */
    get isAlive(): boolean {
        return this.#child.exitCode === null && this.#child.signalCode === null && !this.#child.killed;
    }

    async run(file: string): Promise<Outcome> {
        const began = performance.now();
        this.#output = '';
        this.#failing = [];
        const late = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE * 1000);
        try {
            await this.#ready;
            const outcome: Outcome = await this.#ask('done', { order: 'run', file });
            return outcome.failures.length === 0 ? outcome : { ...outcome, failures: [...outcome.failures, ...this.#printed()] };
        }
        catch (error) {
            const seconds = (performance.now() - began) / 1000;
            return { passed: 0, failed: 1, skipped: [], failures: [`${file}: ${error} after ${seconds.toFixed()} s`, ...this.#failing, ...this.#printed()], seconds, cpu: 0 };
        }
        finally {
            clearTimeout(late);
        }
    }

    /** What was counted for the coverage. */
    counted(): Promise<unknown> {
        return this.#ask('counted', { order: 'count' });
    }

    end(): void {
        this.#child.kill();
    }

    #printed(): string[] {
        return this.#output.trim() === '' ? [] : [`Printed meanwhile:\n${this.#output.trim().replace(/^/gm, '    ')}`];
    }

    #send(message: object): void {
        if (this.#child.connected) {
            this.#child.send(JSON.stringify(message));
        }
    }

    // The type of what worker.js sends.
    // eslint-disable-next-line no-restricted-syntax
    #ask(name: string, order: object): Promise<any> {
        const answer = this.#answer(name);
        this.#send(order);
        return answer;
    }

    // eslint-disable-next-line no-restricted-syntax
    #answer(name: string): Promise<any> {
        return new Promise((resolve, reject) => {
            const onExit = (code: number | null, signal: string | null): void => reject(new Error(`the process ended (${signal ?? `exit code ${code}`})`));
            const onMessage = (message: unknown): void => {
                const value = JSON.parse(String(message))[name];
                if (value !== undefined) {
                    this.#child.off('message', onMessage);
                    this.#child.off('exit', onExit);
                    resolve(value);
                }
            };

            this.#child.on('message', onMessage);
            this.#child.on('exit', onExit);
        });
    }
}
