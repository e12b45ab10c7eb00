import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_CLASSES, MAX_CLASS_TITLE, MAX_PUPILS, MAX_PUPIL_NAME, MAX_TEACHERS } from '../../src/limits';
import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('classes', () => {
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

    const call = (who: Actor, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, { token: who.token });

    /** A class with its teacher and a pupil, who has joined by its code. */
    const classOf = async (fields: object = {}): Promise<{ url: string; code: string; ada: Actor; ben: Actor }> => {
        const [ada, ben] = [await cast.teacher(), await cast.actor()];
        const { status, body, text } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5', ...fields });
        expect(status, text).to.equal(201);
        expect((await call(ben, 'POST', '/classes', { code: body.code })).status).to.equal(200);
        return { url: `/classes/${body.class.id}`, code: body.code, ada, ben };
    };

    it('are made by teachers, joined by a code in any spelling, listed, and read by their people', async () => {
        const [ada, ben] = [await cast.teacher(), await cast.actor()];
        const made = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5' });
        expect(made.status).to.equal(201);
        expect(made.headers.location).to.equal(`/classes/${made.body.class.id}`);
        expect(made.body.class).to.include({ title: 'Year 5', publish: 'class', comments: true, revision: 1 });
        expect(made.body.code).to.match(/^\w{4}-\w{4}-\w{4}$/);

        const url = `/classes/${made.body.class.id}`;
        expect((await call(ben, 'GET', url)).body.code).to.equal('not_found');
        for (const code of [made.body.code, ` ${made.body.code.toUpperCase().replaceAll('-', ' ')} `]) {
            const joined = await call(ben, 'POST', '/classes', { code });
            expect(joined.body).to.equal({ status: 'success', class: made.body.class, role: 'pupil' });
        }

        expect((await call(ada, 'POST', '/classes', { code: made.body.code })).body.role).to.equal('teacher');
        const list = await call(ben, 'GET', '/users/me/classes');
        expect(list.body.classes).to.equal([{ class: made.body.class, role: 'pupil' }]);

        const read = (await call(ada, 'GET', url)).body;
        expect(read).to.include({ class: made.body.class, role: 'teacher', code: made.body.code, teachers: [{ id: ada.id, username: ada.username }] });
        expect(read.pupils).to.have.length(1);
        expect(read.pupils[0]).to.include({ user: { id: ben.id, username: ben.username }, name: null, managed: false });
        const { code, ...seen } = (await call(ben, 'GET', url)).body;
        expect(code).to.be.undefined();
        expect(seen).to.equal({ status: 'success', class: made.body.class, role: 'pupil', teachers: read.teachers, pupils: read.pupils });
    });

    it('show pupils the names of each other, and usernames only where a project is public', async () => {
        const { url, code, ada, ben } = await classOf();
        const cem = await cast.actor();
        await call(cem, 'POST', '/classes', { code });
        expect((await call(ada, 'PATCH', `${url}/pupils/${ben.id}`, { name: 'Ben B.' })).body.pupil).to.include({ name: 'Ben B.', user: { id: ben.id, username: ben.username } });
        const seen = async (): Promise<object> => (await call(cem, 'GET', url)).body.pupils.find(({ user }: { user: { id: string } }) => user.id === ben.id);

        expect(await seen()).to.include({ name: 'Ben B.', user: { id: ben.id, username: null } });
        const { body: { project } } = await call(ben, 'POST', '/users/me/projects', { title: 'Mine', visibility: 'unlisted' });
        const at = `/users/${ben.id}/projects/${project.id}`;
        expect(await seen()).to.include({ user: { id: ben.id, username: null } });
        await call(ben, 'PATCH', at, { visibility: 'public' });
        expect(await seen()).to.include({ user: { id: ben.id, username: ben.username } });
        await call(ben, 'PATCH', at, { visibility: 'private' });
        expect(await seen()).to.include({ user: { id: ben.id, username: null } });
    });

    it('are changed by teachers alone, against their state, and get another code that ends the one before', async () => {
        const { url, code, ada, ben } = await classOf();
        expect((await call(ben, 'PATCH', url, { title: 'Ours' })).body.code).to.equal('forbidden');
        expect((await call(await cast.teacher(), 'PATCH', url, { title: 'Ours' })).body.code).to.equal('not_found');

        const changed = await call(ada, 'PATCH', url, { title: 'Year 6', publish: 'nobody', comments: false, revision: 1 });
        expect(changed.body.class).to.include({ title: 'Year 6', publish: 'nobody', comments: false, revision: 2 });
        expect(changed.body.code).to.equal(code);
        const late = await call(ada, 'PATCH', url, { title: 'Year 7', revision: 1 });
        expect(late.body).to.include({ code: 'revision_conflict', current: changed.body.class });
        const byTag = await server.call('PATCH', url, { title: 'Year 7' }, { token: ada.token, headers: { 'if-match': '"1"' } });
        expect(byTag.status).to.equal(412);
        expect((await server.call('PATCH', url, { title: 'Year 7' }, { token: ada.token, headers: { 'if-match': '"2"' } })).status).to.equal(200);

        expect((await call(ada, 'PATCH', url, { publish: 'nobody' })).body.class).to.include({ publish: 'nobody', revision: 4 });
        const renewed = await call(ada, 'PATCH', url, { code: true });
        expect(renewed.body.code).to.not.equal(code);
        const cem = await cast.actor();
        expect((await call(cem, 'POST', '/classes', { code })).body.code).to.equal('not_found');
        expect((await call(cem, 'POST', '/classes', { code: renewed.body.code })).status).to.equal(200);
    });

    it('end with their deletion, for everybody in them', async () => {
        const { url, code, ada, ben } = await classOf();
        expect((await call(ada, 'DELETE', url, { revision: 2 })).body.code).to.equal('revision_conflict');
        expect((await call(ben, 'DELETE', url, {})).status).to.equal(403);
        expect((await call(ada, 'DELETE', url, { revision: 1 })).body.status).to.equal('deleted');
        for (const who of [ada, ben]) {
            expect((await call(who, 'GET', url)).status).to.equal(404);
            expect((await call(who, 'GET', '/users/me/classes')).body.classes).to.equal([]);
        }

        expect((await call(await cast.actor(), 'POST', '/classes', { code })).status).to.equal(404);
        expect((await call(ada, 'PATCH', url, { title: 'Back' })).status).to.equal(404);
    });

    it('let pupils go, by themselves or by a teacher, and never by another pupil', async () => {
        const { url, code, ada, ben } = await classOf();
        const cem = await cast.actor();
        await call(cem, 'POST', '/classes', { code });
        expect((await call(cem, 'DELETE', `${url}/pupils/${ben.id}`, {})).body.code).to.equal('forbidden');
        expect((await call(cem, 'PATCH', `${url}/pupils/${cem.id}`, { name: 'Me' })).body.code).to.equal('forbidden');
        expect((await call(cem, 'DELETE', `${url}/pupils/${cem.id}`, {})).body.pupil.user.id).to.equal(cem.id);
        expect((await call(cem, 'GET', url)).status).to.equal(404);
        expect((await call(ada, 'DELETE', `${url}/pupils/${ben.id}`, {})).status).to.equal(200);
        expect((await call(ben, 'GET', url)).status).to.equal(404);
        // Nor is a teacher a pupil.
        for (const id of [ben.id, ada.id]) {
            expect((await call(ada, 'DELETE', `${url}/pupils/${id}`, {})).body.code).to.equal('not_found');
            expect((await call(ada, 'PATCH', `${url}/pupils/${id}`, { name: 'X' })).body.code).to.equal('not_found');
        }
    });

    it('have several teachers, and never none', async () => {
        const { url, ada, ben } = await classOf();
        const eve = await cast.teacher();
        expect((await call(ada, 'DELETE', `${url}/teachers/${ada.username}`, {})).body.code).to.equal('last_teacher');
        expect((await call(ada, 'PUT', `${url}/teachers/${ben.username}`, {})).body.code).to.equal('no_teacher');
        expect((await call(ada, 'PUT', `${url}/teachers/nobody-here`, {})).body.code).to.equal('not_found');
        const added = await call(ada, 'PUT', `${url}/teachers/${eve.username.toUpperCase()}`, {});
        expect([added.status, added.body.teacher]).to.equal([201, { id: eve.id, username: eve.username }]);
        expect((await call(ada, 'PUT', `${url}/teachers/${eve.username}`, {})).status).to.equal(200);
        expect((await call(ben, 'PUT', `${url}/teachers/${ben.username}`, {})).body.code).to.equal('forbidden');

        expect((await call(eve, 'DELETE', `${url}/teachers/${ada.username}`, {})).body.teacher.id).to.equal(ada.id);
        expect((await call(ada, 'GET', url)).status).to.equal(404);
        expect((await call(eve, 'DELETE', `${url}/teachers/${ada.username}`, {})).body.code).to.equal('not_found');
        expect((await call(eve, 'DELETE', `${url}/teachers/${eve.username}`, {})).body.code).to.equal('last_teacher');

        // A pupil who becomes a teacher is a pupil no longer.
        await server.database.db.raw('update users set teacher = true where id = ?', [ben.id]);
        expect((await call(eve, 'PUT', `${url}/teachers/${ben.username}`, {})).status).to.equal(201);
        const { body } = await call(ben, 'GET', url);
        expect([body.role, body.pupils, body.teachers.length]).to.equal(['teacher', [], 2]);
    });

    it('are no longer there for a teacher whose permission ends, and such a teacher counts as none', async () => {
        const { url, ada } = await classOf();
        const eve = await cast.teacher();
        const mod = await server.open(undefined, { moderator: true });
        await call(ada, 'PUT', `${url}/teachers/${eve.username}`, {});
        expect((await server.call('DELETE', `/moderation/users/${eve.id}/teacher`, {}, { token: mod.token })).body.teacher).to.equal({ id: eve.id, username: eve.username });
        expect((await call(eve, 'GET', url)).status).to.equal(404);
        expect((await call(eve, 'PATCH', url, { title: 'Mine' })).status).to.equal(404);
        expect((await call(eve, 'GET', '/users/me/classes')).body.classes).to.equal([]);
        expect((await call(eve, 'POST', '/users/me/classes', { title: 'Mine' })).body).to.include({ statusCode: 403, code: 'forbidden' });
        expect((await call(ada, 'GET', url)).body.teachers).to.have.length(1);
        expect((await call(ada, 'DELETE', `${url}/teachers/${ada.username}`, {})).body.code).to.equal('last_teacher');

        const earlier = (await server.call('GET', '/users/me', undefined, { token: eve.token })).body.user;
        expect((await server.call('PUT', `/moderation/users/${eve.id}/teacher`, {}, { token: mod.token })).status).to.equal(200);
        expect((await server.call('PUT', `/moderation/users/${eve.id}/teacher`, {}, { token: mod.token })).status).to.equal(200);
        expect((await server.call('GET', '/users/me', undefined, { token: eve.token })).body.user).to.include({ revision: earlier.revision + 1, permissions: { staff: false, moderator: false, teacher: true } });
        expect((await call(eve, 'GET', url)).body.role).to.equal('teacher');
        const { body: { entries } } = await server.call('GET', '/moderation/log', undefined, { token: mod.token });
        expect(entries.filter(({ target }: { target: { id: string } }) => target.id === eve.id).map(({ act }: { act: string }) => act)).to.equal(['make_teacher', 'dismiss_teacher']);
        expect((await server.call('PUT', '/moderation/users/999999/teacher', {}, { token: mod.token })).body.code).to.equal('not_found');
    });

    it('are made by everybody with TEACHERS=open', async () => {
        const open = await startTestServer({ config: { teachers: 'open' } });
        const eve = await open.open();
        const { status, body } = await open.call('POST', '/users/me/classes', { title: 'Ours' }, { token: eve.token });
        expect(status).to.equal(201);
        expect((await open.call('GET', `/classes/${body.class.id}`, undefined, { token: eve.token })).body.role).to.equal('teacher');
        await open.stop();
    });

    it('are made once with one Idempotency-Key', async () => {
        const ada = await cast.teacher();
        const send = (): Promise<Answer> => server.call('POST', '/users/me/classes', { title: 'Once' }, { token: ada.token, headers: { 'idempotency-key': 'a-key-of-a-class-1' } });
        const [first, again] = [await send(), await send()];
        expect(again.text).to.equal(first.text);
        expect((await call(ada, 'GET', '/users/me/classes')).body.classes).to.have.length(1);
    });

    it('do not show who has closed their account, and let them back with it', async () => {
        const { url, ada, ben } = await classOf();
        await call(ben, 'DELETE', '/users/me', {});
        expect((await call(ada, 'GET', url)).body.pupils).to.equal([]);
        expect((await call(ada, 'PATCH', `${url}/pupils/${ben.id}`, { name: 'X' })).body.code).to.equal('not_found');
        await server.database.db.raw('update users set deleted_at = null, deletion_id = null where id = ?', [ben.id]);
        expect((await call(ada, 'GET', url)).body.pupils).to.have.length(1);
    });

    describe('have limits', () => {
        /** Adds so many accounts, each to each of these classes. */
        const fill = (count: number, role: string, where: string): Promise<unknown> => server.database.db.raw(`
            with u as (insert into users (username, teacher) select 'f-' || nextval('users_id_seq'), true from generate_series(1, ${count}) returning id)
            insert into class_people (class_id, user_id, role) select c.id, u.id, '${role}' from classes c, u where c.id = ${where}`);

        it('of pupils', async () => {
            const { url, code, ada, ben } = await classOf();
            await fill(MAX_PUPILS - 1, 'pupil', url.slice('/classes/'.length));
            expect((await call(await cast.actor(), 'POST', '/classes', { code })).body.code).to.equal('pupil_limit');
            expect((await call(ben, 'POST', '/classes', { code })).status).to.equal(200);
            await call(ada, 'DELETE', `${url}/pupils/${ben.id}`, {});
            expect((await call(await cast.actor(), 'POST', '/classes', { code })).status).to.equal(200);
            expect((await call(ada, 'GET', url)).body.pupils).to.have.length(MAX_PUPILS);
        });

        it('of teachers', async () => {
            const { url, ada } = await classOf();
            await fill(MAX_TEACHERS - 2, 'teacher', url.slice('/classes/'.length));
            const [eve, fay] = [await cast.teacher(), await cast.teacher()];
            expect((await call(ada, 'PUT', `${url}/teachers/${eve.username}`, {})).status).to.equal(201);
            expect((await call(ada, 'PUT', `${url}/teachers/${fay.username}`, {})).body.code).to.equal('teacher_limit');
            expect((await call(ada, 'PUT', `${url}/teachers/${eve.username}`, {})).status).to.equal(200);
        });

        it('of classes, taught and attended', async () => {
            const { url, code, ada } = await classOf();
            const busy = await cast.teacher();
            await server.database.db.raw(`
                with c as (insert into classes (title, publish, comments, code) select 'x', 'class', true, translate(lpad((${busy.id} * 1000 + n)::text, 12, 'q'), '01', 'xz') from generate_series(1, ${MAX_CLASSES}) n returning id)
                insert into class_people (class_id, user_id, role) select id, ${busy.id}, 'teacher' from c`);
            expect((await call(busy, 'POST', '/users/me/classes', { title: 'More' })).body.code).to.equal('class_limit');
            expect((await call(busy, 'POST', '/classes', { code })).body.code).to.equal('class_limit');
            expect((await call(ada, 'PUT', `${url}/teachers/${busy.username}`, {})).body.code).to.equal('class_limit');
            const { body: { classes: [newest] } } = await call(busy, 'GET', '/users/me/classes');
            await call(busy, 'DELETE', `/classes/${newest.class.id}`, {});
            expect((await call(busy, 'POST', '/classes', { code })).status).to.equal(200);
        });

        it('of characters', async () => {
            const { url, ada, ben } = await classOf({ title: '🎨'.repeat(MAX_CLASS_TITLE) });
            for (const title of ['', 'x'.repeat(MAX_CLASS_TITLE + 1), 'a\0', 'two\nlines', ' \u202E']) {
                expect((await call(ada, 'PATCH', url, { title })).body.code).to.equal('validation_failed');
            }

            expect((await call(ada, 'PATCH', `${url}/pupils/${ben.id}`, { name: '🎨'.repeat(MAX_PUPIL_NAME) })).status).to.equal(200);
            for (const name of ['', 'x'.repeat(MAX_PUPIL_NAME + 1), 'two\nlines', '\u200B \u202E']) {
                expect((await call(ada, 'PATCH', `${url}/pupils/${ben.id}`, { name })).body.code).to.equal('validation_failed');
            }

            expect((await call(ada, 'PATCH', url, {})).body.code).to.equal('validation_failed');
            for (const code of ['', 'abcd-efgh', 'k7pm-3xwr-d9tz-2', 'k7pm-3xwr-d9t!', ` ${'-'.repeat(40)}k7pm3xwrd9tz`]) {
                expect((await call(ben, 'POST', '/classes', { code })).body.code).to.equal('validation_failed');
            }
        });
    });
});
