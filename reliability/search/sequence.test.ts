import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Dice } from '../../test/support/dice';
import { kinds, most, mutated, randomSequence, reads, shapes, things } from './sequence';
import type { Sequence, Step } from './sequence';

export const lab = script();

/** Many generations of changes, from one seed. */
function generations(seed: number): Sequence[] {
    const dice = new Dice(seed);
    const all = [randomSequence(dice)];
    for (let n = 0; n < 500; ++n) {
        all.push(mutated(dice, all.at(-1) ?? []));
    }

    return all;
}

lab.experiment('Sequences of requests', () => {

    lab.test('are the same for the same seed, and as JSON', () => {
        expect(generations(7)).to.equal(generations(7));
        expect(generations(7)).to.not.equal(generations(8));
        expect(JSON.parse(JSON.stringify(generations(7)))).to.equal(generations(7));
    });

    lab.test('stay within their bounds, however often they are changed', () => {
        const isWithin = ({ kind, thing, read, which, value, actions, times, atOnce }: Step): boolean => {
            return kinds.includes(kind) && things.includes(thing) && reads.includes(read) && shapes.includes(value.shape) && which < most.which &&
                value.bytes <= most.bytes && actions <= most.actions && times <= most.times && atOnce <= most.atOnce && Math.min(which + 1, value.bytes, actions, times, atOnce) >= 1;
        };

        const all = [1, 2, 3].flatMap(generations);
        expect(all.filter(({ length }) => length < 1 || length > most.steps)).to.equal([]);
        expect(all.flat().filter((step) => !isWithin(step))).to.equal([]);
    });

    lab.test('come to have every kind of request', () => {
        expect(new Set([1, 2, 3].flatMap(generations).flat().map(({ kind }) => kind)).size).to.equal(kinds.length);
    });
});
