import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a class is never without a teacher', { timeout: 60_000 }, () => {
    let server: TestServer;
    /** everybody teaches at it */
    let open: TestServer;
    let cast: Cast;
    let staff: Actor;
    let mod: Actor;

    before(async () => {
        server = await startTestServer();
        open = await startTestServer({ database: server.database, config: { teachers: 'open' } });
        cast = new Cast(server);
        [staff, mod] = [await cast.staff(), await cast.actor('moderator')];
    });

    after(async () => {
        expect([...server.faults, ...open.faults]).to.equal([]);
        await open.server.stop();
        await server.stop();
    });

    const call = (who: Actor, method: string, url: string, body: object = {}, to = server): Promise<Answer> => to.call(method, url, body, { token: who.token });

    const classOf = async (teacher: Actor): Promise<string> => {
        const { body, status } = await call(teacher, 'POST', '/users/me/classes', { title: 'Year 5' });
        expect(status).to.equal(201);
        return `/classes/${body.class.id}`;
    };

    /** All ways in which somebody ceases to teach. */
    const ways: [how: string, go: (teacher: Actor, to?: TestServer) => Promise<Answer>][] = [
        ['they close their account', (teacher, to) => call(teacher, 'DELETE', '/users/me', {}, to)],
        ['staff removes the account', (teacher, to) => call(staff, 'DELETE', `/admin/users/${teacher.id}`, {}, to)],
        ['staff takes the permission', (teacher, to) => call(staff, 'DELETE', `/admin/users/${teacher.id}/permissions/teacher`, {}, to)],
        ['a moderator takes the permission', (teacher, to) => call(mod, 'DELETE', `/moderation/users/${teacher.id}/teacher`, {}, to)]
    ];

    for (const [how, go] of ways) {
        it(`also if ${how}: first comes another teacher, or the end of the class`, async () => {
            const [ada, ben, cot] = [await cast.teacher(), await cast.teacher(), await cast.teacher()];
            const url = await classOf(ada);
            const refused = await go(ada);
            expect([refused.status, refused.body.code]).to.equal([409, 'last_teacher']);
            expect(refused.body.message).to.contain('another teacher').and.contain('delete the class');
            expect((await call(ada, 'GET', url)).body.role).to.equal('teacher');

            expect((await call(ada, 'PUT', `${url}/teachers/${cot.username}`)).status).to.equal(201);
            expect((await go(ada)).status).to.equal(200);
            expect((await call(cot, 'GET', url)).body.teachers.map(({ id }: { id: string }) => id)).to.equal([cot.id]);

            const ended = await classOf(ben);
            expect((await call(ben, 'DELETE', ended)).status).to.equal(200);
            expect((await go(ben)).status).to.equal(200);
        });

        it(`also if two go at the same moment: ${how}`, async () => {
            const [ada, cot] = [await cast.teacher(), await cast.teacher()];
            const url = await classOf(ada);
            expect((await call(ada, 'PUT', `${url}/teachers/${cot.username}`)).status).to.equal(201);
            const both = await Promise.all([go(ada), go(cot)]);
            expect(both.map(({ status }) => status).sort()).to.equal([200, 409]);
        });
    }

    it('and where everybody can teach, only the end of the account counts', async () => {
        const ada = await cast.teacher();
        await classOf(ada);
        const statuses = [];
        for (const [, go] of ways) {
            statuses.push((await go(ada, open)).status);
        }

        expect(statuses).to.equal([409, 409, 200, 200]);
    });

    it('and does not hold whoever may not teach any more anyway', async () => {
        const ada = await cast.teacher();
        await classOf(ada);
        await server.database.db.raw('update users set teacher = false where id = ?', [ada.id]);
        expect((await call(ada, 'DELETE', '/users/me')).status).to.equal(200);
    });
});
