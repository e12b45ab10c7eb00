import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { server as hapiServer } from '@hapi/hapi';
import type { Request, Server } from '@hapi/hapi';
import * as Lab from '@hapi/lab';

import { readConfig } from '../../../src/config/index';
import { clientLimits } from '../../../src/api/request/client-limits';
import { lifecycle } from '../../../src/api/request/lifecycle';
import { byteBudgets } from '../../../src/api/protection/bytes';
import { cost, costQueues } from '../../../src/api/protection/cost';
import { payloadOptions } from '../../../src/api/request/read-body';
import { routes } from '../../routes/index';
import { openAuthor, waiting } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

const classes = ['cheap', 'heavy', 'work', 'password', 'page'];

describe('The cost of routes', () => {
    let server: TestServer;

    before(async () => {
        server = await startTestServer({ config: { site: readConfig({}).site } });
    });

    after(() => server.stop());

    it('is declared by every route, those of the API, of pages, of files, and of methods that a path lacks', () => {
        const all = server.server.table();
        expect(all.filter(({ settings }) => !classes.includes(String(settings.app?.cost))).map(({ method, path }) => `${method} ${path}`)).to.equal([]);
        expect(all.length).to.be.above(150);
    });

    it('and the limit are what the table of routes says', () => {
        const declared = new Map(server.server.table().map(({ method, path, settings }) => [`${method.toUpperCase()} ${path}`, settings.app]));
        for (const { key, cost: expected, limit } of routes) {
            const { cost: is, limit: under = null } = declared.get(key) ?? {};
            expect([is, under], key).to.equal([expected, limit]);
        }
    });

    it('is needed: a route without it is not accepted, whatever else it declares', async () => {
        const own = hapiServer();
        await own.register({ plugin: cost, options: { queues: costQueues({ ...readConfig({}), processors: 1 }) } });
        const handler = (): string => '';
        expect(() => own.route({ method: 'GET', path: '/plain', handler })).to.throw(/^The route GET \/plain does not say what it costs/);
        for (const { settings: { app }, method, path } of server.server.table()) {
            const { cost: _cost, ...rest } = { cost: undefined, ...app };
            // `Object` drops what the types demand, as a program in JavaScript could.
            expect(() => own.route({ method, path, options: { app: Object(rest) }, handler }), `${method} ${path}`).to.throw(/does not say what it costs/);
        }
    });
});

