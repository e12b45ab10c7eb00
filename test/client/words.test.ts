import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import type { Pagewright } from '../support/client';
import { expectQuick } from '../support/clock';
import { Dice } from '../support/dice';

export const lab = Lab.script();
const { before, describe, it } = lab;

describe('the words of two people in one text', () => {
    let mergeWords: Pagewright['mergeWords'];

    before(async () => {
        ({ mergeWords } = await import('../../client/dist/pagewright.js'));
    });

    const base = 'The cat sleeps under the tree';
    for (const [what, mine, theirs, merged] of [
        ['at two places', 'The black cat sleeps under the tree', 'The cat sleeps under the tall tree', 'The black cat sleeps under the tall tree'],
        ['at both ends', 'Look! The cat sleeps under the tree', 'The cat sleeps under the tree.', 'Look! The cat sleeps under the tree.'],
        ['at the same place', `${base} all day`, `${base} and dreams`, `${base} and dreams all day`],
        ['in one word', 'The Ncat sleeps under the tree', 'The cats sleeps under the tree', 'The Ncats sleeps under the tree'],
        ['each at two places', 'A cat sleeps under a tree', 'The cat naps under the tree today', 'A cat naps under a tree today'],
        ['one of them by removing words', 'The cat sleeps', 'The fat cat sleeps under the tree', 'The fat cat sleeps'],
        ['in the place of the same word', 'The dog sleeps under the tree', 'The fox sleeps under the tree', undefined],
        ['one of them in what the other removes', 'The tree', 'The cat dreams under the tree', undefined]
    ] as const) {
        it(`are merged if they write ${what}`, () => {
            expect(mergeWords(base, mine, theirs)).to.equal(merged);
        });
    }

    it('are merged in scripts without spaces', () => {
        expect(mergeWords('今日は天気がいい', '今日はとても天気がいい', '今日は天気がいいです')).to.equal('今日はとても天気がいいです');
    });

    it('are all there after random insertions', () => {
        const dice = new Dice(7);
        for (let round = 0; round < 300; ++round) {
            const text = Array.from({ length: dice.between(0, 30) }, (_, index) => `w${index}`);
            const into = (who: string): string => Array.from({ length: dice.between(1, 5) }, (_, index) => `${who}${index}`).reduce((words, word) => words.toSpliced(dice.between(0, words.length), 0, word), text).join(' ');
            const [mine, theirs] = [into('mine'), into('theirs')];
            const merged = mergeWords(text.join(' '), mine, theirs) ?? '';
            expect([...mine.split(' '), ...theirs.split(' ')].filter((word) => !merged.includes(word))).to.equal([]);
        }
    });

    it('are not compared if that took long', () => {
        const dice = new Dice(8);
        const noise = (): string => Array.from({ length: 4990 }, () => dice.pick(['a', 'b', ' '])).join('');
        const begun = performance.now();
        expect(mergeWords(noise(), noise(), noise())).to.be.undefined();
        expect(mergeWords('', 'a'.repeat(5001), 'b')).to.be.undefined();
        expectQuick(performance.now() - begun, 1000);
    });
});
