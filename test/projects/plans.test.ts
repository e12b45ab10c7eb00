import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { index as indexSearch } from '../../src/community/search/jobs';
import { BLOCK } from '../../src/community/search/lexemes';
import { openAuthor } from '../support/authoring';
import type { Author, MadeProject } from '../support/authoring';
import { notOnCluster } from '../support/on-cluster';
import { planOf } from '../support/plans';
import type { Plan } from '../support/plans';
import { queriesOf } from '../support/queries';
import type { Sent } from '../support/queries';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const PROJECTS = 8_000;
/** Ids begin here, because a search reads the projects of the newest block first, which is to be half of them. */
const FIRST = BLOCK - PROJECTS / 2;
const big = ['projects', 'pages', 'elements', 'project_tags', 'featured_projects', 'project_stats', 'trending', 'project_search', 'project_members', 'collections', 'collection_projects', 'report_queue', 'reports', 'moderation_log', 'class_projects'];

describe('the plans of statements', notOnCluster('the coordinator has no plans of what shards do'), () => {
    let server: TestServer;
    let ada: Author;
    let source: MadeProject;
    let moderator: Author;
    let collection: string;
    let classId: string;

    before(async () => {
        server = await startTestServer();
        const { db } = server.database;
        await db.raw(`select setval(pg_get_serial_sequence('projects', 'id'), ?)`, [FIRST]);
        ada = await openAuthor(server, 'ada', { language: 'en' });
        source = await ada.project();
        // One user has most projects, all remixes of one project, with the same tags, and featured; few others differ.
        await db.raw(`insert into users (username, language) select 'user-' || n, (array['en', 'en-GB', 'fr', 'pt', 'pt-BR', 'de'])[1 + n % 6] from generate_series(1, 5000) n`);
        // Tags are not counted here, because writing one row so often in one transaction is slow.
        await db.raw('alter table featured_projects disable trigger featured_projects_tags');
        await db.raw(`
            insert into projects (user_id, remixed_from, version, title, tags, featured, page_count, created_at)
            select case when n % 20 = 0 then (select min(id) from users) + n % 600 else ? end, case when n % 20 = 0 then ?::bigint + n else ? end, '1', 'Project ' || n, array['common', 'rare-' || n % 1000], true, 1,
                now() - make_interval(secs => n / 3)
            from generate_series(1, ?::int) n`, [ada.id, FIRST, source.id, PROJECTS]);
        await db.raw('insert into pages (project_id, x, y, element_count) select id, 0, 1, 2 from projects');
        await db.raw(`insert into elements (page_id, type) select id, 'x' from pages, generate_series(1, 2)`);
        moderator = await openAuthor(server, 'mod', { moderator: true });
        const { body: { collection: made } } = await ada.call('POST', `/users/${ada.id}/collections`, { title: 'Many' });
        collection = made.id;
        await db.raw(`insert into trending (project_id, at) select id, now() - make_interval(secs => id) from projects on conflict do nothing`);
        await db.raw(`insert into collections (user_id, title, description, visibility) select id, 'One', '', 'public' from users`);
        await db.raw(`insert into collection_projects (collection_id, project_id, place) select c.id, p.id, p.id from collections c, lateral (select id from projects where id > c.id order by id limit 2) p where c.id <> ?`, [collection]);
        await db.raw('insert into collection_projects (collection_id, project_id, place) select ?, id, id from projects order by id limit 500', [collection]);
        await db.raw(`insert into project_members (project_id, user_id, role) select id, ?, 'viewer' from projects where user_id <> ?`, [moderator.id, moderator.id]);
        await db.raw(`insert into project_members (project_id, user_id, role) select ?, id, 'viewer' from users where id between ? and ?`, [source.id, Number(ada.id) + 1, Number(ada.id) + 99]);
        await db.raw('insert into report_queue (project_id, open, count) select id, id % 2 = 0, 1 + id % 7 from projects');
        await db.raw(`insert into reports (project_id, user_id, reason, text, round) select id, ?, 'spam', '', 0 from projects`, [moderator.id]);
        await db.raw('update users set teacher = true where id = ?', [ada.id]);
        classId = (await ada.call('POST', '/users/me/classes', { title: 'Many' })).body.class.id;
        // 2,000 projects of it, and as many of 39 others each. The trigger would look for people of those.
        await db.raw('alter table class_projects disable trigger class_projects_bounded');
        await db.raw(`insert into class_projects (class_id, project_id, audience) select ?::bigint + n, p.id, 'class' from generate_series(0, 39) n, (select id from projects where user_id = ? order by id limit 2000) p`, [classId, ada.id]);
        await db.raw('alter table class_projects enable trigger class_projects_bounded');
        await db.raw(`select log_act(?, 'keep', 'project', id, id, user_id, null) from projects`, [moderator.id]);
        await indexSearch(db, new AbortController().signal);
        await db.raw('vacuum analyze');
    });

    after(() => server.stop());

    /** The one statement of a call that matches a pattern, and its plan. */
    const plan = async (pattern: RegExp, call: () => Promise<Answer>): Promise<{ plan: Plan; sent: Sent; answer: Answer }> => {
        const answers: Answer[] = [];
        const all = await queriesOf(async () => answers.push(await call()));
        const [sent] = all.filter(({ text }) => pattern.test(text));
        const [answer] = answers;
        if (sent === undefined || answer === undefined) {
            throw new Error(`None of these is ${pattern}: ${all.map(({ text }) => text).join('\n\n')}`);
        }

        expect(answer.status, answer.text.slice(0, 300)).to.be.below(300);
        return { plan: await planOf(server.database.db, sent), sent, answer };
    };

    const lists: { path(): string; index: string }[] = [
        { path: () => '/projects', index: 'projects_listed_newest_idx' },
        { path: () => '/projects/tagged/common', index: 'project_tags_newest_idx' },
        { path: () => '/projects/tagged/rare-7', index: 'project_tags_newest_idx' },
        { path: () => '/projects/tagged/none', index: 'project_tags_newest_idx' },
        { path: () => '/discover', index: 'featured_newest_idx' },
        { path: () => '/discover/en', index: 'featured_language_idx' },
        { path: () => '/discover/en-GB', index: 'featured_language_idx' },
        { path: () => '/discover/en-AU', index: 'featured_language_idx' },
        { path: () => '/discover/pt', index: 'featured_language_idx' },
        { path: () => '/discover/ja', index: 'featured_language_idx' },
        { path: () => `/users/${ada.id}/projects`, index: 'projects_listed_user_newest_idx' },
        { path: () => `${source.url}/remixes`, index: 'projects_listed_remixes_newest_idx' }
    ];

    const check = ({ steps, whole, mostRead, mostSorted }: Plan, index: string, most: number): void => {
        const said = steps.join('\n');
        expect(whole.filter((table) => big.includes(table)), said).to.equal([]);
        expect(said).to.contain(index);
        expect(mostRead, said).to.be.at.most(most);
        expect(mostSorted, said).to.be.at.most(most);
    };

    for (const { path, index } of lists) {
        it(`of ${path.toString().slice(6)} read the index ${index} in its order, from the start and at any depth`, async () => {
            const first = await plan(/\bpicked\b/, () => server.call('GET', `${path()}?count=100`));
            // With ranked languages, some rows of each rank are read; otherwise as many as are shown, and one more.
            const most = path().startsWith('/discover/') ? 1300 : 101;
            check(first.plan, index, most);
            const second = await plan(/\bpicked\b/, () => server.call('GET', `${path()}?count=100&page=40`));
            check(second.plan, index, most * 40);

            let further: string | null = first.answer.body.next;
            for (let depth = 0; depth < 3 && further !== null; ++depth) {
                // A cursor for the place ten pages further on.
                const on: Answer = await server.call('GET', `${path()}?count=100&after=${further}`);
                const deep = await plan(/\bpicked\b/, () => server.call('GET', `${path()}?count=100&after=${further}`));
                check(deep.plan, index, most);
                further = on.body.next;
            }

            const halfway = Date.now() - Math.floor(PROJECTS / 6) * 1000;
            for (const place of ['0.0.1', `0.${halfway}.5`, `1.${Date.now()}.5`, `1.${halfway}.5`, `2.${Date.now()}.5`, `2.${halfway}.5`]) {
                const cursor = Buffer.from(place).toString('base64url');
                check((await plan(/\bpicked\b/, () => server.call('GET', `${path()}?count=100&after=${cursor}`))).plan, index, most);
            }
        });
    }

    /** Lists that are read by cursors only: what each is picked by, and the most rows that a step reads. */
    const followed: { name: string; token?: () => string; path(): string; pattern: RegExp; index: string; most: number }[] = [
        { name: 'trending', path: () => '/trending?count=100', pattern: /trending t/, index: 'trending_newest_idx', most: 101 },
        // A block of ids is read at a time.
        { name: 'a search for what all have', path: () => '/search?q=project&count=100', pattern: /recursive walk/, index: 'project_search_words_idx', most: 4200 },
        { name: 'a search for what few have', path: () => '/search?q=rare&tag=rare-7&count=100', pattern: /recursive walk/, index: 'project_search_words_idx', most: 4200 },
        { name: 'a search for what nothing has', path: () => '/search?q=absent', pattern: /recursive walk/, index: 'project_search_words_idx', most: 100 },
        { name: 'a collection', path: () => `/collections/${collection}?count=100`, pattern: /collection_projects i/, index: 'collection_projects_place_idx', most: 501 },
        { name: 'the collections of a user', path: () => `/users/${ada.id}/collections?count=100`, pattern: /from collections c where c\.user_id/, index: 'collections_user_newest_idx', most: 503 },
        { name: 'the members of a project', path: () => `${source.url}/members`, token: () => ada.token, pattern: /project_members m/, index: 'project_members_pkey', most: 100 },
        { name: 'the projects of a class', path: () => `/classes/${classId}/projects?count=100`, token: () => ada.token, pattern: /class_projects a cross/, index: 'class_projects_pkey', most: 2000 },
        { name: 'the moderation queue', path: () => '/moderation/reports?count=100', token: () => moderator.token, pattern: /report_queue q join/, index: 'report_queue_open_idx', most: 101 },
        { name: 'the moderation log', path: () => '/moderation/log?count=100', token: () => moderator.token, pattern: /moderation_log/, index: 'moderation_log_pkey', most: 101 }
    ];
    for (const { name, path, token, pattern, index: expected, most } of followed) {
        it(`of ${name} read an index in its order, and no more than they show`, async () => {
            let url: string | null = path();
            for (let page = 0; page < 3 && url !== null; ++page) {
                const ask: string = url;
                const { plan: { steps, whole, mostRead }, answer } = await plan(pattern, () => server.call('GET', ask, undefined, { token: token?.() }));
                const said = `${ask}\n${steps.join('\n')}`;
                expect(whole.filter((table) => big.includes(table)), said).to.equal([]);
                expect(said).to.contain(expected);
                expect(mostRead, said).to.be.at.most(most);
                const { next = null }: { next?: string | null } = answer.body;
                url = next === null ? null : `${path()}&after=${next}`;
            }
        });
    }

    it('of reads and writes by path use an index for each step', async () => {
        const page = await ada.page(source, { x: 5, y: 5 });
        const element = await ada.element(page);
        const other = await ada.element(page);
        const calls: [string, () => Promise<Answer>][] = [
            ['a project', () => server.call('GET', source.url)], ['with stats', () => server.call('GET', `/projects/${source.id}`)], ['pages', () => server.call('GET', `${source.url}/pages`)],
            ['a page', () => server.call('GET', page.url)], ['elements', () => server.call('GET', `${page.url}/elements`)], ['an element', () => server.call('GET', element.url)],
            ['being told of changes', () => server.call('GET', `${source.url}/events?since=0`)],
            ['making a project', () => ada.call('POST', `/users/${ada.id}/projects`, { title: 'x', description: '#x' })], ['making a page', () => ada.call('POST', `${source.url}/pages`, { x: 6, y: 6 })],
            ['making an element', () => ada.call('POST', `${page.url}/elements`, { type: 'x' })], ['editing a project', () => ada.call('PATCH', source.url, { description: '#y' })],
            ['editing a page', () => ada.call('PATCH', page.url, { x: 7 })], ['editing an element', () => ada.call('PATCH', element.url, { styles: {} })],
            ['a view', () => server.call('POST', `/view-project/${source.id}`)], ['a remix', () => ada.call('POST', `${source.url}/remixes`)],
            ['deleting an element', () => ada.call('DELETE', other.url)], ['deleting a page', () => ada.call('DELETE', page.url)], ['deleting a project', () => ada.call('DELETE', source.url)]
        ];
        for (const [name, call] of calls) {
            const sent = await queriesOf(async () => {
                const { status, text } = await call();
                expect(status, `${name}: ${text.slice(0, 300)}`).to.be.below(300);
            });
            for (const query of sent.filter(({ text }) => /^\s*(select|with|insert|update|delete)/i.test(text))) {
                // The write cannot be repeated, but its plan is the same.
                const { whole, mostRead, steps } = await planOf(server.database.db, query).catch((error: Error) => {
                    expect(error.message, query.text).to.match(/duplicate key|pages_coordinates_key/);
                    return { whole: [], mostRead: 0, steps: [] };
                });
                expect(whole.filter((table) => big.includes(table)), `${name}:\n${query.text}\n${steps.join('\n')}`).to.equal([]);
                expect(mostRead, `${name}:\n${query.text}\n${steps.join('\n')}`).to.be.at.most(30);
            }
        }
    });
});
