import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import pino from 'pino';
import { Registry } from 'prom-client';

import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

/** Requests in progress of one address: half of the total. */
const MOST = 10;

const LARGE = 12 * 1024 * 1024;

describe('too many requests at once', () => {
    const registry = new Registry();
    let server: TestServer;
    let base: string;
    let port: number;
    let log: string[];
    /** functions that send the responses of `/held` */
    let held: (() => void)[];
    let sockets: Socket[];
    /** of `/busy`, and of the event loop */
    let turns: string[];
    let whileBusy: () => void;

    beforeEach(async () => {
        registry.clear();
        [log, held, sockets, turns] = [[], [], [], []];
        whileBusy = () => undefined;
        const logger = pino({ level: 'warn' }, { write: (line) => log.push(line) });
        server = await startTestServer({ config: { maxRequests: 2 * MOST }, logger, registry });
        server.server.route([
            { method: ['GET', 'POST'], path: '/held', options: { app: { cost: 'cheap' } }, handler: () => new Promise((resolve) => held.push(() => resolve('held'))) },
            { method: 'POST', path: '/unread', options: { app: { cost: 'cheap', readsBody: true } }, handler: () => new Promise((resolve) => held.push(() => resolve('unread'))) },
            { method: 'GET', path: '/busy', options: { app: { cost: 'cheap' } }, handler: () => {
                turns.push('busy');
                whileBusy();
                for (const end = performance.now() + 30; performance.now() < end;) {
                    // Blocks the event loop.
                }

                return 'busy';
            } },
            { method: 'GET', path: '/large', options: { app: { cost: 'cheap' } }, handler: () => Buffer.alloc(LARGE, 32) }
        ]);
        await server.server.start();
        port = Number(server.server.info.port);
        base = `http://127.0.0.1:${port}`;
    });

    afterEach(async () => {
        release();
        sockets.forEach((socket) => socket.destroy());
        await server.stop();
    });

    /** Makes this many more requests wait in the handler. */
    const hold = async (count: number): Promise<Promise<Response>[]> => {
        const before = held.length;
        const answers = Array.from({ length: count }, () => fetch(`${base}/held`));
        await until(() => held.length === before + count);
        return answers;
    };

    const release = (): void => held.splice(0).forEach((answer) => answer());

    const statusOf = async (path: string, options?: RequestInit): Promise<number> => {
        const answer = await fetch(base + path, options);
        await answer.text();
        return answer.status;
    };

    const metric = async (name: string): Promise<number> => {
        const text = await registry.metrics();
        return Number(new RegExp(`^${name} ([0-9]+)$`, 'm').exec(text)?.[1]);
    };

    /** A connection on which something was sent, and which only the test reads. */
    const open = async (text: string): Promise<Socket> => {
        const socket = connect(port, '127.0.0.1').pause();
        sockets.push(socket.on('error', () => undefined));
        await new Promise<void>((resolve) => void socket.write(text, () => resolve()));
        return socket;
    };

    it('are rejected at once, the accepted ones finish, and later all succeed again', async () => {
        const answers = await hold(MOST);
        const refused = await fetch(`${base}/projects`, { headers: { 'x-request-id': 'one-too-many' } });
        expect(refused.status).to.equal(503);
        expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 3);
        expect(await refused.json()).to.equal({
            statusCode: 503,
            error: 'Service Unavailable',
            message: 'The service has too much to do at the moment, so nothing was done. Send the request again in a few seconds.',
            code: 'overloaded',
            request_id: 'one-too-many'
        });
        expect(await metric('http_requests_in_hand')).to.equal(MOST);

        release();
        expect((await Promise.all(answers)).map(({ status }) => status)).to.equal(answers.map(() => 200));
        expect(await metric('http_requests_in_hand')).to.equal(0);
        expect(await statusOf('/projects')).to.equal(200);

        await until(() => log.length === 2);
        expect(JSON.parse(String(log[0]))).to.include({ level: 40, msg: 'overloaded: refusing requests', in_hand: MOST });
        expect(JSON.parse(String(log[1]))).to.include({ level: 40, msg: 'no longer overloaded', refused: 1 });
        expect(await metric('http_requests_refused_total')).to.equal(1);
    });

    it('of one address leave room for others, up to the total', async () => {
        await hold(MOST);
        expect(await statusOf('/projects')).to.equal(503);
        const path = (localAddress: string, name: string): Promise<Raw> => raw('GET', name, {}, localAddress);
        expect((await path('127.0.0.2', '/projects')).status).to.equal(200);
        const others = Array.from({ length: MOST }, () => path('127.0.0.2', '/held'));
        await until(() => held.length === 2 * MOST);
        expect((await path('127.0.0.3', '/projects')).status).to.equal(503);
        release();
        expect((await Promise.all(others)).map(({ status }) => status)).to.equal(others.map(() => 200));
    });

    it('in one connection, sent without waiting for responses, are 33 at most', async () => {
        const health = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
        const few = await open(health.repeat(33));
        let answers = '';
        few.on('data', (data) => {
            answers += String(data);
        }).resume();
        await until(() => answers.split('HTTP/1.1 200 OK').length === 34);

        const many = await open(`GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n${health.repeat(1000)}`);
        many.resume();
        await once(many, 'close');
        expect(many.bytesRead).to.equal(0);
        few.write(health);
        await until(() => answers.split('HTTP/1.1 200 OK').length === 35);
    });

    it('do not affect /health, /ready and preflights', async () => {
        await hold(MOST);
        expect(await statusOf('/projects')).to.equal(503);
        for (const path of ['/health', '/ready']) {
            expect(await statusOf(path), path).to.equal(200);
            expect(await statusOf(path, { method: 'HEAD' }), path).to.equal(200);
        }

        const headers = { 'origin': 'https://editor.example', 'access-control-request-method': 'PATCH' };
        const preflight = await raw('OPTIONS', '/users/1', headers);
        expect([preflight.status, preflight.headers['access-control-allow-methods']]).to.equal([204, 'OPTIONS, GET, PATCH, DELETE']);
    });

    it('get a normal error, also for other origins', async () => {
        const paths = ['/users/9000000', '/users/1/projects/9000000?a=b', '/users/1/projects/1/pages/9000000', '/users/1/projects/1/pages/1/elements/9000000/', '/projects/9000000', '/users/1/projects/1/pages', '/nowhere', '/users/1/more'];
        const origins: Record<string, string>[] = [{}, { origin: 'https://editor.example' }];
        const cases = paths.flatMap((path) => ['GET', 'HEAD', 'DELETE'].flatMap((method) => origins.map((headers) => ({ method, path, headers }))));
        const ask = async (): Promise<Raw[]> => {
            const answers: Raw[] = [];
            for (const { method, path, headers } of cases) {
                answers.push(await raw(method, path, headers));
            }

            return answers;
        };

        const usual = await ask();
        await hold(MOST);
        const refused = await ask();
        const own = ['www-authenticate', 'allow', 'retry-after'];
        const varying = ['content-length', 'date', 'x-request-id'];
        cases.forEach(({ method, path, headers }, index) => {
            const [one, other] = [usual[index], refused[index]].map((answer) => {
                const shown = Object.entries(answer?.headers ?? {}).filter(([name]) => !own.includes(name));
                return Object.fromEntries(shown.map(([name, value]) => [name, varying.includes(name) ? '' : value]));
            });
            // It tells nothing of what it is about, so it is the same for every caller.
            const forAll = { ...one, 'cache-control': 'no-cache', 'vary': 'origin' };
            expect(other, `${method} ${path} ${JSON.stringify(headers)}`).to.equal(forAll);
            expect(refused[index]?.status).to.equal(503);
            expect(refused[index]?.text === '').to.equal(method === 'HEAD');
        });
    });

    it('are described at each operation', () => {
        interface Described {
            paths: Record<string, Record<string, { responses: Record<string, { $ref: string }> }>>;
        }

        const { paths }: Described = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8'));
        for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
            expect(operation.responses['503']?.$ref).to.match(/\.overloaded\b/);
        }
    });

    it('are rejected before their bodies are read', async () => {
        await hold(MOST);
        const head = 'POST /tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
        const waiting = await open(`${head}Expect: 100-continue\r\nContent-Length: ${LARGE}\r\n\r\n`);
        expect(await next(waiting)).to.startWith('HTTP/1.1 503 ');

        // A body that arrives anyway is discarded, and the connection continues.
        const eager = await open(`${head}Content-Length: ${LARGE}\r\n\r\n`);
        expect(await next(eager)).to.startWith('HTTP/1.1 503 ');
        eager.write(Buffer.alloc(LARGE, 32));
        eager.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
        expect(await next(eager)).to.startWith('HTTP/1.1 200 ');
    });

    it('do not include those that wait for their clients', async () => {
        for (let n = 0; n < MOST; ++n) {
            await open('POST /held HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":');
            await open('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
            await statusOf('/health');
        }

        await sleep(60);
        expect(await statusOf('/projects')).to.equal(200);
        expect(await metric('http_requests_refused_total')).to.equal(0);

        // When its body has arrived, it counts.
        await hold(MOST - 1);
        const [slow] = sockets;
        slow?.write('1}');
        await until(() => held.length === MOST);
        expect(await metric('http_requests_in_hand')).to.equal(MOST);
    });

    it('do not include those with a response before their body', async () => {
        const socket = await open('POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{"a":');
        await until(() => held.length === 1);
        await hold(MOST - 1);
        await sleep(60);
        expect(await statusOf('/projects')).to.equal(200);
        const answer = next(socket);
        held.shift()?.();
        expect(await answer).to.startWith('HTTP/1.1 200 ');
        await once(socket, 'close');
        expect(await metric('http_requests_in_hand')).to.equal(MOST - 1);
    });

    it('are started a few at a time, so that other work gets its turn', async () => {
        const text = 'GET /busy HTTP/1.1\r\nHost: x\r\n\r\n';
        const all = await Promise.all(Array.from({ length: 5 }, opened));
        const answers = all.map(next);
        all.forEach((socket) => socket.write(text));
        const watch = setInterval(() => turns.push('turn'), 1);
        await Promise.all(answers);
        clearInterval(watch);
        // One at once, and one at the end of that turn.
        expect(turns.filter((turn, index) => turn === 'busy' && turns[index + 1] === 'busy').length).to.be.at.most(1);
        expect(turns.filter((turn) => turn === 'busy')).to.have.length(5);
    });

    it('are not started if the client has disconnected', async () => {
        const [first, second, third, gone] = await Promise.all(Array.from({ length: 4 }, opened));
        [first, second, third].forEach((socket) => socket?.write('GET /busy HTTP/1.1\r\nHost: x\r\n\r\n'));
        gone?.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n');
        whileBusy = () => {
            if (turns.length === 3) {
                gone?.resetAndDestroy();
            }
        };

        await until(() => turns.length === 3);
        expect(await statusOf('/projects')).to.equal(200);
        expect(held).to.have.length(0);
        expect(await metric('http_requests_in_hand')).to.equal(0);
    });

    it('include those that work while their body arrives', async () => {
        await open('GET /held HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{"a":');
        await until(() => held.length === 1);
        await hold(MOST - 1);
        await sleep(60);
        expect(await statusOf('/projects')).to.equal(503);
    });

    /** A connection that the server has accepted: it accepts one in each turn of the event loop. */
    const opened = async (): Promise<Socket> => {
        const socket = await open('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
        await next(socket);
        return socket;
    };

    /** The next bytes of a connection. */
    const next = (socket: Socket): Promise<string> => new Promise((resolve) => {
        socket.once('data', (data) => resolve(data.toString('latin1'))).resume();
    });

    interface Raw {
        status: number | undefined;
        headers: Record<string, unknown>;
        text: string;
    }

    /** `fetch` sends no preflights, and hides headers. */
    const raw = (method: string, path: string, headers: Record<string, string>, localAddress = '127.0.0.1'): Promise<Raw> => new Promise((resolve, reject) => {
        httpRequest(base + path, { method, headers, localAddress }, (response) => {
            let text = '';
            response.on('data', (chunk) => {
                text += chunk;
            });
            response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        }).on('error', reject).end();
    });

    // The kernel has a limit of its own: 4,096 on Linux, 128 on macOS.
    const allowed = existsSync('/proc/sys/net/core/somaxconn') ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;
    it('let a thousand connections wait while the event loop is blocked', { skip: allowed < 1024 }, () => {
        const COUNT = 1000;
        const state = new Int32Array(new SharedArrayBuffer(4));
        const worker = new Worker(`
            const { connect } = require('node:net');
            const { workerData: { port, count, state } } = require('node:worker_threads');
            let open = 0;
            for (let n = 0; n < count; ++n) {
                connect({ port, host: '127.0.0.1' }, () => {
                    Atomics.store(state, 0, ++open);
                    Atomics.notify(state, 0);
                }).on('error', () => undefined);
            }`, { eval: true, workerData: { port, count: COUNT, state } });
        // What finds no place in the queue is tried again only after this.
        for (const end = performance.now() + 600_000; state[0] !== COUNT && performance.now() < end;) {
            const before = Number(state[0]);
            if (Atomics.wait(state, 0, before, 20_000) === 'timed-out' && before > 0) {
                break;
            }
        }

        expect(state[0]).to.equal(COUNT);
        return worker.terminate();
    });
});
