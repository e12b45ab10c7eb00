import { createHash } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_HAND_INS } from '../../src/limits';
import { purge } from '../../src/operations/maintenance/purge';
import { thinHistory } from '../../src/operations/maintenance/thin';
import { Cast } from '../support/cast';
import { Dice } from '../support/dice';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';
import { unzip } from '../support/unzip';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Random orders that are tried. */
const SEEDS = 3;

interface HandedIn {
    url: string;
    works: string;
    /** the address of the work */
    at: string;
    project: string;
    projectId: string;
    /** the address of the point */
    point: string;
    revision: number;
    ada: Actor;
    ben: Actor;
}

describe('a point that was handed in', () => {
    let server: TestServer;
    let cast: Cast;

    before(async () => {
        // Pages of works have the player in them.
        await build();
        server = await startTestServer();
        cast = new Cast(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const call = (who: Pick<Actor, 'token'> | undefined, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, who && { token: who.token });

    const bytesOf = async (who: Actor, url: string): Promise<{ status: number; bytes: Buffer }> => {
        const { statusCode, rawPayload } = await server.server.inject({ url, headers: { authorization: `token ${who.token}` } });
        return { status: statusCode, bytes: rawPayload };
    };

    const filesOf = async (who: Actor, url: string): Promise<Record<string, string>> => {
        const { status, bytes } = await bytesOf(who, url);
        expect(status).to.equal(200);
        return Object.fromEntries([...await unzip(bytes)].map(([name, content]) => [name, /\.(?:json|html)$/.test(name) ? String(content) : createHash('sha256').update(content).digest('hex')]));
    };

    /** A work of a few pages that was handed in; what the pupil saw, and one page of it. */
    const handedIn = async (join?: (ada: Actor, url: string, code: string) => Promise<Actor>): Promise<HandedIn & { seen: string; page: string; element: string }> => {
        const ada = await cast.teacher();
        const { body: { class: { id }, code } } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5' });
        const url = `/classes/${id}`;
        const ben = join === undefined ? await cast.actor() : await join(ada, url, code);
        if (join === undefined) {
            await call(ben, 'POST', '/classes', { code });
        }

        const { body: { assignment } } = await call(ada, 'POST', `${url}/assignments`, { title: 'A story' });
        const works = `${url}/assignments/${assignment.id}/work`;
        const { body: { work } } = await call(ben, 'POST', works, {});
        const project = `/users/${ben.id}/projects/${work.project_id}`;
        const { body: { page } } = await call(ben, 'POST', `${project}/pages`, { x: 1, y: 0, styles: { color: 'red' } });
        const { body: { element } } = await call(ben, 'POST', `${project}/pages/${page.id}/elements`, { type: 'text', attributes: { text: 'A "wolf" – 狼' } });
        await call(ben, 'PATCH', project, { title: 'The wolf' });
        const { body: { work: done } } = await call(ben, 'PATCH', `${works}/${work.id}`, { state: 'handed_in' });
        const point = `${project}/history/${done.point}`;
        const seen = (await call(ben, 'GET', point)).text;
        return { url, works, at: `${works}/${work.id}`, project, projectId: work.project_id, point, revision: done.point, ada, ben, seen, page: `${project}/pages/${page.id}`, element: `${project}/pages/${page.id}/elements/${element.id}` };
    };

    /** The point, without its author, whose account may have changed. */
    const withoutAuthor = (text: string): unknown => {
        const { project: { author: _author, ...project }, ...rest } = JSON.parse(text);
        return { project, ...rest };
    };

    /** Makes everything old but what was handed in, which says when it was made, and does what maintenance does. */
    const maintain = async (projectId: string): Promise<void> => {
        const { db } = server.database;
        await db.raw(`update project_changes set at = at - interval '3 years' where project_id = ? and label is null`, [projectId]);
        await db.raw(`update pages set deleted_at = deleted_at - interval '3 years' where project_id = ?`, [projectId]);
        await db.raw(`update elements set deleted_at = deleted_at - interval '3 years' where project_id = ?`, [projectId]);
        await db.raw(`update projects set deleted_at = deleted_at - interval '3 years' where id = ?`, [projectId]);
        await thinHistory(db, projectId, { historyDays: 0, historyMaxBytes: 1 });
        await purge(db, 30 * 24 * 3600);
    };

    it('is read by teachers byte for byte as its pupil saw it, after later edits, thinning and the deletion of the project', async () => {
        const { ada, ben, works, project, projectId, point, revision, seen, page, element } = await handedIn();
        const exported = `${project}/export?point=${revision}`;
        const own = (text: string | undefined): unknown => ({ ...JSON.parse(String(text)), origin: null });
        const file = own((await filesOf(ben, exported))['project.json']);
        for (let n = 0; n < 8; ++n) {
            await call(ben, 'PATCH', element, { attributes: { text: `Later ${n}` } });
            await call(ben, 'PATCH', project, { title: `Later ${n}` });
        }

        await call(ben, 'DELETE', page, {});
        expect((await call(ada, 'GET', point)).text).to.equal(seen);
        await maintain(projectId);
        const { rows: [{ points }] } = await server.database.db.raw('select count(*)::int as points from project_changes where project_id = ?', [projectId]);
        expect(points < 5).to.be.true();
        expect((await call(ada, 'GET', point)).text).to.equal(seen);
        expect((await call(ben, 'GET', point)).text).to.equal(seen);
        expect(own((await filesOf(ada, exported))['project.json'])).to.equal(file);

        await call(ben, 'DELETE', project, {});
        expect((await call(ben, 'GET', point)).status).to.equal(404);
        expect((await call(ada, 'GET', point)).text).to.equal(seen);
        await maintain(projectId);
        expect((await call(ada, 'GET', point)).text).to.equal(seen);
        expect(own((await filesOf(ada, exported))['project.json'])).to.equal(file);
        expect((await call(ada, 'HEAD', point)).status).to.equal(200);
        expect((await call(ben, 'POST', works, {})).body.work).to.include({ project_id: projectId, state: 'handed_in', point: revision });
    });

    it('is exported as a project that can be imported', async () => {
        const { ada, project, revision } = await handedIn();
        const { bytes } = await bytesOf(ada, `${project}/export?point=${revision}`);
        const made = await server.server.inject({ method: 'POST', url: '/users/me/imports', payload: bytes, headers: { authorization: `token ${ada.token}`, 'content-type': 'application/zip' } });
        expect(made.statusCode, made.payload).to.equal(201);
        const copy = JSON.parse(made.payload).project;
        expect(copy.title).to.equal('The wolf');
        const { body: { pages } } = await call(ada, 'GET', `/users/${ada.id}/projects/${copy.id}/pages`);
        expect(pages.flatMap(({ elements }: { elements: { attributes: object }[] }) => elements.map(({ attributes }) => attributes))).to.equal([{ text: 'A "wolf" – 狼' }]);
    });

    it('is exported in pieces if it is large', async () => {
        const { ada, ben, at, project, page } = await handedIn();
        await call(ben, 'PATCH', at, { state: 'started' });
        const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(1_500_000));
        for (const text of texts) {
            expect((await call(ben, 'POST', `${page}/elements`, { type: 'text', attributes: { text } })).status).to.equal(201);
        }

        const { body: { work } } = await call(ben, 'PATCH', at, { state: 'handed_in' });
        const { pages } = JSON.parse(String((await filesOf(ada, `${project}/export?point=${work.point}`))['project.json']));
        expect(pages).to.have.length(2);
        expect(pages[1].elements.map(({ attributes }: { attributes: { text: string } }) => attributes.text.length)).to.equal([12, ...texts.map(({ length }) => length)]);
    });

    it('keeps its name and what it shows, whatever its pupil does, also if it is taken back', async () => {
        const { ben, at, project, point, revision, page, element } = await handedIn();
        expect((await call(ben, 'DELETE', `${point}/label`, {})).body.code).to.equal('handed_in');
        expect((await call(ben, 'PUT', `${point}/label`, { label: 'Another name' })).status).to.equal(200);
        const remove = async (thing: string): Promise<unknown> => {
            const [kind, id] = thing.split('/').slice(-2);
            expect((await call(ben, 'DELETE', thing, {})).status).to.equal(200);
            const { body: { trash } } = await call(ben, 'GET', '/users/me/trash');
            const entry = trash.find((one: Answer['body']) => `${one.type}s` === kind && one.thing.id === id);
            const { body } = await call(ben, 'DELETE', `/users/me/trash/${entry.id}`, {});
            if (body.code !== undefined) {
                expect((await call(ben, 'POST', `/users/me/trash/${entry.id}/restore`, {})).status).to.equal(200);
            }

            return body.code ?? body.status;
        };

        expect(await remove(element)).to.equal('handed_in');
        expect(await remove(page)).to.equal('handed_in');
        expect(await remove(project)).to.equal('handed_in');
        // What was made later is not in it.
        const { body: { page: later } } = await call(ben, 'POST', `${project}/pages`, { x: 7, y: 7 });
        expect(await remove(`${project}/pages/${later.id}`)).to.equal('deleted');
        const { body: { element: more } } = await call(ben, 'POST', `${page}/elements`, { type: 'text' });
        expect(await remove(`${page}/elements/${more.id}`)).to.equal('deleted');

        expect((await call(ben, 'PATCH', at, { state: 'started' })).body.work).to.include({ state: 'started', point: null, points: [revision] });
        expect((await call(ben, 'DELETE', `${point}/label`, {})).body.code).to.equal('handed_in');
        expect(await remove(element)).to.equal('handed_in');
        await call(ben, 'PATCH', at, { state: 'handed_in', point: revision });
        expect(await remove(page)).to.equal('handed_in');
        await call(ben, 'PATCH', at, { state: 'started' });
        expect(await remove(project)).to.equal('handed_in');
    });

    it('stays readable if another one is handed in after it was returned', async () => {
        const { ada, ben, at, project, point, seen } = await handedIn();
        await call(ada, 'PATCH', at, { state: 'returned', note: 'More' });
        await call(ben, 'PATCH', project, { title: 'The bear' });
        const { body: { work } } = await call(ben, 'PATCH', at, { state: 'handed_in' });
        expect((await call(ada, 'GET', `${project}/history/${work.point}`)).body.project.title).to.equal('The bear');
        expect(work.points).to.equal([Number(point.split('/').at(-1)), work.point]);
        expect((await call(ada, 'GET', point)).text).to.equal(seen);
        expect((await call(ben, 'DELETE', `${point}/label`, {})).body.code).to.equal('handed_in');
        const { body: { work: back } } = await call(ben, 'PATCH', at, { state: 'started' });
        expect([back.point, back.points, back.handed_in_at]).to.equal([null, work.points, null]);
        expect(back.taken_back_at >= work.handed_in_at).to.be.true();
        expect((await call(ada, 'GET', `${project}/history/${work.point}`)).body.project.title).to.equal('The bear');
        expect((await call(ada, 'GET', point)).text).to.equal(seen);
        expect((await call(ben, 'PATCH', at, { state: 'handed_in' })).body.work).to.include({ points: work.points, taken_back_at: null });
    });

    it('stays, in whatever order points are handed in, taken back, answered and deleted', async () => {
        for (let seed = 1; seed <= SEEDS; ++seed) {
            const dice = new Dice(seed);
            const { ada, ben, works, at, project, revision } = await handedIn();
            const kept = new Set([revision]);
            let last = 1;
            const acts: Record<string, () => Promise<Answer>> = {
                handIn: () => call(ben, 'PATCH', at, { state: 'handed_in' }),
                handInAgain: () => call(ben, 'PATCH', at, { state: 'handed_in', point: dice.pick([...kept]) }),
                takeBack: () => call(ben, 'PATCH', at, { state: 'started' }),
                write: () => call(ben, 'PATCH', project, { title: `Title ${dice.below(1000)}` }),
                answer: () => call(ada, 'PATCH', at, { state: 'returned', note: 'More' }),
                unlabel: () => call(ben, 'DELETE', `${project}/history/${dice.pick([...kept])}/label`, {}),
                delete: () => call(ben, 'DELETE', project, {}),
                restore: async () => {
                    const { body: { trash } } = await call(ben, 'GET', '/users/me/trash');
                    return call(ben, 'POST', `/users/me/trash/${trash[0]?.id ?? 1}/restore`, {});
                },
                purge: async () => {
                    const { body: { trash } } = await call(ben, 'GET', '/users/me/trash');
                    return call(ben, 'DELETE', `/users/me/trash/${trash[0]?.id ?? 1}`, {});
                },
                beginAgain: () => call(ben, 'POST', works, {})
            };
            const done: string[] = [];
            for (let step = 0; step < 16; ++step) {
                const act = String(dice.pick(Object.keys(acts)));
                done.push(`${act} ${(await acts[act]?.())?.status}`);
                const { body: { works: [{ work }] } } = await call(ada, 'GET', works);
                kept.add(work.point ?? revision);
                const about = `seed ${seed}: ${done.join(', ')}`;
                expect(work.points.length >= last, about).to.be.true();
                expect([...work.points].sort(), about).to.equal([...kept].sort());
                expect(work.taken_back_at !== null, about).to.equal(work.state === 'started');
                last = work.points.length;
            }

            for (const point of kept) {
                expect((await call(ada, 'GET', `${project}/history/${point}`)).status).to.equal(200);
            }
        }
    });

    it('is one of at most 100 of a work', async () => {
        const { ben, at, project, revision } = await handedIn();
        await call(ben, 'PATCH', at, { state: 'started' });
        const { db } = server.database;
        const id = String(at.split('/').at(-1));
        await db.raw(`update works set points = points || (select array_agg(1000 + n) from generate_series(2, ?) n) where id = ?`, [MAX_HAND_INS, id]);
        await call(ben, 'PATCH', project, { title: 'Once more' });
        const { status, body } = await call(ben, 'PATCH', at, { state: 'handed_in' });
        expect([status, body.code]).to.equal([409, 'handed_in']);
        expect(body.message).to.contain(`handed in ${MAX_HAND_INS} times`);
        const { points } = (await call(ben, 'PATCH', at, { state: 'handed_in', point: revision })).body.work;
        expect([points.length, points.at(-1)]).to.equal([MAX_HAND_INS, revision]);
    });

    it('is read by the teachers of its class alone, and nothing else of the history', async () => {
        const { url, ada, ben, project, point, revision, seen } = await handedIn();
        const { body: { code } } = await call(ada, 'GET', url);
        const people = { coTeacher: await cast.teacher(), formerTeacher: await cast.teacher(), dismissed: await cast.teacher(), elsewhere: await cast.actor(), classmate: await cast.actor(), formerPupil: await cast.actor(), stranger: await cast.actor() };
        const { body: { code: other } } = await call(people.coTeacher, 'POST', '/users/me/classes', { title: 'Elsewhere' });
        await call(people.elsewhere, 'POST', '/classes', { code: other });
        for (const who of [people.classmate, people.formerPupil]) {
            await call(who, 'POST', '/classes', { code });
        }

        for (const who of [people.coTeacher, people.formerTeacher, people.dismissed]) {
            expect((await call(ada, 'PUT', `${url}/teachers/${who.username}`, {})).status).to.equal(201);
            expect((await call(who, 'GET', point)).text).to.equal(seen);
        }

        await call(ada, 'DELETE', `${url}/pupils/${people.formerPupil.id}`, {});
        await call(ada, 'DELETE', `${url}/teachers/${people.formerTeacher.username}`, {});
        await server.database.db.raw('update users set teacher = false where id = ?', [people.dismissed.id]);
        for (const [role, who] of Object.entries(people)) {
            const mayRead = role === 'coTeacher';
            expect((await call(who, 'GET', point)).status, role).to.equal(mayRead ? 200 : 404);
            expect((await bytesOf(who, `${project}/export?point=${revision}`)).status, role).to.equal(mayRead ? 200 : 404);
        }

        expect((await call(undefined, 'GET', point)).status).to.equal(401);
        expect((await call(undefined, 'GET', `${project}/export?point=${revision}`)).status).to.equal(401);
        const moderator = await cast.actor('moderator');
        expect((await call(moderator, 'GET', point)).text).to.equal(seen);
        expect((await bytesOf(moderator, `${project}/export?point=${revision}`)).status).to.equal(200);
        const { rows: [{ noted }] } = await server.database.db.raw(`select count(*)::int as noted from moderation_log where moderator_id = ? and act = 'read_history'`, [moderator.id]);
        expect(noted).to.equal(1);

        await call(ben, 'PATCH', project, { title: 'Later' });
        for (const path of [`/history/${revision - 1}`, `/history/${revision + 1}`, '/history', `/history/${revision}/restore`, '/history/99999999999']) {
            const { status } = await call(ada, path.endsWith('restore') ? 'POST' : 'GET', `${project}${path}`, path.endsWith('restore') ? {} : undefined);
            expect([400, 403, 404], path).to.include(status);
        }

        for (const at of [revision - 1, revision + 1]) {
            expect([403, 404]).to.include((await bytesOf(ada, `${project}/export?point=${at}`)).status);
        }

        expect((await call(ben, 'GET', `${project}/export?point=1&history=true`)).body.code).to.equal('validation_failed');
        expect((await call(ben, 'GET', `${project}/export?point=9999`)).body.details[0]).to.include({ path: 'point' });
        // The address has to be right.
        expect((await call(ada, 'GET', point.replace(`/users/${ben.id}/`, `/users/${ada.id}/`))).status).to.equal(404);
    });

    it('is read by whoever teaches the class because everybody can', async () => {
        const { ada, ben, project, point, revision, seen } = await handedIn();
        const open = await startTestServer({ database: { ...server.database, drop: () => Promise.resolve() }, config: { teachers: 'open' } });
        try {
            await server.database.db.raw('update users set teacher = false where id = ?', [ada.id]);
            expect((await call(ada, 'GET', point)).status).to.equal(404);
            expect((await open.call('GET', point, undefined, { token: ada.token })).text).to.equal(seen);
            expect((await open.call('GET', `${project}/export?point=${revision}`, undefined, { token: ada.token })).status).to.equal(200);
            expect((await open.call('GET', point, undefined, { token: (await cast.actor()).token })).status).to.equal(404);
            expect((await open.call('GET', point, undefined, { token: ben.token })).text).to.equal(seen);
        }
        finally {
            await open.stop();
        }
    });

    it('is not read by teachers while moderators hold the project, or after they have removed it', async () => {
        const { url, ada, ben, works, project, projectId, point } = await handedIn();
        const moderator = await cast.actor('moderator');
        await call(moderator, 'PUT', `/moderation/projects/${projectId}/hold`, { reason: 'A reason' });
        expect((await call(ada, 'GET', point)).status).to.equal(404);
        expect(Object.keys(await filesOf(ada, `${url}/takeout`))).to.equal(['class.json', 'people.json', 'assignments.json', 'index.html']);
        await call(moderator, 'DELETE', `/moderation/projects/${projectId}/hold`, {});
        expect((await call(ada, 'GET', point)).status).to.equal(200);
        await call(moderator, 'DELETE', project, {});
        expect((await call(ada, 'GET', point)).status).to.equal(404);
        const { body: { trash: [entry] } } = await call(moderator, 'GET', `/users/${ben.id}/trash`);
        expect((await call(moderator, 'DELETE', `/users/${ben.id}/trash/${entry.id}`, {})).status).to.equal(200);
        expect((await call(ada, 'GET', works)).body.works[0].work).to.include({ state: 'handed_in', point: null, withdrawn: true });
        expect((await call(ada, 'PATCH', `${works}/${(await call(ada, 'GET', works)).body.works[0].work.id}`, { state: 'accepted' })).body.code).to.equal('not_handed_in');
    });

    it('stays with the class if its pupil leaves it or closes the account, until that is purged', async () => {
        const { url, ada, ben, works, point, seen } = await handedIn();
        expect((await call(ben, 'DELETE', `${url}/pupils/${ben.id}`, {})).status).to.equal(200);
        expect((await call(ada, 'GET', works)).body.works[0].pupil).to.equal({ user: { id: ben.id, username: ben.username }, name: null });
        expect((await call(ada, 'GET', point)).text).to.equal(seen);
        expect((await call(ben, 'DELETE', `${point}/label`, {})).body.code).to.equal('handed_in');

        const other = await handedIn();
        await call(other.ada, 'PATCH', `${other.url}/pupils/${other.ben.id}`, { name: 'Ben B.' });
        await call(other.ada, 'PATCH', other.at, { state: 'returned', note: 'Good' });
        expect((await call(other.ben, 'DELETE', `/users/${other.ben.id}`, {})).status).to.equal(200);
        expect((await call(other.ada, 'GET', other.works)).body.works).to.have.length(1);
        expect((await call(other.ada, 'GET', other.works)).body.works[0].pupil.name).to.equal('Ben B.');
        expect(withoutAuthor((await call(other.ada, 'GET', other.point)).text)).to.equal(withoutAuthor(other.seen));

        const { db } = server.database;
        await db.raw(`update users set deleted_at = deleted_at - interval '3 years' where id = ?`, [other.ben.id]);
        await purge(db, 30 * 24 * 3600);
        const { body: { works: [{ pupil, work }] } } = await call(other.ada, 'GET', other.works);
        expect(pupil).to.be.null();
        expect(work).to.include({ user_id: null, project_id: null, state: 'returned', point: null, handed_in_at: null, note: '', withdrawn: true });
        expect((await call(other.ada, 'GET', other.point)).status).to.equal(404);
        expect((await db.raw('select from projects where id = ?', [other.projectId])).rows).to.have.length(0);
    });

    it('of an account that the class manages goes when the account does', async () => {
        const { url, ada, ben, works, point, seen, projectId } = await handedIn(async (who, at) => {
            const { body: { pupils: [{ user }] } } = await call(who, 'POST', `${at}/pupils`, { names: ['Ana S.'] });
            return { ...user, token: await cast.token(user.id) };
        });
        expect((await call(ada, 'DELETE', `${url}/pupils/${ben.id}?account=remove`, {})).status).to.equal(200);
        expect(withoutAuthor((await call(ada, 'GET', point)).text)).to.equal(withoutAuthor(seen));
        expect((await call(ada, 'GET', works)).body.works[0]).to.include({ pupil: { user: { id: ben.id, username: ben.username }, name: 'Ana S.' } });
        expect((await call(ada, 'DELETE', `${url}?accounts=remove`, {})).status).to.equal(200);
        expect((await call(ada, 'GET', point)).status).to.equal(404);

        const { db } = server.database;
        await db.raw(`update classes set deleted_at = deleted_at - interval '3 years' where id = ?`, [url.slice('/classes/'.length)]);
        await purge(db, 30 * 24 * 3600);
        expect((await db.raw('select from works where project_id = ?', [projectId])).rows).to.have.length(0);
    });

    it('is purged with its project once the class is gone for good', async () => {
        const { url, ada, ben, project, projectId } = await handedIn();
        await call(ben, 'DELETE', project, {});
        await call(ada, 'DELETE', url, {});
        await maintain(projectId);
        const { db } = server.database;
        expect((await db.raw('select from projects where id = ?', [projectId])).rows).to.have.length(1);
        await db.raw(`update classes set deleted_at = deleted_at - interval '3 years' where id = ?`, [url.slice('/classes/'.length)]);
        await purge(db, 30 * 24 * 3600);
        await purge(db, 30 * 24 * 3600);
        expect((await db.raw('select from projects where id = ?', [projectId])).rows).to.have.length(0);
    });

    it('is in the takeout of its class, with all other works and the people', async () => {
        const { url, ada, ben, at, project, revision, works } = await handedIn();
        await call(ben, 'PATCH', project, { title: 'Later' });
        await call(ada, 'PATCH', `${url}/pupils/${ben.id}`, { name: 'Ben B.' });
        const { body: { project: open } } = await call(ben, 'POST', '/users/me/projects', { title: 'Open to all', visibility: 'public' });
        await server.database.db.raw(`insert into class_projects (class_id, project_id, audience) values (?, ?, 'class')`, [url.slice('/classes/'.length), open.id]);
        const files = await filesOf(ada, `${url}/takeout`);
        const id = at.split('/').at(-1);
        expect(Object.keys(files)).to.include(['class.json', 'people.json', 'assignments.json', `works/${id}.zip`, `projects/${open.id}.zip`]);
        // It opens for a person: every pupil's works as pages, as they were handed in.
        const index = String(files['index.html']);
        expect(index).to.contain('<h2 dir="auto">Ben B.</h2>');
        for (const [, link = ''] of index.matchAll(/href="([^"]*)"/g)) {
            expect(Object.keys(files)).to.include([link]);
        }

        expect(index).to.contain([`href="works/${id}.html"`, `href="projects/${open.id}.html"`]);
        expect(String(files[`works/${id}.html`])).to.contain(['<title>A story</title>', '"title":"The wolf"']).and.to.not.contain('Later');
        expect(Object.keys(await filesOf(ada, `${url}/takeout?pupil=${ben.id}`)).sort()).to.equal(['index.html', ...[`works/${id}`, `projects/${open.id}`, `projects/${project.split('/').at(-1)}`].flatMap((file) => [`${file}.html`, `${file}.zip`])].sort());
        expect(Object.keys(await filesOf(ada, `${url}/takeout?pupil=${ada.id}`))).to.equal(['index.html']);
        expect(JSON.parse(String(files['class.json']))).to.include({ format: 'pagewright-class', version: 1 });
        expect(JSON.parse(String(files['people.json'])).people.map(({ role, name }: { role: string; name: string | null }) => [role, name])).to.equal([['teacher', null], ['pupil', 'Ben B.']]);
        const { assignments: [{ assignment, works: [{ pupil, work }] }] } = JSON.parse(String(files['assignments.json']));
        expect([assignment.title, pupil.name, work.point]).to.equal(['A story', 'Ben B.', revision]);
        expect(work).to.equal((await call(ada, 'GET', works)).body.works[0].work);

        const { bytes } = await bytesOf(ada, `${url}/takeout`);
        const inner = await unzip((await unzip(bytes)).get(`works/${id}.zip`) ?? Buffer.alloc(0));
        expect(JSON.parse(String(inner.get('project.json'))).project.title).to.equal('The wolf');
        expect((await bytesOf(ben, `${url}/takeout`)).status).to.equal(403);
        expect((await bytesOf(await cast.actor('moderator'), `${url}/takeout`)).status).to.equal(404);
    });
});
