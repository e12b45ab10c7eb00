import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import { fontNames } from '../../../client/src/render';
import { drawPage } from '../../../src/files/thumbnails/draw';
import { EmojiPictures, splitAtEmoji } from '../../../src/files/thumbnails/emoji';
import { linesOf } from '../../../src/files/thumbnails/lines';
import { perform } from '../../../src/files/thumbnails/perform';
import { inProcesses } from '../../support/file-pools';
import { build } from '../../support/program';

export const lab = script();
const { describe, it } = lab;

interface Drawn {
    /** The colour at a place in units of the page, as hex. */
    at(x: number, y: number): string;
    /** The box, in units, of all pixels that have not the colour of the page. */
    ink(left?: number, top?: number, right?: number, bottom?: number): { left: number; top: number; right: number; bottom: number };
}

const png = (colour: string, width = 40, height = 20): Promise<Buffer> => sharp({ create: { width, height, channels: 3, background: colour } }).png().toBuffer();

async function draw(elements: object[], { styles = {}, pictures = new Map<string, string>() }: { styles?: object; pictures?: Map<string, string> } = {}): Promise<Drawn> {
    const webp = await drawPage({ styles: JSON.stringify(styles), elements: JSON.stringify(elements), pictures, mark: 'a mark' }, true);
    const { data, info } = await sharp(webp).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).to.equal([640, 960]);
    const pixel = (x: number, y: number): number[] => [...data.subarray((y * 640 + x) * 3, (y * 640 + x) * 3 + 3)];
    const sheet = pixel(639, 959);
    return {
        // In steps, as the picture is compressed.
        at: (x, y) => pixel(Math.round(x * 2), Math.round(y * 2)).map((value) => Math.round(value / 51).toString()).join(''),
        ink: (left = 0, top = 0, right = 319, bottom = 479) => {
            const found = { left: 9999, top: 9999, right: -1, bottom: -1 };
            for (let y = top * 2; y < bottom * 2; y++) {
                for (let x = left * 2; x < right * 2; x++) {
                    if (pixel(x, y).some((value, n) => Math.abs(value - Number(sheet[n])) > 90)) {
                        found.left = Math.min(found.left, x / 2);
                        found.top = Math.min(found.top, y / 2);
                        found.right = Math.max(found.right, x / 2);
                        found.bottom = Math.max(found.bottom, y / 2);
                    }
                }
            }

            return found;
        }
    };
}

const [WHITE, RED, BLUE, LIME, BLACK, GREY] = ['555', '500', '005', '050', '000', '555'];
const text = (words: string, styles: object, attributes: object = {}): object => ({ type: 'text', attributes: { text: words, ...attributes }, styles });
const shape = (form: string, styles: object): object => ({ type: 'shape', attributes: { shape: form }, styles });
const image = (src: string, styles: object): object => ({ type: 'image', attributes: { src, alt: 'x' }, styles });

