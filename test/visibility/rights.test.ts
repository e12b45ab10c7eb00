import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { version } from '../../src/api/description/version';
import { byAction, cellsOf, ownersStatus, routes, typeOf, urlOf } from '../routes/index';
import type { Row } from '../routes/index';
import { Cast, callers, stored } from '../support/cast';
import type { Target } from '../support/cast';
import { drawing, hashOf } from '../support/files';
import { until } from '../support/host';
import { startTestServer } from '../support/server';
import type { Actor, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** A right, and how it is taken away. */
interface Right {
    /** who has it */
    actor(target: Target): Promise<Actor>;
    /** locks what whoever takes it away locks */
    lock(trx: Knex, target: Target, actor: Actor): Promise<unknown>;
    take(trx: Knex, target: Target, actor: Actor): Promise<unknown>;
}

describe('A right that is taken away while a write waits for its lock', { timeout: 300_000 }, () => {
    let server: TestServer;
    let cast: Cast;
    let serial = 0;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
    });

    after(async () => {
        await server.stop();
    });

    const actorOf = async (id: string, username: string): Promise<Actor> => ({ id, username, token: await cast.token(id) });

    const lockProject: Right['lock'] = (trx, { project }) => trx.raw('select from projects where id = ? for no key update', [project]);
    const lockActor: Right['lock'] = (trx, _target, actor) => trx.raw('select from users where id = ? for no key update', [actor.id]);
    const owner: Right['actor'] = ({ user, username }) => actorOf(user, username);
    const pupil: Right['actor'] = ({ pupil: id, member }) => actorOf(id, member);
    const pause: Right['take'] = (trx, _target, actor) => trx.raw(`update users set paused_until = now() + interval '1 hour' where id = ?`, [actor.id]);
    const signOut: Right['take'] = (trx, _target, actor) => trx.raw('delete from tokens where user_id = ?', [actor.id]);
    const demote: Right['take'] = (trx, _target, actor) => trx.raw('update users set moderator = false where id = ?', [actor.id]);

    const lockClass: Right['lock'] = (trx, { class_id: id }) => trx.raw('select from classes where id = ? for no key update', [id]);
    const leaveClass: Right['take'] = (trx, { class_id: id }, actor) => trx.raw('delete from class_people where class_id = ? and user_id = ?', [id, actor.id]);

    const rights = {
        teacher: { actor: owner, lock: lockClass, take: leaveClass },
        pupil: { actor: pupil, lock: lockClass, take: leaveClass },
        permission: {
            actor: owner,
            lock: lockActor,
            take: (trx, _target, actor) => trx.raw('update users set teacher = false where id = ?', [actor.id])
        },
        moderator: {
            actor: () => cast.actor('moderator'),
            lock: lockActor,
            take: demote
        },
        staff: {
            actor: () => cast.staff(),
            lock: lockActor,
            take: (trx, _target, actor) => trx.raw('update users set staff = false where id = ?', [actor.id])
        },
        editor: {
            actor: async ({ project }) => {
                const actor = await cast.actor();
                await server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'editor')`, [project, actor.id]);
                return actor;
            },
            lock: lockProject,
            take: (trx, { project }, actor) => trx.raw('delete from project_members where project_id = ? and user_id = ?', [project, actor.id])
        },
        moderatorOfProject: { actor: () => cast.actor('moderator'), lock: lockProject, take: demote },
        token: { actor: owner, lock: lockProject, take: signOut },
        tokenInClass: { actor: owner, lock: lockClass, take: signOut },
        tokenOfModerator: { actor: () => cast.actor('moderator'), lock: lockActor, take: signOut },
        tokenOfStaff: { actor: () => cast.staff(), lock: lockActor, take: signOut },
        tokenOfUser: { actor: owner, lock: lockActor, take: signOut },
        paused: { actor: owner, lock: lockProject, take: pause },
        pausedInClass: { actor: pupil, lock: lockClass, take: pause },
        suspended: { actor: owner, lock: lockProject, take: (trx, _target, actor) => trx.raw(`update users set suspended_until = 'infinity', suspension_reason = 'spam' where id = ?`, [actor.id]) }
    } satisfies Record<string, Right>;

    /** Sends a write, and takes the right away as soon as it waits. @returns its status, whether it had to wait, and what is stored that is not because of that */
    async function race(row: Row, right: Right): Promise<{ status: number; waited: boolean; changed: boolean }> {
        const { db } = server.database;
        const target = await cast.target();
        const actor = await right.actor(target);
        const ids = { ...target, username: /\/(?:members|blocks|following)\//.test(row.path) && actor.id === target.user ? target.member : actor.username, owner: target.username, sha256: hashOf(drawing()), file: 'render.js', version, language: 'en', tag: 'art', serial: String(++serial) };
        const body = row.body?.(ids);
        const trx = await db.transaction();
        try {
            await right.lock(trx, target, actor);
            let isAnswered = false;
            const answer = server.call(row.method, urlOf(row, ids), body, { token: actor.token, headers: { ...typeOf(row.path, body) } }).finally(() => {
                isAnswered = true;
            });
            let waited = false;
            await until(async () => {
                const { rows: [{ count }] } = await db.raw(`select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
                waited = count > 0;
                return waited || isAnswered;
            });
            await right.take(trx, target, actor);
            const without = await stored({ database: { ...server.database, db: trx } });
            await trx.commit();
            const { status } = await answer;
            return { status, waited, changed: await stored(server) !== without };
        }
        finally {
            if (!trx.isCompleted()) {
                await trx.rollback();
            }
        }
    }

    const writes = byAction(routes).filter(({ method }) => method !== 'GET');
    const ofClass = writes.filter(({ path }) => path.includes('{class_id}'));

    const startWork = 'POST /classes/{class_id}/assignments/{assignment}/work';
    // To take out what is one's own needs no right in the class.
    const ofTeachers = ofClass.filter(({ key }) => key !== startWork && key !== 'DELETE /users/{user}/projects/{project}/classes/{class_id}');

    for (const row of ofTeachers) {
        it(`does not let a teacher who is taken out: ${row.key}`, async () => {
            expect(await race(row, rights.teacher)).to.equal({ status: 404, waited: true, changed: false });
        });

        it(`does not let a teacher who may not teach any more: ${row.key}`, async () => {
            expect(await race(row, rights.permission)).to.equal({ status: 404, waited: true, changed: false });
        });
    }

    const ofPupils = ofClass.filter(({ key }) => key === startWork || key.startsWith('PATCH') && key.endsWith('/work/{work}'));

    for (const row of ofPupils) {
        it(`does not let a pupil who is taken out: ${row.key}`, async () => {
            expect(await race(row, rights.pupil)).to.equal({ status: 404, waited: true, changed: false });
        });
    }

    for (const [path, right] of [['/moderation/', rights.moderator], ['/admin/', rights.staff]] as const) {
        for (const row of writes.filter((one) => one.path.startsWith(path))) {
            it(`does not let somebody who has the permission no more: ${row.key}`, async () => {
                expect(await race(row, right)).to.equal({ status: 403, waited: true, changed: false });
            });
        }
    }

    // Everybody can remix a project that is public, and comment on it, and to be present waits for nothing.
    const forAll = ['POST /users/{user}/projects/{project}/remixes', 'PUT /users/{user}/projects/{project}/presence'];

    const comments = 'POST /users/{user}/projects/{project}/comments';

    for (const row of writes.filter(({ key, path }) => path.startsWith('/users/{user}/projects/{project}') && !forAll.includes(key) && key !== comments)) {
        it(`does not let an editor who is no member any more: ${row.key}`, async () => {
            expect(await race(row, rights.editor)).to.equal({ status: 403, waited: true, changed: false });
        });
    }

    const inProject = writes.filter(({ key, path }) => path.startsWith('/users/{user}/projects/{project}') && !forAll.includes(key));
    const isDone = (status: number): boolean => status < 300;
    const moderatorsStatus = ({ callers: cells, scope }: Row): number => Number(cellsOf(cells, scope)[callers.indexOf('moderator')]?.slice(0, 3));

    // What the owner would not get done anyway may have another answer.
    for (const row of inProject.filter((one) => isDone(ownersStatus(one)) && !ofClass.includes(one))) {
        it(`does not let somebody whose token has ended: ${row.key}`, async () => {
            expect(await race(row, rights.token)).to.equal({ status: 401, waited: true, changed: false });
        });

        it(`does not let somebody who is paused: ${row.key}`, async () => {
            expect(await race(row, rights.paused)).to.equal({ status: 403, waited: true, changed: false });
        });

        it(`does not let somebody who is suspended: ${row.key}`, async () => {
            expect(await race(row, rights.suspended)).to.equal({ status: 403, waited: true, changed: false });
        });
    }

    for (const row of inProject.filter((one) => isDone(moderatorsStatus(one)) && !ofClass.includes(one))) {
        it(`does not let a moderator who is none any more: ${row.key}`, async () => {
            expect(await race(row, rights.moderatorOfProject)).to.equal({ status: 403, waited: true, changed: false });
        });
    }

    for (const row of ofTeachers) {
        it(`does not let a teacher whose token has ended: ${row.key}`, async () => {
            expect(await race(row, rights.tokenInClass)).to.equal({ status: 401, waited: true, changed: false });
        });
    }

    for (const row of ofPupils) {
        it(`does not let a pupil who is paused: ${row.key}`, async () => {
            expect(await race(row, rights.pausedInClass)).to.equal({ status: 403, waited: true, changed: false });
        });
    }

    for (const [path, right] of [['/moderation/', rights.tokenOfModerator], ['/admin/', rights.tokenOfStaff], ['/users/{user}', rights.tokenOfUser]] as const) {
        for (const row of writes.filter((one) => one.path.startsWith(path) && !inProject.includes(one) && one.scope !== '' && isDone(ownersStatus(one)))) {
            it(`does not let somebody whose token has ended: ${row.key} ${row.action}`, async () => {
                const { status, waited, changed } = await race(row, right);
                // What does not wait for the account was done before its token ended.
                expect({ status: waited ? status : 401, changed }).to.equal({ status: 401, changed: false });
            });
        }
    }
});
