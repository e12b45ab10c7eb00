import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { clientLimits } from '../../../src/api/request/client-limits';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const MIB = 1024 * 1024;

/** Milliseconds, so short that a test can wait for them. */
const limits = { ...clientLimits, headers: 1000, bodyBegins: 500, body: 1500, request: 2000, stalled: 2000, idle: 800, checkEvery: 50, connections: 800 };

describe('a slow client', () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let port: number;
    let sockets: Socket[] = [];

    before(async () => {
        server = await startTestServer({ limits });
        server.server.route([
            { method: 'GET', path: '/large', options: { app: { cost: 'cheap' } }, handler: () => Buffer.alloc(12 * MIB, 32) },
            { method: 'POST', path: '/large', options: { app: { cost: 'cheap' } }, handler: () => Buffer.alloc(12 * MIB, 32) }
        ]);
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
        await server.server.start();
        port = Number(server.server.info.port);
    });

    afterEach(async () => {
        sockets.forEach((socket) => socket.destroy());
        sockets = [];
        await left(0);
    });

    after(() => server.stop());

    const connections = (): Promise<number> => new Promise((resolve, reject) => {
        server.server.listener.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });

    /** Waits until there are this few connections; one of `fetch` may remain. */
    const left = async (most: number, wait = 15_000): Promise<void> => {
        const end = Date.now() + wait;
        for (let count = await connections(); count > most; count = await connections()) {
            expect(Date.now(), `${count} connections are left`).to.be.below(end);
            await sleep(20);
        }
    };

    /** A connection that only the test reads. */
    const open = async (): Promise<Socket> => {
        const socket = connect(port, '127.0.0.1').pause().on('error', () => undefined);
        sockets.push(socket);
        await once(socket, 'connect');
        return socket;
    };

    /** Milliseconds until the service closes a connection with occasional bytes, and what it has sent. */
    const drip = async (text: string, rest: string, every: number): Promise<{ ms: number; said: string }> => {
        const socket = await open();
        const began = performance.now();
        let said = '';
        let isOpen = true;
        socket.on('data', (data) => {
            said += data.toString('latin1');
        }).resume();
        socket.once('close', () => {
            isOpen = false;
        });
        socket.write(text);
        for (let at = 0; isOpen; ++at) {
            socket.write(rest[at % rest.length] ?? '');
            await sleep(every);
        }

        return { ms: performance.now() - began, said };
    };

    /** The status that another client gets meanwhile, who keeps no connection for which a test would have to wait. */
    const others = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } })).status;

    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const post = (path: string, length: number, token = ''): string => {
        return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${token && `Authorization: token ${token}\r\n`}\r\n`;
    };

    it('that sends nothing, or its headers byte by byte, is cut off', async () => {
        const [status, ...cut] = await Promise.all([others(), drip('', '', 20), drip('GET /health HTTP/1.1\r\nX-Long: ', 'x', 20)]);
        expect(status).to.equal(200);
        for (const { ms, said } of cut) {
            expect(ms).to.be.within(limits.headers - 50, 3000);
            expect(said).to.startWith('HTTP/1.1 400 ');
        }
    });

    it('that sends its body byte by byte is cut off, whether the body is used or not', async () => {
        const cases: [string, string, RegExp][] = [
            [`/users/${ada.id}/projects`, ada.token, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s], [`/users/${ada.id}/projects`, '', /^HTTP\/1\.1 401 /], ['/nowhere', '', /^HTTP\/1\.1 404 /]
        ];
        await Promise.all(cases.map(async ([path, token, expected]) => {
            const [{ ms, said }, status] = await Promise.all([drip(post(path, 1000, token), ' ', 20), others()]);
            expect(ms, path).to.be.below(4000);
            expect(said, path).to.match(expected);
            expect(status).to.equal(200);
        }));

        expect((await server.call('GET', `/users/${ada.id}/projects`)).body.projects).to.have.length(1);
    });

    it('whose body does not begin to arrive gets 408 soon', async () => {
        const path = `/users/${ada.id}/projects`;
        const headers = post(path, 1000, ada.token);
        for (const { ms, said } of await Promise.all([headers, headers.replace('Content-Length', 'Content-Encoding: gzip\r\nContent-Length')].map((each) => drip(each, '', 20)))) {
            expect(ms).to.be.within(limits.bodyBegins - 50, limits.body);
            expect(said).to.match(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
        }
    });

    it('that does not read its response is cut off, and delays nobody', async () => {
        const socket = await open();
        socket.write(get('/large'));
        const began = performance.now();
        expect(await others()).to.equal(200);
        expect((await server.call('GET', project.url)).status).to.equal(200);
        await left(0);
        expect(performance.now() - began).to.be.within(limits.stalled, 4 * limits.stalled);
        let bytes = 0;
        socket.on('data', (data) => {
            bytes += data.length;
        }).resume();
        await once(socket, 'close');
        expect(bytes).to.be.below(12 * MIB);
    });

    it('that reads its response slowly gets it', async () => {
        const socket = await open();
        let bytes = 0;
        socket.on('data', (data) => {
            bytes += data.length;
            socket.pause();
            setTimeout(() => socket.resume(), 5);
        }).resume();
        socket.write(get('/large'));
        await until(() => bytes > 12 * MIB, 30_000);
        expect(bytes).to.be.within(12 * MIB, 12 * MIB + 1000);
    });

    it('may keep its connection for a while between two requests', async () => {
        const socket = (await open()).resume();
        for (let n = 0; n < 3; ++n) {
            socket.write(get('/health'));
            await once(socket, 'data');
            await sleep(limits.idle / 2);
        }

        const began = performance.now();
        await once(socket, 'close');
        expect(performance.now() - began).to.be.within(0, 5 * limits.idle);
    });

    it('cannot open more connections than allowed, nor keep them, and only a quarter of them from one address', async () => {
        const quarter = limits.connections / 4;
        const openFrom = async (localAddress: string): Promise<Socket> => {
            const socket = connect({ port, host: '127.0.0.1', localAddress }).pause().on('error', () => undefined);
            sockets.push(socket);
            await once(socket, 'connect');
            return socket;
        };

        const isClosed = async (from: string): Promise<void> => void await once((await openFrom(from)).resume(), 'close');
        await Promise.all(Array.from({ length: quarter }, () => openFrom('127.0.0.1')));
        await isClosed('127.0.0.1');
        expect(await connections()).to.equal(quarter);
        await Promise.all(Array.from({ length: 3 * quarter }, (_, n) => openFrom(`127.0.0.${2 + n % 3}`)));
        await isClosed('127.0.0.5');
        expect(await connections()).to.equal(limits.connections);
        sockets.forEach((socket) => socket.destroy());
        await left(0);
        expect(await others()).to.equal(200);
    });

    it('cannot send a large body without a token', async () => {
        const path = `/users/${ada.id}/projects`;
        const nowhere = ['POST /users', 'POST /tokens', `POST /view-project/${project.id}`, 'POST /nowhere', 'PUT /projects', 'GET /projects', 'BREW /projects', 'POST /%', 'POST foo://x', 'POST http://[/', 'POST http://x/tokens/'];
        // One fewer than an address may have, to leave a connection for the request below.
        for (let n = 0; n < limits.connections / 4 - 20; ++n) {
            const socket = await open();
            socket.write(post('', 10 * MIB, 'nonsense').replace('POST ', `${nowhere[n % nowhere.length]}?a=b`));
        }

        const title = `{"title": ${' '.repeat(300 * 1024)}"Large"}`;
        const made = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: { 'authorization': `token ${ada.token}`, 'content-type': 'application/json', 'connection': 'close' }, body: title });
        expect(made.status).to.equal(201);
        const { status, body } = await server.call('POST', '/tokens', Buffer.alloc(65 * 1024, 32));
        expect([status, body.code, body.message]).to.equal([413, 'payload_too_large', 'The body is larger than the 64 KiB allowed here. Send less at once, or a smaller file.']);
    });
});
