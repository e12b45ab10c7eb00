import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { pauses } from '../../../src/api/concurrency/yielding';
import { readBlockedWords } from '../../../src/community/filters';
import type { BlockedWords } from '../../../src/community/filters';
import { expectQuick } from '../../support/clock';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the file of blocked words', () => {
    let folder: string;

    before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'pagewright-words-'));
    });

    after(() => rm(folder, { recursive: true }));

    const fileOf = async (text: string | Uint8Array): Promise<string> => {
        const path = join(folder, 'words.txt');
        await writeFile(path, text);
        return path;
    };

    const wordsOf = async (text: string): Promise<BlockedWords> => readBlockedWords(await fileOf(text));

    it('has one word a line, with remarks', async () => {
        const words = await wordsOf('# mean\r\n\r\nbadger # an animal\n  Stoat\n');
        expect(['Badger', 'stoat', 'mean', 'animal'].map((text) => words.find(text))).to.equal(['badger', 'Stoat', undefined, undefined]);
        expect((await readBlockedWords(null)).find('badger')).to.be.undefined();
        expect((await wordsOf('# nothing')).isEmpty).to.be.true();
    });

    it('blocks whole words in any script, and in scripts without spaces what is in a text', async () => {
        const words = await wordsOf(['ass', 'naïve', 'дурак', 'βλάκας', 'حمار', 'गधा', '바보', '笨蛋', 'バカ', 'โง่', 'h8', '88', 'straße'].join('\n'));
        const cases: [text: string, word: string | undefined][] = [
            ['What an ass!', 'ass'], ['ASS', 'ass'], ['my_ass-hat', 'ass'], ['a classic bass', undefined], ['assess', undefined], [
                'ass\u0301', undefined
            ],
            ['so naïve', 'naïve'], ['so nai\u0308ve', 'naïve'], ['so naive', undefined], ['NAÏVE.', 'naïve'], ['Ты Дурак?', 'дурак'], [
                'дураки', undefined
            ],
            ['ΒΛΆΚΑΣ', 'βλάκας'], ['(حمار)', 'حمار'], ['حمارة', undefined], ['वह गधा है', 'गधा'], ['गधाओं', undefined], ['바보 같다', '바보'],
            ['你这个笨蛋啊', '笨蛋'], ['あのバカめ', 'バカ'], ['あのﾊﾞｶめ', 'バカ'], ['คนโง่มาก', 'โง่'], ['i h8 you', 'h8'], ['88', '88'], ['1988', undefined], ['STRASSE', 'straße']
        ];
        expect(cases.map(([text]) => [text, words.find(text)])).to.equal(cases);
    });

    it('folds letters that look alike, signs for letters, and what nobody sees', async () => {
        const words = await wordsOf('ass\nidiot\nlolly\nхуй\nbass');
        const cases: [text: string, word: string | undefined][] = [
            ['аss', 'ass'], ['a55', 'ass'], ['4$$', undefined], ['@ss', 'ass'], ['a$$!', 'ass'], ['ａｓｓ', 'ass'], ['𝐚𝐬𝐬', 'ass'], ['a\u200bs\u00ads', 'ass'], ['αѕѕ', 'ass'], ['@ass', 'ass'], ['455', undefined], ['$4', undefined],
            ['1d10t', 'idiot'], ['!d|0t', 'idiot'], ['10lly', 'lolly'], ['ıdıot', 'idiot'], ['İDİOT', 'idiot'], ['xyй', 'хуй'], ['ХУЙ', 'хуй'], ['8ass', 'bass'], ['passed', undefined], ['ldlot', undefined]
        ];
        expect(cases.map(([text]) => [text, words.find(text)])).to.equal(cases);
    });

    it('is refused in one sentence that says what is wrong', async () => {
        const reasonOf = async (path: string): Promise<string> => String((await expect(readBlockedWords(path)).to.reject(Error)).message);
        expect(await reasonOf(join(folder, 'none.txt'))).to.match(/^BLOCKED_WORDS cannot be used\. .*none\.txt: ENOENT/);
        expect(await reasonOf(folder)).to.match(/^BLOCKED_WORDS cannot be used\..* EISDIR/);
        expect(await reasonOf(await fileOf('one\ntwo words\n'))).to.match(/words\.txt: line 2 has to be one word of letters and digits, 64 at most$/);
        expect(await reasonOf(await fileOf('x'.repeat(65)))).to.match(/line 1 has to be one word/);
        expect(await reasonOf(await fileOf(Buffer.from([0xff, 0xfe, 0x61])))).to.match(/not valid for encoding utf-8$/);
        expect(await reasonOf(await fileOf(Array.from({ length: 20_001 }, (_one, n) => `w${n}`).join('\n')))).to.match(/it has 20001 words, and may have 20000$/);
        expect(await reasonOf(await fileOf('x'.repeat(8 * 1024 * 1024 + 1)))).to.match(/it has 8388609 bytes, and may have 8388608$/);
    });

    /** The longest that others wait while a text is looked at, in milliseconds, and the words that are found. */
    async function round(words: BlockedWords, text: string): Promise<{ longest: number; found: string[] }> {
        let longest = 0;
        let last = performance.now();
        const pause = pauses();
        const found: string[] = [];
        for (const word of words.findAll(text)) {
            found.push(...word === undefined ? [] : [word]);
            const waiting = pause();
            if (waiting !== undefined) {
                longest = Math.max(longest, performance.now() - last);
                await waiting;
                last = performance.now();
            }
        }

        return { longest, found };
    }

    it('is compared with a megabyte without holding up others for 50 ms, wherever the word is', async () => {
        const words = await wordsOf([...Array.from({ length: 10_000 }, (_one, n) => `bad${n.toString(36)}x`), '大笨蛋'].join('\n'));
        const texts = [
            'An ordinary sentence, with words of usual length. '.repeat(21_000), 'длинное предложение о том о сём '.repeat(32_000), '这是一个很长的句子没有空格'.repeat(80_000),
            `${'a'.repeat(1_000_000)} `, 'ａ１ '.repeat(300_000)
        ];
        for (const text of texts) {
            const { longest, found } = await round(words, `${text}badx1xnot bad5x ${text.slice(0, 4092)}大笨蛋`);
            expect(found).to.equal(['bad5x', '大笨蛋']);
            expectQuick(longest, 50);
        }
    });

    it('is found wherever a text is cut to be looked at in parts', async () => {
        const words = await wordsOf('ass\n大笨蛋');
        for (let at = 4084; at < 4104; at++) {
            expect([...words.findAll(`${'x'.repeat(at - 1)} ass ${'y '.repeat(20_000)}`)].filter(Boolean)).to.equal(['ass']);
            expect([...words.findAll(`${'一'.repeat(at)}大笨蛋${'一'.repeat(20_000)}`)].filter(Boolean).slice(0, 1)).to.equal(['大笨蛋']);
            expect([...words.findAll(`${'x '.repeat(at / 2)}class ${'y '.repeat(20_000)}`)].filter(Boolean)).to.equal([]);
        }
    });

    it('has a version that changes with the words', async () => {
        const versions = await Promise.all(['a\nb', 'b\nA', 'a', '笨蛋', '笨'].map(async (text) => {
            const path = join(folder, `${Math.random()}`);
            await writeFile(path, text);
            return (await readBlockedWords(path)).version;
        }));
        expect(versions[0]).to.equal(versions[1]);
        expect(new Set(versions).size).to.equal(4);
    });
});
