import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_FOLLOWED } from '../../../src/community/follows/json';
import { count, openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { castOfClass, outside, roles } from '../../support/class-cast';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

interface Chosen {
    user: { username: string };
}

describe('following', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;

    before(async () => {
        server = await startTestServer();
    });

    beforeEach(async () => {
        await server.database.db.raw('delete from users');
        await server.database.db.raw('delete from notice_events');
        [ada, eve] = [await openAuthor(server, 'ada'), await openAuthor(server, 'eve')];
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const follow = (who: Actor, whom: string): Promise<Answer> => server.call('PUT', `/users/me/following/${whom}`, undefined, { token: who.token });
    const unfollow = (who: Author, whom: string): Promise<Answer> => who.call('DELETE', `/users/me/following/${whom}`);
    const followed = async (who: Author): Promise<string[]> => (await who.call('GET', '/users/me/following')).body.following.map(({ user }: Chosen) => user.username);
    const notices = async (): Promise<object[]> => (await server.database.db.raw('select project_id, user_id, kind, by_id, thing_id from notice_events order by id')).rows;

    it('begins, is listed and ends, each as often as one likes', async () => {
        const made = await follow(ada, 'Eve');
        const { since } = made.body.follow;
        expect([made.status, made.body]).to.equal([201, { status: 'created', follow: { user: { id: eve.id, username: 'eve' }, since } }]);
        const again = await follow(ada, 'eve');
        expect([again.status, again.body]).to.equal([200, { status: 'updated', follow: made.body.follow }]);
        expect((await ada.call('GET', '/users/me/following')).body).to.equal({ status: 'success', following: [made.body.follow], next: null });
        expect(await followed(eve)).to.equal([]);

        expect((await unfollow(ada, 'eve')).body).to.equal({ status: 'deleted', follow: made.body.follow });
        const missing = await unfollow(ada, 'eve');
        expect([missing.status, missing.body.message]).to.equal([404, 'You do not follow this user.']);
        for (const [name, status] of [['ada', 409], ['nobody-here', 404]] as const) {
            expect((await follow(ada, name)).status, name).to.equal(status);
        }
    });

    it('is told once, in the transaction, to whom is followed', async () => {
        await follow(ada, 'eve');
        await follow(ada, 'eve');
        expect(await notices()).to.equal([{ project_id: '0', user_id: eve.id, kind: 'follow', by_id: ada.id, thing_id: null }]);
    });

    it('is stored and not told where one is blocked', async () => {
        await eve.call('PUT', '/users/me/blocks/ada');
        expect((await follow(ada, 'eve')).status).to.equal(201);
        expect(await followed(ada)).to.equal(['eve']);
        expect(await notices()).to.equal([]);
    });

    it(`is of at most ${MAX_FOLLOWED} people, also of requests at the same time`, async () => {
        const { db } = server.database;
        await openAuthor(server, 'bob');
        await db.raw(`insert into users (username, password_hash) select 'many-' || n, 'x' from generate_series(1, ?::int) n`, [MAX_FOLLOWED - 1]);
        await db.raw(`insert into follows (user_id, followed_id) select ?, id from users where username like 'many-%'`, [ada.id]);
        const answers = await startWhileLocked(server, ['users', ada.id], [() => follow(ada, 'eve'), () => follow(ada, 'bob')]);
        expect(answers.map(({ status, body: { code } }) => [status, code])).to.equal([[201, undefined], [409, 'follow_limit']]);
        expect(await count(server, 'from follows where user_id = ?', [ada.id])).to.equal(MAX_FOLLOWED);
        // Nobody waits for whom they follow.
        await db.transaction(async (trx) => {
            await trx.raw('select from users where id = ? for no key update', [ada.id]);
            expect((await follow(eve, 'ada')).status).to.equal(201);
        });
    });

    it('of an account that a class manages is for the people of that class, and what it follows is told in the class alone', async () => {
        const cast = new Cast(server);
        const { people, pupil, moderator } = await castOfClass(server, cast, async (made) => {
            const { status } = await follow(made.people.formerPupil, made.pupil.username);
            expect(status).to.equal(201);
        });
        const callers: [string, Actor][] = [...roles.map((role): [string, Actor] => [role, people[role]]), ['moderator', moderator], ['stranger', ada]];
        const hidden = new Set<string>([...outside, 'moderator', 'stranger']);
        for (const [role, who] of callers) {
            const { status, body } = await follow(who, pupil.username);
            // Who was let go as a teacher is of the class still.
            expect([role, status, body.message], body.message).to.equal(hidden.has(role) && role !== 'dismissed' ? [role, 404, 'There is no such user, or it has been deleted.'] : [role, 201, undefined]);
        }

        await server.database.db.raw('delete from notice_events');
        for (const whom of [people.teacher, people.classmate, ada, people.elsewhere]) {
            expect((await follow(pupil, whom.username)).status).to.equal(201);
        }

        expect((await notices()).map((notice) => ('user_id' in notice ? notice.user_id : ''))).to.equal([people.teacher.id, people.classmate.id]);
    });

    it('goes with the accounts', async () => {
        await follow(ada, 'eve');
        await follow(eve, 'ada');
        await server.database.db.raw('delete from users where id = ?', [ada.id]);
        expect(await count(server, 'from follows')).to.equal(0);
    });
});
