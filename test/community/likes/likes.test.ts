import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_COUNTED_LIKES } from '../../../src/community/likes/fragments';
import { MAX_LIKES } from '../../../src/community/likes/json';
import { count, openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('likes', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let bob: Author;
    let moderator: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
    });

    beforeEach(async () => {
        await server.database.db.raw('delete from users');
        await server.database.db.raw('delete from project_likes');
        [ada, eve, bob] = [await openAuthor(server, 'ada'), await openAuthor(server, 'eve'), await openAuthor(server, 'bob')];
        moderator = await openAuthor(server, 'mod', { moderator: true });
        project = await ada.project();
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const on = (who: Author, method: string, { id }: { id: string } = project): Promise<Answer> => who.call(method, `/projects/${id}/like`);
    const own = async (query = '?visibility=all'): Promise<Record<string, unknown>> => {
        const { body: { projects } } = await ada.call('GET', `/users/${ada.id}/projects${query}`);
        return projects.find(({ id }: { id: string }) => id === project.id);
    };

    it('are given, read and taken back, each as often as one likes', async () => {
        for (const [method, status, liked] of [['GET', 'success', false], ['DELETE', 'updated', false], ['PUT', 'updated', true], ['PUT', 'updated', true], ['GET', 'success', true], ['DELETE', 'updated', false], ['GET', 'success', false]] as const) {
            const answer = await on(eve, method);
            expect([answer.status, answer.body], method).to.equal([200, { status, like: { liked } }]);
        }

        await on(eve, 'PUT');
        expect((await on(bob, 'GET')).body.like).to.equal({ liked: false });
    });

    it('are counted for the author alone, in the list of their own projects', async () => {
        await on(eve, 'PUT');
        await on(bob, 'PUT');
        for (const query of ['?visibility=all', '?visibility=public', '?visibility=all&count=1']) {
            expect((await own(query)).likes, query).to.equal(2);
        }

        const shown = await own('');
        expect(Object.keys({ ...await own() })).to.equal([...Object.keys(shown), 'likes']);
        await on(eve, 'DELETE');
        expect((await own()).likes).to.equal(1);

        await eve.call('PUT', '/users/me/following/ada');
        await ada.call('PUT', `${project.url}/members/bob`, { role: 'editor' });
        const paths = ['/projects', `/projects/${project.id}`, project.url, `/users/${ada.id}/projects`, '/users/me/feed', '/users/me/shared', '/trending', `${project.url}/remixes`, `${project.url}/events`, `/users/${ada.id}/projects?visibility=all`];
        for (const who of [ada, eve, bob, moderator]) {
            for (const path of paths.filter((one) => who !== ada || !one.includes('visibility'))) {
                expect((await who.call('GET', path, undefined, { headers: { accept: '*/*' } })).text, path).not.to.contain('"likes"');
            }
        }

        expect((await bob.call('GET', `/users/${ada.id}/projects?visibility=all`)).status).to.equal(403);
    });

    it('are not of one\'s own projects, and of those alone that one may read', async () => {
        const refused = await on(ada, 'PUT');
        expect([refused.status, refused.body.code, refused.body.message]).to.equal([403, 'forbidden', 'This project is your own. Others can like it.']);
        expect((await on(ada, 'GET')).body.like).to.equal({ liked: false });

        const hidden = await ada.project({ visibility: 'private' });
        await ada.call('PUT', `${hidden.url}/members/bob`, { role: 'viewer' });
        for (const method of ['GET', 'PUT', 'DELETE']) {
            expect([(await on(eve, method, hidden)).status, (await on(bob, method, hidden)).status, (await on(eve, method, { id: '9223372036854775807' })).status], method).to.equal([404, 200, 404]);
        }

        await on(bob, 'PUT', hidden);
        await ada.call('DELETE', `${hidden.url}/members/bob`);
        expect((await on(bob, 'GET', hidden)).status).to.equal(404);
        await moderator.call('PUT', `/moderation/projects/${project.id}/hold`, { reason: 'Spam' });
        expect((await on(eve, 'PUT')).status).to.equal(404);
    });

    it(`are at most ${MAX_LIKES} of one user, also of requests at the same time`, async () => {
        const other = await ada.project();
        await server.database.db.raw('insert into project_likes (project_id, user_id) select 1000000 + n, ? from generate_series(1, ?::int) n', [eve.id, MAX_LIKES - 1]);
        const answers = await startWhileLocked(server, ['users', eve.id], [() => on(eve, 'PUT'), () => on(eve, 'PUT', other)]);
        expect(answers.map(({ status, body: { code } }) => [status, code])).to.equal([[200, undefined], [409, 'like_limit']]);
        expect((await on(eve, 'PUT')).status).to.equal(200);
        expect(await count(server, 'from project_likes where user_id = ?', [eve.id])).to.equal(MAX_LIKES);
    });

    it(`are counted up to ${MAX_COUNTED_LIKES}`, async () => {
        await server.database.db.raw('insert into project_likes (project_id, user_id) select ?, 1000000 + n from generate_series(1, ?::int) n', [project.id, MAX_COUNTED_LIKES - 1]);
        expect((await own()).likes).to.equal(MAX_COUNTED_LIKES - 1);
        await on(eve, 'PUT');
        await on(bob, 'PUT');
        expect((await own()).likes).to.equal(MAX_COUNTED_LIKES);
    });

    it('of a closed account are not counted until it is opened again', async () => {
        const { token } = await new Cast(server).staff();
        const admin = async (method: string, path: string): Promise<number> => (await server.call(method, `/admin/users/${eve.id}${path}`, {}, { token })).status;
        for (const who of [eve, bob]) {
            await on(who, 'PUT');
        }

        for (let n = 0; n < 2; ++n) {
            expect(await admin('DELETE', '')).to.equal(200);
            expect((await own()).likes).to.equal(1);
            expect(await admin('POST', '/restore')).to.equal(200);
            expect((await own()).likes).to.equal(2);
        }

        expect((await bob.call('DELETE', `/users/${bob.id}`)).status).to.equal(200);
        expect((await own()).likes).to.equal(1);
    });

    it('go with the account', async () => {
        await on(eve, 'PUT');
        await on(bob, 'PUT');
        await server.database.db.raw('delete from users where id = ?', [eve.id]);
        expect((await own()).likes).to.equal(1);
    });
});
