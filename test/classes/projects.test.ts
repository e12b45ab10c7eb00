import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_CLASS_PROJECTS, MAX_PROJECT_CLASSES } from '../../src/limits';
import { notOnCluster } from '../support/on-cluster';
import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('projects in a class', () => {
    let server: TestServer;
    let open: TestServer;
    let cast: Cast;

    before(async () => {
        server = await startTestServer();
        open = await startTestServer({ database: server.database, config: { teachers: 'open' } });
        cast = new Cast(server);
    });

    after(async () => {
        expect([...server.faults, ...open.faults]).to.equal([]);
        await open.server.stop();
        await server.stop();
    });

    const call = (who: Pick<Actor, 'token'>, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, { token: who.token });

    interface Made {
        id: string;
        url: string;
        code: string;
        /** who teaches it */
        ada: Actor;
        /** whose account it manages */
        ana: Actor;
        /** who attends it */
        ben: Actor;
    }

    const classOf = async (fields: object = {}): Promise<Made> => {
        const [ada, ana, ben] = [await cast.teacher(), await cast.actor(), await cast.actor()];
        const { body: { class: { id, publish }, code } } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5', ...fields });
        // As a list of names does, without hashing a pass-phrase.
        await server.database.db.raw('update users set managed_by = ?, publish = ? where id = ?', [id, publish, ana.id]);
        await server.database.db.raw(`insert into class_people (class_id, user_id, role, name) values (?, ?, 'pupil', 'Ana')`, [id, ana.id]);
        expect((await call(ben, 'POST', '/classes', { code })).status).to.equal(200);
        return { id, url: `/classes/${id}`, code, ada, ana, ben };
    };

    const projectOf = async (who: Actor, fields: object = {}): Promise<{ id: string; url: string }> => {
        const { body, text } = await call(who, 'POST', '/users/me/projects', { title: 'Mine', visibility: 'private', ...fields });
        expect(body.status, text).to.equal('created');
        return { id: body.project.id, url: `/users/${who.id}/projects/${body.project.id}` };
    };

    const put = (who: Actor, project: { url: string }, one: { id: string }, audience: string): Promise<Answer> => call(who, 'PUT', `${project.url}/classes/${one.id}`, { audience });

    /** Whether each of them can read it. */
    const read = async (project: { url: string }, ...people: Actor[]): Promise<boolean[]> => {
        const found = [];
        for (const who of people) {
            const { status } = await call(who, 'GET', project.url);
            expect([200, 404]).to.include(status);
            found.push(status === 200);
        }

        return found;
    };

    const audiencesOf = async (who: Actor, project: { url: string }): Promise<[string, string][]> => {
        const { body } = await call(who, 'GET', `${project.url}/classes`);
        return body.classes.map(({ id, audience }: { id: string; audience: string }) => [id, audience]);
    };

    it('are read by its teachers, or by all of it, as long as they are in it', async () => {
        const one = await classOf();
        const { ada, ana, ben } = one;
        const eve = await cast.actor();
        const project = await projectOf(ana);
        expect(await read(project, ada, ben, eve)).to.equal([false, false, false]);

        const made = await put(ana, project, one, 'teachers');
        expect(made.status).to.equal(201);
        expect(made.body).to.include({ status: 'created' });
        expect(made.body.class).to.include({ id: one.id, audience: 'teachers' });
        expect(await read(project, ada, ben, eve)).to.equal([true, false, false]);

        const changed = await put(ana, project, one, 'class');
        expect([changed.status, changed.body.status, changed.body.class.audience, changed.body.class.since]).to.equal([200, 'updated', 'class', made.body.class.since]);
        expect(await read(project, ada, ben, eve)).to.equal([true, true, false]);
        expect(await audiencesOf(ana, project)).to.equal([[one.id, 'class']]);

        expect((await call(ana, 'DELETE', `${project.url}/classes/${one.id}`)).body).to.include({ status: 'deleted' });
        expect(await read(project, ada, ben, eve)).to.equal([false, false, false]);
        expect((await call(ana, 'DELETE', `${project.url}/classes/${one.id}`)).status).to.equal(404);
        expect(await audiencesOf(ana, project)).to.equal([]);
    });

    it('show a class what is unlisted, and to pupils only if it is for them', async () => {
        const one = await classOf({ publish: 'everybody' });
        const { ada, ana, ben } = one;
        const titles = async (who: Actor, query = ''): Promise<string[]> => (await call(who, 'GET', `${one.url}/projects${query}`)).body.projects.map(({ title }: { title: string }) => title);
        for (const [title, visibility, audience] of [['a', 'private', 'teachers'], ['b', 'private', 'class'], ['c', 'unlisted', 'teachers'], ['d', 'unlisted', 'class'], ['e', 'public', 'teachers']] as const) {
            expect((await put(ana, await projectOf(ana, { title, visibility }), one, audience)).status).to.equal(201);
        }

        const bens = await projectOf(ben, { title: 'f' });
        await put(ben, bens, one, 'teachers');
        await projectOf(ana, { title: 'not in it', visibility: 'public' });
        expect(await titles(ada)).to.equal(['f', 'e', 'd', 'c', 'b', 'a']);
        expect(await titles(ben)).to.equal(['f', 'e', 'd', 'b']);
        expect(await titles(ana)).to.equal(['e', 'd', 'c', 'b', 'a']);
        expect(await titles(ada, `?pupil=${ben.id}`)).to.equal(['f']);
        expect(await titles(ben, `?pupil=${ana.id}&count=2`)).to.equal(['e', 'd']);
        await call(ben, 'PATCH', bens.url, { title: 'g' });
        const { body, headers } = await call(ada, 'GET', `${one.url}/projects?pupil=${ana.id}&count=3`);
        expect(String(headers.link)).to.contain(`pupil=${ana.id}`);
        expect((await call(ada, 'GET', `${one.url}/projects?pupil=${ana.id}&count=3&after=${body.next}`)).body).to.include({ next: null });
        expect(await titles(ada, `?pupil=${ana.id}&count=3&after=${body.next}`)).to.equal(['b', 'a']);
        await call(ana, 'DELETE', `/users/${ana.id}/projects/${body.projects[0].id}`);
        expect(await titles(ada)).to.equal(['g', 'd', 'c', 'b', 'a']);
        expect((await call(await cast.actor(), 'GET', `${one.url}/projects`)).status).to.equal(404);
    });

    it('are put there by their owners, who are of the class', async () => {
        const one = await classOf();
        const { ada, ana, ben } = one;
        const eve = await cast.actor();
        const project = await projectOf(ben, { visibility: 'public' });
        await call(ben, 'PUT', `${project.url}/members/${eve.username}`, { role: 'editor' });
        for (const who of [ada, ana, eve]) {
            expect((await put(who, project, one, 'class')).body.code).to.equal('forbidden');
            expect((await call(who, 'DELETE', `${project.url}/classes/${one.id}`)).body.code).to.equal('forbidden');
            expect((await call(who, 'GET', `${project.url}/classes`)).body.code).to.equal('forbidden');
        }

        const eves = await projectOf(eve);
        expect((await put(eve, eves, one, 'class')).status).to.equal(404);
        expect((await put(ben, project, { id: '99999999' }, 'class')).status).to.equal(404);
        expect((await put(ben, project, one, 'everybody')).status).to.equal(400);
        // A teacher puts there what pupils begin with.
        const template = await projectOf(ada);
        expect((await put(ada, template, one, 'class')).status).to.equal(201);
        expect(await read(template, ana, ben, eve)).to.equal([true, true, false]);
        expect((await call(ana, 'POST', `${template.url}/remixes`, {})).status).to.equal(201);
    });

    it('are bounded by what the class lets its accounts show, at once', async () => {
        const one = await classOf();
        const { ada, ana, ben } = one;
        const [project, bens] = [await projectOf(ana), await projectOf(ben)];
        await put(ana, project, one, 'class');
        await put(ben, bens, one, 'class');
        expect(await read(project, ada, ben)).to.equal([true, true]);
        await call(ada, 'PATCH', one.url, { publish: 'nobody' });
        expect(await read(project, ada, ben)).to.equal([true, false]);
        expect(await audiencesOf(ana, project)).to.equal([[one.id, 'teachers']]);
        expect((await put(ana, project, one, 'class')).body.code).to.equal('publish_bound');
        expect((await put(ana, project, one, 'teachers')).status).to.equal(200);
        // Of an account that it does not manage, it bounds nothing.
        expect(await read(bens, ada, ana)).to.equal([true, true]);
        await call(ada, 'PATCH', one.url, { publish: 'class' });
        expect(await read(project, ada, ben)).to.equal([true, false]);
        expect((await put(ana, project, one, 'class')).status).to.equal(200);
    });

    it('never win over a class that is tightened at the same time', async () => {
        for (let round = 0; round < 10; ++round) {
            const one = await classOf();
            const projects = [await projectOf(one.ana), await projectOf(one.ana), await projectOf(one.ana)];
            await Promise.all([put(one.ana, projects[0] ?? one, one, 'class'), put(one.ana, projects[1] ?? one, one, 'teachers'), call(one.ada, 'PATCH', one.url, { publish: 'nobody' }), put(one.ana, projects[2] ?? one, one, 'class')]);
            const { rows } = await server.database.db.raw('select audience from class_projects where class_id = ? and audience <> ?', [one.id, 'teachers']);
            expect(rows).to.equal([]);
        }
    });

    it('leave it with their owner, and when it is deleted', async () => {
        const one = await classOf();
        const { ada, ana, ben } = one;
        const fay = await cast.teacher();
        await call(ada, 'PUT', `${one.url}/teachers/${fay.username}`, {});
        const [anas, bens, fays] = [await projectOf(ana), await projectOf(ben), await projectOf(fay)];
        for (const [who, project] of [[ana, anas], [ben, bens], [fay, fays]] as const) {
            await put(who, project, one, 'class');
        }

        await call(ben, 'DELETE', `${one.url}/pupils/${ben.id}`);
        expect([await read(bens, ada, ana), await read(anas, ben)]).to.equal([[false, false], [false]]);
        await call(ada, 'DELETE', `${one.url}/teachers/${fay.username}`);
        expect([await read(fays, ada, ana), await read(anas, fay)]).to.equal([[false, false], [false]]);
        expect([await audiencesOf(ben, bens), await audiencesOf(fay, fays)]).to.equal([[], []]);
        // Whoever comes back finds nothing there.
        await call(ben, 'POST', '/classes', { code: one.code });
        expect(await read(bens, ada)).to.equal([false]);
        expect(await read(anas, ada, ben)).to.equal([true, true]);

        await call(ada, 'DELETE', one.url, {});
        expect(await read(anas, ada, ben)).to.equal([false, false]);
        expect(await audiencesOf(ana, anas)).to.equal([]);
        expect((await put(ana, anas, one, 'teachers')).status).to.equal(404);
    });

    it('are not read by a teacher whose permission has ended, until it is given back', async () => {
        const one = await classOf();
        const { ada, ana, ben } = one;
        const [anas, adas] = [await projectOf(ana), await projectOf(ada)];
        await put(ana, anas, one, 'teachers');
        await put(ada, adas, one, 'class');
        await server.database.db.raw('update users set teacher = false where id = ?', [ada.id]);
        expect(await read(anas, ada)).to.equal([false]);
        expect((await call(ada, 'GET', `${one.url}/projects`)).status).to.equal(404);
        // What she has put there is still hers to show.
        expect(await read(adas, ana, ben)).to.equal([true, true]);
        // With TEACHERS=open she needs no permission, and others teach as well.
        const seen = async (who: Actor): Promise<number[]> => {
            const answers = [];
            for (const url of [anas.url, `${anas.url}/pages`, `${one.url}/projects`, `/projects/${anas.id}`]) {
                answers.push((await open.call('GET', url, undefined, { token: who.token })).status);
            }

            answers.push((await open.call('POST', `/view-project/${anas.id}`, undefined, { token: who.token })).status, (await open.call('POST', `${anas.url}/remixes`, {}, { token: who.token })).status);
            answers.push((await open.call('POST', `/projects/${anas.id}/reports`, { reason: 'spam' }, { token: who.token })).status);
            return answers;
        };

        expect(await seen(ada)).to.equal([200, 200, 200, 200, 200, 201, 201]);
        expect(await seen(ben)).to.equal([404, 404, 200, 404, 404, 404, 404]);
        await server.database.db.raw('update users set teacher = true where id = ?', [ada.id]);
        expect(await read(anas, ada)).to.equal([true]);
    });

    it('are read by a token of some projects only if it is one of them', async () => {
        const one = await classOf();
        const { ada, ana } = one;
        const [anas, other] = [await projectOf(ana), await projectOf(ana)];
        await put(ana, anas, one, 'teachers');
        await put(ana, other, one, 'teachers');
        const { body: { token }, text } = await call(ada, 'POST', '/users/me/tokens', { label: 'A script', scope: ['projects'], projects: [anas.id] });
        expect(token, text).to.exist();
        const limited = { ...ada, token: token.access_token };
        expect((await call(limited, 'GET', anas.url)).status).to.equal(200);
        expect((await call(limited, 'GET', other.url)).status).to.be.above(400);
        expect((await open.call('GET', other.url, undefined, { token: limited.token })).status).to.be.above(400);
        expect((await call(limited, 'GET', `${one.url}/projects`)).body.code).to.equal('outside_token');
    });

    it('are noted for no moderator who teaches the class, and for others', async () => {
        const one = await classOf();
        const anas = await projectOf(one.ana);
        await put(one.ana, anas, one, 'teachers');
        const [mod, other] = [await cast.actor('moderator'), await cast.actor('moderator')];
        await server.database.db.raw('update users set teacher = true where id = ?', [mod.id]);
        await call(one.ada, 'PUT', `${one.url}/teachers/${mod.username}`, {});
        for (const who of [mod, other]) {
            expect((await call(who, 'GET', anas.url)).status).to.equal(200);
        }

        const { rows } = await server.database.db.raw(`select moderator_id::text as id from moderation_log where act = 'read' and thing_id = ?`, [anas.id]);
        expect(rows).to.equal([{ id: other.id }]);
    });

    it('go with a project that is deleted for good, and come back with one that is restored', async () => {
        const one = await classOf();
        const anas = await projectOf(one.ana);
        await put(one.ana, anas, one, 'class');
        const rows = async (): Promise<number> => (await server.database.db.raw('select 1 from class_projects where project_id = ?', [anas.id])).rows.length;
        const entry = async (): Promise<string> => {
            expect((await call(one.ana, 'DELETE', anas.url, {})).status).to.equal(200);
            return (await call(one.ana, 'GET', '/users/me/trash')).body.trash[0].id;
        };

        const first = await entry();
        expect(await read(anas, one.ada, one.ben)).to.equal([false, false]);
        await call(one.ana, 'POST', `/users/me/trash/${first}/restore`, {});
        expect(await read(anas, one.ada, one.ben)).to.equal([true, true]);
        await call(one.ana, 'DELETE', `/users/me/trash/${await entry()}`, {});
        expect(await rows()).to.equal(0);
    });

    it('are no more than a project and a class can have', notOnCluster('it fills tables by SQL of the coordinator'), async () => {
        const { db } = server.database;
        const one = await classOf();
        const [full, next] = [await projectOf(one.ben), await projectOf(one.ben)];
        await db.raw(`
            with c as (insert into classes (title, publish, comments, code) select 'x', 'class', true, lpad(n::text, 12, 'z') from generate_series(1, ?::int) n returning id),
            k as (insert into class_people (class_id, user_id, role) select id, ?::bigint, 'pupil' from c returning class_id) select 1 from k`, [MAX_PROJECT_CLASSES, one.ben.id]);
        await db.raw(`insert into class_projects (class_id, project_id, audience) select class_id, ?, 'teachers' from class_people where user_id = ? and class_id <> ?`, [full.id, one.ben.id, one.id]);
        expect((await put(one.ben, full, one, 'class')).body.code).to.equal('project_class_limit');
        const { rows: [{ id: another }] } = await db.raw('select class_id as id from class_projects where project_id = ? limit 1', [full.id]);
        expect((await put(one.ben, full, { id: another }, 'class')).status).to.equal(200);
        expect((await call(one.ben, 'DELETE', `${full.url}/classes/${another}`)).status).to.equal(200);
        expect((await put(one.ben, full, one, 'class')).status).to.equal(201);

        await db.raw('alter table class_projects disable trigger class_projects_bounded');
        await db.raw(`insert into class_projects (class_id, project_id, audience) select ?, 8000000000 + n, 'class' from generate_series(2, ?::int) n`, [one.id, MAX_CLASS_PROJECTS]);
        await db.raw('alter table class_projects enable trigger class_projects_bounded');
        expect((await put(one.ben, next, one, 'class')).body.code).to.equal('class_full');
        expect((await put(one.ben, full, one, 'teachers')).status).to.equal(200);
        await call(one.ben, 'DELETE', `${full.url}/classes/${one.id}`);
        expect((await put(one.ben, next, one, 'class')).status).to.equal(201);
    });
});
