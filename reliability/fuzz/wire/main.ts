import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { fakeHost, until } from '../../../test/support/host';
import { startTestServer } from '../../../test/support/server';
import { out } from '../../program';
import type { Finding } from './wire';
import { Wire } from './wire';

/** The service in a process of its own, as `npm start` runs it, but without the abuse limits. */
class Service {
    readonly child: ChildProcess;
    port = 0;
    #told = '';
    #logged = '';

    private constructor(databaseUrl: string) {
        // A thumbnail that is drawn meanwhile would change what is stored.
        const { env } = fakeHost({ DATABASE_URL: databaseUrl, PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'error', THUMBNAILS: 'off' });
        // Runs in a folder without a .env file.
        this.child = spawn(process.execPath, [join(__dirname, '../../../src/operations/main.js')], { cwd: tmpdir(), env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
        this.child.stdout?.on('data', (data) => {
            this.#logged += data;
        });
        this.child.stderr?.on('data', (data) => {
            this.#told += data;
        });
    }

    static async start(databaseUrl: string): Promise<Service> {
        const service = new Service(databaseUrl);
        await until(() => /Pagewright is at \S+:\d+/.test(service.#told) || service.child.exitCode !== null, 60_000);
        service.port = Number(/Pagewright is at \S+:(\d+)/.exec(service.#told)?.[1] ?? 0);
        if (service.port === 0) {
            throw new Error(`The service did not start: ${service.#told}`);
        }

        service.#told = '';
        return service;
    }

    /** What is wrong with the process: it has ended, or has written errors. */
    readonly fault = (): string | undefined => {
        const { exitCode, signalCode } = this.child;
        if (exitCode !== null || signalCode !== null) {
            return `the process has ended: ${exitCode ?? signalCode}`;
        }

        const said = `${this.#logged}${this.#told}`;
        return said === '' ? undefined : `the process says: ${said.slice(0, 5000)}`;
    };

    async stop(): Promise<void> {
        this.child.kill('SIGTERM');
        await until(() => this.child.exitCode !== null || this.child.signalCode !== null, 30_000);
    }
}

/** An ordinary first day of a new author, after all inputs. */
async function worksStill(url: string): Promise<void> {
    let token = '';
    const ask = async (method: string, path: string, body: object | undefined, expected: number): Promise<Record<string, Record<string, string>>> => {
        const headers = { 'content-type': 'application/json', ...token !== '' && { authorization: `token ${token}` } };
        const response = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) });
        if (response.status !== expected) {
            throw new Error(`${method} ${path} returned ${response.status} afterwards instead of ${expected}: ${await response.text()}`);
        }

        const answer: unknown = await response.json();
        return Object(answer);
    };

    await ask('GET', '/ready', undefined, 200);
    const account = await ask('POST', '/users', { username: 'afterwards', password: 'correct horse battery' }, 201);
    token = String(account.token?.access_token);
    const { project, page } = await ask('POST', `/users/${account.user?.id}/projects`, { title: 'Afterwards #well' }, 201);
    const path = `/users/${account.user?.id}/projects/${project?.id}`;
    await ask('PATCH', `${path}/pages/${page?.id}`, { x: 3, revision: 1 }, 200);
    await ask('PATCH', `${path}/pages/${page?.id}`, { x: 4, revision: 1 }, 409);
    const pages = await ask('GET', `${path}/pages`, undefined, 200);
    if (!JSON.stringify(pages).includes('"x":3')) {
        throw new Error(`A read afterwards does not return what was written: ${JSON.stringify(pages)}`);
    }

    await ask('DELETE', `/users/${account.user?.id}`, undefined, 200);
}

function tell({ seed, input, fault }: Finding, kind: string | undefined): void {
    out(`\nFound with seed ${seed}${input === undefined ? '' : ` (${input.kind}, ${input.ending}, ${input.bytes.length} bytes)`}: ${fault}`);
    if (input !== undefined) {
        out(JSON.stringify(input.bytes.subarray(0, 5000).toString('latin1')));
    }

    out(`\nAgain: npm run fuzz:wire -- --seed ${seed} --runs 1${kind === undefined ? '' : ` --kind '${kind}'`}`);
}

const listed = (counts: Map<unknown, number>): string => [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} × ${name}`).join(', ');

/** `npm run fuzz:wire -- --seed N --runs N [--kind NAME]`: exits with 1 if a failure is found. */
async function main(): Promise<void> {
    const { values } = parseArgs({ options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) }, runs: { type: 'string', default: '20000' }, kind: { type: 'string' } } });
    const [seed, runs] = [Number(values.seed), Number(values.runs)];
    const server = await startTestServer();
    // Maintenance, which begins a minute after the start, would change what is stored.
    await server.database.db.raw(`insert into maintenance (name, claimed_until) values ('hourly', now() + interval '1 day')`);
    const service = await Service.start(server.database.url);
    const { pid } = service.child;
    out(`seed ${seed}, process ${pid} at port ${service.port}`);
    try {
        const started = Date.now();
        const wire = await Wire.create(service.port, server, service.fault);
        const { sent, statuses, kinds, finding } = await wire.run(seed, runs, values.kind);
        out(`${sent} inputs in ${Math.round((Date.now() - started) / 1000)} s: ${listed(kinds)}`);
        out(`responses: ${listed(statuses)} (0 means none)`);
        if (finding === undefined) {
            await worksStill(`http://127.0.0.1:${service.port}`);
            const fault = service.fault();
            if (fault !== undefined) {
                throw new Error(fault);
            }

            out(`process ${service.child.pid} works, and what was stored has not changed`);
        }
        else {
            tell(finding, values.kind);
            process.exitCode = 1;
        }
    }
    finally {
        await service.stop();
        await server.stop();
    }
}

// `process.exit` is needed, because the embedded PostgreSQL would keep this process alive.
void main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
}).finally(() => process.exit());
