import cluster from 'node:cluster';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Registry } from 'prom-client';

import { watchDatabase } from '../../../src/operations/process/database-watch';
import { embeddedRefused } from '../../../src/operations/process/refused';
import { environmentOf, realHost } from '../../../src/operations/process/host';
import { run as admin } from '../../../src/operations/cli/main';
import { run } from '../../../src/operations/main';
import { addressOf, welcome } from '../../../src/operations/process/welcome';
import { readConfig } from '../../../src/config/index';
import { openDatabase } from '../../../src/database/statements/connection';
import { rollback } from '../../../src/database/statements/migrate';
import { startEmbedded } from '../../../src/database/embedded';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { fakeHost, listen, until } from '../../support/host';
import type { FakeHost } from '../../support/host';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const metricsIn = (log: string): string => /"url":"(http:\S+\/metrics)"/.exec(log)?.[1] ?? '';
const urlIn = (text: string): string => /Pagewright is at (http:\S+)/.exec(text)?.[1] ?? '';

describe('the process', () => {
    let database: TestDatabase;
    let host: FakeHost;
    let held: Socket | undefined;

    before(async () => {
        database = await emptyDatabase();
    });

    afterEach(() => {
        held?.destroy();
        held = undefined;
    });

    after(() => database.drop());

    const started = async (env: Record<string, string> = {}, { isTTY = false, isWorker = false, patience = { echo: 500, end: 40_000 } } = {}): Promise<string> => {
        host = fakeHost({ DATABASE_URL: database.url, PORT: '0', ...env }, { isTTY, isWorker });
        await run(host, patience);
        return urlIn(host.out + host.err);
    };

    /** A request whose body never ends, which keeps the server from draining until its socket is destroyed. */
    const hold = async (url: string): Promise<void> => {
        const { hostname, port } = new URL(url);
        const socket = connect(Number(port), hostname);
        held = socket;
        socket.on('error', Boolean);
        await new Promise<void>((resolve) => void socket.write('POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{', () => resolve()));
        await fetch(`${url}/health`);
    };

    it('reports all errors of the environment, and exits with a code of its own', async () => {
        host = fakeHost({ PORT: 'x', LOG_LEVEL: 'loud' });
        await run(host);
        expect(host.exits).to.equal([78]);
        expect(host.err).to.contain('PORT must be a number').and.contain('LOG_LEVEL must be one of');
        expect(host.out).to.equal('');
    });

    it('migrates, listens, prints its address, and shuts down on SIGTERM', async () => {
        const url = await started({ HOST: '0.0.0.0' });
        expect(url).to.match(/^http:\/\/localhost:\d+$/);
        const ready = await fetch(`${url}/ready`);
        expect(ready.status).to.equal(200);
        await ready.text();

        // Without a terminal, standard output is only JSON.
        const lines: { msg: string; url?: string }[] = host.out.trim().split('\n').map((line) => JSON.parse(line));
        expect(lines.map(({ msg }) => msg.replace(/\..*/, ''))).to.equal(['the schema is up to date now', 'there is no moderator yet', 'listening', 'response']);
        expect(lines[2]?.url).to.equal(url);

        // The printed command opens an account. The database was not seeded, because it is not the embedded one.
        const [, target = '', body] = /^curl -sS (\S+) .* -d '(.*)'$/m.exec(host.err) ?? [];
        const opened = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        expect(opened.status).to.equal(201);
        expect(await opened.json()).to.include({ status: 'created' });
        const { rows } = await database.db.raw('select username from users');
        expect(rows.length).to.equal(1);
        expect(rows[0].username).to.match(/^guest-[0-9a-f]{6}$/);

        host.events.emit('SIGTERM', 'SIGTERM');
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
        await expect(fetch(`${url}/health`)).to.reject();
        await until(() => host.out.endsWith('"msg":"stopped"}\n'));
    });

    it('prints readable text in a terminal', async () => {
        await started({}, { isTTY: true });
        expect(host.err).to.equal('');
        expect(host.out).to.contain('Pagewright is at http://127.0.0.1:');
        await until(() => host.out.includes('listening'));
        expect(host.out).to.not.contain('{"level"');
        host.events.emit('SIGINT', 'SIGINT');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
        expect(host.out).to.endWith('Stopped.\n');
    });

    it('prints only once that all processes have stopped', async () => {
        await started({}, { isTTY: true, isWorker: true });
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.out).to.not.contain('Stopped.');
    });

    it('finishes requests in progress before it ends', async () => {
        const url = await started();
        await hold(url);
        const answer = new Promise<string>((resolve) => held?.once('data', (data) => resolve(data.toString())));
        host.events.emit('SIGTERM', 'SIGTERM');
        held?.write('12345678');
        expect(await answer).to.startWith('HTTP/1.1 400');
        held?.destroy();
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
    });

    it('goes on serving for a while before it ends, and /ready says so', async () => {
        const url = await started({ SHUTDOWN_DELAY: '2000' });
        const early = await fetch(`${url}/ready`);
        expect([early.status, early.headers.get('connection')]).to.equal([200, 'keep-alive']);
        await early.text();
        const asked = performance.now();
        host.events.emit('SIGTERM', 'SIGTERM');
        const ready = await fetch(`${url}/ready`);
        expect([ready.status, ready.headers.get('connection')]).to.equal([503, 'close']);
        expect(JSON.parse(await ready.text()).code).to.equal('shutting_down');
        while (performance.now() - asked < 800) {
            for (const path of ['/health', '/projects']) {
                const { status, headers } = await fetch(url + path);
                expect([status, headers.get('connection')], path).to.equal([200, 'close']);
            }
        }

        await until(() => host.exits.length > 0);
        expect(performance.now() - asked).to.be.between(2000, 6000);
        expect(host.exits).to.equal([0]);
        await expect(fetch(`${url}/health`)).to.reject();
    });

    it('does not go on serving after an uncaught error', async () => {
        await started({ SHUTDOWN_DELAY: '30000' });
        host.events.emit('uncaughtException', new Error('oh'), 'uncaughtException');
        await until(() => host.exits.length > 0, 5000);
        expect(host.exits).to.equal([1]);
    });

    it('exits at once on a second signal', async () => {
        const url = await started({}, { patience: { echo: -1, end: 40_000 } });
        await hold(url);
        host.events.emit('SIGINT', 'SIGINT');
        host.events.emit('SIGINT', 'SIGINT');
        expect(host.exits).to.equal([1]);
        held?.destroy();
        await until(() => host.exits.length > 1);
    });

    it('exits if its shutdown takes too long', async () => {
        const url = await started({}, { patience: { echo: 500, end: 50 } });
        await hold(url);
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([1]);
        held?.destroy();
        await until(() => host.exits.length > 1);
    });

    it('can be stopped during its start', async () => {
        host = fakeHost({ DATABASE_URL: database.url, PORT: '0' });
        const running = run(host);
        await until(() => host.events.listenerCount('SIGTERM') > 0);
        host.events.emit('SIGTERM', 'SIGTERM');
        await running;
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
        expect(host.err).to.equal('');
        expect(host.out).to.not.contain('listening');
    });

    it('shuts down after an uncaught error, and exits at once after another', async () => {
        const url = await started();
        await hold(url);
        host.events.emit('uncaughtException', new Error('oh'), 'unhandledRejection');
        expect(host.exits).to.equal([]);
        host.events.emit('uncaughtException', new Error('no'), 'uncaughtException');
        expect(host.exits).to.equal([1]);
        held?.destroy();
        await until(() => host.exits.length > 1);
        expect(host.exits).to.equal([1, 1]);
        expect(host.out).to.contain('"msg":"unhandledRejection: ending"').and.contain('"message":"oh"').and.contain('"message":"no"');
    });

    it('serves one port with several workers', async () => {
        // process.test.ts tests real workers; these return their process id.
        cluster.setupPrimary({ exec: join(__dirname, '../../support/worker.js') });
        const url = await started({ WEB_CONCURRENCY: '2', METRICS_PORT: '0' });
        for (let i = 0; i < 5; ++i) {
            expect(await (await fetch(url)).text()).to.match(/^\d+$/);
        }

        // Their counters are added up.
        await until(() => metricsIn(host.out));
        expect(await (await fetch(metricsIn(host.out))).text()).to.contain('\nanswers_total 5\n');
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
        await expect(fetch(url)).to.reject();
        await expect(fetch(metricsIn(host.out))).to.reject();
    });

    it('counts nothing in its workers without METRICS_PORT', async () => {
        cluster.setupPrimary({ exec: join(__dirname, '../../support/worker.js') });
        const url = await started({ WEB_CONCURRENCY: '2' });
        expect((await fetch(url)).status).to.equal(200);
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(metricsIn(host.out)).to.equal('');
    });

    it('says where to sign in with another provider', async () => {
        await started({ AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://id.example', AUTH_AUDIENCE: 'pages' });
        expect(host.err).to.contain('sign in at https://id.example; POST /users opens the account').and.to.not.contain('password');
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length);
    });

    it('leaves the welcome text and the metrics to the process that started it', async () => {
        host = fakeHost({ DATABASE_URL: database.url, PORT: '0', METRICS_PORT: '0' }, { isWorker: true });
        await run(host);
        expect(host.err).to.equal('');
        await until(() => host.out.includes('listening'));
        expect(host.out).to.not.contain('metrics');
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
    });

    it('says how to make the first moderator, as long as there is none', async () => {
        const told = async (env: Record<string, string> = {}): Promise<string> => {
            await started(env);
            host.events.emit('SIGTERM', 'SIGTERM');
            await until(() => host.exits.length > 0);
            return host.out;
        };

        expect(await told()).to.contain('there is no moderator yet. To make one: npm run admin -- grant NAME moderator (the page /welcome says more)');
        expect(await told({ SITE: 'off' })).to.contain('npm run admin -- grant NAME moderator"').and.to.not.contain('/welcome');
        const [{ id }] = (await database.db.raw(`insert into users (username, moderator) values ('mod', true) returning id`)).rows;
        expect(await told()).to.not.contain('moderator');
        await database.db.raw('delete from users where id = ?', [id]);
    });

    it('serves Prometheus metrics at METRICS_PORT, if it is set', async () => {
        const url = await started({ METRICS_PORT: '0' });
        await until(() => metricsIn(host.out));
        const at = metricsIn(host.out);
        expect(at).to.match(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
        await (await fetch(`${url}/health`)).text();
        const answer = await fetch(at);
        expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
        const text = await answer.text();
        const build = `pagewright_build_info{version="${JSON.parse(readFileSync(require.resolve('#package'), 'utf8')).version}",node="${process.versions.node}"} 1`;
        for (const line of [build, 'pagewright_http_request_duration_seconds_count{method="GET",route="/health",status="200"} 1', 'pagewright_http_responses_total{class="5xx"} 0', 'pagewright_http_request_errors_total{code="internal_error"} 0', '# TYPE pagewright_database_pool_waiting gauge',
            // The name before 0.4, for one release.
            'http_request_duration_seconds_count{method="GET",route="/health",status="200"} 1', '# TYPE nodejs_eventloop_lag_p99_seconds gauge']) {
            expect(text).to.contain(`${line}\n`);
        }

        // What the rules for alerts and the dashboard name is served.
        const served = new Set(Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name));
        const named = ['alerts.yml', 'grafana.json'].flatMap((file) => {
            return readFileSync(join(__dirname, '../../../examples/deploy', file), 'utf8').match(/\b(?:pagewright|nodejs|process)_[a-z0-9_]+\b(?!\.)/g) ?? [];
        });
        const names = new Set(named.map((name) => name.replace(/_(?:bucket|count)$/, '')));
        expect(names.size).to.be.above(12);
        expect([...names].filter((name) => !served.has(name))).to.equal([]);
        // Each alert says how urgent it is, and where to read what to do.
        const rules = readFileSync(join(__dirname, '../../../examples/deploy/alerts.yml'), 'utf8').split('- alert: ').slice(1);
        const runbook = readFileSync(join(__dirname, '../../../docs/alerts.md'), 'utf8');
        expect(rules.map((rule) => rule.split('\n')[0])).to.equal([...runbook.matchAll(/^## (Pagewright\w+)$/gm)].map(([, name]) => name));
        for (const rule of rules) {
            const [name = ''] = rule.split('\n');
            expect(rule).to.match(/labels: \{ severity: (?:critical|warning) \}/).and.contain(`runbook: docs/alerts.md#${name.toLowerCase()}\n`);
        }

        const [free = 0, size] = ['free', 'size'].map((of) => Number(new RegExp(`^pagewright_disk_${of}_bytes (\\d+)`, 'm').exec(text)?.[1]));
        expect(free).to.be.within(1, Number(size));

        expect((await fetch(`${url}/metrics`)).status).to.equal(404);
        const taken = fakeHost({ DATABASE_URL: database.url, PORT: '0', METRICS_PORT: new URL(at).port });
        await run(taken);
        expect(taken.exits).to.equal([1]);
        expect(taken.err).to.equal(`Port ${new URL(at).port} of 127.0.0.1 is in use. Stop what listens there, or set METRICS_PORT to another port.\n`);
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        await expect(fetch(at)).to.reject();
    });

    it('returns lists whether or not the replica is reachable', async () => {
        const url = await started({ DATABASE_REPLICA_URL: 'postgres://127.0.0.1:1/pages' });
        expect((await fetch(`${url}/projects`)).status).to.equal(200);
        await until(() => host.out.includes('"msg":"public lists are read from the primary"'));
        expect((await fetch(`${url}/discover`)).status).to.equal(200);
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
    });

    it('reports that its port is in use', async () => {
        const other = createServer();
        const port = await listen(other);
        await started({ PORT: String(port), LOG_LEVEL: 'debug' });
        expect(host.exits).to.equal([1]);
        expect(host.err).to.equal(`Port ${port} of 127.0.0.1 is in use. Stop what listens there, or set PORT to another port.\n`);
        await until(() => host.out.includes('the start failed'));
        // Nothing had been done, so nothing had to be stopped.
        expect(host.out).to.not.contain('schema').and.to.not.contain('stopped');
        await new Promise<unknown>((closed) => other.close(closed));

        // Each of the two ports is free, but they are the same.
        await started({ PORT: String(port), METRICS_PORT: String(port) });
        expect(host.exits).to.equal([1]);
        expect(host.err).to.equal(`Port ${port} of 127.0.0.1 is in use. Stop what listens there, or set METRICS_PORT to another port.\n`);
    });

    it('warns about variables that look like settings', async () => {
        await started({ PROT: '3001', AUTH_AUDIENCES: 'x' });
        await until(() => host.out.includes('AUTH_AUDIENCES'));
        expect(host.out).to.contain('"level":40').and.contain('PROT is not a setting, and is ignored. Did you mean PORT?');
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);

        host = fakeHost({ AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://id.example', AUTH_AUDIENC: 'pages' });
        await run(host);
        expect(host.err).to.contain('AUTH_AUDIENCE is needed').and.endWith('AUTH_AUDIENC is not a setting, and is ignored. Did you mean AUTH_AUDIENCE?\n');
    });

    it('reports that it cannot listen', async () => {
        await started({ HOST: '192.0.2.1' });
        expect(host.exits).to.equal([1]);
        expect(host.err).to.match(/^Cannot listen at port 0 of 192\.0\.2\.1: .*EADDRNOTAVAIL/);
    });

    const stopped = async (): Promise<void> => {
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
    };

    /** Starts a service that has to wait, at this port. */
    const waiting = async (env: Record<string, string>, cause: string): Promise<{ running: Promise<void>; url: string }> => {
        const other = createServer();
        const port = String(await listen(other));
        await new Promise<unknown>((closed) => other.close(closed));
        host = fakeHost({ DATABASE_URL: database.url, PORT: port, ...env });
        const running = run(host);
        await until(() => host.out.includes(`waiting to start: ${cause}`));
        const url = `http://127.0.0.1:${port}`;
        expect(await (await fetch(`${url}/health`)).json()).to.equal({ status: 'success' });
        for (const path of ['/ready', '/projects']) {
            const answer = await fetch(`${url}${path}`);
            expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('access-control-allow-origin')]).to.equal([503, '5', '*']);
            expect(await answer.json()).to.include({ statusCode: 503, code: 'service_unavailable', message: `The service is starting, and waits. ${cause}` });
        }

        return { running, url };
    };

    it('waits for its database, and says so without the password', async () => {
        // Where the database will be.
        const relay = createTcpServer((socket) => {
            const { hostname, port } = new URL(database.url);
            const behind = connect(Number(port), hostname);
            socket.pipe(behind).pipe(socket);
            socket.on('error', () => behind.destroy());
            behind.on('error', () => socket.destroy());
        });
        const port = await listen(relay);
        await new Promise<unknown>((closed) => relay.close(closed));
        const there = new URL(database.url);
        there.port = String(port);
        const { running, url } = await waiting({ DATABASE_URL: there.href }, 'Nothing listens at the address of the database.');
        expect(host.out + host.err).to.not.contain(there.password);
        relay.listen(port, '127.0.0.1');
        await running;
        expect((await fetch(`${url}/ready`)).status).to.equal(200);
        await stopped();
        relay.close();
    });

    it('can be stopped while it waits', async () => {
        const { running, url } = await waiting({ DATABASE_URL: 'postgres:///pages?host=/nowhere' }, 'There is no socket of the database.');
        await stopped();
        await running;
        await expect(fetch(`${url}/health`)).to.reject();
    });

    it('waits while a new database is read-only', async () => {
        const empty = await emptyDatabase();
        const { hostname, port, pathname } = new URL(empty.url);
        try {
            await empty.db.raw(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`);
            const { running } = await waiting({ DATABASE_URL: empty.url }, 'The database is read-only.');
            await empty.db.raw(`begin read write; alter database ${pathname.slice(1)} reset default_transaction_read_only; commit`);
            await running;
            expect(host.err, `${hostname}:${port}`).to.contain('Pagewright is at');
            await stopped();
        }
        finally {
            await empty.drop();
        }
    });

    it('exits at once if its database refuses it, with one sentence that says what to do', async () => {
        const limited = `limited_${process.pid}`;
        await database.db.raw(`create role ${limited} login password 'secret'`);
        try {
            const as = (change: Partial<URL>): string => Object.assign(new URL(database.url), change).href;
            const place = (name: string): string => `Cannot use the database ${name} at 127.0.0.1:${new URL(database.url).port} (DATABASE_URL): `;
            const name = new URL(database.url).pathname.slice(1);
            const refusals: [Partial<URL>, string][] = [
                [{ password: 'wrong' }, `${place(name)}The database rejects the name or the password of the service. Correct DATABASE_URL.\n`],
                [{ pathname: '/nothing_here' }, `${place('nothing_here')}There is no such database on the server. Make it (createdb), or correct DATABASE_URL.\n`],
                [{ username: limited, password: 'secret' }, `${place(name)}The role of the service lacks a right in the database. Use the role that owns its tables, or, if it is new, let its owner "grant usage, create on schema public" to the role.\n`]
            ];
            for (const [change, words] of refusals) {
                await started({ DATABASE_URL: as(change) });
                expect([host.err, host.exits]).to.equal([words, [78]]);
            }
        }
        finally {
            await database.db.raw(`drop role ${limited}`);
        }
    });

    it('exits with 1 if its database is of a later release, which no setting mends', async () => {
        await database.db.raw(`insert into migrations (name, batch, migration_time) values ('9999_later', 99, now())`);
        await started();
        await database.db.raw(`delete from migrations where name = '9999_later'`);
        expect(host.exits).to.equal([1]);
        expect(host.err).to.startWith('Cannot use the database ').and.contain('9999_later');
    });

    it('waits for its bucket, and exits at once if that refuses it', async () => {
        Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' });
        let status = 403;
        // What a bucket without any object says.
        const bucket = createServer(({ method }, response) => void response.writeHead(method === 'GET' ? 404 : status).end());
        const port = await listen(bucket);
        const env = { DATA_DIR: mkdtempSync(join(tmpdir(), 'pagewright-test-')), ASSETS_URL: `s3://pictures?endpoint=http://127.0.0.1:${port}` };
        try {
            await started(env);
            expect(host.exits).to.equal([78]);
            expect(host.err).to.startWith('The place for assets, s3://pictures, cannot be used: ');
            await new Promise<unknown>((closed) => bucket.close(closed));

            await database.db.raw('update asset_owner set place = null');
            const { running, url } = await waiting(env, 'The place for pictures and sounds cannot be reached.');
            status = 200;
            bucket.listen(port, '127.0.0.1');
            await running;
            expect((await fetch(`${url}/ready`)).status).to.equal(200);
            await stopped();
        }
        finally {
            await database.db.raw('update asset_owner set place = null');
            bucket.closeAllConnections();
            bucket.close();
            rmSync(env.DATA_DIR, { recursive: true });
        }
    });

    it('says in one sentence that the folder of its database is full', () => {
        const words = 'There is no room for the embedded database in /data. Make room there, or set DATA_DIR to a folder on another disk.';
        for (const error of [Object.assign(new Error('write'), { code: 'ENOSPC' }), new Error('initdb failed: could not write file: No space left on device')]) {
            expect(embeddedRefused(error, { dataDir: '/data' }).message).to.equal(words);
        }
    });

    it('logs when its database is read-only and when it is back, and counts it', async () => {
        const lines: string[] = [];
        const registry = new Registry();
        const readOnly = new URL(database.url);
        readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
        const db = openDatabase({ url: readOnly.href, pool: 1 });
        const end = watchDatabase(db, { warn: (line: unknown) => void lines.push(String(line)) }, registry, 5);
        const gauge = async (of: string): Promise<boolean> => (await registry.metrics()).includes(`\npagewright_database_${of} 1\n`);
        await until(() => lines.length === 1);
        expect([await gauge('read_only'), await gauge('away')]).to.equal([true, false]);
        await db.raw('set default_transaction_read_only = off');
        await until(() => lines.length === 2);
        await db.destroy();
        await until(() => lines.length === 3);
        expect([await gauge('read_only'), await gauge('away')]).to.equal([false, true]);
        await end();
        const nowhere = openDatabase({ url: 'postgres://127.0.0.1:1/pages', pool: 1 });
        const endOther = watchDatabase(nowhere, { warn: (line: unknown) => void lines.push(String(line)) }, undefined, 5);
        await until(() => lines.length === 4);
        await endOther();
        await nowhere.destroy();
        expect(lines.pop()).to.equal('the database cannot be used: Nothing listens at the address of the database.');
        expect(lines.map((line) => line.split(':')[0])).to.equal(['the database is read-only', 'the database takes reads and writes again', 'the database cannot be used']);
    });

    it('reports that its database is not in UTF-8, and how to get one that is', async () => {
        const latin = await emptyDatabase(`template template0 encoding 'LATIN1' locale_provider libc locale 'C'`);
        try {
            await started({ DATABASE_URL: latin.url });
            expect(host.exits).to.equal([78]);
            const name = new URL(latin.url).pathname.slice(1);
            expect(host.err).to.match(new RegExp(`^Cannot use the database ${name} at .*: it is encoded in LATIN1, .*createdb --encoding=UTF8 --template=template0 NAME.*pg_dump ${name} \\| psql NAME`));
            expect((await latin.db.raw('select count(*)::int as n from pg_tables where schemaname = current_schema()')).rows).to.equal([{ n: 0 }]);
        }
        finally {
            await latin.drop();
        }
    });

    it('creates the demo community on the first start of an embedded database', async () => {
        const dir = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        try {
            const url = await started({ DATABASE_URL: '', DATA_DIR: dir });
            expect(host.err).to.contain(url);
            expect(host.out).to.contain('made the demo community: 11 people, 12 projects');
            // Nobody knows the password of the one who featured projects.
            expect(host.out).to.contain('there is no moderator yet');
            const { projects } = JSON.parse(await (await fetch(`${url}/discover`)).text());
            expect(Number(projects.length)).to.be.above(1);

            const second = fakeHost({ DATA_DIR: dir, PORT: '0' });
            await run(second);
            expect(second.exits).to.equal([1]);
            expect(second.err).to.contain(`${dir} is in use by process ${process.pid}`);

            host.events.emit('SIGTERM', 'SIGTERM');
            await until(() => host.exits.length > 0);
            expect(host.exits).to.equal([0]);

            // After a rollback of the whole schema, the demo community is not created again.
            const env = { DATA_DIR: dir };
            expect(await admin(['rollback', '--yes'], host = fakeHost(env)), host.err).to.equal(0);
            expect(host.out).to.contain(' was taken back.');
            // The command would start and stop the server for each of the others.
            const embedded = await startEmbedded({ dir });
            const db = openDatabase({ url: embedded.url, pool: 1 });
            while (await rollback(db) !== undefined) {
                // The next one.
            }

            await db.destroy();
            await embedded.stop();
            expect(await admin(['rollback', '--yes'], host = fakeHost(env)), host.err).to.equal(0);
            expect(host.out).to.equal('Nothing can be taken back: the database has no schema, or that of 0.3.\n');
            const ended = host;
            await started({ DATABASE_URL: '', DATA_DIR: dir, PUBLIC_URL: 'https://pages.example', THUMBNAILS: 'off' }, { patience: { echo: -1, end: 40_000 } });
            expect(host).to.not.shallow.equal(ended);
            expect(host.out).to.not.contain('demo community');

            // If the embedded server ends by itself, that is logged and it is started again.
            process.kill(Number(readFileSync(join(dir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGINT');
            await until(() => host.out.includes('takes connections again'));
            expect(host.out).to.contain('"level":40').and.contain('The embedded PostgreSQL ended by itself (exit code 0): it is started again.');

            // The embedded server is stopped even if the shutdown is cut short.
            host.events.emit('SIGTERM', 'SIGTERM');
            host.events.emit('SIGTERM', 'SIGTERM');
            expect(host.exits).to.equal([1]);
            await until(() => host.exits.length > 1);
        }
        finally {
            rmSync(dir, { recursive: true, force: true });
        }
    });
});

describe('the parts of a process', () => {
    it('reads .env, which the environment overrides', () => {
        const dir = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        const host = fakeHost({ PORT: '1' });
        expect(environmentOf(host, join(dir, '.env'))).to.equal({ ...host.env });
        expect(() => environmentOf(host, dir)).to.throw(/cannot be read: EISDIR/);
        rmSync(dir, { recursive: true });
        expect(environmentOf({ ...host, env: { PORT: '1' } }, join(__dirname, '../../../.env.example'))).to.include({ PORT: '1', LOG_LEVEL: 'info' });
    });

    it('opens standard input only if somebody reads it, or a terminal would suspend a service in the background', () => {
        expect(Object.getOwnPropertyDescriptor(realHost, 'stdin')?.get).to.be.a.function();
        expect(realHost.stdin).to.shallow.equal(process.stdin);
    });

    it('says how to get a token, depending on who may open an account', () => {
        const told = (env: Record<string, string>): string => welcome('http://localhost', readConfig(env));
        expect(told({})).to.contain('curl -sS http://localhost/users');
        expect(told({ SIGN_UP: 'closed' })).to.contain('new accounts cannot be opened').and.to.not.contain('/users');
        expect(told({ SIGN_UP: 'invite' })).to.contain('make a code ("npm run admin -- invite")');
        const elsewhere = { AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://id.example', AUTH_AUDIENCE: 'pages' };
        expect(told({ ...elsewhere, SIGN_UP: 'closed' })).to.contain('sign in at https://id.example\n');
    });

    it('prints an address that works', () => {
        expect(addressOf('::', 3000)).to.equal('http://localhost:3000');
        expect(addressOf('::1', 3000)).to.equal('http://[::1]:3000');
        expect(addressOf('pages.example', 80)).to.equal('http://pages.example:80');
    });
});
