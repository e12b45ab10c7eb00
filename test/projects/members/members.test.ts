import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { atOnce, count, openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startProvider } from '../../support/provider';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { readConfig } from '../../../src/config/index';
import { maintain } from '../../../src/operations/maintenance/jobs';
import { join as joinBy } from '../../../src/projects/members/invitations';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('members', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let ivy: Author;
    let mod: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        ivy = await openAuthor(server, 'ivy');
        mod = await openAuthor(server, 'mod', { moderator: true });
    });

    beforeEach(async () => {
        project = await ada.project({ visibility: 'private' });
    });

    after(() => server.stop());

    const put = (username: string, role: string, who = ada): Promise<Answer> => who.call('PUT', `${project.url}/members/${username}`, { role });
    const invite = async (fields: object): Promise<{ code: string; url: string }> => {
        const { status, body, headers, text } = await ada.call('POST', `${project.url}/invitations`, fields);
        expect(status, text).to.equal(201);
        return { code: body.invitation.code, url: String(headers.location) };
    };

    const join = async (who: Author, code: string): Promise<unknown[]> => {
        const { status, body } = await who.call('POST', '/invitations', { code });
        return [status, body.role ?? body.code];
    };

    const names = async (): Promise<string[]> => (await ada.call('GET', `${project.url}/members`)).body.members.map(({ user, role }: { user: { username: string }; role: string }) => `${user.username} ${role}`);
    const statusOf = async (who: Author, url = project.url): Promise<number> => (await who.call('GET', url)).status;
    /** Users who cannot sign in, made by SQL because the API hashes a password for each. */
    const crowd = async (prefix: string, size: number): Promise<string[]> => {
        const { rows } = await server.database.db.raw(`insert into users (username) select ? || n from generate_series(1, ?) as n returning username`, [prefix, size]);
        return rows.map(({ username }: { username: string }) => username);
    };

    it('are let in by the author, in any case of their name, have one role at a time, and are listed', async () => {
        const made = await put('EVE', 'viewer');
        expect([made.status, made.body.status, made.body.member.user, made.body.member.role]).to.equal([201, 'created', { id: eve.id, username: 'eve' }, 'viewer']);
        expect(await names()).to.equal(['eve viewer']);
        const raised = await put('eve', 'editor');
        expect([raised.status, raised.body.status, raised.body.member.role, raised.body.member.since]).to.equal([200, 'updated', 'editor', made.body.member.since]);
        expect((await put('eve', 'viewer')).body.member.role).to.equal('viewer');
        await put('ivy', 'editor');
        expect(await names()).to.equal(['eve viewer', 'ivy editor']);
        for (const who of [eve, ivy, mod]) {
            expect(await statusOf(who, `${project.url}/members`)).to.equal(200);
        }
    });

    it('cannot be the author, or nobody, or have another role', async () => {
        expect((await put('ada', 'viewer')).body).to.include({ statusCode: 409, code: 'owner_is_no_member' });
        const [gone = ''] = await crowd('gone-', 1);
        await server.database.db.raw('update users set deleted_at = now() where username = ?', [gone]);
        for (const name of ['nobody-here', gone]) {
            expect((await put(name, 'viewer')).body, name).to.include({ statusCode: 404, message: 'There is no such user, or it has been deleted.' });
        }

        expect((await put('eve', 'owner')).status).to.equal(400);
        expect((await put('a.b', 'viewer')).status).to.equal(400);
        expect((await ada.call('DELETE', `${project.url}/members/eve`)).body).to.include({ statusCode: 404, message: 'There is no such member, or it has been deleted.' });
    });

    it('are at most 100, whoever lets them in, and those whose account is deleted do not count', async () => {
        const people = await crowd('crowd-', 105);
        const statuses = new Map<number, number>();
        await atOnce(people.length, 8, async (n) => {
            const { status } = await put(String(people[n]), 'viewer');
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
        });
        expect([...statuses].sort()).to.equal([[201, 100], [409, 5]]);
        expect((await put('eve', 'viewer')).body).to.include({ code: 'member_limit' });
        const { code } = await invite({ role: 'viewer' });
        expect(await join(eve, code)).to.equal([409, 'member_limit']);
        // A role can still be changed.
        const [one = ''] = (await names()).map((line) => line.replace(/ .*/, ''));
        expect((await put(one, 'editor')).status).to.equal(200);
        await server.database.db.raw('update users set deleted_at = now() where username = ?', [one]);
        expect((await names()).length).to.equal(99);
        expect(await join(eve, code)).to.equal([200, 'viewer']);
    });

    it('are let in one after another, so that there are never too many', async () => {
        const { db } = server.database;
        await db.raw(`insert into project_members (project_id, user_id, role) select ?, id, 'viewer' from users where username = any(?)`, [project.id, await crowd('most-', 99)]);
        const answers = await startWhileLocked(server, ['projects', project.id], [() => put('eve', 'viewer'), () => put('ivy', 'viewer')]);
        expect(answers.map(({ status }) => status).sort()).to.equal([201, 409]);
    });

    it('who are editors write everything inside, and it is the author\'s: pages, elements, the project, labels, restoring and undoing', async () => {
        await put('eve', 'editor');
        const page = await eve.page(project, { x: 1, y: 1 });
        const element = await eve.element(page, { attributes: { text: 'Hello' } });
        expect([page.thing.user_id, element.thing.user_id]).to.equal([ada.id, ada.id]);
        const ok = async (method: string, url: string, body?: object): Promise<void> => {
            const { status, text } = await eve.call(method, url, body);
            expect(status, text).to.equal(200);
        };

        await ok('PATCH', project.url, { title: 'Ours' });
        await ok('PATCH', page.url, { x: 2 });
        await ok('PATCH', element.url, { attributes: { text: 'Hi' } });
        await ok('PUT', `${project.url}/history/5/label`, { label: 'Good' });
        await ok('POST', `${project.url}/history/6/undo`);
        await ok('DELETE', element.url);
        await ok('DELETE', page.url);
        await ok('POST', `${project.url}/history/6/restore`, { pages: [page.id] });
        const { body } = await eve.bulk([
            { type: 'pages', method: 'create', data: { projectId: project.id, x: 7, y: 7 } }, { type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text' } },
            { type: 'elements', method: 'update', data: { id: '$1.id', styles: { top: 1 } } }, { type: 'elements', method: 'remove', data: { id: '$1.id' } }, { type: 'pages', method: 'remove', data: { id: '$0.id' } }
        ]);
        expect(body.status).to.equal('success');
        const { body: { changes } } = await ada.call('GET', `${project.url}/history?count=100`);
        expect(changes.filter(({ author }: { author: { username: string } }) => author.username === 'eve').length).to.equal(changes.length - 1);
        for (const [method, url, payload] of [['DELETE', project.url], ['PUT', `${project.url}/members/ivy`, { role: 'viewer' }], ['POST', `${project.url}/invitations`, { role: 'viewer' }], ['PATCH', project.url, { visibility: 'public' }]] as const) {
            expect((await eve.call(method, url, payload)).status, `${method} ${url}`).to.equal(403);
        }

        expect((await eve.bulk([{ type: 'projects', method: 'remove', data: { id: project.id } }])).status).to.equal(403);
    });

    it('who are editors remove into the author\'s trash, from where the author can restore, and the editor can undo', async () => {
        await put('eve', 'editor');
        const [one, two] = [await ada.element(project.page), await ada.element(project.page)];
        await eve.call('DELETE', one.url);
        await eve.bulk([{ type: 'elements', method: 'remove', data: { id: two.id } }]);
        const { body: { trash } } = await ada.call('GET', '/users/me/trash');
        expect(trash.slice(0, 2).map((entry: { thing: { id: string }; deleted_by: { username: string } }) => [entry.thing.id, entry.deleted_by.username])).to.equal([[two.id, 'eve'], [one.id, 'eve']]);
        expect((await eve.call('GET', '/users/me/trash')).body.trash).to.equal([]);
        expect((await ada.call('POST', `/users/me/trash/${trash[0].id}/restore`)).status).to.equal(200);
        expect((await eve.call('POST', `${project.url}/history/4/undo`)).body).to.include({ status: 'undone' }).and.to.not.include('skipped');
        expect(await statusOf(ada, one.url)).to.equal(200);
        // What a moderator removes stays gone.
        await mod.call('DELETE', one.url);
        const { body: { trash: [entry] } } = await ada.call('GET', '/users/me/trash');
        expect((await ada.call('POST', `/users/me/trash/${entry.id}/restore`)).body).to.include({ code: 'removed_by_moderator' });
    });

    it('who are viewers read everything, the history included, and write nothing', async () => {
        await put('eve', 'viewer');
        for (const url of ['', '/pages', '/history', '/history/1', '/members', '/remixes', '/changes?since=0']) {
            expect(await statusOf(eve, project.url + url), url).to.equal(200);
        }

        expect((await eve.call('PATCH', project.url, { title: 'x' })).status).to.equal(403);
        expect((await eve.bulk([{ type: 'pages', method: 'create', data: { projectId: project.id, x: 1, y: 1 } }])).body).to.include({ statusCode: 403, action: 0 });
        const conflict = await eve.call('PATCH', project.page.url, { x: 1, revision: 99 });
        expect([conflict.status, Object.keys(conflict.body).includes('current')]).to.equal([403, false]);
    });

    it('can go by themselves, and are gone at once when they are removed', async () => {
        await put('eve', 'editor');
        await put('ivy', 'viewer');
        expect((await eve.call('DELETE', `${project.url}/members/ivy`)).status).to.equal(403);
        expect((await mod.call('DELETE', `${project.url}/members/ivy`)).status).to.equal(403);
        expect((await ivy.call('DELETE', `${project.url}/members/Ivy`)).body.member).to.include({ role: 'viewer' });
        expect(await statusOf(ivy)).to.equal(404);
        await ada.call('DELETE', `${project.url}/members/eve`);
        expect(await statusOf(eve)).to.equal(404);
        expect((await eve.call('PATCH', project.url, { title: 'x' })).status).to.equal(404);
        expect(await names()).to.equal([]);
        const open = await ada.project();
        expect((await eve.call('DELETE', `${open.url}/members/eve`)).status).to.equal(403);
    });

    it('join by a code, as many as it is for', async () => {
        const { code } = await invite({ role: 'viewer', uses: 2 });
        expect(code).to.match(/^[0-9a-f]{32}$/);
        expect(await join(eve, code.toUpperCase())).to.equal([200, 'viewer']);
        // Joining again uses up nothing.
        expect(await join(eve, code)).to.equal([200, 'viewer']);
        expect(await join(ivy, code)).to.equal([200, 'viewer']);
        expect(await join(mod, code)).to.equal([404, 'not_found']);
        expect(await names()).to.equal(['eve viewer', 'ivy viewer']);
        expect(await count(server, 'from project_invitations where hash = ?', [code])).to.equal(0);
    });

    it('are listed with the codes by which they came, which go with those whom the author removes', async () => {
        const [first, second] = [await invite({ role: 'viewer', uses: 30 }), await invite({ role: 'editor', uses: 2 })];
        await join(eve, first.code);
        await join(ivy, first.code);
        await join(ivy, second.code);
        await put('mod', 'viewer');
        const list = async (): Promise<unknown[]> => (await ada.call('GET', `${project.url}/invitations`)).body.invitations.map(({ uses, role, joined }: { uses: number; role: string; joined: { username: string }[] }) => [role, uses, joined.map(({ username }) => username)]);
        expect(await list()).to.equal([['viewer', 28, ['eve', 'ivy']], ['editor', 1, ['ivy']]]);
        expect((await ada.call('GET', `${project.url}/invitations`)).text).to.not.contain([first.code, second.code]);
        for (const other of [eve, ivy, mod]) {
            expect((await other.call('GET', `${project.url}/invitations`)).status).to.equal(403);
        }

        // Who leaves takes nobody's code away.
        expect((await eve.call('DELETE', `${project.url}/members/eve`)).status).to.equal(200);
        expect(await list()).to.equal([['viewer', 28, ['ivy']], ['editor', 1, ['ivy']]]);
        expect(await join(eve, first.code)).to.equal([200, 'viewer']);

        expect((await ada.call('DELETE', `${project.url}/members/ivy`)).status).to.equal(200);
        expect(await list()).to.equal([]);
        expect(await join(ivy, first.code)).to.equal([404, 'not_found']);
        expect(await join(ivy, second.code)).to.equal([404, 'not_found']);
        expect((await names()).sort()).to.equal(['eve viewer', 'mod viewer']);
    });

    it('join again by a code that is used up, as after a double click, and get no other role by it', async () => {
        const { code } = await invite({ role: 'editor' });
        const { db } = server.database;
        const twice = await Promise.all([1, 2].map(() => db.transaction((trx) => joinBy(trx, eve.id, code))));
        expect(twice.map(({ role }) => role)).to.equal(['editor', 'editor']);
        await put('eve', 'viewer');
        await maintain(db, { ...readConfig({}), assets: server.assets }, new AbortController().signal, true);
        expect(await join(eve, code)).to.equal([200, 'viewer']);
        expect(await join(ivy, code)).to.equal([404, 'not_found']);
        await ada.call('DELETE', `${project.url}/members/eve`);
        expect(await join(eve, code)).to.equal([404, 'not_found']);
    });

    it('who are editors stay so when they join as viewers, and viewers become editors', async () => {
        await put('eve', 'editor');
        expect(await join(eve, (await invite({ role: 'viewer' })).code)).to.equal([200, 'editor']);
        await put('ivy', 'viewer');
        expect(await join(ivy, (await invite({ role: 'editor' })).code)).to.equal([200, 'editor']);
    });

    it('cannot join by a wrong, expired or withdrawn code, nor what is deleted or held; the author need not', async () => {
        expect(await join(eve, '0'.repeat(32))).to.equal([404, 'not_found']);
        expect((await eve.call('POST', '/invitations', { code: 'short' })).status).to.equal(400);
        const short = await invite({ role: 'viewer', expires_in: 1 });
        await sleep(1100);
        expect(await join(eve, short.code)).to.equal([404, 'not_found']);
        const [withdrawn, kept] = [await invite({ role: 'viewer' }), await invite({ role: 'viewer' })];
        const other = await ada.project();
        expect((await ada.call('DELETE', withdrawn.url.replace(project.url, other.url))).status).to.equal(404);
        expect((await ada.call('DELETE', withdrawn.url)).body.invitation).to.include({ role: 'viewer', uses: 1 });
        expect((await ada.call('DELETE', withdrawn.url)).status).to.equal(404);
        expect(await join(eve, withdrawn.code)).to.equal([404, 'not_found']);
        expect(await join(ivy, kept.code)).to.equal([200, 'viewer']);
        const { code } = await invite({ role: 'viewer' });
        expect(await join(ada, code)).to.equal([409, 'owner_is_no_member']);
        await server.database.db.raw(`update projects set held_at = now(), held_reason = 'x' where id = ?`, [project.id]);
        expect(await join(eve, code)).to.equal([404, 'not_found']);
        await server.database.db.raw(`update projects set held_at = null where id = ?`, [project.id]);
        await ada.call('DELETE', project.url);
        expect(await join(eve, code)).to.equal([404, 'not_found']);
    });

    it('join at the same time, and no more of them than the code is for', async () => {
        const people = await crowd('many-', 12);
        const { code } = await invite({ role: 'viewer', uses: 5 });
        const { db } = server.database;
        const { rows } = await db.raw('select id from users where username = any(?)', [people]);
        const outcomes = await Promise.allSettled(rows.map(({ id }: { id: string }) => db.transaction((trx) => joinBy(trx, id, code))));
        const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.output?.statusCode] : []));
        expect(failed).to.equal(Array(7).fill(404));
        expect((await names()).length).to.equal(5);
    });

    it('are invited by at most 20 codes at a time; those that are of no use do not count, and are deleted in the end', async () => {
        const made = await Promise.all(Array.from({ length: 21 }, () => ada.call('POST', `${project.url}/invitations`, { role: 'viewer' })));
        expect(made.map(({ status }) => status).sort()).to.equal([...Array(20).fill(201), 409]);
        expect(made.find(({ status }) => status === 409)?.body).to.include({ code: 'invitation_limit' });
        const other = await ada.project();
        expect((await ada.call('POST', `${other.url}/invitations`, { role: 'viewer' })).status).to.equal(201);
        await server.database.db.raw(`update project_invitations set expires_at = now() - interval '1 second' where project_id in (?, ?)`, [project.id, other.id]);
        await invite({ role: 'viewer' });
        expect(await count(server, 'from project_invitations where project_id = ?', [project.id])).to.equal(1);
        expect(await count(server, 'from project_invitations where project_id = ?', [other.id])).to.equal(1);
        await server.database.db.raw(`update project_invitations set expires_at = now() - interval '1 second' where project_id = ?`, [project.id]);
        await maintain(server.database.db, { ...readConfig({}), assets: server.assets }, new AbortController().signal, true);
        expect(await count(server, 'from project_invitations where project_id = ?', [project.id])).to.equal(0);
        for (const fields of [{ role: 'viewer', uses: 0 }, { role: 'viewer', uses: 101 }, { role: 'viewer', expires_in: 0 }, { role: 'viewer', expires_in: 2_592_001 }, { role: 'owner' }, {}]) {
            expect((await ada.call('POST', `${project.url}/invitations`, fields)).status, JSON.stringify(fields)).to.equal(400);
        }
    });

    it('find what is shared with them in one list, latest change first, whatever its visibility', async () => {
        const kim = await openAuthor(server);
        const projects = [project, await ada.project({ visibility: 'unlisted' }), await eve.project(), await ada.project()];
        for (const [n, { url }] of projects.entries()) {
            await (n === 2 ? eve : ada).call('PUT', `${url}/members/${kim.username}`, { role: 'viewer' });
            await (n === 2 ? eve : ada).call('PATCH', url, { title: `Shared ${n}` });
        }

        const [a, b, c, d] = projects.map(({ id }) => id);
        const list = (query = ''): Promise<Answer> => kim.call('GET', `/users/me/shared${query}`);
        const ids = ({ body }: Answer): string[] => body.projects.map(({ id }: { id: string }) => id);
        expect(ids(await list())).to.equal([d, c, b, a]);
        await sleep(5);
        await ada.call('PATCH', project.url, { title: 'Newest' });
        const first = await list('?count=3');
        expect([ids(first), first.headers['cache-control']]).to.equal([[a, d, c], 'private, no-cache']);
        expect(ids(await list(`?after=${first.body.next}`))).to.equal([b]);
        await ada.call('DELETE', `${project.url}/members/${kim.username}`);
        await server.database.db.raw(`update projects set held_at = now(), held_reason = 'x' where id = ?`, [String(d)]);
        await eve.call('DELETE', String(projects[2]?.url));
        // What is shared with others is in their lists.
        await put('ivy', 'viewer');
        expect(ids(await list())).to.equal([b]);
        expect(await statusOf(ada, `/users/${kim.id}/shared`)).to.equal(403);
    });

    it('lose their place with their account, and get it back with it', async () => {
        const kim = await openAuthor(server);
        await put(kim.username, 'editor');
        await server.database.db.raw('update users set deleted_at = now() where id = ?', [kim.id]);
        expect(await names()).to.equal([]);
        expect(await statusOf(kim)).to.equal(401);
        await server.database.db.raw('update users set deleted_at = null where id = ?', [kim.id]);
        expect(await names()).to.equal([`${kim.username} editor`]);
    });
});

