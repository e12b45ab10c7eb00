import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_HIDE_REASON } from '../../src/limits';
import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('order in a class', () => {
    let server: TestServer;
    let cast: Cast;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const call = (who: Pick<Actor, 'token'>, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, { token: who.token });

    /** A class with its teacher and two pupils. */
    const classOf = async (fields: object = {}): Promise<{ url: string; ada: Actor; ben: Actor; cem: Actor }> => {
        const [ada, ben, cem] = [await cast.teacher(), await cast.actor(), await cast.actor()];
        const { body, text } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5', ...fields });
        expect(body.status, text).to.equal('created');
        for (const who of [ben, cem]) {
            expect((await call(who, 'POST', '/classes', { code: body.code })).status).to.equal(200);
        }

        return { url: `/classes/${body.class.id}`, ada, ben, cem };
    };

    const put = async (who: Actor, url: string, audience = 'class', visibility = 'private'): Promise<{ id: string; at: string; state: string }> => {
        const { body: { project: { id } } } = await call(who, 'POST', '/users/me/projects', { title: 'Mine', visibility });
        const at = `/users/${who.id}/projects/${id}`;
        const { status, body, text } = await call(who, 'PUT', `${at}${url}`, { audience });
        expect(status, text).to.equal(201);
        return { id, at, state: body.class.state };
    };

    const gallery = async (who: Actor, url: string, query = ''): Promise<[string[], Record<string, string>]> => {
        const { body, text } = await call(who, 'GET', `${url}/projects${query}`);
        expect(body.status, text).to.equal('success');
        return [body.projects.map(({ id }: { id: string }) => id), Object.fromEntries(body.unseen.map(({ project_id: id, state }: { project_id: string; state: string }) => [id, state]))];
    };

    const seesProject = async (who: Actor, { at }: { at: string }): Promise<boolean> => (await call(who, 'GET', at)).status === 200;

    it('is kept by hiding a project from the class, whose author sees why', async () => {
        const { url, ada, ben, cem } = await classOf();
        const [mine, other] = [await put(ben, url), await put(ben, url, 'class', 'public')];
        expect([mine.state, await seesProject(cem, mine)]).to.equal(['shown', true]);
        const at = `${url}/projects/${mine.id}`;
        const { body: { class: hidden } } = await call(ada, 'PATCH', at, { state: 'hidden', reason: 'Not this joke.' });
        expect(hidden).to.include({ state: 'hidden', reason: 'Not this joke.', audience: 'class' });
        expect([await seesProject(cem, mine), await seesProject(ben, mine), await seesProject(ada, mine)]).to.equal([false, true, true]);
        expect((await call(ben, 'GET', `${mine.at}/classes`)).body.classes).to.equal([hidden]);
        expect(await gallery(cem, url)).to.equal([[other.id], {}]);
        for (const who of [ada, ben]) {
            expect(await gallery(who, url)).to.equal([[other.id, mine.id], { [mine.id]: 'hidden' }]);
            expect(await gallery(who, url, '?state=hidden')).to.equal([[mine.id], { [mine.id]: 'hidden' }]);
        }

        // Also one that everybody can read is not on the wall.
        await call(ada, 'PATCH', `${url}/projects/${other.id}`, { state: 'hidden', reason: 'x'.repeat(MAX_HIDE_REASON) });
        expect(await gallery(cem, url)).to.equal([[], {}]);
        expect(await seesProject(cem, other)).to.be.true();

        // Nothing that its author does shows it again.
        await call(ben, 'PUT', `${mine.at}${url}`, { audience: 'teachers' });
        await call(ben, 'PUT', `${mine.at}${url}`, { audience: 'class' });
        expect(await seesProject(cem, mine)).to.be.false();
        expect((await call(ben, 'DELETE', `${mine.at}${url}`, {})).status).to.equal(200);
        expect(await seesProject(ada, mine)).to.be.false();
        expect((await call(ben, 'PUT', `${mine.at}${url}`, { audience: 'class' })).body.class).to.include({ state: 'hidden', reason: 'Not this joke.' });
        expect(await seesProject(cem, mine)).to.be.false();

        expect((await call(ada, 'PATCH', at, { state: 'shown' })).body.class).to.include({ state: 'shown', reason: null });
        expect(await seesProject(cem, mine)).to.be.true();
        await call(ben, 'DELETE', `${mine.at}${url}`, {});
        expect((await call(ben, 'PUT', `${mine.at}${url}`, { audience: 'class' })).body.class).to.include({ state: 'shown', reason: null });
        for (const body of [{ state: 'hidden' }, { state: 'hidden', reason: '' }, { state: 'shown', reason: 'Why' }, { state: 'waiting' }, {}]) {
            expect((await call(ada, 'PATCH', at, body)).body.code, JSON.stringify(body)).to.equal('validation_failed');
        }
    });

    it('is kept by a look at what pupils put into the class, before it sees that', async () => {
        const { url, ada, ben, cem } = await classOf({ show: 'after a look' });
        const [mine, open, forTeachers, hers] = [await put(ben, url), await put(ben, url, 'class', 'public'), await put(ben, url, 'teachers'), await put(ada, url)];
        expect([mine, open, forTeachers, hers].map(({ state }) => state)).to.equal(['waiting', 'waiting', 'waiting', 'shown']);
        expect(await gallery(cem, url)).to.equal([[hers.id], {}]);
        expect([await seesProject(cem, mine), await seesProject(cem, hers), await seesProject(ada, mine)]).to.equal([false, true, true]);
        expect((await gallery(ada, url, '?state=waiting'))[0]).to.equal([forTeachers.id, open.id, mine.id]);
        expect((await gallery(ben, url, '?state=waiting'))[0]).to.equal([forTeachers.id, open.id, mine.id]);
        expect((await gallery(cem, url, '?state=waiting'))[0]).to.equal([]);

        await call(ada, 'PATCH', `${url}/projects/${mine.id}`, { state: 'shown' });
        await call(ada, 'PATCH', `${url}/projects/${forTeachers.id}`, { state: 'shown' });
        expect([await seesProject(cem, mine), await seesProject(cem, forTeachers)]).to.equal([true, false]);
        // More of the class are to read it, so there is a look again; so there is after it was taken out.
        expect((await call(ben, 'PUT', `${forTeachers.at}${url}`, { audience: 'class' })).body.class.state).to.equal('waiting');
        expect((await call(ben, 'PUT', `${mine.at}${url}`, { audience: 'class' })).body.class.state).to.equal('shown');
        await call(ben, 'DELETE', `${mine.at}${url}`, {});
        expect((await call(ben, 'PUT', `${mine.at}${url}`, { audience: 'class' })).body.class.state).to.equal('waiting');
        expect(await seesProject(cem, mine)).to.be.false();

        const { body: { assignment } } = await call(ada, 'POST', `${url}/assignments`, { title: 'A story' });
        const { body: { work } } = await call(ben, 'POST', `${url}/assignments/${assignment.id}/work`, {});
        await call(ben, 'PATCH', `/users/me/projects/${work.project_id}`, { visibility: 'public' });
        expect((await gallery(cem, url))[0]).to.equal([hers.id]);

        await call(ada, 'PATCH', `${url}/projects/${open.id}`, { state: 'hidden', reason: 'No' });
        expect((await call(ada, 'PATCH', url, { title: 'Year 6' })).body.class.show).to.equal('after a look');
        expect(await seesProject(cem, mine)).to.be.false();
        expect((await call(ada, 'PATCH', url, { show: 'at once' })).body.class.show).to.equal('at once');
        expect((await gallery(cem, url))[0].sort()).to.equal([mine.id, forTeachers.id, hers.id, work.project_id].sort());
        expect((await put(cem, url)).state).to.equal('shown');
    });

    it('is kept by pausing a pupil, who reads and writes nothing until then', async () => {
        const { url, ada, ben, cem } = await classOf();
        const mine = await put(ben, url);
        const until = '2036-04-01T12:00:00.000Z';
        const at = `${url}/pupils/${ben.id}/pause`;
        expect((await call(ada, 'PUT', at, { until: '2036-04-01T14:00:00+02:00' })).body.pupil).to.include({ paused_until: until });
        const refused = await call(ben, 'PATCH', mine.at, { title: 'Now' });
        expect([refused.status, refused.body.code]).to.equal([403, 'paused']);
        expect(refused.body.message).to.contain(until);
        for (const [method, path, body] of [['POST', '/users/me/projects', { title: 'x' }], ['DELETE', `${mine.at}${url}`, {}], ['POST', '/users/me/bulk', { actions: [] }], ['PATCH', '/users/me', { about: 'x' }]] as const) {
            expect((await call(ben, method, path, body)).body.code, `${method} ${path}`).to.equal('paused');
        }

        for (const path of [mine.at, url, '/users/me', `${url}/projects`]) {
            expect((await call(ben, 'GET', path)).status, path).to.equal(200);
        }

        const pausesSeenBy = async (who: Actor): Promise<unknown> => (await call(who, 'GET', url)).body.pupils.map((pupil: { paused_until: string | null }) => pupil.paused_until);
        expect([await pausesSeenBy(ada), await pausesSeenBy(ben), await pausesSeenBy(cem)]).to.equal([[until, null], [until, null], [null, null]]);
        expect((await call(ada, 'DELETE', at, {})).body.pupil.paused_until).to.be.null();
        expect((await call(ben, 'PATCH', mine.at, { title: 'Now' })).status).to.equal(200);
        // A time that is over is no pause.
        await call(ada, 'PUT', at, { until: '2020-01-01T00:00:00Z' });
        expect((await call(ben, 'PATCH', mine.at, { title: 'Later' })).status).to.equal(200);
        expect((await call(ada, 'PUT', at, {})).body.code).to.equal('validation_failed');
        expect((await call(ada, 'PUT', `${url}/pupils/${ada.id}/pause`, { until })).status).to.equal(404);
    });

    it('has no pause any more for whoever is not a pupil of it any more, but those of other classes', async () => {
        const until = '2036-04-01T12:00:00Z';
        const write = async (who: Actor): Promise<unknown> => (await call(who, 'POST', '/users/me/projects', { title: 'x' })).body.code ?? 'written';
        const ends: ((made: Awaited<ReturnType<typeof classOf>>) => Promise<Answer>)[] = [
            ({ url, ben }) => call(ben, 'DELETE', `${url}/pupils/${ben.id}`, {}),
            ({ url, ada, ben }) => call(ada, 'DELETE', `${url}/pupils/${ben.id}`, {}),
            ({ url, ada }) => call(ada, 'DELETE', url, {})
        ];
        for (const end of ends) {
            const made = await classOf();
            const { url, ada, ben } = made;
            await call(ada, 'PUT', `${url}/pupils/${ben.id}/pause`, { until });
            expect(await write(ben)).to.equal('paused');
            expect((await end(made)).status).to.equal(200);
            expect(await write(ben)).to.equal('written');
        }

        const [one, other] = [await classOf(), await classOf()];
        await server.database.db.raw(`insert into class_people (class_id, user_id, role) values (?, ?, 'pupil')`, [other.url.slice('/classes/'.length), one.ben.id]);
        for (const { url, ada } of [one, other]) {
            expect((await call(ada, 'PUT', `${url}/pupils/${one.ben.id}/pause`, { until })).status).to.equal(200);
        }

        await call(one.ada, 'DELETE', `${one.url}/pupils/${one.ben.id}/pause`, {});
        expect(await write(one.ben)).to.equal('paused');
        await call(other.ben, 'GET', other.url);
        await server.database.db.raw('update users set teacher = true where id = ?', [one.ben.id]);
        expect((await call(other.ada, 'PUT', `${other.url}/teachers/${one.ben.username}`, {})).status).to.equal(201);
        expect(await write(one.ben)).to.equal('written');
    });

    it('is kept by teachers alone, and for everybody else the class does not exist', async () => {
        const { url, ada, ben, cem } = await classOf();
        const mine = await put(ben, url);
        const requests = [['PATCH', `${url}/projects/${mine.id}`, { state: 'hidden', reason: 'x' }], ['PUT', `${url}/pupils/${ben.id}/pause`, { until: '2036-04-01T12:00:00Z' }], ['DELETE', `${url}/pupils/${ben.id}/pause`, {}]] as const;
        const elsewhere = await classOf();
        for (const [method, path, body] of requests) {
            for (const who of [ben, cem]) {
                expect((await call(who, method, path, body)).status).to.equal(403);
            }

            for (const who of [elsewhere.ada, elsewhere.ben, await cast.actor('moderator')]) {
                expect((await call(who, method, path, body)).status).to.equal(404);
            }
        }

        // By a class of theirs they reach nothing that is not in it.
        expect((await call(elsewhere.ada, 'PATCH', `${elsewhere.url}/projects/${mine.id}`, { state: 'hidden', reason: 'x' })).status).to.equal(404);
        expect((await call(elsewhere.ada, 'PUT', `${elsewhere.url}/pupils/${ben.id}/pause`, { until: '2036-04-01T12:00:00Z' })).status).to.equal(404);
        expect((await call(ada, 'GET', `${mine.at}`)).status).to.equal(200);
    });
});