describe('The queues of what is not cheap', () => {
    /** ends of the handlers that run, with the path of each */
    let running: { path: string; end: () => void }[] = [];
    let server: Server;
    let port: number;
    const sockets: Socket[] = [];

    beforeEach(async () => {
        running = [];
        server = hapiServer({ host: '127.0.0.1' });
        // Four places for what is heavy, and eight requests inside, of which one address can have four.
        const queues = costQueues({ databasePool: 10, maxRequests: 16, trustedProxies: 1, processors: 1 });
        await server.register([{ plugin: cost, options: { queues } }, { plugin: lifecycle, options: { queues, arrivals: [], budgets: byteBudgets(server, clientLimits, 1), limits: clientLimits } }]);
        const handler = ({ path }: Pick<Request, 'path'>): Promise<string> => new Promise((resolve) => running.push({ path, end: () => resolve(path) }));
        server.route([
            { method: 'GET', path: '/heavy/{n}', options: { app: { cost: 'heavy' } }, handler },
            { method: 'POST', path: '/heavy/{n}', options: { app: { cost: 'heavy' }, payload: payloadOptions }, handler },
            { method: 'GET', path: '/work', options: { app: { cost: 'work' } }, handler },
            { method: 'GET', path: '/page', options: { app: { cost: 'page' } }, handler: (request) => (request.url.search === '?kept' ? 'kept' : request.inQueue(() => Promise.resolve(handler(request)))) },
            { method: 'GET', path: '/cheap', options: { app: { cost: 'cheap' } }, handler: () => 'cheap' },
            { method: 'GET', path: '/later', options: { app: { cost: 'cheap' } }, handler: (request) => request.inQueue(() => Promise.resolve(handler(request))) }
        ]);
        await server.start();
        port = Number(server.info.port);
    });

    afterEach(async () => {
        sockets.forEach((socket) => socket.destroy());
        running.forEach(({ end }) => end());
        await server.stop();
    });

    const get = async (path: string, from: string, method = 'GET'): Promise<number> => {
        const { statusCode } = await server.inject({ method, url: path, headers: { 'x-forwarded-for': from } });
        return statusCode;
    };

    const paths = (): string[] => running.map(({ path }) => path);
    const endFirst = async (): Promise<void> => {
        running.shift()?.end();
        await sleep(5);
    };

    it('lets callers take turns, and leaves half of the places to others', async () => {
        const all = ['1', '2', '3', '4'].map((n) => get(`/heavy/a${n}`, '10.0.0.1'));
        await sleep(5);
        expect(paths()).to.equal(['/heavy/a1', '/heavy/a2']);
        all.push(get('/heavy/b1', '2001:db8:0:1::1'), get('/heavy/b2', '2001:db8:0:1::2'), get('/heavy/b3', '2001:db8:0:1::3'));
        await sleep(5);
        // The addresses of one /64 are one caller.
        expect(paths()).to.equal(['/heavy/a1', '/heavy/a2', '/heavy/b1', '/heavy/b2']);
        all.push(get('/work', '10.0.0.1'));
        await sleep(5);
        expect(paths().slice(4)).to.equal(['/work']);
        expect(await get('/cheap', '10.0.0.1')).to.equal(200);
        for (let n = 0; n < all.length; ++n) {
            await endFirst();
        }

        expect(await Promise.all(all)).to.equal(all.map(() => 200));
    });

    it('has only the part of a page wait that costs, in a queue of its own', async () => {
        const all = ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3'].map((from) => get('/page', from));
        await sleep(5);
        expect(paths()).to.equal(['/page', '/page']);
        expect(await get('/page?kept', '10.0.0.1')).to.equal(200);
        all.push(get('/work', '10.0.0.1'));
        await sleep(5);
        expect(paths()).to.equal(['/page', '/page', '/work']);
        for (let n = 0; n < all.length; ++n) {
            await endFirst();
        }

        expect(await Promise.all(all)).to.equal(all.map(() => 200));
    });

    it('refuses a caller who has too much in it, and everybody if all have, before a body is read', async () => {
        const all = ['10.0.0.1', '10.0.0.2'].flatMap((from) => ['1', '2', '3', '4'].map((n) => get(`/heavy/${n}`, from)));
        await sleep(5);
        expect([await get('/heavy/5', '10.0.0.1'), await get('/heavy/5', '10.0.0.3')]).to.equal([429, 503]);
        expect(await get('/cheap', '10.0.0.1')).to.equal(200);

        const socket = connect(port, '127.0.0.1');
        sockets.push(socket);
        socket.write('POST /heavy/6 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{');
        const [answer] = await once(socket, 'data');
        expect(String(answer)).to.startWith('HTTP/1.1 429');
        for (let n = 0; n < all.length; ++n) {
            await endFirst();
        }

        expect(await Promise.all(all)).to.equal(all.map(() => 200));
    });

    it('does not begin what nobody waits for any more, and keeps the place of what runs until it ends', async () => {
        const request = async (n: number): Promise<Socket> => {
            const socket = connect(port, '127.0.0.1');
            sockets.push(socket);
            await once(socket, 'connect');
            socket.write(`GET /heavy/${n} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n`);
            await sleep(20);
            return socket;
        };

        const [first, , third] = [await request(1), await request(2), await request(3), await request(4)];
        expect(paths()).to.equal(['/heavy/1', '/heavy/2']);
        first.destroy();
        third.destroy();
        await sleep(20);
        expect(paths()).to.equal(['/heavy/1', '/heavy/2']);
        await endFirst();
        expect(paths()).to.equal(['/heavy/2', '/heavy/4']);
    });

    it('also runs what goes on after a handler, or begins late in it', async () => {
        const all = ['1', '2', '3'].map(() => get('/later', '10.0.0.1'));
        await sleep(5);
        expect(paths()).to.equal(['/later', '/later']);
        await endFirst();
        expect(paths()).to.equal(['/later', '/later']);
        await endFirst();
        await endFirst();
        expect(await Promise.all(all)).to.equal([200, 200, 200]);
    });

    it('refuses what would wait too long, and says how long', async () => {
        const slow = hapiServer();
        await slow.register({ plugin: cost, options: { queues: costQueues({ databasePool: 1, maxRequests: 1000, trustedProxies: 0, processors: 1 }) } });
        const ends: (() => void)[] = [];
        slow.route({ method: 'GET', path: '/heavy', options: { app: { cost: 'heavy' } }, handler: () => new Promise((resolve) => ends.push(() => resolve('done'))) });
        const first = slow.inject('/heavy');
        await sleep(400);
        ends.pop()?.();
        await first;
        // The one before took 0.4 s, so the eleventh would wait for more than 4 s.
        const held = Array.from({ length: 11 }, () => slow.inject('/heavy'));
        await sleep(5);
        const refused = await slow.inject('/heavy');
        expect(refused.statusCode).to.equal(503);
        expect(Number(refused.headers['retry-after'])).to.be.within(4, 8);
        for (let n = 0; n < held.length; ++n) {
            ends.pop()?.();
            await sleep(1);
        }

        expect((await Promise.all(held)).every(({ statusCode }) => statusCode === 200)).to.be.true();
    });
});

