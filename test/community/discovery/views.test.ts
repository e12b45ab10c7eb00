import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { maintain } from '../../../src/operations/maintenance/jobs';
import { atOnce, count, openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIDNIGHT = Date.UTC(2026, 4, 10);
const HOUR = 3_600_000;

describe('views', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let now = MIDNIGHT + HOUR;

    before(async () => {
        server = await startTestServer({ now: () => now });
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
    });

    after(() => server.stop());

    const view = async ({ id }: Made, { token, agent = 'a browser' }: { token?: string; agent?: string } = {}): Promise<boolean> => {
        const { status, body, text } = await server.call('POST', `/view-project/${id}`, undefined, { token, headers: { 'user-agent': agent } });
        expect(status, text).to.equal(200);
        expect(body).to.equal({ status: 'success', counted: body.counted });
        return body.counted;
    };

    const viewsOf = async ({ id }: Made): Promise<number> => (await server.call('GET', `/projects/${id}`)).body.project.stats.views;

    it('count once for a user on a day of UTC, from any address', async () => {
        const project = await ada.project();
        now = MIDNIGHT + 1;
        expect(await view(project, eve)).to.be.true();
        expect(await view(project, { token: eve.token, agent: 'another browser' })).to.be.false();
        now = MIDNIGHT + 24 * HOUR - 1;
        expect(await view(project, eve)).to.be.false();
        now = MIDNIGHT + 24 * HOUR;
        expect(await view(project, eve)).to.be.true();
        expect(await view(project, eve)).to.be.false();
        expect(await viewsOf(project)).to.equal(2);
    });

    it('count once for an address and user agent without a token', async () => {
        const project = await ada.project();
        expect(await view(project, { agent: 'one' })).to.be.true();
        expect(await view(project, { agent: 'one' })).to.be.false();
        expect(await view(project, { agent: 'two' })).to.be.true();
        expect(await view(project, { agent: '' })).to.be.true();
        expect(await view(project, { agent: `user ${eve.id}` })).to.be.true();
        // Someone who has just signed in is another viewer.
        expect(await view(project, { token: eve.token, agent: 'one' })).to.be.true();
        expect(await viewsOf(project)).to.equal(5);

        const bare = await server.server.inject({ method: 'POST', url: `/view-project/${project.id}`, remoteAddress: '10.0.0.9' });
        expect(JSON.parse(bare.payload)).to.equal({ status: 'success', counted: true });
        const elsewhere = await server.server.inject({ method: 'POST', url: `/view-project/${project.id}`, remoteAddress: '10.0.0.8' });
        expect(JSON.parse(elsewhere.payload)).to.equal({ status: 'success', counted: true });
        const again = await server.server.inject({ method: 'POST', url: `/view-project/${project.id}`, remoteAddress: '10.0.0.9' });
        expect(JSON.parse(again.payload)).to.equal({ status: 'success', counted: false });
    });

    it('of your own project are not counted', async () => {
        const project = await ada.project();
        expect(await view(project, ada)).to.be.false();
        expect(await view(project)).to.be.true();
        expect(await viewsOf(project)).to.equal(1);
    });

    it('of different projects count separately, and change the weak tag but no revision', async () => {
        const [one, two] = [await ada.project(), await ada.project()];
        const first = await server.call('GET', `/projects/${one.id}`);
        expect([await view(one, eve), await view(two, eve)]).to.equal([true, true]);
        const second = await server.call('GET', `/projects/${one.id}`, undefined, { headers: { 'if-none-match': String(first.headers.etag) } });
        expect(second.status).to.equal(200);
        expect(second.body.project).to.equal({ ...first.body.project, stats: { views: 1, remixes: 0 } });
        const listed = await server.call('GET', `/users/${ada.id}/projects?count=2`);
        expect(listed.body.projects.map(({ stats }: { stats: object }) => stats)).to.equal([{ views: 1, remixes: 0 }, { views: 1, remixes: 0 }]);
    });

    it('are exact, with 64 viewers at once and with one viewer 64 times at once', async () => {
        const project = await ada.project();
        const many: boolean[] = [];
        await atOnce(64, 64, async (n) => {
            many.push(await view(project, { agent: `viewer ${n}` }));
        });
        expect(many.filter(Boolean)).to.have.length(64);
        expect(await viewsOf(project)).to.equal(64);

        const same: boolean[] = [];
        await atOnce(64, 64, async () => {
            same.push(await view(project, { agent: 'the one' }));
        });
        expect(same.filter(Boolean)).to.have.length(1);
        expect(await viewsOf(project)).to.equal(65);
    });

    it('are exact over two servers, on a day that is new to both', async () => {
        now += 24 * HOUR;
        const other = await startTestServer({ now: () => now, database: { ...server.database, drop: () => Promise.resolve() } });
        const [one, two] = [await ada.project(), await ada.project()];
        const counted: boolean[] = [];
        await atOnce(120, 40, async (n) => {
            const { body } = await (n % 2 ? server : other).call('POST', `/view-project/${[one, two][n % 4 < 2 ? 0 : 1]?.id}`, undefined, { headers: { 'user-agent': `viewer ${Math.floor(n / 4) % 10}` } });
            counted.push(body.counted);
        });
        expect(counted.filter(Boolean)).to.have.length(20);
        expect([await viewsOf(one), await viewsOf(two)]).to.equal([10, 10]);
        await other.server.stop();
    });

    it('store only a hash of a viewer, whose salt is deleted after its day', async () => {
        const project = await ada.project();
        const { db } = server.database;
        await view(project, { agent: 'somebody-with-a-name' });
        const kept = await db.raw('select day::text, viewer from project_views where project_id = ?', [project.id]);
        expect(kept.rows).to.have.length(1);
        expect(kept.rows[0].viewer).to.have.length(32);
        const salts = async (): Promise<string[]> => {
            const { rows } = await db.raw('select day::text, octet_length(salt) as bytes from view_salts order by day');
            expect(rows.map(({ bytes }: { bytes: number }) => bytes)).to.equal(rows.map(() => 32));
            return rows.map(({ day }: { day: string }) => day);
        };

        const today = new Date(now).toISOString().slice(0, 10);
        expect(await salts()).to.include(today);

        now += 24 * HOUR;
        expect(await view(project, { agent: 'somebody-with-a-name' })).to.be.true();
        const other = await db.raw('select viewer from project_views where project_id = ? order by day', [project.id]);
        expect(other.rows[0].viewer.equals(other.rows[1].viewer)).to.be.false();

        now += 24 * HOUR;
        expect(await view(project, { agent: 'somebody-with-a-name' })).to.be.true();
        expect(await salts()).to.not.include(today);
        // On a cluster, a view deletes past ones of its shard alone.
        await (isCluster && maintain(server.database.db, { historyDays: 0, historyMaxBytes: 0, trashDays: 0, assets: server.assets }, new AbortController().signal, true));
        expect(await count(server, 'from project_views where day <= ?::date', [today])).to.equal(0);
        expect(await viewsOf(project)).to.equal(3);
    });

    it('of past days are deleted a few at a time, however many there are', async () => {
        const project = await ada.project();
        await view(project);
        await server.database.db.raw(`
            insert into project_views (day, project_id, viewer)
            select ?::date - 3, ?, sha256(n::text::bytea) from generate_series(1, 2500) n`, [new Date(now).toISOString().slice(0, 10), project.id]);
        const left = (): Promise<number> => count(server, `from project_views where project_id = ? and day < ?::date - 1`, [project.id, new Date(now).toISOString().slice(0, 10)]);
        expect(await left()).to.equal(2500);
        for (const expected of [1500, 500, 0]) {
            await view(project, { agent: `agent ${expected}` });
            expect(await left()).to.equal(expected);
        }

        expect(await viewsOf(project)).to.equal(4);
    });

    it('of missing projects, or with invalid requests, are rejected', async () => {
        const { id, url } = await ada.project();
        await ada.call('DELETE', url);
        const leaver = await openAuthor(server);
        const left = await leaver.project();
        await leaver.call('DELETE', `/users/${leaver.id}`);
        for (const path of [id, left.id, '999999', '9223372036854775807']) {
            expect((await server.call('POST', `/view-project/${path}`)).body).to.include({ statusCode: 404, code: 'not_found' });
        }

        const there = await ada.project();
        for (const [path, body] of [['abc', undefined], ['0', undefined], ['9223372036854775808', undefined], [there.id, { counted: true }]] as const) {
            expect((await server.call('POST', `/view-project/${path}`, body)).status).to.equal(400);
        }

        expect((await server.call('POST', `/view-project/${there.id}`, {})).body.counted).to.be.true();
        expect((await server.call('POST', `/view-project/${there.id}`, undefined, { token: 'bad' })).status).to.equal(401);
        expect(await viewsOf(there)).to.equal(1);
        expect(server.faults).to.equal([]);
    });
});

