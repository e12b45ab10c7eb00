import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import pino from 'pino';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { expectQuick } from '../../support/clock';
import { watch } from '../../support/events';
import type { Watcher } from '../../support/events';
import { until } from '../../support/host';
import { clientLimits } from '../../../src/api/request/client-limits';
import { notOnCluster } from '../../support/on-cluster';
import { addressIn, build, startProgram } from '../../support/program';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

describe('the events of a project', () => {
    const log: string[] = [];
    let server: TestServer;
    let other: TestServer;
    let ada: Author;
    let project: MadeProject;
    let watchers: Watcher[] = [];

    before(async () => {
        const logger = pino({ level: 'info' }, { write: (line) => void log.push(line) });
        server = await startTestServer({ limits: clientLimits, logger });
        other = await startTestServer({ limits: clientLimits, database: server.database, config: { maxStreams: 2 } });
        await server.server.start();
        await other.server.start();
        ada = await openAuthor(server, 'ada');
    });

    beforeEach(async () => {
        project = await ada.project();
    });

    afterEach(async () => {
        watchers.forEach((watcher) => watcher.close());
        watchers = [];
        await until(() => [server, other].every((one) => one.server.plugins.live.places.count() === 0));
    });

    after(async () => {
        await other.server.stop();
        await server.stop();
    });

    const open = async ({ at = server, of = project.url, query = '', headers = {}, from }: { at?: TestServer; of?: string; query?: string; headers?: Record<string, string>; from?: string } = {}): Promise<Watcher> => {
        const watcher = await watch(`${at.server.info.uri}${of}/events${query}`, headers, from);
        watchers.push(watcher);
        return watcher;
    };

    const edit = async (times = 1): Promise<void> => {
        for (let i = 0; i < times; ++i) {
            expect((await ada.call('PATCH', project.page.url, { x: i })).status).to.equal(200);
        }
    };

    const idsOf = ({ events }: Watcher): unknown[] => events.map(({ id }) => id);

    it('are told from now on, by the process that writes and by another one', async () => {
        await edit();
        const own = await open();
        const others = await open({ at: other });
        await edit();
        const began = performance.now();
        const [[mine], [theirs]] = await Promise.all([own.has(1), others.has(1)]);
        expectQuick(Number(mine?.at) - began, 200);
        expectQuick(Number(theirs?.at) - began, 1000);
        for (const told of [mine, theirs]) {
            expect(told).to.include({ event: 'change', id: 3 });
            expect(told?.data.at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
            expect({ ...told?.data, at: '' }).to.equal({ revision: 3, from: 2, at: '', author: { id: ada.id, username: 'ada' } });
        }

        expect(own.text).to.match(/^retry: [1-5]\d{3}\n\nevent: change\nid: 3\ndata: \{"revision":3.*\}\n\n$/);
    });

    it('are of that project alone, and not of requests that change nothing', async () => {
        const watcher = await open();
        const another = await ada.project();
        const { hub } = server.server.plugins.live;
        const looks: unknown[] = [];
        const look = hub.look;
        hub.look = () => void looks.push(look());
        await ada.call('PATCH', another.url, { title: 'Other' });
        await ada.call('PATCH', project.url, { title: '' });
        await server.call('GET', project.url);
        expect(looks).to.have.length(0);
        await edit();
        await watcher.has(1);
        expect(looks).to.have.length(1);
        hub.look = look;
    });

    it('come with the headers that a stream needs', async () => {
        const { status, headers } = await open({ headers: { 'origin': 'https://editor.example', 'accept-encoding': 'gzip' } });
        expect(status).to.equal(200);
        expect(headers).to.include({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no', 'access-control-allow-origin': 'https://editor.example', 'x-content-type-options': 'nosniff' });
        expect(headers['content-encoding']).to.be.undefined();
        const head = await server.call('HEAD', `${project.url}/events`);
        expect(head.status).to.equal(200);
        expect(head.headers).to.include({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
        expect(server.server.plugins.live.places.count()).to.equal(1);
    });

    it('are told at once after the revision that is stated', async () => {
        await edit(3);
        const some = await open({ query: '?since=2' });
        const all = await open({ query: '?since=0' });
        const later = await open({ query: '?since=1', headers: { 'Last-Event-ID': '3' } });
        const none = await open({ headers: { 'Last-Event-ID': '4' } });
        expect((await some.has(2)).map(({ data }) => [data.from, data.revision])).to.equal([[2, 3], [3, 4]]);
        expect((await all.has(4)).map(({ data }) => [data.from, data.revision])).to.equal([[0, 1], [1, 2], [2, 3], [3, 4]]);
        expect((await later.has(1)).map(({ id }) => id)).to.equal([4]);
        await edit();
        await Promise.all([some.has(3), all.has(5), later.has(2), none.has(1)]);
        expect([some, all, later, none].map(idsOf)).to.equal([[3, 4, 5], [1, 2, 3, 4, 5], [4, 5], [5]]);
    });

    it('begin with the present if a revision beyond it is stated', async () => {
        await edit();
        const beyond = await open({ headers: { 'Last-Event-ID': '4000000000' } });
        await beyond.has(1);
        await edit();
        await beyond.has(2);
        expect(idsOf(beyond)).to.equal([2, 3]);
    });

    it('begin with the newest after more than 100 changes', async () => {
        await edit(101);
        const many = await open({ query: '?since=1' });
        const fewer = await open({ query: '?since=2' });
        await Promise.all([many.has(1), fewer.has(100)]);
        expect(idsOf(many)).to.equal([102]);
        expect(idsOf(fewer)).to.equal(Array.from({ length: 100 }, (_any, n) => n + 3));
    });

    it('may be of an author who is gone', async () => {
        await edit();
        await server.database.db.raw('update project_changes set author_id = 4000000000 where project_id = ? and revision = 2', [project.id]);
        const [{ data } = { data: undefined }] = await (await open({ query: '?since=1' })).has(1);
        expect(data.author).to.be.null();
    });

    it('of a bulk are one for each project', async () => {
        const second = await ada.project();
        const [first, next] = [await open(), await open({ of: second.url })];
        const began = performance.now();
        const page = { type: 'pages', method: 'create' };
        await ada.bulk([{ ...page, data: { projectId: project.id, x: 1, y: 1 } }, { ...page, data: { projectId: project.id, x: 2, y: 1 } }, { ...page, data: { projectId: second.id, x: 1, y: 1 } }]);
        await Promise.all([first.has(1), next.has(1)]);
        expectQuick(performance.now() - began, 3000);
        expect([...first.events, ...next.events].map(({ data: { from, revision } }) => [from, revision])).to.equal([[1, 3], [1, 2]]);
    });

    it('end with one that says that the project is gone', async () => {
        const both = [await open(), await open({ at: other }), await open({ headers: { authorization: `token ${ada.token}` } }), await open({ headers: { authorization: 'token bad' } })];
        expect((await ada.call('DELETE', project.url)).status).to.equal(200);
        await until(() => both.every(({ closed }) => closed), 1500);
        for (const { events, complete } of both) {
            expect(complete).to.be.true();
            expect(events.map(({ event, id, data }) => ({ event, id, data }))).to.equal([{ event: 'gone', id: undefined, data: {} }]);
        }

        expect((await server.call('GET', `${project.url}/events`)).status).to.equal(404);
    });

    it('are not told of a project that the path does not lead to, or from no revision', async () => {
        const cases = [
            [`/users/${ada.id}/projects/${project.id}0/events`, {}, 404, 'not_found'], [`/users/${ada.id}0/projects/${project.id}/events`, {}, 404, 'not_found'],
            ...['x', '-1', '1.5', '', '%2B1', '12345678901'].map((since) => [`${project.url}/events?since=${since}`, {}, 400, 'validation_failed'] as const),
            ...['x', '-1', ''].map((last) => [`${project.url}/events?since=1`, { 'last-event-id': last }, 400, 'validation_failed'] as const)
        ] as const;
        for (const [url, headers, status, code] of cases) {
            const answer = await server.call('GET', url, undefined, { headers });
            expect([answer.status, answer.body.code], url + JSON.stringify(headers)).to.equal([status, code]);
        }
    });

    it('have as many streams as are allowed, of which one caller cannot keep all', async () => {
        const first = await open({ at: other });
        const second = await open({ at: other });
        for (const from of ['127.0.0.1', '127.0.0.2', '127.0.0.2']) {
            const { places } = other.server.plugins.live;
            const isNew = from === '127.0.0.2' && !first.complete;
            const next = await open({ at: other, from });
            expect(next.status, from).to.equal(isNew ? 200 : 503);
            expect(places.count()).to.equal(2);
            if (!isNew) {
                expect(Number(next.headers['retry-after'])).to.be.within(1, 5);
                await until(() => next.closed);
                expect(JSON.parse(next.text).code).to.equal('overloaded');
            }
        }

        // The oldest of the caller who had the most made room.
        await until(() => first.complete);
        expect(first.text).to.match(/^(?:retry: [1-5]\d{3}\n\n){2}$/);
        expect(second.closed).to.be.false();
    });

    it('do not count as requests in progress, nor as responses that are not read', async () => {
        const { requests } = server.server.plugins.overload;
        const count = requests.count();
        await Promise.all(Array.from({ length: 200 }, () => open()));
        expect(requests.count()).to.equal(count);
        expect(server.server.plugins.live.places.count()).to.equal(200);
        expect((await server.call('GET', `${project.url}/pages`)).status).to.equal(200);
    });

    it('wait while the database cannot be asked, and miss nothing', notOnCluster('shards read views, which find a table also under another name'), async () => {
        const watcher = await open();
        await server.database.db.raw('alter table project_changes rename to hidden_changes');
        await until(() => log.some((line) => line.includes('cannot be told')));
        await server.database.db.raw('alter table hidden_changes rename to project_changes');
        await edit();
        await watcher.has(1);
        expect(idsOf(watcher)).to.equal([2]);
        const told = log.filter((line) => line.includes('event streams')).map((line) => JSON.parse(line));
        expect(told.map(({ level, msg }) => [level, msg])).to.equal([[40, 'event streams cannot be told of changes just now'], [40, 'event streams are told of changes again']]);
    });

    it('miss nothing when the client connects again and again, to either process', async () => {
        const told: number[][] = [];
        let written = false;
        const writes = (async () => {
            for (let i = 0; i < 20; ++i) {
                await Promise.all([edit(), edit(), ada.call('PATCH', project.url, { title: String(i) })]);
            }

            written = true;
        })();
        for (let [n, last] = [0, 1]; !written || last < 61; ++n) {
            const watcher = await open({ at: n % 2 === 0 ? server : other, query: `?since=${last}` });
            await sleep(20 + Math.random() * 150);
            watcher.close();
            told.push(...watcher.events.map(({ data }) => [data.from, data.revision]));
            last = told.at(-1)?.[1] ?? last;
        }

        await writes;
        expect(told).to.equal(Array.from({ length: 60 }, (_any, n) => [n + 1, n + 2]));
    });

    it('miss nothing when the process is killed', async () => {
        await build();
        const program = startProgram('start', { PORT: '0', DATABASE_URL: server.database.url });
        const killed = await watch(`${await addressIn(program)}${project.url}/events`);
        await edit();
        await killed.has(1);
        program.child.kill('SIGKILL');
        await program.ended;
        await until(() => killed.closed);
        expect(killed.complete).to.be.false();
        await edit(2);
        const again = await open({ at: other, headers: { 'Last-Event-ID': String(killed.events.at(-1)?.id) } });
        await again.has(2);
        expect([...idsOf(killed), ...idsOf(again)]).to.equal([2, 3, 4]);
    });
});