describe('The drawing of a page', () => {
    it('has the colour of the page, and shapes where they are', async () => {
        const { at } = await draw([
            shape('rectangle', { left: 10, top: 10, width: 40, height: 40, backgroundColor: 'red' }),
            shape('ellipse', { left: 60, top: 10, width: 40, height: 40, backgroundColor: '#f00' }),
            shape('triangle', { left: 110, top: 10, width: 40, height: 40, backgroundColor: 'rgb(255 0 0)' }),
            shape('rectangle', { left: 160, top: 10, width: 40, height: 40, backgroundColor: 'red', borderRadius: 100 }),
            shape('rectangle', { left: 210, top: 30, width: 40, height: 4, backgroundColor: 'red', rotate: 90 }),
            shape('rectangle', { left: 260, top: 10, width: 40, height: 40, backgroundColor: 'black', opacity: 0.2 }),
            shape('rectangle', { left: 10, top: 900, width: 40, height: 40, backgroundColor: 'red' }),
            shape('rectangle', { left: 900, top: 10, width: 40, height: 40, backgroundColor: 'red' }),
            shape('none', { left: 0, top: 0, width: 320, height: 480, backgroundColor: 'red' })
        ], { styles: { backgroundColor: '#00f' } });
        expect([at(5, 5), at(30, 30), at(12, 12)]).to.equal([BLUE, RED, RED]);
        expect([at(80, 30), at(62, 12)]).to.equal([RED, BLUE]);
        expect([at(130, 40), at(114, 14), at(146, 14)]).to.equal([RED, BLUE, BLUE]);
        expect([at(180, 30), at(162, 12)]).to.equal([RED, BLUE]);
        expect([at(230, 20), at(215, 32)]).to.equal([RED, BLUE]);
        expect(at(280, 30)).to.equal('004');
    });

    it('has the pages of Webmaker\'s own client, placed from the middle', async () => {
        const place = { x: 0, y: 0, scale: 1, angle: 0, zIndex: 1, color: 'red', fontSize: 20 };
        const html = (innerHTML: string, styles: object): object => ({ type: 'text', attributes: { innerHTML }, styles: { ...place, ...styles } });
        const plain = await draw([html('<b>■■■■</b>', {})]);
        const { left, top, right, bottom } = plain.ink();
        expect([(left + right) / 2, (top + bottom) / 2].map((middle, n) => Math.abs(middle - (n === 0 ? 160 : 220)) < 8)).to.equal([true, true]);
        const larger = (await draw([html('■■■■', { x: 50, y: -100, scale: 2 })])).ink();
        expect((larger.right - larger.left) / (right - left)).to.be.within(1.85, 2.15);
        expect([(larger.left + larger.right) / 2 > 200, (larger.top + larger.bottom) / 2 < 140]).to.equal([true, true]);
        const turned = (await draw([html('■■■■', { angle: Math.PI / 2 })])).ink();
        expect(turned.bottom - turned.top).to.be.above(2 * (turned.right - turned.left));
    });

    it('has borders inside of boxes, and text in the colour and size that it has', async () => {
        const border = (left: number, styles: object): object => text('', { left, top: 10, width: 60, height: 60, ...styles });
        const drawn = await draw([
            border(10, { border: '8px solid red' }), border(80, { border: '8px dashed blue', backgroundColor: 'lime' }), border(150, { border: '8px dotted', color: 'red' }), border(220, { border: '8px solid', color: 'red' }),
            text('■■■■■■■■', { left: 10, top: 100, fontSize: 40, color: 'red' })
        ]);
        expect([drawn.at(14, 40), drawn.at(30, 40), drawn.at(14, 14)]).to.equal([RED, WHITE, RED]);
        expect(drawn.at(110, 40)).to.equal(LIME);
        expect(drawn.at(224, 40)).to.equal(RED);
        const ink = drawn.ink(0, 100, 319, 200);
        expect(ink.left).to.be.within(8, 20);
        expect(ink.right).to.be.above(180);
        expect(drawn.at(ink.left + 6, (ink.top + ink.bottom) / 2)).to.equal(RED);
    });

    it('has lines where they end in a browser, at their side', async () => {
        const words = 'aa aa aa aa aa aa aa aa aa aa aa aa aa aa aa aa';
        const box = { left: 100, width: 100, fontSize: 10 };
        const height = (drawn: Drawn, top: number): number => Number(drawn.ink(0, top, 319, top + 110).bottom) - Number(drawn.ink(0, top, 319, top + 110).top);
        const first = await draw([
            text(words, { ...box, top: 0 }), text('aa', { ...box, top: 120, textAlign: 'right' }), text('aa', { ...box, top: 240, textAlign: 'center' }), text('aa', { ...box, top: 360, textAlign: 'end', padding: 20 })
        ]);
        expect(height(first, 0)).to.be.above(25);
        expect(first.ink(0, 0, 319, 110).right).to.be.below(202);
        expect(first.ink(0, 120, 319, 140).right).to.be.within(195, 202);
        expect([first.ink(0, 240, 319, 260).left, first.ink(0, 240, 319, 260).right].map((x) => Math.abs(Number(x) - 150))).to.satisfy(([left = 0, right = 0]: number[]) => Math.abs(left - right) < 3);
        expect(first.ink(0, 360, 319, 479).right).to.be.within(174, 182);
        expect(first.ink(0, 360, 319, 479).top).to.be.above(379);

        const second = await draw([
            text('شمس', { ...box, top: 0 }), text('aa', { ...box, top: 120, direction: 'rtl' }), text('aa', { ...box, top: 240 }, { dir: 'rtl' }), text('שלום', { ...box, top: 360, textAlign: 'end', direction: 'rtl' }), { ...Object(text('a', { ...box, top: 430, textAlign: 'left' })), type: 'link', attributes: { text: 'a', href: 'https://example.org/b' } }
        ]);
        expect(second.ink(0, 0, 319, 100).right).to.be.within(194, 202);
        expect(second.ink(0, 120, 319, 200).right).to.be.within(194, 202);
        expect(second.ink(0, 240, 319, 300).right).to.be.within(194, 202);
        expect(second.ink(0, 430, 319, 450).right).to.be.above(150);
        expect(second.ink(0, 360, 319, 400).left).to.be.within(98, 106);

        const lines = await draw([text('شمس\naa', { ...box, top: 0 }), text('aa\nشمس\n12', { ...box, top: 120, width: 200 })]);
        expect(lines.ink(0, 0, 319, 14).right).to.be.within(194, 202);
        expect(lines.ink(0, 15, 319, 30).left).to.be.within(98, 106);
        expect(lines.ink(0, 120, 319, 133).left).to.be.within(98, 106);
        expect(lines.ink(0, 134, 319, 148).right).to.be.within(294, 302);
        expect(lines.ink(0, 149, 319, 164).left).to.be.within(98, 106);

        const third = await draw([
            text(words, { ...box, top: 0, whiteSpace: 'nowrap' }), text('aa', { left: 10, top: 120, letterSpacing: 20, fontSize: 10 }), text('aa', { left: 10, top: 240, letterSpacing: '2em', fontSize: 10 }),
            text('a\na\na', { left: 10, top: 360, lineHeight: 2, fontSize: 10, fontStyle: 'italic', fontWeight: 700, fontFamily: '"Nothing", serif', textDecoration: 'underline' })
        ]);
        expect(third.ink(0, 0, 319, 100).right).to.be.above(220);
        expect(third.ink(0, 120, 319, 200).right).to.be.above(32);
        expect(third.ink(0, 240, 319, 300).right).to.be.above(32);
        expect(height(third, 360)).to.be.above(42);
    });

    it('has pictures as they fit, and leaves out those that are none', async () => {
        const src = `asset:${'ab'.repeat(32)}`;
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-test-'));
        const file = async (name: string, bytes: Buffer): Promise<string> => {
            await writeFile(join(folder, name), bytes);
            return join(folder, name);
        };

        const pictures = new Map([[src, await file('red', await png('#f00'))], [`asset:${'cd'.repeat(32)}`, await file('nothing', Buffer.from('nothing'))]]);
        const svg = (inside: string): string => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">${inside}</svg>`)}`;
        const { at } = await draw([
            image(src, { left: 0, top: 0, width: 80, height: 80 }), image(src, { left: 100, top: 0, width: 80, height: 80, objectFit: 'contain' }), image(src, { left: 200, top: 0, width: 80, height: 80, objectFit: 'cover', borderRadius: 40 }),
            image(src, { left: 0, top: 100, width: 80 }), image(src, { left: 100, top: 100, height: 40 }), image(src, { left: 200, top: 100, imageRendering: 'pixelated' }),
            image(`asset:${'cd'.repeat(32)}`, { left: 0, top: 200, width: 80, height: 80, backgroundColor: 'red' }), image(`asset:${'ef'.repeat(32)}`, { left: 100, top: 200, width: 80, height: 80 }),
            image(svg('<rect width="10" height="10" fill="blue"/>'), { left: 200, top: 200, width: 80, height: 80, imageRendering: 'pixelated' }),
            image('data:image/png,nothing', { left: 0, top: 300, width: 80, height: 80 }), image('https://example.org/a.png', { left: 100, top: 300, width: 80, height: 80 }),
            { type: 'video', attributes: { src }, styles: { left: 200, top: 300, width: 80, height: 80, backgroundColor: 'lime' } }
        ], { pictures });
        await rm(folder, { recursive: true });
        expect([at(5, 5), at(75, 75)]).to.equal([RED, RED]);
        expect([at(105, 5), at(140, 40)]).to.equal([WHITE, RED]);
        expect([at(240, 5), at(240, 40), at(203, 3)]).to.equal([RED, RED, WHITE]);
        expect([at(40, 120), at(40, 150)]).to.equal([RED, WHITE]);
        expect([at(140, 120), at(185, 120)]).to.equal([RED, WHITE]);
        expect([at(220, 110), at(220, 125)]).to.equal([RED, WHITE]);
        expect([at(40, 240), at(140, 240), at(240, 240)]).to.equal([WHITE, WHITE, BLUE]);
        expect([at(40, 340), at(110, 370)]).to.equal([WHITE, GREY]);
        expect(at(205, 375)).to.equal(LIME);
    });

    it('has each font of the site in both weights, and those for the letters that it lacks', async () => {
        await build();
        const pool = inProcesses();
        const drawn = async (words: string, styles: object): Promise<string> => {
            const elements = JSON.stringify([text(words, { left: 4, top: 20, fontSize: 24, whiteSpace: 'nowrap', ...styles })]);
            const { result } = await pool.run({ kind: 'draw', styles: '{}', elements, pictures: new Map(), mark: 'a mark' }, 'a test', new AbortController().signal);
            return (await sharp(Buffer.from(result?.picture ?? '')).removeAlpha().raw().toBuffer()).toString('base64');
        };

        try {
            const looks = await Promise.all(['Nothing', ...fontNames.slice(1)].map((fontFamily) => drawn('Hamburg', { fontFamily })));
            expect(new Set(looks).size).to.equal(fontNames.length);
            expect(await drawn('Hamburg', { fontFamily: 'Noto Sans' }), 'shown for a font that nobody has').to.equal(await drawn('Hamburg', { fontFamily: 'Nothing' }));
            expect(await drawn('Hamburg', { fontFamily: 'Nunito', fontWeight: 'bold' })).to.not.equal(await drawn('Hamburg', { fontFamily: 'Nunito' }));
            expect(await drawn('Hamburg', { fontFamily: 'Nothing, serif' })).to.equal(await drawn('Hamburg', { fontFamily: 'Lora' }));
            for (const letters of ['Привет', 'مرحبا']) {
                expect(await drawn(letters, { fontFamily: 'Comic Neue' }), letters).to.equal(await drawn(letters, {})).and.to.not.equal(await drawn(letters, { fontFamily: 'DejaVu Sans' }));
            }
        }
        finally {
            await pool.close();
        }
    });

    it('breaks words of any length', async () => {
        for (const letter of ['■', '🌿']) {
            const { right, bottom } = (await draw([text(letter.repeat(3000), { left: 10, top: 10, width: 200, fontSize: 20 })])).ink();
            expect(right).to.be.within(170, 212);
            expect(bottom).to.be.above(470);
        }
    });

    it('has what else is on the page if a text has more letters than are measured', async () => {
        // Each letter is a line of its own.
        const many = [0x4E00, 0x5E00].map((first) => text(Array.from({ length: 1000 }, (_none, n) => String.fromCodePoint(first + n)).join(''), { left: 10, top: -10_000, width: 1, fontSize: 8 }));
        const { right, bottom } = (await draw([...many, text('■', { left: 100, top: 100, fontSize: 20 })])).ink();
        expect([right > 100, bottom > 100]).to.equal([true, true]);
    });

    it('has emoji in their colours, where they stand among the words', async () => {
        const pool = inProcesses();
        try {
            const row = (words: string, top: number, styles: object = {}): object => text(words, { left: 10, top, width: 300, fontSize: 40, ...styles });
            const elements = JSON.stringify([row('🟥🟩', 10), row('ab🟥', 80, { textAlign: 'end', letterSpacing: 2 }), row('🟥🟩', 150, { textAlign: 'center' }), row('مرحبا 🟥', 220), row('❤ ❤️', 290), row('👩🏽‍🚀🇧🇷1️⃣', 360)]);
            const { result } = await pool.run({ kind: 'draw', styles: '{}', elements, pictures: new Map(), mark: 'a mark' }, 'a test', new AbortController().signal);
            const webp = Buffer.from(result?.picture ?? '');
            const { data } = await sharp(webp).removeAlpha().raw().toBuffer({ resolveWithObject: true });
            /** The places, in units, of all that is red in a row, and of all that is green. */
            const places = (top: number): { left: number; right: number; top: number; bottom: number }[] => [0, 1].map((channel) => {
                const found = { left: 999, right: -1, top: 999, bottom: -1 };
                for (let y = top * 2; y < top * 2 + 112; y++) {
                    for (let x = 0; x < 640; x++) {
                        const at = (y * 640 + x) * 3;
                        const [one, other, blue] = [data[at + channel] ?? 0, data[at + 1 - channel] ?? 0, data[at + 2] ?? 0];
                        if (one > 130 && one > other + 40 && one > blue + 40) {
                            Object.assign(found, { left: Math.min(found.left, x / 2), right: Math.max(found.right, x / 2), top: Math.min(found.top, y / 2), bottom: Math.max(found.bottom, y / 2) });
                        }
                    }
                }

                return found;
            });
            const [red, green] = places(10);
            expect(Number(red?.left)).to.be.about(13, 4);
            expect(Number(red?.right)).to.be.about(57, 4);
            expect([Number(green?.left), Number(green?.right)].map((place, n) => Math.abs(place - Number([63, 107][n])) < 5)).to.equal([true, true]);
            expect(Number(red?.bottom)).to.be.within(50, 66);
            expect(Number(places(80)[0]?.right)).to.be.within(298, 310);
            expect((Number(places(150)[0]?.left) + Number(places(150)[1]?.right)) / 2).to.be.about(160, 3);
            // In a text from right to left, it stands on the left of the words that it follows.
            expect(Number(places(220)[0]?.right)).to.be.within(150, 230);
            // One of the two hearts is a letter.
            expect(Number(places(290)[0]?.left)).to.be.above(35);
            const brazil = places(360)[1];
            expect(Number(brazil?.left)).to.be.within(50, 75);
        }
        finally {
            await pool.close();
        }
    });

    it('has no more than 50 kinds of emoji in colours, and 100 in all, and letters in place of the others', async () => {
        const drawn: string[] = [];
        const emoji = new EmojiPictures((one) => {
            drawn.push(one);
            return Promise.resolve(one === 'none' ? undefined : { href: '', width: 1, height: 1 });
        });
        expect([await emoji.next('none'), await emoji.next('none'), await emoji.next('a'), await emoji.next('b'), await emoji.next('a')]).to.equal([null, null, 'e0', 'e1', 'e0']);
        for (let n = 0; n < 60; n++) {
            await emoji.next(`kind ${n}`);
        }

        expect([drawn.length, emoji.definitions.length, await emoji.next('kind 59'), await emoji.next('a')]).to.equal([50, 49, null, 'e0']);
        for (let n = 0; n < 40; n++) {
            await emoji.next('a');
        }

        expect(await emoji.next('a')).to.be.null();
        expect(splitAtEmoji('a🌿b❤️❤')).to.equal([{ text: 'a', isEmoji: false }, { text: '🌿', isEmoji: true }, { text: 'b', isEmoji: false }, { text: '❤️', isEmoji: true }, { text: '❤', isEmoji: false }]);
        expect(splitAtEmoji(`a🌿${'\u200d🌿'.repeat(40)}`).length).to.equal(1);
        expect((await draw([text('\u{E0067}\ufe0f', { left: 10, top: 10 })])).ink().right).to.equal(-1);
        expect((await draw([text('🌿', { left: 10, top: 10 })])).ink().right).to.be.above(10);
    });

    it('keeps the pixels of pixel art that is shown larger', async () => {
        const two = await sharp(Buffer.from([0, 255]), { raw: { width: 2, height: 1, channels: 1 } }).png().toBuffer();
        const src = `data:image/png;base64,${two.toString('base64')}`;
        const { at } = await draw([image(src, { left: 0, top: 0, width: 80, height: 80, imageRendering: 'pixelated' }), image(src, { left: 0, top: 100, width: 80, height: 80 })]);
        expect([at(37, 40), at(43, 40)]).to.equal([BLACK, WHITE]);
        expect([BLACK, WHITE]).to.not.include(at(40, 140));
    });

    it('takes nothing in a text for markup, and bears any number of words', async () => {
        const { ink } = await draw([text('<b>&amp;</b>"\'\u0000\u0008\uD800', { left: 10, top: 10, fontFamily: 'monospace', fontSize: 16 })]);
        expect(ink().right).to.be.above(120);
        const random = Array.from({ length: 600 }, (_one, n) => n.toString(36)).join(' ');
        const many = await draw(Array.from({ length: 12 }, (_one, n) => text(random.slice(n), { left: 10, top: 0, fontSize: 2 + n / 10, lineHeight: 0.5 })));
        expect(many.at(310, 470)).to.not.equal(BLACK);
    });

    it('is left for later where a picture takes more memory than there is for a small one', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-test-'));
        const [file, src] = [join(folder, 'medium.avif'), `asset:${'ab'.repeat(32)}`];
        await sharp({ create: { width: 2000, height: 1500, channels: 3, background: '#f00' } }).avif({ effort: 0, quality: 1 }).toFile(file);
        const elements = [image(src, { left: 0, top: 0, width: 80, height: 80 })];
        const task = { kind: 'draw' as const, styles: '{}', elements: JSON.stringify(elements), pictures: new Map([[src, file]]), mark: 'a mark' };
        expect(await perform(task)).to.equal({ isLarge: true });
        const { result } = await perform({ ...task, large: true });
        const [red = 0, green, blue] = await sharp(result?.picture).extract({ left: 80, top: 80, width: 1, height: 1 }).removeAlpha().raw().toBuffer();
        expect([red > 200, green, blue]).to.equal([true, 0, 0]);
        await rm(folder, { recursive: true });
    });

    it('is not known from what it shows, by its mark', async () => {
        const page = { styles: '{}', elements: '[]', pictures: new Map<string, string>() };
        const [one, again, other] = [await drawPage({ ...page, mark: 'one' }, false), await drawPage({ ...page, mark: 'one' }, false), await drawPage({ ...page, mark: 'other' }, false)];
        expect(one.equals(again)).to.be.true();
        expect(one.equals(other)).to.be.false();
    });
});