describe('joining', () => {
    it('is limited by who it is, so that a class behind one address is in nobody\'s way', async () => {
        const server = await startTestServer({ config: { rateLimit: true } });
        const [ada, eve] = [await openAuthor(server), await openAuthor(server)];
        const statuses: number[] = [];
        for (let n = 0; n < 21; ++n) {
            statuses.push((await ada.call('POST', '/invitations', { code: '0'.repeat(32) })).status);
        }

        expect(statuses).to.equal([...Array(20).fill(404), 429]);
        expect((await eve.call('POST', '/invitations', { code: '0'.repeat(32) })).status).to.equal(404);
        await server.stop();
    });

    it('is limited by who it is also for those who have no account yet', async () => {
        const provider = await startProvider('jwt');
        const server = await startTestServer({ config: { rateLimit: true, auth: provider.settings() } });
        const [ann, bob] = [await provider.token({ subject: 'ann' }), await provider.token({ subject: 'bob' })];
        const join = async (token: string): Promise<number> => (await server.call('POST', '/invitations', { code: '0'.repeat(32) }, { token })).status;
        const statuses: number[] = [];
        for (let n = 0; n < 21; ++n) {
            statuses.push(await join(ann));
        }

        expect([...statuses, await join(bob)]).to.equal([...Array(20).fill(404), 429, 404]);
        await server.stop();
        await provider.stop();
    });
});