describe('The statement of a client who has left', () => {
    it('ends in PostgreSQL, whatever it reads or writes', async () => {
        const server = await startTestServer();
        const ada = await openAuthor(server);
        const project = await ada.project();
        const removed = await ada.page(project, { x: 9, y: 9 });
        await ada.call('DELETE', removed.url, {});
        const entry = `/users/${ada.id}/trash/${(await ada.call('GET', `/users/${ada.id}/trash`)).body.trash[0].id}`;
        const remix = await ada.remix(project);
        await ada.call('PATCH', project.url, { title: 'Changed' });
        await server.server.start();
        const calls: [string, string, object?][] = [
            ['POST', `${entry}/restore`, {}], ['DELETE', entry, {}], ['POST', `${project.url}/history/1/restore`, {}], ['POST', `${project.url}/remixes`, {}], ['GET', `${project.url}/changes?since=0`], ['GET', `${project.url}/history/1`],
            ['GET', `${remix.url}/upstream`],
            ['POST', `/users/${ada.id}/bulk`, { actions: [{ type: 'projects', method: 'update', data: { id: project.id, title: 'Saved' } }] }],
            ['DELETE', `/users/${ada.id}`, {}]
        ];
        const waits = async (expected: number): Promise<void> => {
            while (await waiting(server) !== expected) {
                await sleep(5);
            }
        };

        for (const [method, path, body] of calls) {
            const lock = await server.database.db.transaction();
            await lock.raw('lock table elements in access exclusive mode');
            await lock.raw('select from projects where id = ? for update', [project.id]);
            const gone = new AbortController();
            const headers = { 'content-type': 'application/json', ...path.includes('since') ? {} : { authorization: `token ${ada.token}` } };
            const answer = fetch(`http://127.0.0.1:${server.server.info.port}${path}`, { method, headers, signal: gone.signal, ...body && { body: JSON.stringify(body) } });
            await waits(1);
            gone.abort();
            await expect(answer).to.reject();
            await waits(0);
            await lock.rollback();
        }

        expect(server.faults).to.equal([]);
        await server.stop();
    });
});
