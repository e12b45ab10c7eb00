import { Agent, get as httpGet } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import type { Read } from '../../../src/database/statements/snapshot';
import { run } from '../../../src/database/statements/statement';
import { clientLimits } from '../../../src/api/request/client-limits';
import { ChangedWhileSent } from '../../../src/api/request/streamed-body';
import { allPages, elementsOf, onePage } from '../../../src/projects/pages/pieces';
import { connections, count, ofBytes, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { collectGarbage } from '../../support/heap';
import { notOnCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { putElements, putPages } from '../../support/sizes';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;

describe('a response that is too large for one text', () => {
    let server: TestServer;
    let ada: Author;
    /** its first page is above the limit: 20 elements of 4 MiB each */
    let huge: MadeProject;

    before(async () => {
        server = await startTestServer({ limits: { ...clientLimits, responseBytes: 400 * MIB } });
        ada = await openAuthor(server, 'ada');
        huge = await ada.project();
        await putElements(server.database.db, huge.page.id, 20, 2 * MIB, 2 * MIB);
        await server.server.start();
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    /** A project whose first page has a number of elements of 2 MiB, inserted by SQL. */
    const large = async (elements: number): Promise<MadeProject> => {
        const project = await ada.project();
        await putElements(server.database.db, project.page.id, elements, 2 * MIB);
        return project;
    };

    const revisionOf = async (url: string): Promise<number> => {
        const { headers: { etag } } = await server.call('HEAD', url);
        return Number(String(etag).replaceAll('"', ''));
    };

    /** Sends a GET over a new connection, and reads nothing of the body. */
    const open = (url: string): Promise<IncomingMessage> => new Promise((resolve, reject) => {
        httpGet(`http://127.0.0.1:${server.server.info.port}${url}`, { agent: new Agent() }, resolve).on('error', reject);
    });

    const until = async (holds: () => Promise<boolean>): Promise<void> => {
        while (!await holds()) {
            await sleep(20);
        }
    };

    const inTransaction = (): Promise<number> => connections(server, `state = 'idle in transaction'`);

    for (const elements of [3, 20]) {
        it(`is sent in pieces, with its entity tag: a page with ${elements} elements`, async () => {
            const project = await large(elements);
            const { url, id } = project.page;
            const { status, headers, body, text } = await ada.call('GET', url);
            expect(status).to.equal(200);
            expect(text.length).to.be.above(elements * 2 * MIB);
            expect(headers).to.include({ 'content-type': 'application/json; charset=utf-8', etag: '"1"' });
            expect(headers).to.not.include('content-length');
            expect(body.page).to.include({ id, revision: 1, x: 0, y: 0 });
            expect(body.page.elements).to.have.length(elements);

            const { rows } = await server.database.db.raw('select id::text from elements where page_id = ? order by id', [id]);
            expect(body.page.elements.map((element: { id: string }) => element.id)).to.equal(rows.map((row: { id: string }) => row.id));
            const [element] = body.page.elements;
            expect(await ada.call('GET', `${url}/elements/${element.id}`)).to.include({ body: { status: 'success', element } });

            const list = await ada.call('GET', `${url}/elements`);
            const whole = text.slice(text.indexOf('"elements":[') + '"elements":['.length, -']}}'.length);
            expect(list.headers).to.include({ 'content-type': 'application/json; charset=utf-8', etag: '"1"' });
            expect(list.text === `{"status":"success","elements":[${whole}]}`).to.be.true();
            const pages = await ada.call('GET', `${project.url}/pages`);
            expect(pages.headers.etag).to.equal('"1"');
            expect(pages.text === `{"status":"success","pages":[${text.slice('{"status":"success","page":'.length, -1)}]}`).to.be.true();
        });
    }

    it('is not sent to a client that has it, nor for HEAD, and is compressed on request', async () => {
        const project = await large(3);
        const whole = await ada.call('GET', project.page.url);
        for (const url of [project.page.url, `${project.page.url}/elements`, `${project.url}/pages`]) {
            const { headers: { etag }, text } = await ada.call('GET', url);
            const held = await ada.call('GET', url, undefined, { headers: { 'if-none-match': String(etag) } });
            expect(held).to.include({ status: 304, text: '' });
            expect(held.headers.etag).to.equal(etag);
            const head = await ada.call('HEAD', url);
            expect(head).to.include({ status: 200, text: '' });
            expect(head.headers).to.include({ etag, 'content-type': 'application/json; charset=utf-8' });

            const { headers, rawPayload } = await server.server.inject({ url, headers: { 'accept-encoding': 'gzip' } });
            expect(headers).to.include({ 'content-encoding': 'gzip', etag: `${String(etag).slice(0, -1)}-gzip"` });
            expect(gunzipSync(rawPayload).toString() === text).to.be.true();
        }

        expect(whole.body.page.elements).to.have.length(3);
        expect((await ada.call('GET', `${project.page.url.slice(0, -1)}999/elements`)).status).to.equal(404);
    });

    it('may be a whole project: small pages together, each large page separately', async () => {
        const project = await large(3);
        const more = await putPages(server.database.db, project.id, 5);
        const [first = '', , third = ''] = more;
        await putElements(server.database.db, first, 1, 2 * MIB);
        await putElements(server.database.db, third, 3, 2 * MIB);
        const read = async (): Promise<void> => {
            const { text } = await ada.call('GET', `${project.url}/pages`);
            // On a cluster, the ids of pages that SQL inserts are smaller than those that the service gives.
            const ids = [project.page.id, ...more].sort((a, b) => Number(a) - Number(b));
            const single = await Promise.all(ids.map((id) => ada.call('GET', `${project.url}/pages/${id}`)));
            const pages = single.map((one) => one.text.slice('{"status":"success","page":'.length, -1));
            expect(text === `{"status":"success","pages":[${pages.join(',')}]}`).to.be.true();
        };

        await read();
    });

    it('is sent in constant memory, also to a client that pauses', async () => {
        // What nobody needs does not count: a busy machine collects garbage late.
        const bufferBytes = (): number => {
            if (process.memoryUsage().arrayBuffers > atFirst + 40 * MIB) {
                collectGarbage();
            }

            return process.memoryUsage().arrayBuffers;
        };

        collectGarbage();
        const atFirst = process.memoryUsage().arrayBuffers;
        const response = await open(`${huge.url}/pages`);
        await sleep(2000);
        expect(bufferBytes() - atFirst).to.be.below(60 * MIB);

        let [most, bytes] = [0, 0];
        for await (const chunk of response) {
            bytes += Buffer.byteLength(chunk);
            most = Math.max(most, bufferBytes() - atFirst);
        }

        expect(bytes).to.be.above(80 * MIB);
        expect(most).to.be.below(60 * MIB);
    });

    it('is read at once if the page is within its limit, so a slow client holds no database connection', async () => {
        const project = await large(14);
        const response = await open(project.page.url);
        // A transaction is open while it is read.
        await sleep(200);
        await until(async () => await inTransaction() + await count(server, `from pg_stat_activity where datname = current_database() and state = 'active'`) === 1);
        await ada.call('PATCH', project.page.url, { x: 5 });
        const { page } = JSON.parse(await readText(response));
        expect(page).to.include({ x: 0, revision: 1 });
        expect(page.elements).to.have.length(14);
        expect((await ada.call('GET', project.page.url)).body.page).to.include({ x: 5, revision: 2 });
    });

    it('is one state, or its connection is closed before the end', notOnCluster('also the first connection is closed there'), async () => {
        // Only the first has a snapshot.
        const [first, second] = [await open(huge.page.url), await open(huge.page.url)];
        await until(async () => await inTransaction() === 1);
        expect((await ada.call('PATCH', huge.page.url, { x: 1 })).status).to.equal(200);

        const end = readText(second);
        await expect(end).to.reject('aborted');
        const { page } = JSON.parse(await readText(first));
        expect(page).to.include({ x: 0 });
        expect(page.elements).to.have.length(20);
        expect(await inTransaction()).to.equal(0);
    });

    it('is not read further after a change', async () => {
        const { db } = server.database;
        const read: Read = (sql, values) => run(db, sql, values);
        const { page } = await large(3);
        const small = await ada.project();
        for (const pieces of [
            () => elementsOf(read, { id: page.id, revision: '2' }), () => onePage(read, { id: page.id, revision: '2' }),
            () => allPages(read, [{ id: small.page.id, revision: '2', weight: 1 }])
        ]) {
            await expect(pieces().next()).to.reject(ChangedWhileSent);
        }

        const pieces = elementsOf(read, { id: page.id, revision: '1' });
        await pieces.next();
        await ada.call('PATCH', page.url, { x: 1 });
        await expect(pieces.next()).to.reject(ChangedWhileSent);
    });

    it('is not read further after the client has disconnected', async () => {
        const response = await open(huge.page.url);
        await until(async () => await inTransaction() === 1);
        response.destroy();
        await until(async () => await inTransaction() === 0);
    });

    it('counts for its caller while it is not read', async () => {
        const responses = [];
        for (;;) {
            const response = await open(huge.page.url);
            responses.push(response);
            if (response.statusCode !== 200) {
                break;
            }
        }

        // An address has half of 400 MiB, and each response is 33 MiB.
        expect(responses.length).to.equal(7);
        expect(responses.at(-1)?.statusCode).to.equal(429);
        responses.forEach((response) => response.destroy());
        await sleep(500);
        const response = await open(huge.page.url);
        expect(response.statusCode).to.equal(200);
        response.destroy();
    });

    it('is left out of the responses of writes and of conflicts', async () => {
        const project = await large(3);
        const { url } = project.page;
        const revision = await revisionOf(url);
        const { body } = await ada.call('PATCH', url, { x: 3, revision });
        expect(body).to.include({ status: 'updated' });
        expect(body.page).to.only.include(['id', 'project_id', 'user_id', 'x', 'y', 'styles', 'revision', 'history']);
        expect(body.page).to.include({ x: 3, revision: revision + 1 });
        for (const method of ['PATCH', 'DELETE']) {
            const { status, body: conflict } = await ada.call(method, url, { ...method === 'PATCH' && { x: 4 }, revision });
            expect([status, conflict.code]).to.equal([409, 'revision_conflict']);
            expect(conflict.current).to.equal(body.page);
            expect(conflict.base).to.include({ id: project.page.id, x: 0, revision }).and.not.include('elements');
            expect(conflict.conflicts).to.equal(method === 'PATCH' ? ['/position'] : []);
        }

        const merged = await ada.call('PATCH', url, { styles: { a: 1 }, revision, merge: true });
        expect(merged.body).to.include({ merged: true });
        expect(merged.body.page).to.include({ x: 3, styles: { a: 1 }, revision: revision + 2 }).and.not.include('elements');

        const removed = await ada.call('DELETE', url, { revision: revision + 2 });
        expect(removed.body).to.include({ status: 'deleted' });
        expect(removed.body.page).to.include({ id: project.page.id, revision: revision + 3 }).and.not.include('elements');

        const small = await ada.project();
        await ada.element(small.page);
        const changed = await ada.call('PATCH', small.page.url, { x: 1 });
        expect(changed.body.page.elements).to.have.length(1);
        expect((await ada.call('PATCH', small.page.url, { x: 2, revision: 1 })).body.current).to.equal(changed.body.page);
        expect((await ada.call('DELETE', small.page.url)).body.page.elements).to.have.length(1);
        expect((await ada.call('DELETE', huge.url)).body.project).to.include({ id: huge.id });
    });

    it('is left out of the base of a conflict if the page was large then', async () => {
        const project = await large(1);
        const last = await ada.element(project.page, { styles: ofBytes(2 * MIB) });
        const { url } = project.page;
        const revision = await revisionOf(url);
        await ada.call('DELETE', last.url);
        const { body } = await ada.call('PATCH', url, { x: 4, revision });
        expect(body.current.elements).to.have.length(1);
        expect(body.base).to.include({ revision }).and.not.include('elements');
    });

    it('is left out of the response of a repeated POST', async () => {
        const project = await ada.project();
        const options = { headers: { 'idempotency-key': 'a-page-that-is-made-once' } };
        const page = { x: 1, y: 1, styles: ofBytes(MIB + MIB / 2) };
        const { body, text } = await ada.call('POST', `${project.url}/pages`, page, options);
        expect(body.status, text.slice(0, 500)).to.equal('created');
        const { id, ...made } = body.page;
        expect(made.elements).to.equal([]);
        await putElements(server.database.db, id, 3, 2 * MIB);
        const again = await ada.call('POST', `${project.url}/pages`, page, options);
        expect(again.status).to.equal(201);
        expect(again.body.page).to.include({ id, x: 1 }).and.not.include('elements');
    });
});
