import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_ASSIGNMENTS, MAX_ASSIGNMENT_TEXT, MAX_ASSIGNMENT_TITLE, MAX_NOTE } from '../../src/limits';
import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('assignments and works', () => {
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

    const call = (who: Pick<Actor, 'token'>, method: string, url: string, body?: unknown, headers = {}): Promise<Answer> => server.call(method, url, body, { token: who.token, headers });

    /** A class with its teacher and two pupils. */
    const classOf = async (): Promise<{ url: string; ada: Actor; ben: Actor; cem: Actor }> => {
        const [ada, ben, cem] = [await cast.teacher(), await cast.actor(), await cast.actor()];
        const { body } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5' });
        for (const who of [ben, cem]) {
            expect((await call(who, 'POST', '/classes', { code: body.code })).status).to.equal(200);
        }

        return { url: `/classes/${body.class.id}`, ada, ben, cem };
    };

    /** An assignment, with the address of its works. */
    const assignmentOf = async (ada: Actor, url: string, fields: object = {}): Promise<{ at: string; works: string; id: string }> => {
        const { status, body, text } = await call(ada, 'POST', `${url}/assignments`, { title: 'A story', ...fields });
        expect(status, text).to.equal(201);
        const at = `${url}/assignments/${body.assignment.id}`;
        return { at, works: `${at}/work`, id: body.assignment.id };
    };

    const begin = async (who: Actor, works: string): Promise<{ at: string; project: string; id: string }> => {
        const { status, body: { work }, text } = await call(who, 'POST', works, {});
        expect(status, text).to.equal(201);
        return { at: `${works}/${work.id}`, project: `/users/${who.id}/projects/${work.project_id}`, id: work.id };
    };

    it('are given by teachers, changed and deleted by them, and read by all of the class', async () => {
        const { url, ada, ben } = await classOf();
        const made = await call(ada, 'POST', `${url}/assignments`, { title: 'A story', due_at: '2036-04-01T14:00:00+02:00' });
        const { assignment } = made.body;
        expect(made.status).to.equal(201);
        expect(made.headers.location).to.equal(`${url}/assignments/${assignment.id}`);
        expect(assignment).to.include({ class_id: url.slice('/classes/'.length), title: 'A story', text: '', template: null, due_at: '2036-04-01T12:00:00.000Z', revision: 1 });
        await assignmentOf(ada, url, { title: 'Another' });

        const { body: { assignments } } = await call(ben, 'GET', `${url}/assignments`);
        expect(assignments.map((one: { assignment: { title: string }; work: null }) => [one.assignment.title, one.work])).to.equal([['Another', null], ['A story', null]]);
        expect((await call(ada, 'GET', `${url}/assignments`)).body.assignments[1]).to.equal({ assignment, more: false, counts: { started: 0, handed_in: 0, returned: 0, accepted: 0, late: 0 } });

        const at = `${url}/assignments/${assignment.id}`;
        expect((await call(ben, 'POST', `${url}/assignments`, { title: 'Mine' })).body.code).to.equal('forbidden');
        expect((await call(ben, 'PATCH', at, { title: 'Mine' })).body.code).to.equal('forbidden');
        expect((await call(ben, 'DELETE', at, {})).body.code).to.equal('forbidden');
        expect((await call(ada, 'PATCH', at, { text: 'Three pages', due_at: null, revision: 1 })).body.assignment).to.include({ title: 'A story', text: 'Three pages', due_at: null, revision: 2 });
        expect((await call(ada, 'PATCH', at, { title: 'A tale' }, { 'if-match': '"2"' })).body.assignment).to.include({ title: 'A tale', text: 'Three pages', revision: 3 });
        const conflict = await call(ada, 'PATCH', at, { text: 'Four pages', revision: 1 });
        expect([conflict.status, conflict.body.code, conflict.body.current.text]).to.equal([409, 'revision_conflict', 'Three pages']);
        expect((await call(ada, 'PATCH', at, { text: 'Four pages' }, { 'if-match': '"1"' })).status).to.equal(412);
        expect((await call(ada, 'DELETE', at, { revision: 3 })).body.assignment.id).to.equal(assignment.id);
        expect((await call(ada, 'PATCH', at, { text: 'Four pages' })).body.code).to.equal('not_found');
        expect((await call(ada, 'GET', `${at}/work`)).body.code).to.equal('not_found');
        expect((await call(ben, 'POST', `${at}/work`, {})).body.code).to.equal('not_found');
        expect((await call(ben, 'GET', `${url}/assignments`)).body.assignments).to.have.length(1);
    });

    it('are within their limits', async () => {
        const { url, ada, ben } = await classOf();
        for (const fields of [{ title: '' }, { title: 'x'.repeat(MAX_ASSIGNMENT_TITLE + 1) }, { title: 'a\nb' }, { title: 'a', text: 'x'.repeat(MAX_ASSIGNMENT_TEXT + 1) }, { title: 'a', due_at: 'tomorrow' }, { title: 'a', due_at: '2035-02-29T00:00:00Z' }, { title: 'a', template: null }]) {
            expect((await call(ada, 'POST', `${url}/assignments`, fields)).body.code, JSON.stringify(fields).slice(0, 80)).to.equal('validation_failed');
        }

        const { works, at } = await assignmentOf(ada, url, { title: 'x'.repeat(MAX_ASSIGNMENT_TITLE), text: 'x'.repeat(MAX_ASSIGNMENT_TEXT) });
        const work = await begin(ben, works);
        expect((await call(ben, 'PATCH', work.at, { state: 'handed_in' })).status).to.equal(200);
        expect((await call(ada, 'PATCH', work.at, { state: 'returned', note: 'x'.repeat(MAX_NOTE + 1) })).body.code).to.equal('validation_failed');
        expect((await call(ada, 'PATCH', work.at, { state: 'returned', note: 'x'.repeat(MAX_NOTE) })).status).to.equal(200);

        await server.database.db.raw(`insert into assignments (class_id, title, text) select ?, 'x', '' from generate_series(1, ${MAX_ASSIGNMENTS - 1})`, [url.slice('/classes/'.length)]);
        expect((await call(ada, 'POST', `${url}/assignments`, { title: 'One more' })).body.code).to.equal('assignment_limit');
        expect((await call(ada, 'DELETE', at, {})).status).to.equal(200);
        const both = await Promise.all([1, 2].map(() => call(ada, 'POST', `${url}/assignments`, { title: 'One more' })));
        expect(both.map(({ status }) => status).sort()).to.equal([201, 409]);
    });

    it('do not begin with a template of a teacher who has left, or may not teach any more', async () => {
        const { url, ada, ben, cem } = await classOf();
        const cot = await cast.teacher();
        const teaching = `${url}/teachers/${cot.username}`;
        expect((await call(ada, 'PUT', teaching, {})).status).to.equal(201);
        const { body: { project: template } } = await call(cot, 'POST', '/users/me/projects', { title: 'Frame' });
        const { works } = await assignmentOf(cot, url, { template: template.id });
        const letTeach = (may: boolean): Promise<unknown> => server.database.db.raw('update users set teacher = ? where id = ?', [may, cot.id]);
        const refused = async (): Promise<string> => {
            const { status, body } = await call(ben, 'POST', works, {});
            return `${status} ${body.code}: ${body.message}`;
        };

        await letTeach(false);
        expect(await refused()).to.match(/^404 not_found: .*has left the class/);
        await letTeach(true);
        await begin(cem, works);
        expect((await call(ada, 'DELETE', teaching, {})).status).to.equal(200);
        expect(await refused()).to.match(/^404 not_found: .*has left the class/);
        expect((await call(ada, 'PUT', teaching, {})).status).to.equal(201);
        await begin(ben, works);
    });

    it('begin with a private copy of the template, which the teachers of the class read, or empty', async () => {
        const { url, ada, ben, cem } = await classOf();
        const { body: { project: template, page } } = await call(ada, 'POST', '/users/me/projects', { title: 'Frame', visibility: 'private' });
        await call(ada, 'POST', `/users/${ada.id}/projects/${template.id}/pages/${page.id}/elements`, { type: 'text', attributes: { text: 'Once upon a time' } });
        const { at, works } = await assignmentOf(ada, url, { template: template.id });
        expect((await call(ben, 'GET', `/users/${ada.id}/projects/${template.id}`)).status).to.equal(404);

        const { status, body: { work } } = await call(ben, 'POST', works, {});
        expect(status).to.equal(201);
        expect(work).to.include({ user_id: ben.id, state: 'started', point: null, handed_in_at: null, late: false, note: '', withdrawn: false, revision: 1 });
        const project = `/users/${ben.id}/projects/${work.project_id}`;
        expect((await call(ben, 'GET', project)).body.project).to.include({ title: 'A story', visibility: 'private', remixed_from: template.id });
        expect((await call(ben, 'GET', `${project}/pages`)).body.pages[0].elements[0].attributes).to.equal({ text: 'Once upon a time' });
        expect((await call(cem, 'GET', project)).status).to.equal(404);
        const { rows } = await server.database.db.raw('select audience from class_projects where project_id = ?', [work.project_id]);
        expect(rows).to.equal([{ audience: 'teachers' }]);

        expect(await call(ben, 'POST', works, {})).to.include({ status: 200, body: { status: 'success', work } });
        expect((await call(ada, 'POST', works, {})).body.code).to.equal('forbidden');
        expect((await call(ada, 'PATCH', at, { template: null })).body.assignment.template).to.be.null();
        const empty = await begin(cem, works);
        expect((await call(cem, 'GET', empty.project)).body.project).to.include({ title: 'A story', visibility: 'private', remixed_from: null });
        expect((await call(cem, 'GET', `${empty.project}/pages`)).body.pages).to.have.length(1);
    });

    it('begin once, also if a pupil begins several times at once, and anew if the project was deleted', async () => {
        const { url, ada, ben } = await classOf();
        const { works } = await assignmentOf(ada, url);
        const answers = await Promise.all(Array.from({ length: 6 }, () => call(ben, 'POST', works, {})));
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 200, 200, 200, 200, 201]);
        expect(new Set(answers.map(({ body: { work } }) => `${work.id} ${work.project_id}`)).size).to.equal(1);
        expect((await call(ben, 'GET', '/users/me/projects?visibility=all')).body.projects).to.have.length(1);

        const [{ body: { work } }] = answers as [Answer];
        await call(ben, 'DELETE', `/users/${ben.id}/projects/${work.project_id}`, {});
        const again = await call(ben, 'POST', works, {});
        expect([again.status, again.body.work.id]).to.equal([201, work.id]);
        expect(again.body.work.project_id).to.not.equal(work.project_id);
    });

    it('are there for the people of the class alone', async () => {
        const { url, ada, ben, cem } = await classOf();
        const { at, works, id } = await assignmentOf(ada, url);
        const work = await begin(ben, works);
        const moderator = await cast.actor('moderator');
        const [former, formerTeacher, coTeacher] = [await cast.actor(), await cast.teacher(), await cast.teacher()];
        await call(former, 'POST', '/classes', { code: (await call(ada, 'GET', url)).body.code });
        for (const who of [formerTeacher, coTeacher]) {
            await call(ada, 'PUT', `${url}/teachers/${who.username}`, {});
        }

        await call(former, 'DELETE', `${url}/pupils/${former.id}`, {});
        await call(ada, 'DELETE', `${url}/teachers/${formerTeacher.username}`, {});
        const elsewhere = await classOf();
        const requests: [method: string, path: string, body?: object][] = [
            ['GET', '/assignments'], ['POST', '/assignments', { title: 'x' }], ['PATCH', `/assignments/${id}`, { title: 'x' }], ['DELETE', `/assignments/${id}`, {}], ['POST', `/assignments/${id}/work`, {}],
            ['GET', `/assignments/${id}/work`], ['PATCH', `/assignments/${id}/work/${work.id}`, { state: 'handed_in' }], ['PATCH', `/assignments/${id}/work/${work.id}`, { state: 'returned' }], ['GET', '/takeout']
        ];
        const shape = async (who: Actor, method: string, path: string, body?: object): Promise<string> => {
            const { status, body: { request_id: _id, ...rest } } = await call(who, method, path, body);
            return JSON.stringify([status, rest]);
        };

        for (const who of [elsewhere.ben, elsewhere.ada, former, formerTeacher, moderator]) {
            for (const [method, path, body] of requests) {
                expect((await call(who, method, url + path, body)).status, `${method} ${path}`).to.equal(404);
                expect(await shape(who, method, url + path, body)).to.equal(await shape(who, method, `/classes/999999${path}`, body));
            }
        }

        for (const [method, path, body] of requests) {
            expect((await server.call(method, url + path, body)).status, `${method} ${path}`).to.equal(401);
        }

        // By another class of theirs, nobody finds it either.
        for (const [method, path, body] of requests.filter(([, one]) => one.includes(id))) {
            expect((await call(elsewhere.ada, method, elsewhere.url + path, body)).status, `${method} ${path}`).to.equal(path.endsWith('/work') && method === 'POST' ? 403 : 404);
        }

        expect((await call(cem, 'PATCH', work.at, { state: 'handed_in' })).body.code).to.equal('not_found');
        expect((await call(cem, 'GET', works)).text).to.not.contain(`"${ben.id}"`);
        expect((await call(coTeacher, 'PATCH', at, { text: 'Ours' })).status).to.equal(200);
        expect((await call(coTeacher, 'GET', works)).body.works).to.have.length(2);
    });

    it('do not hand out what the teacher cannot read, or no longer, or what moderators hold', async () => {
        const { url, ada, ben, cem } = await classOf();
        const { body: { project: hidden } } = await call(cem, 'POST', '/users/me/projects', { title: 'Hidden', visibility: 'private' });
        const hiddenAt = `/users/${cem.id}/projects/${hidden.id}`;
        const { works, at } = await assignmentOf(ada, url);
        for (const template of [hidden.id, '999999999']) {
            expect((await call(ada, 'PATCH', at, { template })).body.code).to.equal('not_found');
            expect((await call(ada, 'POST', `${url}/assignments`, { title: 'x', template })).body.code).to.equal('not_found');
        }

        // A moderator reads it, and hands it out no more for that.
        await server.database.db.raw('update users set moderator = true where id = ?', [ada.id]);
        expect((await call(ada, 'PATCH', at, { template: hidden.id })).body.code).to.equal('not_found');
        await call(cem, 'PUT', `${hiddenAt}/members/${ada.username}`, { role: 'viewer' });
        expect((await call(ada, 'PATCH', at, { template: hidden.id })).status).to.equal(200);
        await call(cem, 'DELETE', `${hiddenAt}/members/${ada.username}`, {});
        expect((await call(ben, 'POST', works, {})).body.code).to.equal('not_found');
        expect((await call(ada, 'GET', works)).body.works.map(({ work }: { work: null }) => work)).to.equal([null, null]);

        const moderator = await cast.actor('moderator');
        const { body: { project: own } } = await call(ada, 'POST', '/users/me/projects', { title: 'Own' });
        await call(ada, 'PATCH', at, { template: own.id });
        await call(moderator, 'PUT', `/moderation/projects/${own.id}/hold`, { reason: 'A reason' });
        expect((await call(ben, 'POST', works, {})).body.code).to.equal('held');
        await call(moderator, 'DELETE', `/moderation/projects/${own.id}/hold`, {});
        expect((await call(ben, 'POST', works, {})).status).to.equal(201);
    });

    it('are handed in, taken back, returned with a note, handed in again and accepted', async () => {
        const { url, ada, ben, cem } = await classOf();
        const { works, at: assignment } = await assignmentOf(ada, url);
        const { at, project, id } = await begin(ben, works);
        const patch = async (who: Actor, body: object): Promise<unknown> => {
            const answer = await call(who, 'PATCH', at, body);
            return answer.body.code ?? [answer.body.work.state, answer.body.work.point];
        };

        const write = (title: string): Promise<Answer> => call(ben, 'PATCH', project, { title });
        expect(await patch(ada, { state: 'returned' })).to.equal('not_handed_in');
        expect(await patch(ben, { state: 'started' })).to.equal(['started', null]);
        await write('First');
        expect(await patch(ben, { state: 'handed_in' })).to.equal(['handed_in', 2]);
        expect(await patch(ben, { state: 'handed_in' })).to.equal(['handed_in', 2]);
        expect((await call(ben, 'GET', `${project}/history`)).body.changes[0].label).to.equal('Handed in');
        await write('Second');
        expect(await patch(ben, { state: 'handed_in' })).to.equal('handed_in');
        expect(await patch(ben, { state: 'handed_in', point: 2 })).to.equal(['handed_in', 2]);
        expect(await patch(ben, { state: 'started' })).to.equal(['started', null]);
        expect((await call(ben, 'PATCH', at, { state: 'handed_in', point: 9 })).body.details).to.equal([{ path: 'point', message: '"point" must be at most 3, the present one' }]);
        await call(ben, 'PUT', `${project}/history/3/label`, { label: 'My own' });
        expect(await patch(ben, { state: 'handed_in' })).to.equal(['handed_in', 3]);
        expect((await call(ben, 'GET', `${project}/history`)).body.changes[0].label).to.equal('My own');

        for (const body of [{ state: 'returned' }, { state: 'accepted' }, { state: 'handed_in', note: 'Good' }]) {
            expect(await patch(ben, body)).to.equal('forbidden');
        }

        for (const state of ['started', 'handed_in']) {
            expect(await patch(ada, { state })).to.equal('forbidden');
        }

        expect(await patch(cem, { state: 'handed_in' })).to.equal('not_found');
        expect(await patch(ada, { state: 'returned', note: 'More of it' })).to.equal(['returned', 3]);
        expect(await patch(ben, { state: 'started' })).to.equal('handed_in');
        expect((await call(ben, 'GET', `${url}/assignments`)).body.assignments[0].work).to.include({ id, state: 'returned', note: 'More of it' });
        await write('Third');
        expect(await patch(ben, { state: 'handed_in' })).to.equal(['handed_in', 4]);
        expect(await patch(ada, { state: 'accepted' })).to.equal(['accepted', 4]);
        expect(await patch(ben, { state: 'handed_in' })).to.equal('handed_in');
        expect(await patch(ben, { state: 'started' })).to.equal('handed_in');
        const { body: { works: listed } } = await call(ada, 'GET', works);
        expect(listed.map(({ pupil, work }: { pupil: { user: object }; work: object | null }) => [pupil.user, work === null])).to.equal([[{ id: ben.id, username: ben.username }, false], [{ id: cem.id, username: cem.username }, true]]);
        expect(listed[0].work).to.include({ state: 'accepted', note: 'More of it', late: false });
        expect((await call(cem, 'GET', works)).body.works).to.equal([{ pupil: { user: { id: cem.id, username: cem.username }, name: null }, work: null }]);
        expect((await call(ada, 'GET', `${url}/assignments`)).body.assignments[0].counts).to.include({ accepted: 1, handed_in: 0 });

        // A stated revision is that of the work.
        expect((await call(ada, 'PATCH', at, { state: 'returned', revision: 1 })).body).to.include({ statusCode: 409, code: 'revision_conflict' });
        expect((await call(ada, 'DELETE', assignment, {})).status).to.equal(200);
        expect(await patch(ada, { state: 'returned' })).to.equal('not_found');
    });

    it('say exactly what is late, by the time of the database, and follow a new time', async () => {
        const { url, ada, ben } = await classOf();
        const { works, at: assignment } = await assignmentOf(ada, url);
        const { at } = await begin(ben, works);
        const { body: { work } } = await call(ben, 'PATCH', at, { state: 'handed_in' });
        const late = async (due: string | null): Promise<unknown> => {
            await call(ada, 'PATCH', assignment, { due_at: due });
            const counts = (await call(ada, 'GET', `${url}/assignments`)).body.assignments[0].counts.late;
            const shown = (await call(ben, 'GET', works)).body.works[0].work.late;
            return counts === Number(shown) && shown;
        };

        const time = Date.parse(work.handed_in_at);
        expect(await late(work.handed_in_at)).to.be.false();
        expect(await late(new Date(time - 1).toISOString())).to.be.true();
        expect(await late(new Date(time + 1).toISOString())).to.be.false();
        expect(await late(null)).to.be.false();
    });

    it('are handed in once, also if a pupil hands in several times at once, or goes on writing', async () => {
        const { url, ada, ben } = await classOf();
        const { works } = await assignmentOf(ada, url);
        const { at, project } = await begin(ben, works);
        const answers = await Promise.all(Array.from({ length: 6 }, () => call(ben, 'PATCH', at, { state: 'handed_in' })));
        expect(answers.map(({ status }) => status)).to.equal(Array(6).fill(200));
        expect(new Set(answers.map(({ body: { work } }) => JSON.stringify(work))).size).to.equal(1);
        expect(answers[0]?.body.work.revision).to.equal(2);

        for (let round = 0; round < 5; ++round) {
            await call(ben, 'PATCH', at, { state: 'started' });
            const [{ body: { work } }] = await Promise.all([call(ben, 'PATCH', at, { state: 'handed_in' }), ...Array.from({ length: 4 }, (_one, n) => call(ben, 'PATCH', project, { title: `${round} ${n}` }))]) as [Answer, ...Answer[]];
            const { body: { changes } } = await call(ben, 'GET', `${project}/history?count=20`);
            const edits: { revision: number; at: string }[] = changes;
            expect(edits.filter(({ revision }) => revision <= work.point).every((edit) => edit.at <= work.handed_in_at)).to.be.true();
            expect(edits.find(({ revision }) => revision === work.point)).to.include({ label: 'Handed in' });
        }
    });

    it('of a deleted project cannot be handed in, and of one that is deleted for good are withdrawn', async () => {
        const { url, ada, ben } = await classOf();
        const { works } = await assignmentOf(ada, url);
        const { at, project } = await begin(ben, works);
        await call(ben, 'DELETE', project, {});
        expect((await call(ben, 'PATCH', at, { state: 'handed_in' })).body.code).to.equal('not_found');
        const { body: { trash: [entry] } } = await call(ben, 'GET', '/users/me/trash');
        expect((await call(ben, 'DELETE', `/users/me/trash/${entry.id}`, {})).status).to.equal(200);
        expect((await call(ben, 'GET', works)).body.works[0].work).to.include({ project_id: null, withdrawn: true, state: 'started' });
        expect((await call(ben, 'PATCH', at, { state: 'handed_in' })).body.code).to.equal('not_found');
        expect((await call(ben, 'POST', works, {})).body.work).to.include({ withdrawn: false, state: 'started' });
    });
});
