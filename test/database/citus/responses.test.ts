import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { migrate } from '../../../src/database/statements/migrate';
import { maintain } from '../../../src/operations/maintenance/jobs';
import { index } from '../../../src/community/search/jobs';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { apart, distributedDatabase } from '../../support/cluster';
import { cloneDatabase, emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { drawing, hashOf } from '../../support/files';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { describe, it } = lab;

/** Whatever differs between two services that were asked the same: ids by the order in which they appear, times, secrets, and cursors. */
class Names {
    readonly #ids = new Map<string, string>();

    in(text: string): string {
        return text
            .replace(/after=[\w-]+/, 'after=…')
            .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
            .replace(/"(access_token|code|request_id|next|prev)":"[^"]*"/g, '"$1":"…"')
            .replace(/(["/])(\d{4,})(?=["/? ])/g, (_all, before: string, id: string) => {
                const name = this.#ids.get(id) ?? `#${this.#ids.size + 1}`;
                this.#ids.set(id, name);
                return `${before}${name}`;
            });
    }
}

type Say = (method: string, url: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** Does the same on any service, and returns what it answered. */
async function conversation(server: TestServer): Promise<string[]> {
    const names = new Names();
    const heard: string[] = [];
    const as = (author: Author): Say => {
        return async (method, url, body, headers) => {
            const answer = await author.call(method, url, body, headers && { headers });
            heard.push(names.in(`${method} ${url} ${answer.status} ${answer.text}`));
            return answer;
        };
    };

    /** All pages of a list. */
    const list = async (say: Say, url: string): Promise<void> => {
        for (let after = ''; ;) {
            const { body } = await say('GET', `${url}${after}`);
            if (typeof body?.next !== 'string') {
                return;
            }

            after = `${url.includes('?') ? '&' : '?'}after=${body.next}`;
        }
    };

    // No two things have the same id, whatever they are.
    for (const [n, table] of ['users', 'projects', 'pages', 'elements', 'tokens', 'collections', 'trash', 'project_invitations', 'moderation_log', 'sent_assets'].entries()) {
        await server.database.db.raw(`select setval(pg_get_serial_sequence('${table}', 'id'), ${100_000 * (n + 1)})`);
    }

    const [ada, ben, cleo] = [await openAuthor(server, 'ada'), await openAuthor(server, 'ben'), await openAuthor(server, 'cleo', { moderator: true })];
    const [a, b, m] = [as(ada), as(ben), as(cleo)];
    const projects = [];
    for (let n = 0; n < 9; ++n) {
        projects.push(await ada.project({ title: `Snow ${n}`, description: `#winter number ${n} #snow${n % 2}`, ...n === 8 && { visibility: 'private' } }));
    }

    const [first, second, third, fourth] = projects;
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
        throw new Error('no project');
    }

    // Writes, their conflicts, and what was before.
    const page = await ada.page(first, { x: 1, y: 0, styles: { color: 'red' } });
    await a('POST', `${first.url}/pages`, { x: 1, y: 0 });
    const text = await ada.element(page, { attributes: { text: 'Hello "you" \\ é' } });
    const link = await ada.element(page, { type: 'link', attributes: { targetPageId: page.id } });
    await a('PATCH', text.url, { attributes: { text: 'Again' }, styles: { left: 1 } });
    await a('PATCH', text.url, { attributes: { text: 'Too late' }, revision: 1 });
    await a('PATCH', page.url, { x: 2 });
    await a('PATCH', first.url, { title: 'Snow and ice' });
    await b('PATCH', first.url, { title: 'Mine' });
    await a('GET', first.url);
    await a('GET', `${first.url}/pages`);
    await a('GET', page.url);
    await a('GET', text.url);
    await list(a, `${first.url}/history?count=2`);
    await a('GET', `${first.url}/history/3`);
    await a('GET', `${first.url}/changes?since=2`);
    await a('POST', `${first.url}/history/4/undo`);
    await a('DELETE', link.url);
    await a('POST', `${first.url}/history/5/restore`);
    await a('PUT', `${first.url}/history/5/label`, { label: 'Good' });
    await a('POST', `/users/${ada.id}/bulk`, { actions: [
        { type: 'projects', method: 'create', data: { title: 'Made by a bulk' } },
        { type: 'pages', method: 'create', data: { projectId: '$0.id', x: 5, y: 5 } },
        { type: 'elements', method: 'create', data: { pageId: '$1.id', type: 'text' } },
        { type: 'pages', method: 'create', data: { projectId: second.id, x: 9, y: 9 } },
        { type: 'pages', method: 'create', data: { projectId: second.id, x: 8, y: 9 } },
        { type: 'elements', method: 'update', data: { id: text.id, styles: { top: 2 } } },
        { type: 'projects', method: 'update', data: { id: third.id, title: 'Renamed by a bulk' } },
        { type: 'projects', method: 'remove', data: { id: String(projects[6]?.id) } }
    ] });
    const once = { 'idempotency-key': 'once-only-0123456789' };
    await a('POST', `/users/${ada.id}/projects`, { title: 'Once' }, once);
    await a('POST', `/users/${ada.id}/projects`, { title: 'Once' }, once);

    // Remixes, and what came later into their source.
    const remix = await ben.remix(first);
    await a('PATCH', text.url, { attributes: { text: 'Newer' } });
    await a('POST', `${page.url}/elements`, { type: 'image', attributes: {} });
    await b('GET', `${remix.url}/upstream`);
    await b('POST', `${remix.url}/upstream/pull`, {});
    await b('GET', `${remix.url}/pages`);
    await b('GET', `${remix.url}/lineage`);
    await a('GET', `${first.url}/remixes`);
    await m('GET', `${String(projects[8]?.url)}/remixes`);

    // Lists and the search.
    for (const project of [second, third]) {
        await m('PATCH', `${project.url}/feature`, { featured: true });
        await b('POST', `/view-project/${project.id}`);
    }

    await index(server.database.db, new AbortController().signal);
    for (const url of ['/projects?count=3', '/projects/tagged/winter?count=2', '/discover?count=1', '/discover/en?count=1', '/trending?count=1', `/users/${ada.id}/projects?count=4`, '/search?q=snow&count=2', '/search?q=ada', '/featured-tags']) {
        await list(a, url);
    }

    await b('GET', `/users/${ada.id}/projects/${String(projects[8]?.id)}`);

    // Members, collections, reports and moderation.
    await a('PUT', `${String(projects[8]?.url)}/members/ben`, { role: 'editor' });
    await b('GET', `/users/${ben.id}/shared`);
    const { body: { invitation } } = await a('POST', `${fourth.url}/invitations`, { role: 'viewer' });
    await b('POST', '/invitations', { code: invitation.code });
    await b('GET', `${fourth.url}/members`);
    const { body: { collection } } = await b('POST', `/users/${ben.id}/collections`, { title: 'Best of' });
    for (const project of [third, second, fourth]) {
        await b('PUT', `/users/${ben.id}/collections/${collection.id}/projects/${project.id}`, {});
    }

    await b('GET', `/collections/${collection.id}`);
    await list(b, `/users/${ben.id}/collections`);
    for (const project of [second, third, fourth]) {
        await b('POST', `/projects/${project.id}/reports`, { reason: 'spam', text: 'Look' });
    }

    await list(m, '/moderation/reports?count=2');
    await m('PATCH', `/moderation/reports/${second.id}`, { state: 'held', note: 'Wait' });
    await m('PUT', `/moderation/projects/${third.id}/hold`, { reason: 'Wait too' });
    await b('GET', third.url);
    await m('DELETE', `/moderation/projects/${third.id}/hold`);
    await m('GET', String(projects[8]?.url));
    await m('GET', `/users/${ada.id}/trash`);
    await m('PUT', `/moderation/users/${ben.id}/suspension`, { reason: 'Stop' });
    await m('DELETE', `/moderation/users/${ben.id}/suspension`);
    await list(m, '/moderation/log?count=2');

    // Assets, the trash, and what goes along.
    const bytes = drawing('<path d="M0 0"/>');
    const hash = hashOf(bytes);
    await a('PUT', `/users/${ada.id}/assets/${hash}`, bytes, { 'content-type': 'image/svg+xml' });
    await a('POST', `${page.url}/elements`, { type: 'image', attributes: { src: `asset:${hash}` } });
    await a('POST', `${second.page.url}/elements`, { type: 'image', attributes: { src: `asset:${hash.replace(/./, 'f').replace(/.$/, '0')}` } });
    for (let n = 0; n < 6; ++n) {
        const many = drawing(`<path d="M${n} 1"/>`);
        await a('PUT', `/users/${ada.id}/assets/${hashOf(many)}`, many, { 'content-type': 'image/svg+xml' });
        await a('POST', `${fourth.page.url}/elements`, { type: 'image', attributes: { src: `asset:${hashOf(many)}` } });
    }

    const illustrated = await ben.remix(fourth);
    await b('GET', `${illustrated.url}/pages`);
    await list(a, `/users/${ada.id}/assets`);
    heard.push(String((await ada.call('GET', `/users/${ada.id}/takeout`)).status));
    heard.push(String((await server.call('POST', '/users', { username: 'Ada', password: 'correct horse battery' })).body.code));
    await a('DELETE', text.url);
    await a('DELETE', page.url);
    await a('DELETE', String(projects[5]?.url));
    await a('DELETE', String(projects[4]?.url));
    await list(a, `/users/${ada.id}/trash?count=2`);
    const { body: { trash } } = await ada.call('GET', `/users/${ada.id}/trash`);
    for (const [n, { id }] of trash.slice(0, 3).entries()) {
        await (n === 0 ? a('DELETE', `/users/${ada.id}/trash/${id}`) : a('POST', `/users/${ada.id}/trash/${id}/restore`));
    }

    await maintain(server.database.db, { historyDays: 30, historyMaxBytes: 2 ** 28, trashDays: 30, assets: server.assets }, new AbortController().signal, true);
    await a('GET', first.url);
    await a('DELETE', `/users/${ada.id}`);
    await m('GET', `/users/${ada.id}/projects`);
    await b('GET', `${remix.url}/lineage`);
    expect(server.faults).to.equal([]);
    return heard;
}

describe('a distributed database', () => {
    const answersOf = async (database: TestDatabase): Promise<string[]> => {
        const server = await startTestServer({ database });
        try {
            return await conversation(server);
        }
        finally {
            await server.stop();
        }
    };

    const plainDatabase = async (): Promise<TestDatabase> => {
        const database = await emptyDatabase();
        await apart(database, migrate);
        return database;
    };

    const compare = async (database: TestDatabase): Promise<void> => {
        const [plain, distributed] = [await answersOf(await plainDatabase()), await answersOf(database)];
        expect(plain.length).to.be.above(80);
        plain.forEach((answer, n) => expect(distributed[n], answer.slice(0, 80)).to.equal(answer));
        expect(distributed.length).to.equal(plain.length);
    };

    it('gives the same responses as any other, on what stands in for a cluster', async () => compare(await distributedDatabase()));

    it('gives the same responses on a cluster (CITUS_DATABASE_URL)', { skip: !isCluster }, async () => compare(await cloneDatabase()));
});
