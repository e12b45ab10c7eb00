import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { shareOf, turns } from '../../src/concurrency/work-queue';

export const lab = Lab.script();
const { describe, it } = lab;

describe('turns()', () => {
    it('lets so many run at a time, and the others in order, also after one that fails', async () => {
        const { take: inTurn } = turns(2);
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

    it('takes a fifth of a pool, and one at least', () => {
        expect([1, 4, 5, 10, 40].map(shareOf)).to.equal([1, 1, 1, 2, 8]);
    });
});
