import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { castOfClass, roles } from '../../support/class-cast';
import type { ClassCast } from '../../support/class-cast';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

type Visibility = 'public' | 'private' | 'held';
const callers = ['guest', 'stranger', 'viewer', 'editor', 'owner', 'moderator', 'blocked', 'suspended'] as const;
type Who = typeof callers[number];

/** What each caller gets for a comment, in the order of `callers`. */
const cells: readonly (readonly [setting: string, visibility: Visibility, statuses: string])[] = [
    ['everybody', 'public', '401 201 201 201 201 201 closed suspended'],
    ['members', 'public', '401 closed 201 201 201 closed closed suspended'],
    ['nobody', 'public', '401 closed closed closed closed closed closed suspended'],
    ['everybody', 'private', '401 404 201 201 201 201 404 suspended'],
    ['members', 'private', '401 404 201 201 201 closed 404 suspended'],
    ['everybody', 'held', '401 404 404 404 201 201 404 suspended']
];

describe('who may comment', () => {
    let server: TestServer;
    let people: Record<Exclude<Who, 'guest'>, Author>;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
        people = {
            stranger: await openAuthor(server, 'stranger'), viewer: await openAuthor(server, 'viewer'), editor: await openAuthor(server, 'editor'), owner: await openAuthor(server, 'owner'),
            moderator: await openAuthor(server, 'moderator', { moderator: true }), blocked: await openAuthor(server, 'blocked'), suspended: await openAuthor(server, 'suspended')
        };
        await server.database.db.raw('insert into blocks (user_id, blocked_id) values (?, ?)', [people.owner.id, people.blocked.id]);
        await server.database.db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Spam' where id = ?`, [people.suspended.id]);
    });

    beforeEach(async () => {
        project = await people.owner.project();
        for (const role of ['viewer', 'editor'] as const) {
            await people.owner.call('PUT', `${project.url}/members/${role}`, { role });
        }
    });

    after(() => server.stop());

    const tokenOf = (who: Who): { token: string } | undefined => (who === 'guest' ? undefined : { token: people[who].token });
    const set = async (who: string): Promise<void> => {
        expect((await people.owner.call('PUT', `${project.url}/comments/settings`, { who })).body.settings).to.equal({ who, class_only: false, may_comment: who !== 'nobody' });
    };

    const show = async (visibility: Visibility): Promise<void> => {
        if (visibility === 'held') {
            await people.moderator.call('PUT', `/moderation/projects/${project.id}/hold`, { reason: 'Look' });
        }
        else {
            await people.owner.call('PATCH', project.url, { visibility });
        }
    };

    for (const [setting, visibility, statuses] of cells) {
        it(`is said by its owner: ${setting}, in a project that is ${visibility}`, async () => {
            if (setting !== 'everybody') {
                await set(setting);
            }

            await show(visibility);
            for (const [at, who] of callers.entries()) {
                const expected = statuses.split(' ')[at] ?? '';
                const { body: settings } = await server.call('GET', `${project.url}/comments/settings`, undefined, tokenOf(who));
                const { status, body } = await server.call('POST', `${project.url}/comments`, { text: who }, tokenOf(who));
                const what = `${who}: ${JSON.stringify(body)}`;
                if (/^\d/.test(expected)) {
                    expect(String(status), what).to.equal(expected);
                }
                else {
                    expect(body, what).to.include({ statusCode: 403, code: expected === 'closed' ? 'comments_closed' : expected });
                }

                if (settings.status === 'success') {
                    expect(settings.settings, what).to.equal({ who: who === 'blocked' ? 'nobody' : setting, class_only: false, may_comment: expected === '201' });
                }
                else {
                    expect([settings.statusCode, visibility === 'public'], what).to.equal([404, false]);
                }

                if (status === 201) {
                    const url = `${project.url}/comments/${body.comment.id}`;
                    expect((await server.call('PATCH', url, { text: 'changed' }, tokenOf(who))).status, what).to.equal(200);
                    expect((await server.call('DELETE', url, undefined, tokenOf(who))).status, what).to.equal(200);
                }
            }
        });
    }

    it('is said by the owner alone, in one of three words', async () => {
        for (const who of ['stranger', 'viewer', 'editor', 'moderator'] as const) {
            expect((await people[who].call('PUT', `${project.url}/comments/settings`, { who: 'nobody' })).body).to.include({ statusCode: 403, code: 'forbidden' });
        }

        for (const body of [{}, { who: 'friends' }, { who: null }]) {
            expect((await people.owner.call('PUT', `${project.url}/comments/settings`, body)).status).to.equal(400);
        }
    });

    it('does not tell somebody who is blocked from whom the setting leaves out', async () => {
        const blocked = await people.blocked.call('POST', `${project.url}/comments`, { text: 'x' });
        await set('members');
        const left = await people.stranger.call('POST', `${project.url}/comments`, { text: 'x' });
        expect([blocked.status, { ...blocked.body, request_id: '' }]).to.equal([left.status, { ...left.body, request_id: '' }]);
        // Nor where comments are closed, whatever the owner has set.
        const settingsOf = async (who: Author): Promise<unknown> => (await who.call('GET', `${project.url}/comments/settings`)).body;
        const open = await settingsOf(people.blocked);
        await set('nobody');
        expect([open, await settingsOf(people.blocked)]).to.equal(Array.from({ length: 2 }, () => ({ status: 'success', settings: { who: 'nobody', class_only: false, may_comment: false } })));
        expect(await settingsOf(people.stranger)).to.equal(open);
    });

    it('counts for the change of an old comment, too, which can still be removed', async () => {
        const { comment } = (await people.stranger.call('POST', `${project.url}/comments`, { text: 'x' })).body;
        await set('members');
        expect((await people.stranger.call('PATCH', `${project.url}/comments/${comment.id}`, { text: 'y' })).body).to.include({ code: 'comments_closed' });
        expect((await people.stranger.call('DELETE', `${project.url}/comments/${comment.id}`)).status).to.equal(200);
    });

    it('holds for a comment that waits while the setting changes, and is tried again for nobody', async () => {
        const { db } = server.database;
        const { comment } = (await people.stranger.call('POST', `${project.url}/comments`, { text: 'x' })).body;
        const jobs = [() => people.stranger.call('POST', `${project.url}/comments`, { text: 'late' }), () => people.stranger.call('PATCH', `${project.url}/comments/${comment.id}`, { text: 'late' })];
        const answers = await startWhileLocked(server, ['projects', project.id], jobs, (trx) => trx.raw(`insert into comment_settings (project_id, who) values (?, 'members')`, [project.id]));
        expect(answers.map(({ body }) => body.code)).to.equal(['comments_closed', 'comments_closed']);
        const [hidden] = await startWhileLocked(server, ['projects', project.id], jobs.slice(0, 1), (trx) => trx.raw(`update projects set visibility = 'private' where id = ?`, [project.id]));
        expect(hidden?.status).to.equal(404);
        const { rows } = await db.raw('select text from comments where project_id = ?', [project.id]);
        expect(rows).to.equal([{ text: 'x' }]);
    });

    it('holds for a comment that waits while the owner blocks its author', async () => {
        const [answer] = await startWhileLocked(server, ['users', people.owner.id], [() => people.stranger.call('POST', `${project.url}/comments`, { text: 'late' })], (trx) => {
            return trx.raw('insert into blocks (user_id, blocked_id) values (?, ?)', [people.owner.id, people.stranger.id]);
        });
        expect(answer?.body).to.include({ statusCode: 403, code: 'comments_closed' });
        await server.database.db.raw('delete from blocks where blocked_id = ?', [people.stranger.id]);
    });
});

