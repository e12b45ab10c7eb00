import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { clientLimits } from '../../src/api/request/client-limits';
import { openAuthor } from '../support/authoring';
import type { Author, MadeProject } from '../support/authoring';
import { expectQuick } from '../support/clock';
import { Dice } from '../support/dice';
import { watch } from '../support/events';
import type { Watcher } from '../support/events';
import { until } from '../support/host';
import { PASSWORD, startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

/** Reads and writes that are allowed, and that are refused; continuous integration runs more. */
const REVOCATIONS = Number(process.env.REVOCATIONS ?? 30);

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('with two instances, what is no longer for somebody', () => {
    let one: TestServer;
    let two: TestServer;
    let ada: Author;
    let eve: Author;
    let mod: Author;
    let project: MadeProject;

    before(async () => {
        const config = { listMaxAge: 1000 };
        one = await startTestServer({ limits: clientLimits, config });
        two = await startTestServer({ limits: clientLimits, config, database: one.database });
        await one.server.start();
        await two.server.start();
        ada = await openAuthor(one, 'ada');
        eve = await openAuthor(one, 'eve');
        mod = await openAuthor(one, 'mod', { moderator: true });
    });

    beforeEach(async () => {
        project = await ada.project({ description: '#class' });
    });

    after(async () => {
        await two.server.stop();
        await one.stop();
    });

    const put = (role: string): Promise<unknown> => ada.call('PUT', `${project.url}/members/eve`, { role });
    const hold = (held: boolean): Promise<unknown> => one.database.db.raw(`update projects set held_at = case when ? then now() end, held_reason = 'x' where id = ?`, [held, project.id]);

    it('leaves every direct route at once, and every list within five seconds', async () => {
        await mod.call('PATCH', `${project.url}/feature`, { featured: true });
        const lists = ['/projects', '/discover', '/discover/en', '/projects/tagged/class', `/users/${ada.id}/projects`];
        const direct = [project.url, `/projects/${project.id}`, `${project.url}/pages`, project.page.url, `${project.page.url}/elements`, `${project.url}/remixes`, `${project.url}/changes?since=0`, `${project.url}/events`];
        const showing = async (): Promise<number> => {
            const answers = await Promise.all([one, two].flatMap((server) => lists.map((url) => server.call('GET', url))));
            return answers.filter(({ text }) => text.includes(`"id":"${project.id}"`)).length;
        };

        await until(async () => await showing() === 2 * lists.length);
        await ada.call('PATCH', project.url, { visibility: 'private' });
        const began = performance.now();
        for (const server of [one, two]) {
            for (const url of direct) {
                expect((await server.call('GET', url)).status, url).to.equal(404);
                expect((await server.call('GET', url, undefined, { token: eve.token })).status, url).to.equal(404);
            }
        }

        await until(async () => await showing() === 0, 5000);
        expectQuick(performance.now() - began, 5000);
    });

    it('ends the event streams of those who may no longer read, on both', async () => {
        const url = (server: TestServer): string => `http://127.0.0.1:${server.server.info.port}${project.url}/events`;
        const open = (server: TestServer, who?: Author): Promise<Watcher> => watch(url(server), who && { authorization: `token ${who.token}` });
        // Nobody has looked at their tokens before.
        const bad = { ...eve, token: 'bad' };
        const others = await Promise.all([open(one), open(two), open(one, eve), open(two, eve), open(one, bad), open(two, bad)]);
        const own = await Promise.all([open(one, ada), open(two, ada), open(two, mod)]);
        await ada.call('PATCH', project.url, { visibility: 'private' });
        await until(() => others.every(({ closed }) => closed));
        expect(others.map(({ events }) => events.map(({ event }) => event))).to.equal(others.map(() => ['gone']));
        await Promise.all(own.map((watcher) => watcher.has(1)));
        expect(own.map(({ events: [event] }) => [event?.event, event?.id])).to.equal(own.map(() => ['change', 2]));
        expect(own.map(({ closed }) => closed)).to.equal([false, false, false]);

        await put('viewer');
        const [again, ...members] = await Promise.all([open(two, ada), open(one, eve), open(two, eve)]);
        await ada.call('PATCH', project.url, { title: 'Ours' });
        await Promise.all([again, ...members].map((watcher) => watcher?.has(1)));
        await ada.call('DELETE', `${project.url}/members/eve`);
        await until(() => members.every(({ closed }) => closed));
        expect(members.map(({ events }) => events.at(-1)?.event)).to.equal(['gone', 'gone']);
        expect(again?.closed).to.be.false();

        await put('editor');
        const [editor, moderator] = await Promise.all([open(one, eve), open(two, mod)]);
        await hold(true);
        await until(() => editor?.closed);
        await sleep(300);
        expect([again?.closed, moderator?.closed]).to.equal([false, false]);
        expect(own.map(({ closed }) => closed)).to.equal([false, false, false]);
        again?.close();
        moderator?.close();
        await ada.call('DELETE', project.url);
        await until(() => own.every(({ closed }) => closed));
        expect(own.map(({ events }) => events.at(-1)?.event)).to.equal(['gone', 'gone', 'gone']);
        await until(() => [one, two].every(({ server }) => server.plugins.live.places.count() === 0));
    });

    it('ends the event streams of a token that is revoked or expires, on both, and no other', async () => {
        await ada.call('PATCH', project.url, { visibility: 'private' });
        await put('viewer');
        const signIn = async (): Promise<{ id: string; token: string }> => {
            const { body: { token: { id, access_token: token } } } = await one.call('POST', '/tokens', { username: 'eve', password: PASSWORD });
            return { id, token };
        };

        const open = (server: TestServer, token: string): Promise<Watcher> => watch(`http://127.0.0.1:${server.server.info.port}${project.url}/events`, { authorization: `token ${token}` });
        const ends: ((id: string) => Promise<unknown>)[] = [
            (id) => eve.call('DELETE', `/tokens/${id}`),
            (id) => one.database.db.raw('update tokens set expires_at = now() where id = ?', [id]),
            () => eve.call('PUT', `/users/${eve.id}/password`, { current_password: PASSWORD, password: PASSWORD })
        ];
        const kept = await open(two, eve.token);
        for (const [index, end] of ends.entries()) {
            const { id, token } = await signIn();
            const streams = await Promise.all([open(one, token), open(two, token)]);
            await until(() => [one, two].reduce((sum, { server }) => sum + server.plugins.live.places.count(), 0) === 3);
            await end(id);
            await until(() => streams.every(({ closed }) => closed), 5000);
            // With another token there is something to come back to.
            expect(streams.map(({ events, complete }) => [events, complete]), `way ${index}`).to.equal([[[], true], [[], true]]);
        }

        await ada.call('PATCH', project.url, { title: 'Ours' });
        await kept.has(1);
        kept.close();
        await until(() => [one, two].every(({ server }) => server.plugins.live.places.count() === 0));
    });

    it('is not read or written by anybody after that was acknowledged, while others read and write', { timeout: 600_000 + REVOCATIONS * 400 }, async () => {
        const seed = Number(process.env.SEED ?? 20261122);
        const dice = new Dice(seed);
        const pick = <Thing>(own: Dice, ...things: [Thing, ...Thing[]]): Thing => own.pick(things) ?? things[0];
        const state = { visibility: 'public', held: false, role: 'none' };
        /** even while nothing changes */
        let epoch = 0;
        let done = false;
        const outcomes = { allowed: 0, refused: 0, unsure: 0 };

        const change = async (): Promise<void> => {
            const next = { ...state };
            switch (pick(dice, 'visibility', 'held', 'role')) {
                case 'visibility':
                    next.visibility = pick(dice, 'public', 'unlisted', 'private', 'private');
                    break;
                case 'held':
                    next.held = !state.held && pick(dice, true, false, false);
                    break;
                default:
                    next.role = pick(dice, 'none', 'viewer', 'editor');
            }

            ++epoch;
            if (next.visibility !== state.visibility) {
                await ada.call('PATCH', project.url, { visibility: next.visibility });
            }

            if (next.held !== state.held) {
                await hold(next.held);
            }

            if (next.role !== state.role) {
                await (next.role === 'none' ? ada.call('DELETE', `${project.url}/members/eve`) : put(next.role));
            }

            Object.assign(state, next);
            ++epoch;
        };

        /** What a caller gets, as the state says. */
        const expected = (who: 'guest' | 'eve', writes: boolean): number => {
            const member = who === 'eve' && state.role !== 'none';
            return state.held || (state.visibility === 'private' && !member) ? 404 : writes ? state.role === 'editor' ? 200 : 403 : 200;
        };

        const reads = [project.url, `/projects/${project.id}`, `${project.url}/pages`, project.page.url, `${project.page.url}/elements`, `${project.url}/changes?since=0`, `${project.url}/remixes`];
        const act = async (own: Dice): Promise<void> => {
            const server = pick(own, one, two);
            const who = pick<'guest' | 'eve'>(own, 'guest', 'eve', 'eve');
            const writes = who === 'eve' && pick(own, true, false, false);
            const [method, url, body] = !writes ? ['GET', pick(own, project.url, ...reads)] as const : pick<readonly [string, string, object]>(own,
                ['PATCH', project.url, { title: 'Ours' }], ['PATCH', project.page.url, { styles: {} }], ['POST', `/users/${eve.id}/bulk`, { actions: [{ type: 'projects', method: 'update', data: { id: project.id, title: 'All ours' } }] }]);
            const began = epoch;
            const { status, text } = await server.call(method, url, body, { token: who === 'eve' ? eve.token : undefined });
            if (began % 2 === 1 || epoch !== began) {
                ++outcomes.unsure;
                return;
            }

            expect(status, `seed ${seed}: ${method} ${url} as ${who} of ${JSON.stringify(state)}: ${text.slice(0, 200)}`).to.equal(expected(who, writes));
            ++outcomes[status === 200 ? 'allowed' : 'refused'];
        };

        const actors = Array.from({ length: 6 }, async (_one, n) => {
            for (const own = new Dice(seed + n + 1); !done;) {
                await act(own);
            }
        });
        const changing = (async () => {
            for (let n = 0; n < Math.min(100, REVOCATIONS / 3) || (Math.min(outcomes.allowed, outcomes.refused) < REVOCATIONS && n < 20 * REVOCATIONS); ++n) {
                await change();
                await sleep(pick(dice, 0, 20, 50, 100));
            }
        })().finally(() => {
            done = true;
        });
        await Promise.all([changing, ...actors]);
        await hold(false);
        expect(outcomes.allowed).to.be.at.least(REVOCATIONS);
        expect(outcomes.refused).to.be.at.least(REVOCATIONS);
        expect([...one.faults, ...two.faults]).to.equal([]);
    });
});
