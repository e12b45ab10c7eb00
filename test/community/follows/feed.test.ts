import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_FOLLOWED } from '../../../src/community/follows/json';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { MAX_LISTED_BYTES } from '../../../src/limits';
import { notOnCluster } from '../../support/on-cluster';
import { planOf } from '../../support/plans';
import { queriesOf } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const titlesIn = (answer: Answer): string[] => answer.body.projects.map(({ title }: { title: string }) => title);

describe('the feed', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let bob: Author;
    let moderator: Author;

    before(async () => {
        server = await startTestServer();
        [ada, eve, bob] = [await openAuthor(server, 'ada'), await openAuthor(server, 'eve'), await openAuthor(server, 'bob')];
        moderator = await openAuthor(server, 'mod', { moderator: true });
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const feed = (query = ''): Promise<Answer> => ada.call('GET', `/users/me/feed${query}`);
    const make = async (author: Author, title: string, fields: object = {}): Promise<MadeProject> => await author.project({ title, ...fields });

    it('has the public projects of those whom one follows, newest first, as lists of projects show them', async () => {
        expect((await feed()).body).to.equal({ status: 'success', projects: [], next: null });
        await ada.call('PUT', '/users/me/following/eve');
        await ada.call('PUT', '/users/me/following/bob');
        await make(ada, 'own');
        await make(moderator, 'of nobody followed');
        await make(eve, 'eve 1');
        await make(bob, 'bob 1');
        await make(bob, 'bob 2');
        const gone = await make(eve, 'gone');
        const held = await make(bob, 'held');
        await make(eve, 'private', { visibility: 'private' });
        const unlisted = await make(eve, 'unlisted', { visibility: 'unlisted' });
        await make(eve, 'eve 2');
        expect((await eve.call('DELETE', gone.url)).status).to.equal(200);
        expect((await moderator.call('PUT', `/moderation/projects/${held.id}/hold`, { reason: 'Spam' })).status).to.equal(200);

        const whole = await feed();
        expect(titlesIn(whole)).to.equal(['eve 2', 'bob 2', 'bob 1', 'eve 1']);
        const { body: { projects: [listed] } } = await server.call('GET', `/users/${eve.id}/projects?count=1`);
        expect(whole.body.projects[0]).to.equal(listed);
        expect(whole.headers['cache-control']).to.equal('private, no-cache');
        expect((await ada.call('GET', '/users/me/feed', undefined, { headers: { 'if-none-match': String(whole.headers.etag) } })).status).to.equal(304);

        await eve.call('PATCH', unlisted.url, { visibility: 'public' });
        expect(titlesIn(await feed())).to.equal(['eve 2', 'unlisted', 'bob 2', 'bob 1', 'eve 1']);
        await ada.call('DELETE', '/users/me/following/bob');
        expect(titlesIn(await feed())).to.equal(['eve 2', 'unlisted', 'eve 1']);
        await ada.call('PUT', '/users/me/blocks/eve');
        expect(titlesIn(await feed())).to.equal([]);
    });

    it('is read by cursors, whoever made what when', async () => {
        const { db } = server.database;
        await db.raw('delete from projects');
        await db.raw('delete from blocks');
        await db.raw(`insert into users (username, password_hash) select 'author-' || n, 'x' from generate_series(1, 12) n`);
        await db.raw(`insert into follows (user_id, followed_id) select ?, id from users where username like 'author-%'`, [ada.id]);
        // Some made much, some nothing, and some at the same time.
        await db.raw(`
            insert into projects (user_id, version, title, page_count, created_at)
            select u.id, '1', u.username || ' ' || n, 1, timestamptz '2026-03-01' + make_interval(mins => ((n * 7 + u.id * 3) % 40)::int)
            from users u, generate_series(1, 30) n where u.username like 'author-%' and n <= (u.id % 5) * 7`);
        const { rows } = await db.raw(`select p.id::text as id from projects p join users u on u.id = p.user_id where u.username like 'author-%' order by p.created_at desc, p.id desc`);
        for (const size of [1, 3, 10, 100]) {
            const seen: string[] = [];
            for (let query: string | null = `?count=${size}`; query !== null;) {
                const answer: Answer = await feed(query);
                expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
                seen.push(...answer.body.projects.map(({ id }: { id: string }) => id));
                query = answer.body.next === null ? null : `?count=${size}&after=${answer.body.next}`;
            }

            expect(seen, String(size)).to.equal(rows.map(({ id }: { id: string }) => id));
        }

        // Pages are bounded in bytes, too.
        await db.raw(`update projects set title = repeat(chr(34), 256)`);
        const large: string[] = [];
        for (let page = ''; page !== 'null';) {
            const { text, body } = await feed(`?count=100${page}`);
            expect(Buffer.byteLength(text)).to.be.below(MAX_LISTED_BYTES + 300);
            large.push(...body.projects.map(({ id }: { id: string }) => id));
            page = body.next === null ? 'null' : `&after=${body.next}`;
        }

        expect(large).to.equal(rows.map(({ id }: { id: string }) => id));

        for (const query of ['?page=2', '?after=x', '?count=0', '?count=101']) {
            expect((await feed(query)).status, query).to.equal(400);
        }
    });

    it(`reads one entry of an index for each of ${MAX_FOLLOWED} people, and a few projects`, notOnCluster('the coordinator has no plans of what shards do'), async () => {
        const { db } = server.database;
        await db.raw('delete from projects');
        await db.raw(`insert into users (username, password_hash) select 'many-' || n, 'x' from generate_series(1, ?::int) n`, [MAX_FOLLOWED]);
        await db.raw('delete from follows');
        await db.raw(`insert into follows (user_id, followed_id) select ?, id from users where username like 'many-%'`, [ada.id]);
        await db.raw(`
            insert into projects (user_id, version, title, page_count, created_at, visibility)
            select u.id, '1', 'Project ' || n, 1, now() - make_interval(secs => n * 1000 + u.id % 1000), (case when n = 2 then 'private' else 'public' end)::visibility
            from users u, generate_series(1, 5) n where u.username like 'many-%'`);
        await db.raw('vacuum analyze projects');
        for (const query of ['?count=10', `?count=10&after=${Buffer.from(`0.${Date.now() - 2_500_000}.5`).toString('base64url')}`]) {
            const [sent] = (await queriesOf(() => feed(query))).filter(({ text }) => /newest as materialized/.test(text));
            if (sent === undefined) {
                throw new Error('The feed sends no such statement');
            }

            const { steps, whole, mostRead } = await planOf(db, sent);
            const said = steps.join('\n');
            expect(whole, said).to.equal([]);
            expect(said.match(/Index Only Scan projects projects_listed_user_newest_idx/g)?.length, said).to.equal(2);
            expect(mostRead, said).to.be.at.most(MAX_FOLLOWED);
        }
    });
});
