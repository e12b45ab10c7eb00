import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { READ_EVERY, WallTurns } from '../../src/classes/wall/turns';

export const lab = Lab.script();
const { describe, it } = lab;

describe('walls are read in turns', () => {
    /** Reads walls one after the other for so many milliseconds of a clock of its own. @returns the times at which each was read */
    const read = (turns: WallTurns, costOf: (id: string) => number, until: number, from = 1): Map<string, number[]> => {
        const times = new Map<string, number[]>();
        for (let now = from; now < until;) {
            const ids = turns.next(now);
            const took = ids.reduce((sum, id) => sum + costOf(id), 0);
            now += ids.length === 0 ? 1 : took;
            if (ids.length > 0) {
                turns.done(took, now);
                ids.forEach((id) => times.set(id, [...times.get(id) ?? [], now]));
            }
        }

        return times;
    };

    const longestGap = (times: number[] | undefined): number => (times ?? [Infinity]).reduce((most, time, at, all) => Math.max(most, time - (all[at - 1] ?? 0)), 0);

    it('so that a small one waits for no more than one large one, however many others watch', () => {
        for (const watchers of [1, 14]) {
            const turns = new WallTurns();
            for (let n = 0; n < 10 * watchers; ++n) {
                turns.add(`large ${n}`, `watcher ${n % watchers}`);
            }

            const cost = (id: string): number => (id === 'small' ? 1 : 70);
            read(turns, cost, 10_000);
            turns.add('small', 'teacher');
            const times = read(turns, cost, 70_000, 10_000);
            expect(longestGap(times.get('small')?.map((time) => time - 10_000))).to.be.at.most(READ_EVERY + 142);
            // And the large ones are read again and again, all of them.
            expect(times.size).to.equal(10 * watchers + 1);
            expect([...times.values()].every(({ length }) => length > 2)).to.be.true();
        }
    });

    it('with a rest for whoever watches much, which others do not share', () => {
        const turns = new WallTurns();
        for (let n = 0; n < 10; ++n) {
            turns.add(`large ${n}`, 'watcher');
        }

        const alone = [...read(turns, () => 100, 40_000).values()].flat().length;
        expect(alone * 100).to.be.at.most(40_000 / 4 + 200);
        turns.add('large 0', 'teacher');
        const times = read(turns, () => 100, 80_000, 40_000);
        expect(longestGap(times.get('large 0')?.map((time) => time - 40_000))).to.be.at.most(READ_EVERY + 201);
    });

    it('together if they are small, alone if that is not known, and no longer than somebody watches', () => {
        const turns = new WallTurns();
        ['a', 'b', 'c'].forEach((id) => turns.add(id, id));
        turns.add('a', 'b');
        turns.add('a', 'b');
        expect([turns.next(1), turns.next(1)]).to.equal([['a'], ['a']]);
        turns.done(1, 2);
        expect(turns.next(2)).to.equal(['b']);
        turns.done(1, 3);
        expect(turns.next(3)).to.equal(['c']);
        turns.done(1, 4);
        expect(turns.next(5)).to.equal([]);
        expect(turns.next(1000).sort()).to.equal(['a', 'b', 'c']);
        turns.done(1, 1001);
        turns.remove('a', 'a');
        turns.remove('a', 'b');
        turns.remove('c', 'c');
        turns.remove('c', 'c');
        expect(turns.next(2000).sort()).to.equal(['a', 'b']);
        turns.done(1, 2001);
        turns.remove('a', 'b');
        expect(turns.next(3000)).to.equal(['b']);
        turns.done(1, 3001);
        turns.remove('b', 'b');
        expect(turns.next(4000)).to.equal([]);
    });
});
