import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { batched } from '../../../src/api/concurrency/batcher';

export const lab = Lab.script();
const { describe, it } = lab;

/** A writer that records its batches, and returns when the test releases it. */
function batches(): { seen: string[][]; write(batch: string[]): Promise<string[]>; letGo(): void } {
    const seen: string[][] = [];
    const held: (() => void)[] = [];
    return {
        seen,
        write: async (batch) => {
            seen.push(batch);
            await new Promise<void>((resolve) => {
                held.push(resolve);
            });
            return batch.map((item) => item.toUpperCase());
        },
        letGo: () => held.splice(0).forEach((resolve) => resolve())
    };
}

const turns = async (n: number): Promise<void> => {
    for (let i = 0; i < n; ++i) {
        await new Promise(setImmediate);
    }
};

describe('gather()', () => {
    it('writes what arrives meanwhile as the next batch, and returns each item its result', async () => {
        const { seen, write, letGo } = batches();
        const one = batched(write);
        const first = [one('a'), one('b')];
        await turns(2);
        const next = [one('c'), one('d'), one('e')];
        await turns(2);
        expect(seen).to.equal([['a', 'b']]);
        letGo();
        expect(await Promise.all(first)).to.equal(['A', 'B']);
        await turns(2);
        letGo();
        expect(await Promise.all(next)).to.equal(['C', 'D', 'E']);
        expect(seen).to.equal([['a', 'b'], ['c', 'd', 'e']]);
    });

    it('never has two items of one key in a batch', async () => {
        const { seen, write, letGo } = batches();
        const one = batched(write, { key: (item) => item.slice(0, 1) });
        const all = Promise.all([one('a1'), one('b1'), one('a2')]);
        await turns(2);
        letGo();
        await turns(2);
        letGo();
        expect(await all).to.equal(['A1', 'B1', 'A2']);
        expect(seen).to.equal([['a1', 'b1'], ['a2']]);
    });

    it('writes another batch while one waits', async () => {
        const { seen, write, letGo } = batches();
        const one = batched(write, { lanes: 2 });
        const first = one('a');
        await turns(2);
        const second = one('b');
        await turns(2);
        expect(seen).to.equal([['a'], ['b']]);
        letGo();
        expect(await Promise.all([first, second])).to.equal(['A', 'B']);
    });

    it('has no more than 200 in a batch', async () => {
        const sizes: number[] = [];
        const one = batched((batch: number[]) => {
            sizes.push(batch.length);
            return Promise.resolve(batch);
        });
        await Promise.all(Array.from({ length: 450 }, (_, n) => one(n)));
        expect(sizes).to.equal([200, 200, 50]);
    });

    it('has no more than 4 MiB in a batch of several', async () => {
        const sizes: number[][] = [];
        const one = batched((batch: number[]) => {
            sizes.push(batch);
            return Promise.resolve(batch);
        }, { size: (item) => item * 1024 * 1024 });
        await Promise.all([9, 1, 2, 3, 1].map((size) => one(size)));
        expect(sizes).to.equal([[9], [1, 2, 1], [3]]);
    });

    it('rejects all items of a failed batch, and none of the next', async () => {
        let broken = true;
        const one = batched((batch: string[]) => (broken ? Promise.reject(new Error('no')) : Promise.resolve(batch)));
        const settled = await Promise.allSettled([one('a'), one('b')]);
        expect(settled.map(({ status }) => status)).to.equal(['rejected', 'rejected']);
        broken = false;
        expect(await one('c')).to.equal('c');
    });

    it('rejects items that the writer returned no result for', async () => {
        const one = batched((batch: string[]) => Promise.resolve(batch.slice(1)));
        await expect(one('a')).to.reject('A batch returned fewer results than it had items');
    });
});
