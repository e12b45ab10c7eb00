import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { maintain } from '../../../src/operations/maintenance/jobs';
import { count, openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('trending projects', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
    });

    after(() => server.stop());

    beforeEach(async () => {
        await server.database.db.raw('truncate trending, project_views');
    });

    const view = async ({ id }: Made, viewers: number, from = 0): Promise<void> => {
        for (let n = from; n < from + viewers; ++n) {
            expect((await server.call('POST', `/view-project/${id}`, undefined, { headers: { 'user-agent': `viewer ${n}` } })).status).to.equal(200);
        }
    };

    /** Makes all that has happened so far so many days older. */
    const age = async (days: number): Promise<void> => {
        await server.database.db.raw(`update trending set at = at - make_interval(secs => ?)`, [days * 24 * 3600]);
        await server.database.db.raw(`update project_views set day = day - ?::int`, [Math.ceil(days)]);
    };

    const ids = async (query = '?count=100'): Promise<string[]> => (await server.call('GET', `/trending${query}`)).body.projects.map(({ id }: { id: string }) => id);

    it('are those that most people have looked at, each once a day', async () => {
        const [few, many, none, own] = [await ada.project(), await ada.project(), await ada.project(), await ada.project()];
        await view(many, 5);
        await view(few, 3);
        // The same people again, and the author.
        await view(few, 3);
        await ada.call('POST', `/view-project/${own.id}`);
        expect(await ids()).to.equal([many.id, few.id]);
        expect(none.id).to.exist();
        await view(few, 3, 10);
        expect(await ids()).to.equal([few.id, many.id]);
    });

    it('decay: what many looked at days ago comes after what some look at today, and leaves after a week', async () => {
        const [past, present] = [await ada.project(), await ada.project()];
        await view(past, 10);
        await age(2);
        await view(present, 2);
        // Ten viewers of two days ago are two and a half of today.
        expect(await ids()).to.equal([past.id, present.id]);
        await view(present, 1, 5);
        expect(await ids()).to.equal([present.id, past.id]);
        // What was gained before counts beside what is gained now: 10 / 4 + 1.
        await view(past, 1, 20);
        expect(await ids()).to.equal([past.id, present.id]);
        await age(11);
        expect(await ids()).to.equal([]);
        expect(await count(server, 'from trending')).to.equal(2);
        await maintain(server.database.db, { historyDays: 30, historyMaxBytes: 1024 ** 3, trashDays: 30, assets: server.assets }, new AbortController().signal, true);
        expect(await count(server, 'from trending')).to.equal(0);
        // Whatever is far away in time is only the later one.
        await view(past, 1);
        await age(300);
        await view(past, 1);
        expect(await ids()).to.equal([past.id]);
    });

    it('count who remixes them as four viewers, once a day, and not the author', async () => {
        const [remixed, viewed, own] = [await ada.project(), await ada.project(), await ada.project()];
        await view(viewed, 5);
        await eve.remix(remixed);
        await eve.remix(remixed);
        await ada.remix(remixed);
        await ada.remix(own);
        expect(await ids()).to.equal([viewed.id, remixed.id]);
        await view(remixed, 2);
        expect(await ids()).to.equal([remixed.id, viewed.id]);
        expect((await server.call('GET', `/projects/${remixed.id}`)).body.project.stats.views).to.equal(2);
    });

    it('are public', async () => {
        const project = await ada.project();
        await view(project, 2);
        expect(await ids()).to.equal([project.id]);
        for (const visibility of ['private', 'unlisted']) {
            await ada.call('PATCH', project.url, { visibility });
            expect(await ids()).to.equal([]);
        }

        await ada.call('PATCH', project.url, { visibility: 'public' });
        expect(await ids()).to.equal([project.id]);
        await ada.call('DELETE', project.url);
        expect(await ids()).to.equal([]);
    });

    it('are a list with pages and cursors', async () => {
        const { db } = server.database;
        const { rows } = await db.raw(`insert into projects (user_id, version, title) select ?::bigint, '1', 'Project ' || n from generate_series(1, 25) n returning id`, [ada.id]);
        const made: string[] = rows.map(({ id }: { id: string }) => id);
        await db.raw(`insert into trending (project_id, at) select id, now() - make_interval(hours => (id % 5)::int) from projects where id = any(?::bigint[])`, [made]);
        const sorted = [...made].sort((a, b) => Number(a) % 5 - Number(b) % 5 || Number(b) - Number(a));
        expect(await ids()).to.equal(sorted);
        expect(await ids('?count=7&page=2')).to.equal(sorted.slice(7, 14));
        const seen: string[] = [];
        for (let path = '/trending?count=4'; ;) {
            const { body, headers } = await server.call('GET', path);
            seen.push(...body.projects.map(({ id }: { id: string }) => id));
            if (body.next === null) {
                break;
            }

            expect(headers.link).to.equal(`</trending?count=4&after=${body.next}>; rel="next"`);
            path = `/trending?count=4&after=${body.next}`;
        }

        expect(seen).to.equal(sorted);
        await db.raw('insert into project_stats (project_id, views) select id, id % 100 from unnest(?::bigint[]) id on conflict (project_id) do update set views = excluded.views', [made]);
        const { body: { projects } } = await server.call('GET', '/trending?count=25');
        expect(projects.map(({ stats }: { stats: { views: number } }) => stats.views)).to.equal(sorted.map((id) => Number(id) % 100));
        expect((await server.call('GET', '/trending?after=x')).status).to.equal(400);
    });

    it('are counted right by views and remixes at the same time', async () => {
        const [a, b] = [await ada.project(), await ada.project()];
        await Promise.all([...Array.from({ length: 20 }, (_, n) => view(n % 2 === 0 ? a : b, 1, n)), eve.remix(a), eve.remix(b)]);
        const { rows } = await server.database.db.raw(`select round(power(2, extract(epoch from at - now())::float8 / 86400))::int as worth from trending`);
        // Ten viewers and who remixes it.
        expect(rows).to.equal([{ worth: 14 }, { worth: 14 }]);
    });
});
