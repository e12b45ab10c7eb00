import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor, waiting } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('many writes of one project', () => {
    let server: TestServer;

    before(async () => {
        server = await startTestServer({ pool: 5 });
    });

    after(() => server.stop());

    it('leave connections to the database for others while they wait', async () => {
        const ada = await openAuthor(server, 'ada');
        const bob = await openAuthor(server, 'bob');
        const [project, other] = [await ada.project(), await bob.project()];
        const writes: Promise<Answer>[] = [];
        await server.database.db.transaction(async (trx) => {
            await trx.raw('select from projects where id = ? for no key update', [project.id]);
            writes.push(...Array.from({ length: 20 }, (_, y) => ada.call('PATCH', project.page.url, { y })));
            while (await waiting(server) < 2) {
                await sleep(1);
            }

            expect((await bob.call('PATCH', other.page.url, { x: 1 })).status).to.equal(200);
            expect((await bob.call('GET', project.page.url)).status).to.equal(200);
        });
        expect((await Promise.all(writes)).map(({ status }) => status)).to.equal(writes.map(() => 200));
    });

    it('and those of one address that are in no project leave connections for others, too', async () => {
        const small = await startTestServer({ config: { databasePool: 4 }, pool: 4 });
        const [ada, bob] = [await openAuthor(small), await openAuthor(small)];
        const project = await bob.project();
        const remoteAddress = '192.0.2.7';
        const writes: Promise<number>[] = [];
        await small.database.db.transaction(async (trx) => {
            await trx.raw('select from users where id = ? for no key update', [ada.id]);
            writes.push(...Array.from({ length: 8 }, async () => (await ada.call('PUT', `/users/me/following/${bob.username}`)).status));
            while (await waiting(small) < 2) {
                await sleep(1);
            }

            const other = await small.server.inject({ method: 'PUT', url: `/projects/${project.id}/like`, remoteAddress, headers: { authorization: `token ${(await small.open()).token}` } });
            expect([other.statusCode, await waiting(small)]).to.equal([200, 2]);
        });
        expect((await Promise.all(writes)).sort()).to.equal([200, 200, 200, 200, 200, 200, 200, 201]);
        await small.stop();
    });

    it('are not waited for by who may not see it: as for a project that never was, nothing is found at once', async () => {
        const wide = await startTestServer();
        const [ada, eve] = [await openAuthor(wide), await openAuthor(wide, 'eve')];
        const project = await ada.project({ visibility: 'private' });
        const element = await ada.element(project.page);
        const writes: Promise<Answer>[] = [];
        const statuses: number[] = [];
        await wide.database.db.transaction(async (trx) => {
            await trx.raw('select from projects where id = ? for no key update', [project.id]);
            writes.push(...Array.from({ length: 5 }, (_, y) => ada.call('PATCH', project.page.url, { y })), ada.call('PATCH', element.url, { styles: {} }), ada.call('PATCH', element.url, { styles: {} }));
            while (await waiting(wide) < 2) {
                await sleep(1);
            }

            const calls: [string, string, object?][] = [
                ['PATCH', project.url, { title: 'Mine' }], ['DELETE', project.url], ['PATCH', `${project.url}/feature`, {}], ['POST', `${project.url}/pages`, { x: 9, y: 9 }], ['PATCH', project.page.url, { x: 1 }], ['DELETE', project.page.url],
                ['POST', `${project.page.url}/elements`, { type: 'text' }], ['PATCH', element.url, { styles: {} }], ['DELETE', element.url], ['POST', `${project.url}/history/1/restore`, {}], ['POST', `${project.url}/history/2/undo`, {}],
                ['PUT', `${project.url}/history/1/label`, { label: 'Mine' }], ['DELETE', `${project.url}/history/1/label`], ['PUT', `${project.url}/members/eve`, { role: 'editor' }], ['POST', `${project.url}/invitations`, { role: 'viewer' }], ['POST', `${project.url}/upstream/pull`, {}]
            ];
            for (const [method, url, body] of calls) {
                const { status } = await eve.call(method, url, body);
                statuses.push(status);
            }
        });
        expect(statuses).to.equal(statuses.map(() => 404));
        await Promise.all(writes);
        await wide.stop();
    });

    it('leave the line when their client leaves, whatever they cost', async () => {
        const ada = await openAuthor(server, 'ada-two');
        const project = await ada.project();
        await server.server.start();
        const { project: { revision } } = (await ada.call('GET', project.url)).body;
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for no key update', [project.id]);
        const writes = [1, 2].map((x) => ada.call('PATCH', project.page.url, { x }));
        while (await waiting(server) < 2) {
            await sleep(1);
        }

        const gone = new AbortController();
        const headers = { 'content-type': 'application/json', 'authorization': `token ${ada.token}` };
        const left = [['PATCH', project.page.url, '{"y":9}'], ['POST', `${project.url}/history/1/restore`, '{}']].map(([method, path, body]) => {
            return fetch(`http://127.0.0.1:${server.server.info.port}${path}`, { method, headers, body, signal: gone.signal });
        });
        await sleep(100);
        gone.abort();
        await Promise.all(left.map((answer) => expect(answer).to.reject()));
        await sleep(100);
        await lock.rollback();
        expect((await Promise.all(writes)).map(({ status }) => status)).to.equal([200, 200]);
        // A write after them comes behind all that is still in the line.
        expect((await ada.call('PATCH', project.page.url, { x: 3 })).body.page).to.include({ x: 3, y: 0 });
        expect((await ada.call('GET', project.url)).body.project.revision).to.equal(revision + 3);
        expect(server.faults).to.equal([]);
    });

    it('have those in their line who join by a code', async () => {
        const ada = await openAuthor(server, 'ada-four');
        const project = await ada.project({ visibility: 'private' });
        const { code } = (await ada.call('POST', `${project.url}/invitations`, { role: 'viewer', uses: 9 })).body.invitation;
        const joiners = await Promise.all(Array.from({ length: 8 }, (_, n) => openAuthor(server, `joiner-${n}`)));
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for no key update', [project.id]);
        const joins = joiners.map((joiner) => joiner.call('POST', '/invitations', { code }));
        while (await waiting(server) < 2) {
            await sleep(1);
        }

        await sleep(100);
        expect(await waiting(server)).to.equal(2);
        expect((await ada.call('POST', `/users/${ada.id}/projects`, { title: 'Mine' })).status).to.equal(201);
        await lock.rollback();
        expect((await Promise.all(joins)).map(({ status }) => status)).to.equal(joins.map(() => 200));
    });

    it('take turns whatever they change, and a heavy one is alone', async () => {
        const ada = await openAuthor(server, 'ada-three');
        const project = await ada.project();
        const bob = await openAuthor(server, 'bob-three');
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for no key update', [project.id]);
        const restored = ada.call('POST', `${project.url}/history/1/restore`, {});
        while (await waiting(server) < 1) {
            await sleep(1);
        }

        const others = Array.from({ length: 10 }, () => [
            ada.call('PUT', `${project.url}/history/1/label`, { label: 'First' }), ada.call('PUT', `${project.url}/members/bob-three`, { role: 'editor' }), ada.call('PATCH', project.page.url, { x: 1 })
        ]).flat();
        expect((await bob.call('POST', `/users/${bob.id}/projects`, { title: 'Mine' })).status).to.equal(201);
        expect(await waiting(server)).to.equal(1);
        await lock.rollback();
        expect((await restored).status).to.equal(200);
        expect((await Promise.all(others)).filter(({ status }) => status >= 300)).to.equal([]);
    });
});
