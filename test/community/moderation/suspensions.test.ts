import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { routes } from '../../routes/index';
import type { Row } from '../../routes/index';
import { openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { startProvider } from '../../support/provider';
import type { TestProvider } from '../../support/provider';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

for (const kind of ['local', 'jwt', 'introspection'] as const) {
    describe(`every write of a suspended user, by tokens of ${kind}`, () => {
        let provider: TestProvider | undefined;
        let server: TestServer;
        let cast: Cast;
        let writes: Row[];

        before(async () => {
            provider = kind === 'local' ? undefined : await startProvider(kind);
            server = await startTestServer(provider && { config: { auth: provider.settings() } });
            cast = new Cast(server, provider);
            writes = routes.filter(({ method, scope, elsewhere }) => method !== 'GET' && (scope !== '' || (kind !== 'local' && elsewhere?.scope)));
        });

        after(async () => {
            expect(server.faults).to.equal([]);
            await server.stop();
            await provider?.stop();
        });

        it('is refused with the token, before all else, but for what the table names', async () => {
            const moderator = await cast.account('moderator');
            const user = await cast.account();
            const suspended = await server.call('PUT', `/moderation/users/${user.id}/suspension`, { reason: 'Spam' }, { token: await cast.token(moderator.id) });
            expect(suspended.body).to.equal({ status: 'updated', suspension: { user, reason: 'Spam', until: null } });
            expect(writes.length).to.be.at.least(30);
            const passed: string[] = [];
            const token = await cast.token(user.id, ['user']);
            for (const { key, method, path } of writes) {
                // Neither the scope of most, nor the ids, nor the body are right.
                const url = path.replace(/\{\w+\}/g, '0');
                const { status, body } = await server.call(method, url, { unknown: 1 }, { token });
                if (body?.code === 'suspended') {
                    expect([status, body.suspension, body.message]).to.equal([403, { reason: 'Spam', until: null }, body.message]);
                }
                else {
                    passed.push(key);
                }
            }

            expect(passed).to.equal(writes.filter(({ whileSuspended, elsewhere }) => whileSuspended || (kind !== 'local' && elsewhere?.callers === '404')).map(({ key }) => key));
        });
    });
}

describe('a suspension', () => {
    let server: TestServer;
    let moderator: Author;
    let user: Author;

    before(async () => {
        server = await startTestServer();
        moderator = await openAuthor(server, undefined, { moderator: true });
    });

    beforeEach(async () => {
        user = await openAuthor(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const of = (id: string): string => `/moderation/users/${id}/suspension`;
    const suspend = (body: object = { reason: 'Spam' }, by = moderator): Promise<Answer> => by.call('PUT', of(user.id), body);
    const lift = (by = moderator): Promise<Answer> => by.call('DELETE', of(user.id));
    const log = async (): Promise<Answer['body'][]> => {
        const { body: { entries } } = await moderator.call('GET', '/moderation/log?count=100');
        return entries.filter(({ target }: Answer['body']) => target.id === user.id && target.type === 'user');
    };

    it('leaves reading, viewing, signing in and out, the password, and the end of the account', async () => {
        const project = await user.project();
        const other = await (await openAuthor(server)).project();
        await suspend();
        expect((await user.call('PATCH', project.url, { title: 'Spam' })).body.code).to.equal('suspended');
        expect((await user.bulk([{ type: 'projects', method: 'create', data: { title: 'Spam' } }])).body.code).to.equal('suspended');
        expect((await user.call('GET', `/users/${user.id}`)).status).to.equal(200);
        expect((await user.call('GET', '/users/me/projects')).body.projects.length).to.equal(1);
        expect((await user.call('GET', `${project.url}/history`)).status).to.equal(200);
        expect((await user.call('GET', `${project.url}/events`)).status).to.equal(200);
        expect((await server.call('GET', project.url)).body.project.title).to.equal('A project');
        expect((await user.call('POST', `/view-project/${other.id}`)).body).to.equal({ status: 'success', counted: true });

        const { body: { token } } = await server.call('POST', '/tokens', { username: user.username, password: PASSWORD });
        expect((await server.call('POST', '/users/me/projects', { title: 'More' }, { token: token.access_token })).body.code).to.equal('suspended');
        expect((await user.call('DELETE', `/tokens/${token.id}`)).status).to.equal(200);
        expect((await user.call('PUT', '/users/me/password', { current_password: PASSWORD, password: 'another one' })).status).to.equal(200);
        expect((await user.call('DELETE', '/users/me')).status).to.equal(200);
        expect((await server.call('GET', project.url)).status).to.equal(404);
    });

    it('shows its reason and its end, and both can be changed', async () => {
        const until = new Date(Date.now() + 3_600_000).toISOString();
        expect((await suspend({ reason: 'Spam', until })).body.suspension).to.equal({ user: { id: user.id, username: user.username }, reason: 'Spam', until });
        const { status, body } = await user.call('POST', '/users/me/projects', { title: 'More' });
        expect([status, body.code, body.suspension]).to.equal([403, 'suspended', { reason: 'Spam', until }]);
        expect(body.message).to.contain(`until ${until}`);
        expect((await suspend({ reason: 'More "spam"' })).body.suspension).to.include({ reason: 'More "spam"', until: null });
        expect((await user.call('POST', '/users/me/projects', { title: 'More' })).body.suspension).to.equal({ reason: 'More "spam"', until: null });
        expect((await suspend({ reason: 'Spam', until: '2036-04-01T02:00:00+02:00' })).body.suspension.until).to.equal('2036-04-01T00:00:00.000Z');
    });

    it('ends by itself, or by a moderator, and is then not found', async () => {
        await suspend({ reason: 'Spam', until: new Date(Date.now() + 400).toISOString() });
        expect((await user.call('POST', '/users/me/projects', { title: 'More' })).status).to.equal(403);
        await sleep(500);
        expect((await user.call('POST', '/users/me/projects', { title: 'More' })).status).to.equal(201);
        expect((await lift()).body).to.include({ code: 'not_found', message: 'There is no such suspension of this user, or it has been deleted.' });
        await suspend();
        const another = await openAuthor(server);
        await moderator.call('PUT', of(another.id), { reason: 'Insults' });
        expect((await lift()).body).to.equal({ status: 'deleted', suspension: { user: { id: user.id, username: user.username }, reason: 'Spam', until: null } });
        expect((await user.call('POST', '/users/me/projects', { title: 'More' })).status).to.equal(201);
        expect((await another.call('POST', '/users/me/projects', { title: 'More' })).body.code).to.equal('suspended');
        expect((await log()).map(({ act }) => act)).to.equal(['unsuspend', 'suspend', 'suspend']);
    });

    it('is ended once, also if several do it at the same time', async () => {
        await suspend();
        const answers = await startWhileLocked(server, ['users', user.id], [lift, lift]);
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 404]);
        expect((await log()).map(({ act }) => act)).to.equal(['unsuspend', 'suspend']);
    });

    it('is followed by every instance at once', async () => {
        const second = await startTestServer({ database: { ...server.database, drop: () => Promise.resolve() } });
        const write = (): Promise<Answer> => second.call('POST', '/users/me/projects', { title: 'More' }, { token: user.token });
        expect((await write()).status).to.equal(201);
        await suspend();
        expect((await write()).body.code).to.equal('suspended');
        await lift();
        expect((await write()).status).to.equal(201);
        await second.stop();
    });

    it('is not of moderators, nor of users that are not there', async () => {
        const other = await openAuthor(server, undefined, { moderator: true });
        const refused = await moderator.call('PUT', of(other.id), { reason: 'A quarrel' });
        expect([refused.status, refused.body.code]).to.equal([403, 'forbidden']);
        expect((await moderator.call('PUT', of('me'), { reason: 'A test' })).status).to.equal(403);
        expect((await moderator.call('PUT', of('999999'), { reason: 'Spam' })).status).to.equal(404);
        expect((await moderator.call('DELETE', of('999999'))).status).to.equal(404);
        const leaving = await openAuthor(server);
        await leaving.call('DELETE', '/users/me');
        expect((await moderator.call('PUT', of(leaving.id), { reason: 'Spam' })).status).to.equal(404);
        await suspend();
        // Whoever becomes a moderator can write again.
        await server.database.db.raw('update users set moderator = true where id = ?', [user.id]);
        expect((await user.call('POST', '/users/me/projects', { title: 'More' })).status).to.equal(201);
        await user.call('DELETE', '/users/me');
        expect((await lift()).status).to.equal(404);
    });

    it('needs a moderator, a reason, and an end in the future', async () => {
        const stranger = await openAuthor(server);
        for (const id of [user.id, '999999']) {
            expect((await stranger.call('PUT', of(id), { reason: 'I do not like them' })).body).to.include({ code: 'forbidden', message: 'Only moderators can do this.' });
            expect((await stranger.call('DELETE', of(id))).status).to.equal(403);
        }

        for (const wrong of [{}, { reason: '' }, { reason: 'x'.repeat(1001) }, { reason: 'Spam', until: null }, ...['tomorrow', '2026-04-01', '2036-13-01T00:00:00Z', '2036-02-30T00:00:00Z', '2036-04-01T00:00:00', '2020-01-01T00:00:00Z'].map((until) => ({ reason: 'Spam', until }))]) {
            const { status, body } = await suspend(wrong);
            expect([status, body.code], JSON.stringify(wrong)).to.equal([400, 'validation_failed']);
        }

        expect((await user.call('POST', '/users/me/projects', { title: 'More' })).status).to.equal(201);
        expect(await log()).to.equal([]);
    });
});
