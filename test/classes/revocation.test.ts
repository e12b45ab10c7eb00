import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { clientLimits } from '../../src/api/request/client-limits';
import { Cast } from '../support/cast';
import { Dice } from '../support/dice';
import { watch } from '../support/events';
import type { Watcher } from '../support/events';
import { until } from '../support/host';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

/** Reads that are allowed, and that are refused; continuous integration runs more. */
const REVOCATIONS = Number(process.env.CLASS_REVOCATIONS ?? 60);

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('with two instances, what people of a class may no longer read', () => {
    let one: TestServer;
    let two: TestServer;
    let mod: Actor;
    /** teaches the class */
    let ada: Actor;
    /** teaches it too */
    let cot: Actor;
    /** attends it */
    let eve: Actor;
    /** whose account it manages, and whose the project is */
    let ana: Actor;
    let id: string;
    let project: { id: string; url: string; page: string };

    const call = (who: Actor | undefined, method: string, url: string, body?: unknown, server = one): Promise<Answer> => server.call(method, url, body, who && { token: who.token });

    const done = async (answer: Promise<Answer>): Promise<void> => {
        const { status, text } = await answer;
        expect(status, text).to.be.below(300);
    };

    before(async () => {
        one = await startTestServer({ limits: clientLimits });
        two = await startTestServer({ limits: clientLimits, database: one.database });
        await one.server.start();
        await two.server.start();
        const cast = new Cast(one);
        [ada, cot, eve, ana, mod] = [await cast.actor(), await cast.actor(), await cast.actor(), await cast.actor(), await cast.actor('moderator')];
    });

    beforeEach(async () => {
        const { db } = one.database;
        await db.raw('update users set teacher = true where id = any(?)', [[ada.id, cot.id]]);
        const { body } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5' });
        id = body.class.id;
        await done(call(ada, 'PUT', `/classes/${id}/teachers/${cot.username}`, {}));
        await done(call(eve, 'POST', '/classes', { code: body.code }));
        await db.raw(`update users set managed_by = ?, publish = 'class' where id = ?`, [id, ana.id]);
        await db.raw(`insert into class_people (class_id, user_id, role, name) values (?, ?, 'pupil', 'Ana')`, [id, ana.id]);
        const { body: { project: made, page } } = await call(ana, 'POST', '/users/me/projects', { title: 'Mine' });
        const url = `/users/${ana.id}/projects/${made.id}`;
        project = { id: made.id, url, page: `${url}/pages/${page.id}` };
    });

    after(async () => {
        await two.server.stop();
        await one.stop();
    });

    const put = (audience: string): Promise<void> => done(call(ana, 'PUT', `${project.url}/classes/${id}`, { audience }));
    const attend = (): Promise<unknown> => one.database.db.raw(`insert into class_people (class_id, user_id, role) values (?, ?, 'pupil')`, [id, eve.id]);
    const hold = (held: boolean): Promise<unknown> => one.database.db.raw(`update projects set held_at = case when ? then now() end, held_reason = 'x' where id = ?`, [held, project.id]);

    it('ends the event streams of those who may no longer read, on both, and no other', async () => {
        const open = (server: TestServer, who: Actor): Promise<Watcher> => watch(`http://127.0.0.1:${server.server.info.port}${project.url}/events`, { authorization: `token ${who.token}` });
        const ends: [who: Actor, end: () => Promise<unknown>, back: () => Promise<unknown>][] = [
            [eve, () => put('teachers'), () => put('class')],
            [eve, () => done(call(ada, 'PATCH', `/classes/${id}`, { publish: 'nobody' })), async () => {
                await done(call(ada, 'PATCH', `/classes/${id}`, { publish: 'class' }));
                await put('class');
            }],
            [eve, () => done(call(ada, 'DELETE', `/classes/${id}/pupils/${eve.id}`, {})), attend],
            [cot, () => done(call(ada, 'DELETE', `/classes/${id}/teachers/${cot.username}`, {})), () => done(call(ada, 'PUT', `/classes/${id}/teachers/${cot.username}`, {}))],
            [cot, () => done(call(mod, 'DELETE', `/moderation/users/${cot.id}/teacher`, {})), () => done(call(mod, 'PUT', `/moderation/users/${cot.id}/teacher`, {}))],
            [cot, () => done(call(ana, 'DELETE', `${project.url}/classes/${id}`, {})), () => put('class')],
            [eve, () => hold(true), () => hold(false)],
            [eve, () => done(call(ada, 'DELETE', `/classes/${id}`, {})), () => Promise.resolve()]
        ];
        await put('class');
        const own = await Promise.all([open(one, ana), open(two, ana)]);
        for (const [index, [who, end, back]] of ends.entries()) {
            const streams = await Promise.all([open(one, who), open(two, who)]);
            expect(streams.map(({ status }) => status), `way ${index}`).to.equal([200, 200]);
            await end();
            await until(() => streams.every(({ closed }) => closed), 5000);
            expect(streams.map(({ events }) => events.map(({ event }) => event)), `way ${index}`).to.equal([['gone'], ['gone']]);
            await back();
        }

        expect(own.map(({ closed }) => closed)).to.equal([false, false]);
        own.forEach((stream) => stream.close());
        await until(() => [one, two].every(({ server }) => server.plugins.live.places.count() === 0));
    });

    it('goes on as a stream of a teacher who needs no permission', async () => {
        const open = await startTestServer({ limits: clientLimits, database: one.database, config: { teachers: 'open' } });
        await open.server.start();
        await put('teachers');
        await one.database.db.raw('update users set teacher = false where id = ?', [cot.id]);
        const stream = await watch(`http://127.0.0.1:${open.server.info.port}${project.url}/events`, { authorization: `token ${cot.token}` });
        await done(call(ana, 'PATCH', project.url, { title: 'Changed' }, open));
        await stream.has(1);
        expect(stream.closed).to.be.false();
        stream.close();
        expect(open.faults).to.equal([]);
        await open.server.stop();
    });

    it('is read by nobody after that was acknowledged, while others read', { timeout: 600_000 + REVOCATIONS * 400 }, async () => {
        const seed = Number(process.env.SEED ?? 20261126);
        const dice = new Dice(seed);
        const pick = <Thing>(own: Dice, ...things: [Thing, ...Thing[]]): Thing => own.pick(things) ?? things[0];
        const state = { audience: 'none', held: false, eve: true, cot: true, permitted: true, publish: 'class' };
        /** even while nothing changes */
        let epoch = 0;
        let isOver = false;
        const outcomes = { allowed: 0, refused: 0, unsure: 0 };

        const change = async (): Promise<void> => {
            const next = { ...state };
            switch (pick(dice, 'audience', 'audience', 'held', 'eve', 'cot', 'permitted', 'publish')) {
                case 'audience':
                    next.audience = pick(dice, 'none', 'teachers', 'class', 'class');
                    break;
                case 'held':
                    next.held = !state.held && pick(dice, true, false, false);
                    break;
                case 'eve':
                    next.eve = !state.eve;
                    break;
                case 'cot':
                    next.cot = !state.cot;
                    break;
                case 'permitted':
                    next.permitted = !state.permitted;
                    break;
                default:
                    next.publish = state.publish === 'class' ? 'nobody' : 'class';
            }

            // Only who may teach is made a teacher; and a class that lets nobody see has no project for all of it.
            next.cot = next.cot && (state.cot || next.permitted);
            if (next.publish === 'nobody' && next.audience === 'class') {
                next.audience = 'teachers';
            }

            ++epoch;
            if (next.publish !== state.publish) {
                await done(call(ada, 'PATCH', `/classes/${id}`, { publish: next.publish }));
            }
            else if (next.audience !== state.audience) {
                await (next.audience === 'none' ? done(call(ana, 'DELETE', `${project.url}/classes/${id}`, {})) : put(next.audience));
            }

            if (next.held !== state.held) {
                await hold(next.held);
            }

            if (next.eve !== state.eve) {
                await (next.eve ? attend() : done(call(ada, 'DELETE', `/classes/${id}/pupils/${eve.id}`, {})));
            }

            if (next.cot !== state.cot) {
                await done(call(ada, next.cot ? 'PUT' : 'DELETE', `/classes/${id}/teachers/${cot.username}`, {}));
            }

            if (next.permitted !== state.permitted) {
                await done(call(mod, next.permitted ? 'PUT' : 'DELETE', `/moderation/users/${cot.id}/teacher`, {}));
            }

            Object.assign(state, next);
            ++epoch;
        };

        /** Whether they are of the class, and may read the project, as the state says. */
        const expected = (who: 'guest' | 'eve' | 'cot'): [isThere: boolean, reads: boolean] => {
            const isThere = who === 'eve' ? state.eve : who === 'cot' && state.cot && state.permitted;
            return [isThere, isThere && !state.held && (state.audience === 'class' || (who === 'cot' && state.audience === 'teachers'))];
        };

        const gallery = `/classes/${id}/projects`;
        const reads = [project.url, `/projects/${project.id}`, `${project.url}/pages`, project.page, `${project.page}/elements`, `${project.url}/changes?since=0`, `${project.url}/remixes`];
        const people = { guest: undefined, eve, cot };
        const act = async (own: Dice): Promise<void> => {
            const server = pick(own, one, two);
            const who = pick<'guest' | 'eve' | 'cot'>(own, 'guest', 'eve', 'eve', 'cot', 'cot');
            const url = pick(own, gallery, gallery, ...reads);
            const began = epoch;
            const { status, text } = await call(people[who], 'GET', url, undefined, server);
            if (began % 2 === 1 || epoch !== began) {
                ++outcomes.unsure;
                return;
            }

            const what = `seed ${seed}: ${url} as ${who} of ${JSON.stringify(state)}: ${text.slice(0, 200)}`;
            const [isThere, isReader] = expected(who);
            if (url === gallery) {
                expect(status, what).to.equal(who === 'guest' ? 401 : isThere ? 200 : 404);
                expect(text.includes(`"id":"${project.id}"`), what).to.equal(isReader);
            }
            else {
                expect(status, what).to.equal(isReader ? 200 : 404);
            }

            ++outcomes[isReader ? 'allowed' : 'refused'];
        };

        const actors = Array.from({ length: 6 }, async (_one, n) => {
            for (const own = new Dice(seed + n + 1); !isOver;) {
                await act(own);
            }
        });
        const changing = (async () => {
            for (let n = 0; n < Math.min(100, REVOCATIONS / 2) || (Math.min(outcomes.allowed, outcomes.refused) < REVOCATIONS && n < 20 * REVOCATIONS); ++n) {
                await change();
                await sleep(pick(dice, 0, 20, 50, 100));
            }
        })().finally(() => {
            isOver = true;
        });
        await Promise.all([changing, ...actors]);
        expect(outcomes.allowed).to.be.at.least(REVOCATIONS);
        expect(outcomes.refused).to.be.at.least(REVOCATIONS);
        expect([...one.faults, ...two.faults]).to.equal([]);
    });
});
