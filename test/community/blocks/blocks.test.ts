import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_BLOCKS } from '../../../src/community/blocks/json';
import { count, openAuthor, startWhileLocked, TIME } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('blocks', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let bob: Author;

    before(async () => {
        server = await startTestServer();
    });

    beforeEach(async () => {
        await server.database.db.raw('delete from users');
        [ada, eve, bob] = [await openAuthor(server, 'ada'), await openAuthor(server, 'eve'), await openAuthor(server, 'bob')];
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const block = (who: Author, whom: string): Promise<Answer> => who.call('PUT', `/users/me/blocks/${whom}`);
    const unblock = (who: Author, whom: string): Promise<Answer> => who.call('DELETE', `/users/me/blocks/${whom}`);
    const listOf = async (who: Author, query = ''): Promise<string[]> => {
        const { body } = await who.call('GET', `/users/me/blocks${query}`);
        return body.blocks.map(({ user }: { user: { username: string } }) => user.username);
    };

    it('are made, listed and ended, each as often as one likes', async () => {
        const made = await block(ada, 'Eve');
        const { since } = made.body.block;
        expect(since).to.match(TIME);
        expect([made.status, made.body]).to.equal([201, { status: 'created', block: { user: { id: eve.id, username: 'eve' }, since } }]);
        const again = await block(ada, 'eve');
        expect([again.status, again.body]).to.equal([200, { status: 'updated', block: made.body.block }]);
        expect((await ada.call('GET', `/users/${ada.id}/blocks`)).body).to.equal({ status: 'success', blocks: [made.body.block], next: null });

        const ended = await unblock(ada, 'EVE');
        expect([ended.status, ended.body]).to.equal([200, { status: 'deleted', block: made.body.block }]);
        const missing = await unblock(ada, 'eve');
        expect([missing.status, missing.body.code, missing.body.message]).to.equal([404, 'not_found', 'You have not blocked this user.']);
        expect(await listOf(ada)).to.equal([]);
    });

    it('are refused of oneself and of nobody', async () => {
        for (const [name, status, code] of [['ada', 409, 'not_oneself'], ['nobody-here', 404, 'not_found'], ['a b', 400, 'validation_failed']] as const) {
            const answer = await block(ada, encodeURIComponent(name));
            expect([answer.status, answer.body.code], name).to.equal([status, answer.status === 400 ? answer.body.code : code]);
        }

        expect(await listOf(ada)).to.equal([]);
    });

    it('are listed newest first, in pages', async () => {
        for (let n = 0; n < 5; ++n) {
            await openAuthor(server, `person-${n}`);
            await block(ada, `person-${n}`);
        }

        await server.database.db.raw(`update blocks set since = '2026-03-01' where blocked_id in (select id from users where username in ('person-1', 'person-2'))`);
        const seen = [];
        for (let path: string | null = '/users/me/blocks?count=2'; path !== null;) {
            const { body, headers }: Answer = await ada.call('GET', path);
            expect(body.blocks.length <= 2).to.be.true();
            seen.push(...body.blocks.map(({ user }: { user: { username: string } }) => user.username));
            expect(headers.link === undefined).to.equal(body.next === null);
            path = body.next === null ? null : `/users/me/blocks?count=2&after=${body.next}`;
        }

        expect(seen).to.equal(['person-4', 'person-3', 'person-0', 'person-2', 'person-1']);
        expect((await ada.call('GET', '/users/me/blocks?page=2')).status).to.equal(400);
    });

    it('do not show accounts that are closed, and can be ended then', async () => {
        await block(ada, 'eve');
        await server.database.db.raw(`update users set deleted_at = now() where id = ?`, [eve.id]);
        expect(await listOf(ada)).to.equal([]);
        expect((await block(ada, 'eve')).status).to.equal(404);
        expect((await unblock(ada, 'eve')).status).to.equal(200);
    });

    it(`are at most ${MAX_BLOCKS}, also of requests at the same time`, async () => {
        const { db } = server.database;
        await db.raw(`insert into users (username, password_hash) select 'many-' || n, 'x' from generate_series(1, ?::int) n`, [MAX_BLOCKS - 1]);
        await db.raw(`insert into blocks (user_id, blocked_id) select ?, id from users where username like 'many-%'`, [ada.id]);
        const answers = await startWhileLocked(server, ['users', ada.id], [() => block(ada, 'eve'), () => block(ada, 'bob')]);
        expect(answers.map(({ status, body: { code } }) => [status, code])).to.equal([[201, undefined], [409, 'block_limit']]);
        expect((await block(ada, 'eve')).status).to.equal(200);
        expect(await count(server, 'from blocks where user_id = ?', [ada.id])).to.equal(MAX_BLOCKS);
        const whole = await ada.call('GET', '/users/me/blocks?count=100');
        expect([whole.body.blocks.length, whole.text.length < 48 * 1024]).to.equal([100, true]);
    });

    it('end the following of both, and of nobody else', async () => {
        for (const [who, whom] of [[ada, 'eve'], [eve, 'ada'], [ada, 'bob'], [bob, 'ada'], [bob, 'eve'], [eve, 'bob']] as const) {
            expect((await who.call('PUT', `/users/me/following/${whom}`)).status).to.equal(201);
        }

        await block(ada, 'eve');
        const followed = async (who: Author): Promise<string[]> => (await who.call('GET', '/users/me/following')).body.following.map(({ user }: { user: { username: string } }) => user.username).sort();
        expect([await followed(ada), await followed(eve), await followed(bob)]).to.equal([['bob'], ['bob'], ['ada', 'eve']]);
    });

    it('keep who is blocked from inviting, as if there were no such user, and leave memberships', async () => {
        const [project, other] = [await eve.project({ visibility: 'private' }), await eve.project({ visibility: 'private' })];
        const put = (url: string, name: string, role = 'editor'): Promise<Answer> => eve.call('PUT', `${url}/members/${name}`, { role });
        expect((await put(other.url, 'ada')).status).to.equal(201);
        await block(ada, 'eve');

        const [refused, absent] = [await put(project.url, 'ada'), await put(project.url, 'nobody-here')];
        const { request_id: _one, ...answer } = refused.body;
        const { request_id: _two, ...expected } = absent.body;
        expect([refused.status, answer]).to.equal([404, expected]);

        // She stays a member, and joins by herself.
        expect((await ada.call('GET', other.url)).status).to.equal(200);
        expect((await put(other.url, 'ada', 'viewer')).body).to.include({ status: 'updated' });
        const { body: { invitation } } = await eve.call('POST', `${project.url}/invitations`, { role: 'viewer' });
        expect((await ada.call('POST', '/invitations', { code: invitation.code })).status).to.equal(200);
        expect((await put(project.url, 'ada')).status).to.equal(200);

        // Not the other way round, and not others.
        const mine = await ada.project();
        expect((await ada.call('PUT', `${mine.url}/members/eve`, { role: 'editor' })).status).to.equal(201);
        expect((await put((await eve.project()).url, 'bob')).status).to.equal(201);
        await unblock(ada, 'eve');
        expect((await put((await eve.project()).url, 'ada')).status).to.equal(201);
    });

    it('count for an invitation that waited while somebody blocked', async () => {
        const project = await eve.project();
        const [answer] = await startWhileLocked(server, ['projects', project.id], [() => eve.call('PUT', `${project.url}/members/ada`, { role: 'editor' })], async () => {
            expect((await block(ada, 'eve')).status).to.equal(201);
        });
        expect(answer?.status).to.equal(404);
    });

    it('keep who is blocked from making one a teacher of their class, in the same way', async () => {
        await server.database.db.raw('update users set teacher = true');
        const { body: { class: { id } } } = await eve.call('POST', '/users/me/classes', { title: 'Year 5' });
        const put = (name: string): Promise<Answer> => eve.call('PUT', `/classes/${id}/teachers/${name}`);
        await block(ada, 'eve');
        const [refused, absent] = [await put('ada'), await put('nobody-here')];
        const { request_id: _one, ...answer } = refused.body;
        const { request_id: _two, ...expected } = absent.body;
        expect([refused.status, answer]).to.equal([404, expected]);

        await unblock(ada, 'eve');
        const [waited] = await startWhileLocked(server, ['users', ada.id], [() => put('ada')], async (trx) => {
            await trx.raw('insert into blocks (user_id, blocked_id) values (?, ?)', [ada.id, eve.id]);
        });
        expect(waited?.status).to.equal(404);

        // Who is in the class stays there.
        await unblock(ada, 'eve');
        expect((await put('ada')).status).to.equal(201);
        await block(ada, 'eve');
        expect((await put('ada')).status).to.equal(200);
        expect((await put('bob')).status).to.equal(201);
    });

    it('are not told to who is blocked', async () => {
        const project = await ada.project();
        const asked = async (): Promise<unknown[]> => {
            const paths = [project.url, `/users/${ada.id}/projects`, '/users/me', '/users/me/blocks', '/users/me/following', '/users/me/feed', `/projects/${project.id}/like`, '/u/ada'];
            return await Promise.all(paths.map(async (path) => {
                const { status, text } = await eve.call('GET', path);
                return [path, status, text.replace(/"request_id":"[^"]*"/, '')];
            }));
        };

        const first = await asked();
        await block(ada, 'eve');
        expect(await asked()).to.equal(first);
        expect((await eve.call('PUT', '/users/me/following/ada')).status).to.equal(201);
        expect((await eve.call('PUT', `/projects/${project.id}/like`)).status).to.equal(200);
        expect(await count(server, 'from notice_events where user_id = ?', [ada.id])).to.equal(0);
    });

    it('can be made while one is suspended', async () => {
        await server.database.db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Spam' where id = ?`, [ada.id]);
        expect([(await block(ada, 'eve')).status, (await unblock(ada, 'eve')).status]).to.equal([201, 200]);
    });

    it('go with the account', async () => {
        await block(ada, 'eve');
        await block(bob, 'ada');
        await server.database.db.raw('delete from users where id = ?', [ada.id]);
        expect(await count(server, 'from blocks')).to.equal(0);
    });
});
