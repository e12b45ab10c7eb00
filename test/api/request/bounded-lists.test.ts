import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { index } from '../../../src/community/search/jobs';
import { MAX_CHEAP_BYTES, MAX_THUMBNAILS } from '../../../src/limits';
import { openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Lists whose longest pages other tests make. */
const elsewhere = {
    'test/classes/lists.test.ts': ['listClasses', 'listAssignments', 'listWorks'],
    'test/community/collections/collections.test.ts': ['listCollections'],
    'test/community/comments/bounds.test.ts': ['listComments'],
    'test/community/moderation/log.test.ts': ['listModerationLog', 'readModerationLog'],
    'test/community/notices/notices.test.ts': ['listNotices'],
    'items that are bounded by `fitting`': ['listReports', 'listOwnReports', 'listStatements', 'listAppeals', 'listTokens', 'listApps', 'listAuthorizations', 'listWebhooks'],
    'items of less than 400 bytes': ['listFollowing', 'listBlocks', 'listAssets', 'listSignUpCodes']
};

/** The operations that have pages. */
const described: { paths: Record<string, Record<string, { operationId: string; parameters?: { $ref?: string }[] }>> } = JSON.parse(readFileSync('openapi.json', 'utf8'));
const lists = Object.values(described.paths).flatMap(({ get }) => (get?.parameters?.some(({ $ref = '' }) => /\/query\.count\b/.test($ref)) === true ? [get.operationId] : []));

/** Those with numbered pages, which have all of their projects; the first page too. */
const numbered = ['listFeaturedProjects', 'listFeaturedProjectsFor', 'listProjects', 'listTaggedProjects', 'listTrending', 'listUserProjects', 'listRemixes'];

/** Projects with all that an author can write; more than a page has room for. */
const MANY = 9;
const longest = {
    title: '\u0001'.repeat(256),
    description: `#worst #${'\u{20000}'.repeat(992)}`,
    thumbnail: Object.fromEntries(Array.from({ length: MAX_THUMBNAILS }, (_none, n) => [n + 1, `https://pictures.example/${'a'.repeat(2023)}`]))
};

describe('the longest page of a list', () => {
    let server: TestServer;
    let ada: Author;
    let bea: Author;
    let staff: Author;
    let paths: Record<string, readonly [who: Author, path: string, name: string, items: number]>;

    before(async () => {
        server = await startTestServer({ config: { teachers: 'open' } });
        [ada, bea, staff] = [await openAuthor(server, 'ada'), await openAuthor(server, 'bea'), await openAuthor(server, 'guard', { moderator: true })];
        const { db } = server.database;
        await db.raw('update users set staff = true where id = ?', [staff.id]);
        const source = await ada.project();
        const made: Made[] = [];
        for (let n = 0; n < MANY + 3; n++) {
            const remix = await ada.remix(source);
            const written = await ada.call('PATCH', remix.url, n < MANY ? longest : { title: 'Short', description: '#worst' });
            expect(written.status, written.text).to.equal(200);
            expect((await staff.call('PATCH', `${remix.url}/feature`, { featured: true })).status).to.equal(200);
            made.push(remix);
        }

        const ids = made.map(({ id }) => id);
        await db.raw('insert into trending (project_id, at) select id, now() from unnest(?::bigint[]) id on conflict (project_id) do update set at = now()', [ids]);
        await db.raw(`insert into project_members (project_id, user_id, role) select id, ?::bigint, 'viewer' from unnest(?::bigint[]) id`, [bea.id, ids]);
        await bea.call('PUT', '/users/me/following/ada');
        const collection = (await bea.call('POST', `/users/${bea.id}/collections`, { title: longest.title, description: '\u0001'.repeat(1000), visibility: 'public' })).body.collection.id;
        await db.raw('insert into collection_projects (collection_id, project_id, place) select ?::bigint, id, id from unnest(?::bigint[]) id', [collection, ids]);
        const course = (await ada.call('POST', `/users/${ada.id}/classes`, { title: 'A class' })).body.class.id;
        await db.raw(`insert into class_projects (class_id, project_id, audience) select ?::bigint, id, 'class' from unnest(?::bigint[]) id`, [course, ids]);

        const [worked] = made;
        await db.raw(`insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, label)
            select ?::bigint, n + 100, n + 99, now(), ?::bigint, 'edit', array_fill(2000, array[7]), repeat(chr(1), 100) from generate_series(1, 100) n`, [String(worked?.id), ada.id]);
        const elements = await ada.project();
        for (let n = 0; n < MANY; n++) {
            await ada.call('DELETE', (await ada.element(elements.page, { attributes: { text: '"'.repeat(10_000) } })).url);
        }

        const webhook = (await ada.call('POST', `/users/${ada.id}/webhooks`, { url: 'https://hooks.example/', events: ['project.changed'] })).body.webhook.id;
        await db.raw(`insert into webhook_deliveries (webhook_id, project_id, event, revision, at, data, state, error) select ?::bigint, ?::bigint, 'project.changed', 1, now(), '{}', 'failed', repeat(chr(1), 200) from generate_series(1, 100)`, [webhook, ids[0]]);
        await db.raw(`insert into webhooks (user_id, url, events, secret) select ?::bigint, 'https://' || repeat('a', 500) || '/', array['project.changed'], sha256('x') from generate_series(1, 100)`, [staff.id]);
        await db.raw(`insert into admin_log (staff_id, staff_name, act, type, thing_id, name, detail) select ?::bigint, 'guard', 'suspend', 'user', 1, repeat(chr(1), 500), repeat(chr(1), 1000) from generate_series(1, 20)`, [staff.id]);
        await db.raw(`insert into users (username, issuer, subject, suspended_until, suspension_reason) select 'long-' || n, 'https://elsewhere.example', n, '2040-01-01', repeat(chr(1), 1000) from generate_series(1, 20) n`);
        await index(db, new AbortController().signal);
        const user = `/users/${ada.id}`;
        const all = made.length;
        paths = {
            listFeaturedProjects: [ada, '/discover', 'projects', all],
            listFeaturedProjectsFor: [ada, '/discover/en', 'projects', all],
            listProjects: [ada, '/projects', 'projects', all + 2],
            listTaggedProjects: [ada, '/projects/tagged/worst', 'projects', all],
            listTrending: [ada, '/trending', 'projects', all],
            search: [ada, '/search?author=ada&q=worst', 'projects', all],
            listUserProjects: [ada, `${user}/projects?visibility=all`, 'projects', all + 2],
            listRemixes: [ada, `${source.url}/remixes`, 'projects', all],
            listShared: [bea, `/users/${bea.id}/shared`, 'projects', all],
            listFeed: [bea, `/users/${bea.id}/feed`, 'projects', all + 2],
            getCollection: [ada, `/collections/${collection}`, 'projects', all],
            listClassProjects: [ada, `/classes/${course}/projects`, 'projects', all],
            listChanges: [ada, `${worked?.url}/history`, 'changes', 103],
            listTrash: [ada, `${user}/trash`, 'trash', MANY],
            listDeliveries: [ada, `${user}/webhooks/${webhook}/deliveries`, 'deliveries', 100],
            listAdminLog: [staff, '/admin/log', 'entries', 20],
            listPeople: [staff, '/admin/users', 'users', 23],
            listAllApps: [staff, '/admin/apps', 'apps', 0],
            listAllWebhooks: [staff, '/admin/webhooks', 'webhooks', 101]
        };
    });

    after(() => server.stop());

    it('is made by a test of each', () => {
        expect([...Object.keys(paths), ...Object.values(elsewhere).flat()].toSorted()).to.equal(lists.toSorted());
    });

    it('is less than 64 KiB unless it is numbered, and its cursors lead to each item once', async () => {
        for (const [list, [who, path, name, length]] of Object.entries(paths)) {
            const items = async (count: number): Promise<string[]> => {
                const found: string[] = [];
                for (let next: string | null = ''; next !== null;) {
                    const most = next === '' && numbered.includes(list) ? 1 : count;
                    const { status, text, body }: Answer = await who.call('GET', `${path}${path.includes('?') ? '&' : '?'}count=${most}${next}`);
                    expect([status, Buffer.byteLength(text) <= MAX_CHEAP_BYTES], `${list} ${text.slice(0, 200)}`).to.equal([200, true]);
                    expect(body[name].length > 0 || length === 0, list).to.be.true();
                    found.push(...body[name].map((item: object) => JSON.stringify(item)));
                    next = body.next && `&after=${body.next}`;
                }

                return found;
            };

            const found = await items(100);
            expect(found.length, list).to.equal(length);
            expect(await items(7), list).to.equal(found);
        }
    });

    it('has all of its projects if it is numbered, as the contract says', async () => {
        for (const list of numbered) {
            const [who, path = '', , length = 0] = paths[list] ?? [ada];
            const separator = path.includes('?') ? '&' : '?';
            const { body: { projects, next } } = await who.call('GET', `${path}${separator}count=${length - 1}`);
            const second = await who.call('GET', `${path}${separator}count=${length - 1}&page=2`);
            const rest = await who.call('GET', `${path}${separator}after=${next}`);
            expect([projects.length, second.body.projects.length, second.body.projects], list).to.equal([length - 1, 1, rest.body.projects]);
        }
    });
});