describe('featured tags', () => {
    it('are the configured ones, if there are any', async () => {
        const server = await startTestServer({ config: { featuredTags: ['art', 'искусство'] } });
        expect((await server.call('GET', '/featured-tags')).body).to.equal({ status: 'success', featured: ['art', 'искусство'] });
        await server.stop();
    });

    it('follow the descriptions of featured projects', async () => {
        const server = await startTestServer();
        const moderator = await openAuthor(server, 'mod', { moderator: true });
        const { url } = await moderator.project({ description: '#before' });
        const featured = async (): Promise<unknown> => (await server.call('GET', '/featured-tags')).body.featured;
        await moderator.call('PATCH', `${url}/feature`, { featured: true });
        expect(await featured()).to.equal(['before']);
        await moderator.call('PATCH', url, { description: '#after' });
        expect(await featured()).to.equal(['after']);
        // Two of the greatest length, which differ only at the end.
        const [long, longer] = ['ж'.repeat(900), `${'ж'.repeat(900)}ю`];
        const other = await moderator.project({ description: `#after #${longer}` });
        await moderator.call('PATCH', `${other.url}/feature`, { featured: true });
        await moderator.call('PATCH', url, { description: `#after #${long}` });
        expect(await featured()).to.equal(['after', long, longer]);
        await moderator.call('PATCH', `${url}/feature`, { featured: false });
        expect(await featured()).to.equal(['after', longer]);
        await moderator.call('DELETE', other.url);
        expect(await featured()).to.equal([]);
        expect(await count(server, 'from featured_tags')).to.equal(0);
        await server.stop();
    });

    it('are otherwise the ten most used tags of featured projects', async () => {
        const server = await startTestServer();
        const moderator = await openAuthor(server, 'mod', { moderator: true });
        expect((await server.call('GET', '/featured-tags')).body).to.equal({ status: 'success', featured: [] });
        const descriptions = ['#a #b #c', '#b #c', '#c', '#d #e #f #g #h #i #j #k'];
        for (const description of descriptions) {
            const { url } = await moderator.project({ description });
            await moderator.call('PATCH', `${url}/feature`);
        }

        await moderator.project({ description: '#z #k' });
        const answer = await server.call('GET', '/featured-tags');
        expect(answer.body.featured).to.equal(['c', 'b', 'a', 'd', 'e', 'f', 'g', 'h', 'i', 'j']);
        expect((await server.call('HEAD', '/featured-tags')).status).to.equal(200);
        await server.stop();
    });
});
