import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { count, openAuthor, startWhileLocked, TIME } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('people, as the staff sees them', () => {
    let server: TestServer;
    let cast: Cast;
    let staff: Actor;
    let ada: Author;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        staff = await cast.staff();
        ada = await openAuthor(server, 'Ada');
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const admin = (method: string, path: string, body?: unknown, by = staff): Promise<Answer> => server.call(method, `/admin/${path}`, body, { token: by.token });

    /** What the newest entries of the log say. */
    const logged = async (most: number): Promise<unknown[]> => {
        const { body } = await admin('GET', `log?count=${most}`);
        return body.entries.map(({ by, act, target, detail }: Answer['body']) => [by?.username, act, target.type, target.id, target.name, detail]);
    };

    it('are found by the beginning of their names, in pages, whatever the case', async () => {
        const names = ['Finn_b', 'finn-a', 'FINN', 'finna', 'finnz', 'Fin', 'финн', 'Zoë_1'];
        for (const name of names) {
            await server.open(name);
        }

        const found: string[] = [];
        let next = '';
        do {
            const { body, headers } = await admin('GET', `users?prefix=fINn&count=2${next}`);
            expect(Number(body.users.length)).to.be.between(0, 3);
            found.push(...body.users.map(({ username }: Answer['body']) => username));
            next = body.next === null ? '' : `&after=${body.next}`;
            expect(headers.link).to.equal(body.next === null ? undefined : `</admin/users?count=2&after=${body.next}&prefix=fINn>; rel="next"`);
        } while (next !== '');

        expect(found).to.equal(['FINN', 'finn-a', 'Finn_b', 'finna', 'finnz']);
        expect((await admin('GET', 'users?prefix=ФИ')).body.users).to.have.length(1);
        expect((await admin('GET', 'users?prefix=nobody')).body).to.equal({ status: 'success', users: [], next: null });
        expect((await admin('GET', 'users?permission=staff')).body.users.map(({ id }: Answer['body']) => id)).to.equal([staff.id]);
        expect((await admin('GET', 'users?permission=owner')).status).to.equal(400);
        expect((await admin('GET', 'users?prefix=')).status).to.equal(400);
        const { rows } = await server.database.db.raw(`explain select from users u where u.username_key collate "C" >= 'a' and u.username_key collate "C" < 'b' order by u.username_key collate "C" limit 2`);
        expect(JSON.stringify(rows)).to.contain('user_names_idx');
    });

    it('are shown with what they have, in numbers alone', async () => {
        const project = await ada.project({ title: 'My secret' });
        await ada.element(project.page, { attributes: { innerHTML: 'x' } });
        const { status, body, text } = await admin('GET', `users/${ada.id}`);
        const { created_at, project_bytes, last_used_at, ...rest } = body.user;
        expect(status).to.equal(200);
        expect(text).to.not.contain('secret');
        expect(created_at).to.match(TIME);
        expect(Number(project_bytes)).to.be.above(10);
        expect(last_used_at === null || TIME.test(last_used_at)).to.be.true();
        expect(rest).to.equal({
            id: ada.id, username: 'Ada', language: 'en', permissions: { staff: false, moderator: false, teacher: false }, managed: false, state: 'active', suspension: null, deleted_at: null,
            signs_in: 'password', passkeys: 0, identities: 0, sign_ins: 1, tokens: 0, apps: 0, webhooks: 0, projects: 1, assets: 0, asset_bytes: 0
        });
        expect((await admin('GET', 'users/me')).body.user.id).to.equal(staff.id);
        expect((await admin('GET', 'users/9999999')).body.code).to.equal('not_found');
        await server.database.db.raw('update users set password_hash = null where id = ?', [(await server.open('keys-only')).id]);
        const [{ id }] = (await admin('GET', 'users?prefix=keys-only')).body.users;
        expect((await admin('GET', `users/${id}`)).body.user.signs_in).to.equal('other');
    });

    it('get a new password, which ends all their sign-ins', async () => {
        const user = await openAuthor(server, 'forgetful');
        const { status, body, headers } = await admin('POST', `users/${user.id}/password`, {});
        expect([status, body.status, body.user.id, headers['cache-control']]).to.equal([200, 'updated', user.id, 'no-store']);
        expect((await user.call('GET', '/users/me')).status).to.equal(401);
        expect((await server.call('POST', '/tokens', { username: 'forgetful', password: PASSWORD })).status).to.equal(401);
        expect((await server.call('POST', '/tokens', { username: 'forgetful', password: body.password })).status).to.equal(201);
        expect(await logged(1)).to.equal([[staff.username, 'reset_password', 'user', user.id, 'forgetful', null]]);
        expect(await count(server, 'from admin_log where position(? in admin_log::text) > 0', [body.password])).to.equal(0);
        await server.database.db.raw(`update users set issuer = 'https://login.example', subject = 'x', password_hash = null where id = ?`, [user.id]);
        expect((await admin('POST', `users/${user.id}/password`, {})).body.code).to.equal('no_password');
        expect(await logged(1)).to.equal([[staff.username, 'reset_password', 'user', user.id, 'forgetful', null]]);
    });

    it('are suspended, as both logs say', async () => {
        const user = await openAuthor(server, 'spammer');
        const past = await admin('PUT', `users/${user.id}/suspension`, { reason: 'Links', until: '2020-01-01T00:00:00Z' });
        expect([past.status, past.body.details]).to.equal([400, [{ path: 'until', message: '"until" must be in the future' }]]);
        expect((await admin('DELETE', `users/${user.id}/suspension`)).status).to.equal(404);
        const { body } = await admin('PUT', `users/${user.id}/suspension`, { reason: 'Links', until: '2036-04-01T00:00:00Z' });
        expect([body.user.state, body.user.suspension]).to.equal(['suspended', { reason: 'Links', until: '2036-04-01T00:00:00.000Z' }]);
        expect((await user.call('POST', '/users/me/projects', { title: 'A' })).body.code).to.equal('suspended');
        expect((await admin('DELETE', `users/${user.id}/suspension`)).body.user.state).to.equal('active');
        expect((await user.call('POST', '/users/me/projects', { title: 'A' })).status).to.equal(201);
        expect(await logged(2)).to.equal([[staff.username, 'unsuspend', 'user', user.id, 'spammer', null], [staff.username, 'suspend', 'user', user.id, 'spammer', 'Links']]);
        const { body: { entries } } = await admin('GET', 'moderation-log');
        expect(entries.slice(0, 2).map(({ moderator, act, target, reason }: Answer['body']) => [moderator.id, act, target.id, reason])).to.equal([[staff.id, 'unsuspend', user.id, null], [staff.id, 'suspend', user.id, 'Links']]);

        const moderator = await cast.actor('moderator');
        const refused = await admin('PUT', `users/${moderator.id}/suspension`, { reason: 'Links' });
        expect([refused.status, refused.body.message]).to.equal([403, `${moderator.username} is a moderator, who cannot be suspended. Take that permission away first.`]);
        expect((await admin('PUT', 'users/9999999/suspension', { reason: 'Links' })).status).to.equal(404);
    });

    it('are removed and restored, with their projects', async () => {
        const user = await openAuthor(server, 'leaver');
        const project = await user.project();
        expect((await admin('POST', `users/${user.id}/restore`, {})).status).to.equal(404);
        const { body } = await admin('DELETE', `users/${user.id}`);
        expect(body.user.state).to.equal('deleted');
        expect(body.user.deleted_at).to.match(TIME);
        expect((await user.call('GET', '/users/me')).status).to.equal(401);
        expect((await server.call('GET', `/projects/${project.id}`)).status).to.equal(404);
        for (const [method, path] of [['DELETE', ''], ['POST', '/password'], ['PUT', '/permissions/teacher']] as const) {
            expect((await admin(method, `users/${user.id}${path}`, {})).status, path).to.equal(404);
        }

        expect((await admin('GET', 'users?prefix=leaver')).body.users.map(({ state }: Answer['body']) => state)).to.equal(['deleted']);
        expect((await admin('POST', `users/${user.id}/restore`, {})).body.user.state).to.equal('active');
        expect((await server.call('GET', `/projects/${project.id}`)).status).to.equal(200);
        expect(await logged(2)).to.equal([[staff.username, 'restore', 'user', user.id, 'leaver', null], [staff.username, 'remove', 'user', user.id, 'leaver', null]]);
    });

    it('get and lose permissions, and the log has what changed', async () => {
        const user = await openAuthor(server, 'helper');
        for (const permission of ['teacher', 'moderator', 'staff']) {
            const { body } = await admin('PUT', `users/${user.id}/permissions/${permission}`, {});
            expect([body.status, body.user.permissions[permission]]).to.equal(['updated', true]);
            expect((await admin('PUT', `users/${user.id}/permissions/${permission}`, {})).status).to.equal(200);
        }

        expect((await admin('GET', 'log', undefined, user)).status).to.equal(200);
        expect((await admin('DELETE', `users/${user.id}/permissions/staff`)).body.user.permissions).to.equal({ staff: false, moderator: true, teacher: true });
        expect((await admin('GET', 'log', undefined, user)).status).to.equal(403);
        expect(await logged(4)).to.equal([['revoke', 'staff'], ['grant', 'staff'], ['grant', 'moderator'], ['grant', 'teacher']].map(([act, permission]) => [staff.username, act, 'user', user.id, 'helper', permission]));
        expect((await admin('PUT', `users/${user.id}/permissions/owner`, {})).status).to.equal(400);
    });

    it('do not lock themselves out', async () => {
        for (const [method, path, body] of [['DELETE', 'permissions/staff', {}], ['DELETE', '', {}], ['PUT', 'suspension', { reason: 'A slip' }]] as const) {
            for (const id of ['me', staff.id]) {
                const answer = await admin(method, `users/${id}${path === '' ? '' : `/${path}`}`, body);
                expect([answer.status, answer.body.code], path).to.equal([409, 'own_account']);
            }
        }

        expect((await admin('PUT', 'users/me/permissions/teacher', {})).status).to.equal(200);
        expect((await admin('DELETE', 'users/me/permissions/teacher')).status).to.equal(200);
    });

    it('of whom two take the permission from each other at once, one keeps it', async () => {
        const [one, other] = [await cast.staff(), await cast.staff()];
        const first = Number(one.id) < Number(other.id) ? one : other;
        const answers = await startWhileLocked(server, ['users', first.id], [
            () => admin('DELETE', `users/${other.id}/permissions/staff`, {}, one), () => admin('DELETE', `users/${one.id}/permissions/staff`, {}, other)
        ]);
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 403]);
        expect(await count(server, 'from users where staff and id in (?, ?)', [one.id, other.id])).to.equal(1);
    });

    it('have a log that can only grow', async () => {
        for (const change of [`update admin_log set act = 'x'`, 'delete from admin_log', 'truncate admin_log']) {
            await expect(server.database.db.raw(change)).to.reject(/The log can only grow/);
        }

        const { body: { next } } = await admin('GET', 'log?count=1');
        const { body: { entries } } = await admin('GET', `log?count=100&after=${next}`);
        expect(entries.length).to.equal(await count(server, 'from admin_log') - 1);
    });
});
