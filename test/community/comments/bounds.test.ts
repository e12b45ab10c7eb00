import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { expectQuick, quickest } from '../../support/clock';
import { notOnCluster } from '../../support/on-cluster';
import { planOf } from '../../support/plans';
import { queriesOf } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { limits } from '../../../src/api/protection/rate-limits';
import { MAX_LISTED_BYTES } from '../../../src/limits';
import { MAX_COMMENT, MAX_COMMENTS, MAX_REPLIES } from '../../../src/community/comments/limits';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MANY = 10_000;

describe('many comments', { timeout: 120_000 }, () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    /** with so many threads; with one thread of so many answers; and with long comments */
    let projects: Record<'threads' | 'answers' | 'long', MadeProject>;
    let thread: string;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        projects = { threads: await ada.project(), answers: await ada.project(), long: await ada.project() };
        const { db } = server.database;
        thread = (await eve.call('POST', `${projects.answers.url}/comments`, { text: 'first' })).body.comment.id;
        // The triggers would look at each: what they write is here.
        await db.raw('alter table comments disable trigger user');
        await db.raw(`
            insert into comments (project_id, user_id, text, changed, removed_at, removed_by, page_id)
            select ?::bigint, ?::bigint, 'thread ' || n, n, case when n % 2 = 0 then now() end, case when n % 2 = 0 then 'owner' end, case when n % 100 = 1 then ?::bigint end from generate_series(1, ?::int) n`,
        [projects.threads.id, eve.id, projects.threads.page.id, 2 * MANY]);
        await db.raw(`
            insert into comments (project_id, user_id, text, changed, thread_id, reply_to) select ?::bigint, ?::bigint, 'answer ' || n, 1 + n, ?::bigint, ?::bigint from generate_series(1, ?::int) n`,
        [projects.answers.id, eve.id, thread, thread, MANY - 1]);
        await db.raw('update comments set replies = ? where id = ?', [MANY - 1, thread]);
        await db.raw('alter table comments enable trigger user');
        await db.raw('vacuum analyze comments');
    });

    after(() => server.stop());

    const get = async (project: MadeProject, query = '', who = ''): Promise<Answer> => {
        const answer = await server.call('GET', `${project.url}/comments${query}`, undefined, who === '' ? undefined : { token: who });
        expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
        return answer;
    };

    it('are listed and written quickly, whatever there is', async () => {
        for (const job of [
            () => get(projects.threads, '?count=100', eve.token), () => get(projects.threads, `?count=100&page=${projects.threads.page.id}`, eve.token), () => get(projects.answers, '', eve.token),
            () => get(projects.answers, `?thread=${thread}&count=100`, eve.token), () => server.call('GET', `${projects.threads.url}/comments/settings`, undefined, { token: eve.token }),
            () => ada.call('POST', `${projects.threads.url}/comments`, { text: 'x @eve' }), () => ada.call('POST', `${projects.answers.url}/comments`, { text: 'x', reply_to: thread })
        ]) {
            await job();
            expectQuick(await quickest(job), 20);
        }
    });

    it('are found by their indexes, however many there are or were', notOnCluster('the coordinator has no plans of what shards do'), async () => {
        for (const [project, query] of [['threads', ''], ['threads', `?page=${projects.threads.page.id}`], ['threads', '?element=1'], ['answers', ''], ['answers', `?thread=${thread}`]] as const) {
            const sent = await queriesOf(async () => {
                await get(projects[project], query);
            });
            for (const one of sent.filter(({ text }) => text.includes('from comments'))) {
                const { whole, mostRead, steps } = await planOf(server.database.db, one);
                expect([whole.includes('comments'), mostRead < 200], `${project}${query}: ${mostRead} rows, ${steps.join('; ')}`).to.equal([
                    false, true
                ]);
            }
        }
    });

    it('are less than 56 KiB in each page, whatever they say, and none is left out', async () => {
        const { db } = server.database;
        const url = `${projects.long.url}/comments`;
        const names = (await db.raw(`insert into users (username, username_key) select '🌿long-name-of-some-' || chr(96 + n), 'l' || n from generate_series(1, 10) n returning id`)).rows;
        const longest = '🌿'.repeat(MAX_COMMENT);
        const ids: string[] = [];
        for (let n = 0; n < 4; ++n) {
            const first = (await eve.call('POST', url, { text: longest })).body.comment.id;
            ids.push(first);
            for (let answer = 0; answer < 5; ++answer) {
                expect((await ada.call('POST', url, { text: longest, reply_to: first })).status).to.equal(201);
            }
        }

        await db.raw('update comments set mentions = ? where project_id = ?', [
            names.map(({ id }: { id: string }) => id), projects.long.id
        ]);
        for (const [query, most] of [['?count=100', 4], [`?count=100&thread=${ids[0]}`, 5]] as const) {
            let seen = 0;
            for (let next: string | null = ''; next !== null;) {
                const { body, text }: Answer = await get(projects.long, query + (next === '' ? '' : `&after=${next}`));
                expect(Buffer.byteLength(text)).to.be.below(MAX_LISTED_BYTES + 300);
                expect(body.comments.every(({ text: said }: { text: string }) => said === longest)).to.be.true();
                seen += body.comments.length;
                next = body.next;
            }

            expect(seen).to.equal(most);
        }
    });

    it('are at most 20,000 on a project, and 10,000 answers in a thread; what is removed does not count', async () => {
        const { db } = server.database;
        const full = async (project: MadeProject, body: object): Promise<unknown> => (await eve.call('POST', `${project.url}/comments`, body)).body.code;
        await db.raw('update comments set replies = ? where id = ?', [MAX_REPLIES, thread]);
        expect(await full(projects.answers, { text: 'x', reply_to: thread })).to.equal('thread_limit');
        const { rows: [answer] } = await db.raw('select id from comments where thread_id = ? limit 1', [thread]);
        expect(await full(projects.answers, { text: 'x', reply_to: answer.id })).to.equal('thread_limit');
        const there = await count(server, 'from comments where project_id = ?', [projects.answers.id]);
        await db.raw('alter table comments disable trigger user');
        await db.raw(`insert into comments (project_id, user_id, text, changed) select ?::bigint, ?::bigint, 'x', 20000 + n from generate_series(1, ?::int) n`, [projects.answers.id, eve.id, MAX_COMMENTS - there]);
        await db.raw('alter table comments enable trigger user');
        expect(await full(projects.answers, { text: 'x' })).to.equal('comment_limit');
        const { body: { comments: [newest] } } = await get(projects.answers);
        expect((await ada.call('DELETE', `${projects.answers.url}/comments/${newest.id}`)).status).to.equal(200);
        expect(await full(projects.answers, { text: 'x' })).to.be.undefined();
        expect(await full(projects.answers, { text: 'x' })).to.equal('comment_limit');
    });

    it('are 60 an hour of one account, changes counted, wherever they are', async () => {
        const limited = await startTestServer({ database: server.database, config: { rateLimit: true } });
        try {
            const own = await eve.project();
            const statuses = new Map<number, number>();
            let last: Answer | undefined;
            for (let n = 0; n <= limits.comments.points; ++n) {
                const url = `${(n % 2 === 0 ? own : projects.long).url}/comments`;
                last = await limited.call('POST', url, { text: 'x' }, { token: eve.token });
                statuses.set(last.status, (statuses.get(last.status) ?? 0) + 1);
            }

            expect([...statuses]).to.equal([[201, limits.comments.points], [429, 1]]);
            expect(last?.body.code).to.equal('rate_limited');
            expect((await limited.call('GET', `${own.url}/comments`, undefined, { token: eve.token })).status).to.equal(200);
            expect((await limited.call('POST', `${own.url}/comments`, { text: 'x' }, { token: ada.token })).status).to.equal(201);
        }
        finally {
            await limited.stop();
        }
    });
});