describe('Lines', () => {
    const measure = (words: string): Promise<number> => Promise.resolve([...words].length * 10);
    const lines = async (words: string, width = 100, more = {}): Promise<string[]> => (await linesOf(words, { width, collapse: false, most: 10, ...more }, measure)).map(({ text: line }) => line);

    it('end between words, and within those that are too long', async () => {
        expect(await lines('aaa bbb ccc ddd')).to.equal(['aaa bbb', 'ccc ddd']);
        expect(await lines('aaa aaaaaaaaaaaaaaaaaaaaaaa b')).to.equal(['aaa', 'aaaaaaaaaa', 'aaaaaaaaaa', 'aaa b']);
        expect(await lines('(aaa), “bbb”. ccc')).to.equal(['(aaa),', '“bbb”. ccc']);
        expect((await lines('well-known-fact')).join('')).to.equal('well-known-fact');
        expect(await lines('你好世界你好世界你好世界')).to.have.length(2);
        expect(await lines('a\n\nb\r\nc\td')).to.equal(['a', '', 'b', 'c        d']);
        expect(await lines('a  b\n c ', 100, { collapse: true })).to.equal(['a b c']);
        expect(await lines('aaaa bbbb cccc', Infinity)).to.equal(['aaaa bbbb cccc']);
        expect(await lines('a b c d e f g', 10, { most: 3 })).to.equal(['a', 'b', 'c']);
        expect(await lines('a\nb\nc', 100, { most: 2 })).to.equal(['a', 'b']);
        expect(await lines('aaaa \u2003 bbbb cccc')).to.equal(['aaaa \u2003', 'bbbb cccc'].map((line) => line.trimEnd()));
        expect(await lines('…')).to.equal(['…']);
    });

    it('are found in few steps, however long a word is', async () => {
        let count = 0;
        const counted = (words: string): Promise<number> => {
            ++count;
            return measure(words);
        };

        expect(await linesOf('x'.repeat(2000), { width: 500, collapse: false, most: 100 }, counted)).to.equal(Array.from({ length: 40 }, () => ({ text: 'x'.repeat(50), paragraph: 'x'.repeat(2000) })));
        expect(count).to.be.below(40 * 14);
    });
});
