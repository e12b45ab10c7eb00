import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { version } from '../../src/api/description/version';
import { byAction, routes, typeOf, urlOf } from '../routes/index';
import type { Row } from '../routes/index';
import { Cast, stored } from '../support/cast';
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

    const lockClass: Right['lock'] = (trx, { class_id: id }) => trx.raw('select from classes where id = ? for no key update', [id]);
    const leaveClass: Right['take'] = (trx, { class_id: id }, actor) => trx.raw('delete from class_people where class_id = ? and user_id = ?', [id, actor.id]);

    const rights = {
        teacher: { actor: ({ user, username }) => actorOf(user, username), lock: lockClass, take: leaveClass },
        pupil: { actor: ({ pupil, member }) => actorOf(pupil, member), lock: lockClass, take: leaveClass },
        permission: {
            actor: ({ user, username }) => actorOf(user, username),
            lock: (trx, _target, actor) => trx.raw('select from users where id = ? for no key update', [actor.id]),
            take: (trx, _target, actor) => trx.raw('update users set teacher = false where id = ?', [actor.id])
        },
        moderator: {
            actor: () => cast.actor('moderator'),
            lock: (trx, _target, actor) => trx.raw('select from users where id = ? for no key update', [actor.id]),
            take: (trx, _target, actor) => trx.raw('update users set moderator = false where id = ?', [actor.id])
        },
        staff: {
            actor: () => cast.staff(),
            lock: (trx, _target, actor) => trx.raw('select from users where id = ? for no key update', [actor.id]),
            take: (trx, _target, actor) => trx.raw('update users set staff = false where id = ?', [actor.id])
        },
        editor: {
            actor: async ({ project }) => {
                const actor = await cast.actor();
                await server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'editor')`, [project, actor.id]);
                return actor;
            },
            lock: (trx, { project }) => trx.raw('select from projects where id = ? for no key update', [project]),
            take: (trx, { project }, actor) => trx.raw('delete from project_members where project_id = ? and user_id = ?', [project, actor.id])
        }
    } satisfies Record<string, Right>;

    /** Sends a write, and takes the right away as soon as it waits. @returns its status, whether it had to wait, and what is stored that is not because of that */
    async function race(row: Row, right: Right): Promise<{ status: number; waited: boolean; changed: boolean }> {
        const { db } = server.database;
        const target = await cast.target();
        const actor = await right.actor(target);
        const ids = { ...target, username: actor.username, owner: target.username, sha256: hashOf(drawing()), file: 'render.js', version, language: 'en', tag: 'art', serial: String(++serial) };
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

    for (const row of ofClass.filter(({ key }) => key === startWork || key.startsWith('PATCH') && key.endsWith('/work/{work}'))) {
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

    // Everybody can remix a project that is public, and to be present waits for nothing.
    const forAll = ['POST /users/{user}/projects/{project}/remixes', 'PUT /users/{user}/projects/{project}/presence'];

    for (const row of writes.filter(({ key, path }) => path.startsWith('/users/{user}/projects/{project}') && !forAll.includes(key))) {
        it(`does not let an editor who is no member any more: ${row.key}`, async () => {
            expect(await race(row, rights.editor)).to.equal({ status: 403, waited: true, changed: false });
        });
    }
});