describe('who may comment, in classes', () => {
    let server: TestServer;
    let cast: Cast;
    let made: ClassCast;
    let projects: Record<'pupil' | 'teacher' | 'classmate' | 'stranger', string>;
    let stranger: Actor;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        made = await castOfClass(server, cast, () => Promise.resolve());
        stranger = await cast.actor();
        await server.database.db.raw(`update users set publish = 'everybody' where publish is not null`);
        await server.database.db.raw(`update classes set publish = 'everybody'`);
        const open = async (who: Actor): Promise<string> => {
            const { status, body, text } = await server.call('POST', '/users/me/projects', { title: 'Open', visibility: 'public' }, { token: who.token });
            expect(status, text).to.equal(201);
            return `/users/${who.id}/projects/${body.project.id}`;
        };

        projects = { pupil: await open(made.pupil), teacher: await open(made.people.teacher), classmate: await open(made.people.classmate), stranger: await open(stranger) };
    });

    after(() => server.stop());

    const comment = async (who: Actor, project: string, text = 'x'): Promise<string> => {
        const { status, body } = await server.call('POST', `${project}/comments`, { text }, { token: who.token });
        const { settings } = (await server.call('GET', `${project}/comments/settings`, undefined, { token: who.token })).body;
        expect([settings.may_comment, settings.class_only], `${who.username} on ${project}`).to.equal([status === 201, project === projects.pupil]);
        return status === 201 ? 'may' : String(body.code);
    };

    const letComment = (comments: boolean): Promise<unknown> => server.call('PATCH', `/classes/${made.id}`, { comments }, { token: made.people.teacher.token });

    it('is the people of the class alone, on projects of an account that it manages', async () => {
        const found = Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await comment(made.people[role], projects.pupil)] as const)));
        expect(found).to.equal({
            elsewhere: 'comments_closed', formerPupil: 'comments_closed', formerTeacher: 'comments_closed', dismissed: 'comments_closed', classmate: 'may', coTeacher: 'may', teacher: 'may'
        });
        expect([await comment(made.pupil, projects.pupil), await comment(stranger, projects.pupil), await comment(made.moderator, projects.pupil)]).to.equal(['may', 'comments_closed', 'comments_closed']);
    });

    it('is an account that a class manages on projects of its people alone', async () => {
        expect([await comment(made.pupil, projects.teacher), await comment(made.pupil, projects.classmate), await comment(made.pupil, projects.stranger)]).to.equal(['may', 'may', 'comments_closed']);
        expect([await comment(stranger, projects.teacher), await comment(stranger, projects.classmate)]).to.equal(['may', 'may']);
    });

    it('is nobody where the class allows no comments, and no account that it manages', async () => {
        await letComment(false);
        const all = [made.pupil, made.people.classmate, made.people.teacher];
        expect(await Promise.all(all.map((who) => comment(who, projects.pupil)))).to.equal(all.map(() => 'comments_closed'));
        expect([await comment(made.pupil, projects.teacher), await comment(made.people.classmate, projects.teacher)]).to.equal(['comments_closed', 'may']);
        await letComment(true);
        expect(await comment(made.people.classmate, projects.pupil)).to.equal('may');
    });

    it('are mentioned only as they might comment', async () => {
        const { pupil, people: { classmate, teacher, elsewhere, dismissed }, moderator } = made;
        const text = [pupil, classmate, teacher, elsewhere, dismissed, stranger, moderator].map(({ username }) => `@${username}`).join(' ');
        const mentioned = async (who: Actor, project: string): Promise<unknown> => {
            const { body } = await server.call('POST', `${project}/comments`, { text }, { token: who.token });
            return body.comment.mentions.map(({ id }: { id: string }) => id);
        };

        const ofClass = [pupil.id, classmate.id, teacher.id];
        expect(await mentioned(classmate, projects.pupil)).to.equal(ofClass);
        expect(await mentioned(pupil, projects.classmate)).to.equal(ofClass);
        expect(await mentioned(stranger, projects.classmate)).to.equal([classmate.id, teacher.id, elsewhere.id, dismissed.id, stranger.id, moderator.id]);
    });

    it('holds for a comment that waits while the class forbids it, or lets somebody go', async () => {
        const { db } = server.database;
        const { classmate } = made.people;
        for (const forbid of ['update classes set comments = false where id = ?', `delete from class_people where class_id = ? and user_id = ${classmate.id}`]) {
            const trx = await db.transaction();
            await trx.raw('select from classes where id = ? for no key update', [made.id]);
            const answer = server.call('POST', `${projects.pupil}/comments`, { text: 'late' }, { token: classmate.token });
            for (let waits = 0; waits === 0;) {
                ({ rows: [{ waits }] } = await db.raw(`select count(*)::int as waits from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`));
            }

            await trx.raw(forbid, [made.id]);
            await trx.commit();
            expect((await answer).body.code).to.equal('comments_closed');
            await db.raw('update classes set comments = true where id = ?', [made.id]);
        }
    });
});
