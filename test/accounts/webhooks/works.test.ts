import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { keepSending } from '../../../src/accounts/webhooks/jobs';
import { MAX_ASSIGNMENT_TITLE, MAX_WEBHOOK_BYTES } from '../../../src/limits';
import { count } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { until } from '../../support/host';
import { startReceiver } from '../../support/receiver';
import type { Receiver } from '../../support/receiver';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('webhooks are told that a work was handed in', () => {
    let server: TestServer;
    let cast: Cast;
    const ends: (() => Promise<void> | void)[] = [];

    before(async () => {
        server = await startTestServer({ config: { webhooksTo: ['127.0.0.0/8'] } });
        cast = new Cast(server);
    });

    after(() => server.stop());

    afterEach(async () => {
        await Promise.all(ends.splice(0).map((end) => end()));
        await server.database.db.raw('delete from webhooks');
        await server.database.db.raw('delete from webhook_events');
    });

    const call = (who: Pick<Actor, 'token'>, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, { token: who.token });

    const start = (teachersOpen = false): void => {
        ends.push(keepSending({ db: server.database.db, logger: { warn: () => undefined, info: () => undefined }, to: ['127.0.0.0/8'], every: 20, teachersOpen }));
    };

    /** A receiver that somebody's webhook sends to. */
    const hook = async (who: Actor, more: object = {}): Promise<Receiver> => {
        const receiver = await startReceiver();
        ends.push(() => receiver.stop());
        const { status, text } = await call(who, 'POST', '/users/me/webhooks', { url: receiver.url, events: ['work.handed_in'], ...more });
        expect(status, text).to.equal(201);
        return receiver;
    };

    const told = (receiver: Receiver): { type: string; data: unknown }[] => receiver.received.map(({ body }) => JSON.parse(body));
    const allMoved = (): Promise<void> => until(async () => await count(server, 'from webhook_events') + await count(server, `from webhook_deliveries where state = 'waiting'`) === 0);

    /** A class of ada, with an assignment for which ben has begun a work. */
    const lesson = async (title = 'A "story"'): Promise<{ ada: Actor; ben: Actor; id: string; code: string; assignment: string; work: string; url: string; project: string; handIn(state?: string, more?: object): Promise<Answer> }> => {
        const [ada, ben] = [await cast.teacher(), await cast.actor()];
        const { body: { class: { id }, code } } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5' });
        expect((await call(ben, 'POST', '/classes', { code })).status).to.equal(200);
        const { body: { assignment } } = await call(ada, 'POST', `/classes/${id}/assignments`, { title });
        const works = `/classes/${id}/assignments/${assignment.id}/work`;
        const { body: { work } } = await call(ben, 'POST', works, {});
        return {
            ada, ben, id, code, assignment: assignment.id, work: work.id, url: `/users/${ben.id}/projects/${work.project_id}`, project: work.project_id,
            handIn: (state = 'handed_in', more = {}) => call(ben, 'PATCH', `${works}/${work.id}`, { state, ...more })
        };
    };

    it('those of the pupil and of the teachers of the class, and nobody else\'s', async () => {
        const { ada, ben, id, code, assignment, work, url, project, handIn } = await lesson();
        const [max, cem, eve] = [await cast.teacher(), await cast.actor(), await cast.teacher()];
        expect((await call(ada, 'PUT', `/classes/${id}/teachers/${max.username}`)).status).to.equal(201);
        expect((await call(cem, 'POST', '/classes', { code })).status).to.equal(200);
        const receivers = await Promise.all([ada, ben, max].map((who) => hook(who)));
        const others = await Promise.all([hook(cem), hook(eve), hook(ada, { events: ['project.created'] })]);
        await call(ben, 'PATCH', url, { title: 'Private until it is handed in' });
        start();
        const { body } = await handIn();
        expect(body.work.state).to.equal('handed_in');
        await until(() => receivers.every(({ received }) => received.length === 1));
        await allMoved();
        for (const receiver of receivers) {
            // The title of a project may be another one at the point that was handed in, so it is not told.
            expect(told(receiver).map(({ type, data }) => [type, data])).to.equal([['work.handed_in', {
                project: { id: project, user_id: ben.id, revision: body.work.point }, work: { id: work, late: false }, assignment: { id: assignment, class_id: id, title: 'A "story"' }
            }]]);
        }

        expect(others.flatMap(told)).to.equal([]);

        // The same once more is no news; taken back and handed in again, it is.
        expect((await handIn()).status).to.equal(200);
        expect((await handIn('started')).status).to.equal(200);
        expect((await handIn()).status).to.equal(200);
        await until(() => receivers.every(({ received }) => received.length === 2));
        await allMoved();
        expect(receivers.map(({ received }) => received.length)).to.equal([2, 2, 2]);
    });

    it('in the order of the project, and for some projects only if they are named', async () => {
        const { ada, ben, url, project, handIn } = await lesson();
        const other = (await call(ada, 'POST', '/users/me/projects', { title: 'Other' })).body.project.id;
        const [own, named, elsewhere] = [await hook(ben, { events: ['project.changed', 'work.handed_in'] }), await hook(ada, { projects: [project] }), await hook(ada, { projects: [other] })];
        await call(ben, 'PATCH', url, { title: '2' });
        expect((await handIn()).status).to.equal(200);
        await call(ben, 'PATCH', url, { title: '3' });
        start();
        await until(() => own.received.length === 3 && named.received.length === 1);
        await allMoved();
        expect(told(own).map(({ type }) => type)).to.equal(['project.changed', 'work.handed_in', 'project.changed']);
        expect(told(named).map(({ type }) => type)).to.equal(['work.handed_in']);
        expect(told(elsewhere)).to.equal([]);
    });

    it('only while they may read it: not a teacher who has left, and not if it is held', async () => {
        const { ada, id, handIn } = await lesson();
        const max = await cast.teacher();
        await call(ada, 'PUT', `/classes/${id}/teachers/${max.username}`);
        const [first, second] = [await hook(ada), await hook(max)];
        await handIn();
        // What was taken back stays in the work.
        await handIn('started');
        expect((await call(ada, 'DELETE', `/classes/${id}/teachers/${max.username}`, {})).status).to.equal(200);
        start();
        await until(() => first.received.length === 1);
        await allMoved();
        expect(told(second)).to.equal([]);
        await ends.pop()?.();

        const other = await lesson();
        const third = await hook(other.ada);
        await other.handIn();
        const moderator = await cast.actor('moderator');
        expect((await call(moderator, 'PUT', `/moderation/projects/${other.project}/hold`, { reason: 'A look' })).status).to.equal(200);
        start();
        await allMoved();
        await sleep(50);
        expect(told(third)).to.equal([]);
    });

    it('also those of teachers who may teach because everybody may', async () => {
        const { ada, handIn } = await lesson();
        await server.database.db.raw('update users set teacher = false where id = ?', [ada.id]);
        const receiver = await hook(ada);
        await handIn();
        start(true);
        await until(() => receiver.received.length === 1);
    });

    it('in the transaction in which it was handed in, and at no cost in the outbox if nobody watches', async () => {
        const first = await lesson();
        expect((await first.handIn()).status).to.equal(200);
        expect(await count(server, 'from webhook_events')).to.equal(0);
        const second = await lesson('"'.repeat(MAX_ASSIGNMENT_TITLE));
        await hook(second.ada);
        await server.database.db.raw(`alter table webhook_events add constraint none check (event <> 'work.handed_in')`);
        expect((await second.handIn()).status).to.equal(500);
        await server.database.db.raw('alter table webhook_events drop constraint none');
        expect(await count(server, `from works where id = ? and state = 'started'`, [second.work])).to.equal(1);
        expect((await second.handIn()).status).to.equal(200);
        const { rows: [row] } = await server.database.db.raw('select data::text as data from webhook_events');
        expect(Buffer.byteLength(row.data)).to.be.below(MAX_WEBHOOK_BYTES / 2);
    });
});
