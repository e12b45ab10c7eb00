import { createHash } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { folderStorage } from '../../../src/files/assets/folder-storage';
import { PART } from '../../../src/files/exports/parts';
import { noting } from '../../../src/files/exports/entries';
import { htmlFile } from '../../../src/files/exports/html-file';
import type { ArchiveFrame } from '../../../src/files/exports/html-file';
import type { Read } from '../../../src/database/statements/snapshot';
import { MAX_LINKED } from '../../../src/limits';
import { heapUsed } from '../../support/heap';

export const lab = script();

const MIB = 1024 * 1024;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Some pieces of JSON text, as they are read one after the other. */
async function* piecesOf(count: number, make: (index: number) => string): AsyncGenerator<string> {
    for (let index = 0; index < count; ++index) {
        yield await Promise.resolve(make(index));
    }
}

/** Runs work, and says by how many bytes the heap has grown after it. */
async function grownBy(work: () => Promise<void>): Promise<number> {
    const start = heapUsed();
    await work();
    return heapUsed() - start;
}

/** The parts of the HTML file of a project with one page, which is this JSON text. */
function partsOf(page: string, frame?: ArchiveFrame): AsyncGenerator<string> {
    const found = { open: true, id: '1', history: false, revision: 1, author: '"eva"', project: '{"title":"Plants"}', pages: [{ id: '2', revision: '1', weight: 100 }] };
    const read: Read = () => Promise.resolve(JSON.parse(JSON.stringify([{ json: page }])));
    const player = { policy: '', styles: '', script: '', fonts: ['Lora', 'Roboto Mono', 'Noto Sans SC'].map((family) => ({ family, weight: 400, letters: family === 'Noto Sans SC' ? 'U+4E00-9FFF' : 'U+0020-007E', file: family })), readFont: () => Promise.resolve(Buffer.from('font')) };
    return htmlFile(read, folderStorage('/nowhere'), () => Promise.resolve(found), { origin: 'https://pages.example', place: 'Pages', player, ...frame && { frame } });
}

async function allOf(parts: AsyncGenerator<string>): Promise<string[]> {
    const all: string[] = [];
    for await (const part of parts) {
        all.push(part);
    }

    return all;
}

/** What is around a file in an archive, and the projects that it asked for last. */
function archiveFrame(): { frame: ArchiveFrame; linked(): readonly string[] } {
    let last: readonly string[] = [];
    const addressesOf = (projects: readonly string[]): Promise<Record<string, string>> => {
        last = projects;
        return Promise.resolve({});
    };

    return { frame: { language: 'en', direction: 'ltr', before: '', after: '', missing: 'missing.html', addressesOf }, linked: () => last };
}

lab.experiment('An export', () => {

    lab.test('keeps the assets in memory that a project uses, and not the texts that name them', async () => {
        const assets = new Set<string>();
        expect(await grownBy(async () => {
            for await (const piece of noting(assets, piecesOf(40, (index) => JSON.stringify({ src: `asset:${hashOf(`${index}`)}`, text: 'x'.repeat(MIB) })))) {
                expect(piece.length).to.be.above(MIB);
            }
        })).to.be.below(10 * MIB);
        expect([...assets]).to.equal(Array.from({ length: 40 }, (_none, index) => hashOf(`${index}`)));
    });

    lab.test('makes an HTML file in small parts, and lets other requests go on in between', async () => {
        for (const text of ['<'.repeat(3 * MIB), `${'😀'.repeat(MIB)}<`, `x${'😀'.repeat(MIB)}`]) {
            const page = JSON.stringify({ id: '2', elements: [{ attributes: { text } }] });
            let [turns, waits] = [0, true];
            const count = (): void => {
                ++turns;
                if (waits) {
                    setImmediate(count);
                }
            };

            setImmediate(count);
            const parts = await allOf(partsOf(page));
            waits = false;
            expect(Math.max(...parts.map(({ length }) => length))).to.be.at.most((PART + 1) * '\\u003c'.length);
            expect(turns).to.be.above(3);
            const [, json = ''] = /id="project">([^<]*)<\/script>/.exec(parts.map((part) => String(Buffer.from(part))).join('')) ?? [];
            expect(JSON.parse(json).pages).to.equal([JSON.parse(page)]);
        }
    });

    lab.test('finds fonts, letters and links of an HTML file also where two parts meet', async () => {
        const fontsOf = (parts: readonly string[]): string[] => [...parts.join('').matchAll(/data-family="([^"]*)"/g)].map(([, family = '']) => family);
        const { frame, linked } = archiveFrame();
        // Text before it in steps of a few letters, so that each of these is cut somewhere.
        const texts = ['"Roboto Mono"', '"\\u4e2d"', '{"targetProjectId":"1234567890123456789"}', '{"targetProjectId":1234567890123456789}'];
        for (let before = PART - 250; before < PART; before += 3) {
            const parts = await allOf(partsOf(`{"id":"2","text":"${'x'.repeat(before)}","list":[${texts.join(',')}]}`, frame));
            expect(fontsOf(parts), `${before}`).to.equal(['Roboto Mono', 'Noto Sans SC']);
            expect(linked(), `${before}`).to.equal(['1234567890123456789']);
        }
    });

    lab.test('notes the links of an archive up to a number, and those of no other file', async () => {
        const { frame, linked } = archiveFrame();
        const page = JSON.stringify({ id: '2', list: Array.from({ length: 3 * MAX_LINKED }, (_none, index) => ({ targetProjectId: `${1_000_000_000_000_000 + index}` })) });
        expect((await allOf(partsOf(page, frame))).join('')).to.contain('id="linked"');
        expect(linked().length).to.equal(MAX_LINKED);
    });
});
