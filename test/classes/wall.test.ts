import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { clientLimits } from '../../src/api/request/client-limits';
import { MAX_WALLS } from '../../src/limits';
import { Cast } from '../support/cast';
import { expectQuick } from '../support/clock';
import { watch } from '../support/events';
import type { Watcher } from '../support/events';
import { until } from '../support/host';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

describe('the stream of a class', () => {
    let one: TestServer;
    let two: TestServer;
    let cast: Cast;
    /** teaches the class */
    let ada: Actor;
    /** teaches it too */
    let cot: Actor;
    /** attend it */
    let ben: Actor;
    let eve: Actor;
    let mod: Actor;
    let id: string;
    let watchers: Watcher[] = [];

    const call = (who: Actor, method: string, url: string, body?: unknown): Promise<Answer> => one.call(method, url, body, { token: who.token });

    const done = async (answer: Promise<Answer>): Promise<Answer> => {
        const { status, text } = await answer;
        expect(status, text).to.be.below(300);
        return answer;
    };

    const join = (who: Actor): Promise<unknown> => one.database.db.raw(`insert into class_people (class_id, user_id, role) values (?, ?, 'pupil')`, [id, who.id]);

    before(async () => {
        one = await startTestServer({ limits: clientLimits });
        two = await startTestServer({ limits: clientLimits, database: one.database, config: { maxStreams: 4 } });
        await one.server.start();
        await two.server.start();
        cast = new Cast(one);
        mod = await cast.actor('moderator');
    });

    beforeEach(async () => {
        [ada, cot, ben, eve] = [await cast.teacher(), await cast.teacher(), await cast.actor(), await cast.actor()];
        id = (await call(ada, 'POST', '/users/me/classes', { title: 'Year 5' })).body.class.id;
        await done(call(ada, 'PUT', `/classes/${id}/teachers/${cot.username}`, {}));
        await Promise.all([ben, eve].map(join));
    });

    afterEach(async () => {
        watchers.forEach((watcher) => watcher.close());
        watchers = [];
        await until(() => [one, two].every(({ server }) => server.plugins.live.places.count() === 0));
    });

    after(async () => {
        expect([...one.faults, ...two.faults]).to.equal([]);
        await two.server.stop();
        await one.stop();
    });

    const open = async (who: Actor, server = one, from?: string): Promise<Watcher> => {
        const watcher = await watch(`http://127.0.0.1:${server.server.info.port}/classes/${id}/events`, { authorization: `token ${who.token}` }, from);
        watchers.push(watcher);
        return watcher;
    };

    const make = async (who: Actor, audience: string): Promise<string> => {
        const { body: { project } } = await done(call(who, 'POST', '/users/me/projects', { title: 'Mine', visibility: 'private' }));
        const url = `/users/${who.id}/projects/${project.id}`;
        await done(call(who, 'PUT', `${url}/classes/${id}`, { audience }));
        return url;
    };

    it('tells everybody at once, and then of what they see, whichever instance writes', async () => {
        const [shown, hidden] = [await make(ben, 'class'), await make(ben, 'teachers')];
        const streams = await Promise.all([open(ada), open(eve), open(ben), open(ada, two), open(eve, two)]);
        await Promise.all(streams.map((stream) => stream.has(1)));
        const [teacher, pupil, owner, otherTeacher, otherPupil] = streams.map(({ events }) => events);
        const counts = (): number[] => [teacher, pupil, owner, otherTeacher, otherPupil].map((events) => Number(events?.length));
        const told = async (what: () => Promise<unknown>, expected: number[]): Promise<void> => {
            const wanted = counts().map((count, index) => count + Number(expected[index]));
            const began = performance.now();
            await what();
            await until(() => String(counts()) === String(wanted), 2000);
            expectQuick(performance.now() - began, 2000);
        };

        await told(() => done(call(ben, 'PATCH', shown, { title: 'Changed' })), [1, 1, 1, 1, 1]);
        await told(() => done(call(ben, 'PATCH', hidden, { title: 'Changed' })), [1, 0, 1, 1, 0]);
        await told(() => done(call(ben, 'PUT', `${hidden}/classes/${id}`, { audience: 'class' })), [0, 1, 0, 0, 1]);
        await told(() => one.database.db.raw(`update projects set made_thumbnail = repeat('a', 64) where id = ?`, [String(hidden.split('/').at(-1))]), [1, 1, 1, 1, 1]);
        await told(() => one.database.db.raw('update projects set held_at = now(), held_reason = \'x\' where id = ?', [String(shown.split('/').at(-1))]), [1, 1, 1, 1, 1]);
        await told(() => done(call(ben, 'DELETE', `${hidden}/classes/${id}`, {})), [1, 1, 1, 1, 1]);
        // Nothing more comes, and what is as it was has the same state.
        await sleep(1200);
        expect(counts()).to.equal([6, 6, 6, 6, 6]);
        expect(teacher?.map(({ event }) => event)).to.equal(Array.from({ length: 6 }, () => 'change'));
        expect(teacher?.map(({ data }) => data)).to.equal(otherTeacher?.map(({ data }) => data));
        const [again] = await (await open(ada)).has(1);
        expect(again?.data).to.equal(teacher?.at(-1)?.data).and.to.only.include('state');
        expect(streams[0]?.headers).to.include({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    });

    it('ends for those who may not see the class any more, on both, and for no others', async () => {
        const stays = [await open(ada), await open(ada, two)];
        const ends: [who: Actor, end: () => Promise<unknown>][] = [
            [eve, () => done(call(ada, 'DELETE', `/classes/${id}/pupils/${eve.id}`, {}))],
            [cot, () => done(call(ada, 'DELETE', `/classes/${id}/teachers/${cot.username}`, {}))],
            [cot, () => done(call(mod, 'DELETE', `/moderation/users/${cot.id}/teacher`, {}))],
            [ada, () => done(call(ada, 'DELETE', `/classes/${id}`, {}))]
        ];
        for (const [index, [who, end]] of ends.entries()) {
            const streams = who === ada ? stays : await Promise.all([open(who), open(who, two)]);
            await Promise.all(streams.map((stream) => stream.has(1)));
            await end();
            await until(() => streams.every(({ closed }) => closed));
            expect(streams.map(({ complete, events }) => [complete, events.map(({ event }) => event)]), `way ${index}`).to.equal([[true, ['change', 'gone']], [true, ['change', 'gone']]]);
            expect((await call(who, 'GET', `/classes/${id}/events`)).status).to.equal(404);
            if (index === 1) {
                await done(call(ada, 'PUT', `/classes/${id}/teachers/${cot.username}`, {}));
            }
        }
    });

    it('ends without a word if only its token does', async () => {
        const stream = await open(ben);
        await stream.has(1);
        await one.database.db.raw('delete from tokens where user_id = ?', [ben.id]);
        await until(() => stream.closed);
        expect([stream.complete, stream.events.map(({ event }) => event)]).to.equal([true, ['change']]);
    });

    it('is there a few times for one reader, and within the places of an instance', async () => {
        const streams: Watcher[] = [];
        for (let n = 0; n < MAX_WALLS + 2; ++n) {
            streams.push(await open(ben));
        }

        await until(() => streams.slice(0, 2).every(({ closed }) => closed));
        expect(streams.map(({ complete }) => complete)).to.equal(streams.map((_stream, n) => n < 2));
        expect(one.server.plugins.live.places.count()).to.equal(MAX_WALLS);
        const others = [await open(ada, two), await open(eve, two), await open(ben, two), await open(cot, two), await open(cot, two)];
        expect(others.map(({ status }) => status)).to.equal([200, 200, 200, 200, 503]);
    });

    it('ends at once where the service stops, and sends nothing to HEAD', async () => {
        const three = await startTestServer({ limits: clientLimits, database: one.database });
        const head = await three.call('HEAD', `/classes/${id}/events`, undefined, { token: ben.token });
        expect([head.status, three.server.plugins.live.places.count()]).to.equal([200, 0]);
        three.server.plugins.live.places.close();
        const late = await three.call('GET', `/classes/${id}/events`, undefined, { token: ben.token });
        expect([late.status, late.text.match(/retry/g)?.length]).to.equal([200, 2]);
        expect(three.faults).to.equal([]);
        await three.server.stop();
    });
});
