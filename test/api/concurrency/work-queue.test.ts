import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { shareOf, workQueue } from '../../../src/api/concurrency/work-queue';

export const lab = Lab.script();
const { describe, it } = lab;

describe('workQueue()', () => {
    it('runs a limited number at a time, and the others in order, also after a failure', async () => {
        const { run: inTurn } = workQueue(2);
        const order: number[] = [];
        let running = 0;
        let most = 0;
        const work = async (n: number): Promise<number> => {
            order.push(n);
            most = Math.max(most, ++running);
            await new Promise(setImmediate);
            --running;
            if (n === 1) {
                throw new Error('no');
            }

            return n;
        };

        const settled = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => inTurn(() => work(n))));
        expect(settled.map(({ status }) => status)).to.equal(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
        expect(order).to.equal([0, 1, 2, 3, 4]);
        expect(most).to.equal(2);
        expect(await inTurn(() => work(5))).to.equal(5);
    });

    /** Work that lasts until the test ends it, and the order in which it began. */
    const pieces = (): { began: string[]; work: (name: string) => () => Promise<void>; endOne: (name: string) => Promise<void> } => {
        const ends: Map<string, () => void> = new Map();
        const began: string[] = [];
        return {
            began,
            work: (name) => {
                return () => {
                    began.push(name);
                    return new Promise((resolve) => void ends.set(name, resolve));
                };
            },
            endOne: async (name) => {
                ends.get(name)?.();
                await new Promise(setImmediate);
            }
        };
    };

    it('forgets work whose caller has left before it began', async () => {
        const queue = workQueue(1);
        const { began, work, endOne } = pieces();
        const leaving = new AbortController();
        const all = ['a1', 'a2', 'a3', 'b1', 'a4'].map((name) => queue.run(work(name), name.slice(0, 1), name === 'a2' || name === 'b1' || name === 'a4' ? leaving.signal : undefined));
        const settled = Promise.allSettled(all);
        leaving.abort('left');
        expect(queue.ahead('c')).to.equal(1);
        await endOne('a1');
        await endOne('a3');
        expect(began).to.equal(['a1', 'a3']);
        expect((await settled).map((one) => (one.status === 'rejected' ? String(one.reason) : one.status))).to.equal(['fulfilled', 'left', 'fulfilled', 'left', 'left']);

        // One that has begun goes on: it looks at the signal itself.
        const going = new AbortController();
        const first = queue.run(work('d1'), 'd');
        const second = queue.run(work('d2'), 'd', going.signal);
        await endOne('d1');
        going.abort('left');
        await endOne('d2');
        await Promise.all([first, second]);
        await expect(queue.run(work('e'), 'e', going.signal)).to.reject();
    });

    it('lets callers take turns, and limits how many of one caller run', async () => {
        const queue = workQueue(3, 2);
        const { began, work, endOne } = pieces();
        const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2'].map((name) => queue.run(work(name), name.slice(0, 1)));
        await new Promise(setImmediate);
        // One place stays free for another caller; after that there is none.
        expect(began).to.equal(['a1', 'a2', 'b1']);
        expect([queue.ahead('a'), queue.ahead('b'), queue.ahead('c')]).to.equal([4, 3, 2]);
        for (const name of ['b1', 'a1', 'a2', 'b2', 'a3', 'a4', 'a5']) {
            await endOne(name);
        }

        expect(began).to.equal(['a1', 'a2', 'b1', 'b2', 'a3', 'a4', 'a5']);
        await Promise.all(all);
        expect(queue.ahead('a')).to.equal(0);
    });

    it('lets addresses take turns, and in an address its accounts', async () => {
        const queue = workQueue(1);
        const { began, work, endOne } = pieces();
        const turns: Record<string, string[]> = { a: ['school', 'school', 'ada'], b: ['school', 'school', 'ben'], h: ['home', 'home', 'cem'], f: ['net', 'one', ''], g: ['net', 'two', ''] };
        const left = new AbortController();
        const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'h1', 'h2', 'f1', 'g1', 'f2'].map((name) => queue.run(work(name), turns[name.slice(0, 1)]));
        const leaving = queue.run(work('left'), turns.b, left.signal);
        left.abort(new Error('left'));
        await expect(leaving).to.reject('left');
        // Of the school two pieces wait before a third account's, and so at most two of each other address.
        expect([queue.ahead(['school', 'school', 'dee']), queue.ahead(['home', 'home', 'eve']), queue.ahead(['other'])]).to.equal([7, 5, 3]);
        for (const name of ['a1', 'a2', 'h1', 'f1', 'b1', 'h2', 'g1', 'a3', 'f2', 'b2']) {
            await endOne(name);
        }

        expect(began).to.equal(['a1', 'a2', 'h1', 'f1', 'b1', 'h2', 'g1', 'a3', 'f2', 'b2']);
        await Promise.all(all);
        expect([queue.ahead(turns.a), queue.isFree(turns.a)]).to.equal([0, true]);
    });

    it('estimates how long new work would wait from how long the work before took', async () => {
        const queue = workQueue(2, 1);
        const { work, endOne } = pieces();
        const blocked = ['a1', 'a2', 'b1'].map((name) => queue.run(work(name), name.slice(0, 1)));
        // Nothing is known yet.
        expect(queue.wait('a')).to.equal(0);
        await sleep(50);
        await endOne('b1');
        const one = queue.wait('a');
        expect(one).to.be.within(45, 1000);
        const more = ['a3', 'b2', 'b3'].map((name) => queue.run(work(name), name.slice(0, 1)));
        // Two of a, which run one after the other; three of both callers on two places; one of each.
        expect([queue.wait('a'), queue.wait('b'), queue.wait()]).to.equal([2 * one, 1.5 * one, one]);
        for (const name of ['a1', 'b2', 'a2', 'b3', 'a3']) {
            await endOne(name);
        }

        await Promise.all([...blocked, ...more]);
        expect([queue.wait('a'), queue.wait()]).to.equal([0, 0]);
    });

    it('takes out what waits when its signal is aborted, and does not begin what is aborted before', async () => {
        const queue = workQueue(1);
        const { began, work, endOne } = pieces();
        const gone = new AbortController();
        const first = queue.run(work('first'), 'a');
        const left = [queue.run(work('left'), 'a', gone.signal), queue.run(work('also left'), 'b', gone.signal)];
        const last = queue.run(work('last'), 'b', new AbortController().signal);
        gone.abort(new Error('nobody waits'));
        for (const one of [...left, queue.run(work('never'), 'c', gone.signal)]) {
            await expect(one).to.reject('nobody waits');
        }

        expect([queue.ahead('a'), queue.ahead('b')]).to.equal([1, 1]);
        await endOne('first');
        await endOne('last');
        await Promise.all([first, last]);
        expect(began).to.equal(['first', 'last']);
    });

    it('uses a fifth of the pool, and at least one connection', () => {
        expect([1, 4, 5, 10, 40].map(shareOf)).to.equal([1, 1, 1, 2, 8]);
    });
});
