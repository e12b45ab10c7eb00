import { readFile } from 'node:fs/promises';

import sharp from 'sharp';

import { renderPage } from '../../../client/src/render';
import { colourEmojiFont } from '../../../client/src/render/fonts';
import { MAX_PIXELS } from '../../limits';
import { decodeDataUri } from '../assets/data-uris';
import { NeedsMemory, checkMemory } from '../assets/memory';
import { PageDrawing } from './elements';
import type { Font } from './elements';
import type { PreparedPage } from './svg';

/** A page, and the paths of the files of the pictures in it by their `src`. */
export interface PageToDraw {
    /** JSON texts */
    styles: string;
    elements: string;
    pictures: Map<string, string>;
    /** random text that is stored in the file, so that nobody can compute its SHA-256 from the page */
    mark: string;
}

/** Pixels for a unit of the page. */
export const SCALE = 2;

/** Most pixels on a side of a picture that is put into a page: more would not be seen. */
const LARGEST = 1280;

/** Size in which text is measured: in units it is a number with digits enough. */
const MEASURED = 64;

/** Letters that are measured at once: what draws them has room for 32,767 pixels. */
const MAX_AT_ONCE = 100;

/** Most texts that are measured for a page, a millisecond each. The width of others is taken from how many letters they have. */
const MAX_MEASURED = 1500;

const markupOf = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Height in pixels of the letters that pictures of emoji are made for. */
const EMOJI = 128;

/** An emoji in its colours, where what draws the page knows none. Its size is in parts of the height of letters. */
async function emojiPicture(text: string): Promise<PreparedPage | undefined> {
    const markup = `<span font_family="${colourEmojiFont.family}" size="${EMOJI * 1024}">${markupOf(text)}</span>`;
    try {
        const { data, info: { width, height } } = await sharp({ text: { text: markup, rgba: true, dpi: 72 } }).png({ compressionLevel: 1 }).toBuffer({ resolveWithObject: true });
        return { href: `data:image/png;base64,${data.toString('base64')}`, width: width / EMOJI, height: height / EMOJI };
    }
    catch {
        return undefined;
    }
}

/** Measures words with the fonts that they are drawn with: two bars are drawn with the word between them, and without it. */
function measurer(): (font: Font) => (text: string) => Promise<number> {
    const known = new Map<string, Promise<number>>();
    const widthOf = async ({ family, weight, style }: Font, text: string): Promise<number> => {
        const markup = `<span font_family="${markupOf(family.replaceAll('\'', ''))}" weight="${markupOf(weight)}" style="${markupOf(style)}" size="${MEASURED * 1024}">|${markupOf(text)}|</span>`;
        return (await sharp({ text: { text: markup, dpi: 72 } }).metadata()).width;
    };

    const kept = (font: Font, text: string): Promise<number> => {
        const key = JSON.stringify([font, text]);
        const found = known.get(key) ?? (known.size < MAX_MEASURED ? widthOf(font, text) : Promise.resolve(text.length * MEASURED / 2));
        known.set(key, found);
        return found;
    };

    return (font) => {
        const empty = kept(font, '');
        return async (text) => {
            const letters = [...text];
            const parts = letters.length <= MAX_AT_ONCE ? [text] : Array.from({ length: Math.ceil(letters.length / MAX_AT_ONCE) }, (_one, n) => letters.slice(n * MAX_AT_ONCE, (n + 1) * MAX_AT_ONCE).join(''));
            let width = 0;
            for (const part of parts) {
                width += await kept(font, part) - await empty;
            }

            return width / MEASURED;
        };
    };
}

interface PictureSize {
    width: number | undefined;
    height: number | undefined;
    pixelated: boolean;
}

/** A picture in the size that it is shown in, as plain pixels. */
async function prepare(file: Buffer | undefined, size: PictureSize, mayBeLarge: boolean): Promise<PreparedPage | undefined> {
    try {
        const input = sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'none' }).autoOrient();
        const metadata = await input.metadata();
        checkMemory(metadata, mayBeLarge);
        const { autoOrient: { width, height } } = metadata;
        const shown = Math.max(size.width ?? 0, (size.height ?? 0) * width / height) || width;
        const across = Math.round(Math.min(Math.max(shown * SCALE, 1), LARGEST, size.pixelated ? Infinity : Math.max(width, 1) * 4));
        const png = await input.resize({ width: across, height: Math.min(Math.max(Math.round(across * height / width), 1), 2 * LARGEST), fit: 'fill', kernel: size.pixelated ? 'nearest' : 'lanczos3' })
            .png({ compressionLevel: 1 }).toBuffer();
        return { href: `data:image/png;base64,${png.toString('base64')}`, width, height };
    }
    catch (error) {
        if (error instanceof NeedsMemory) {
            throw error;
        }

        return undefined;
    }
}

async function bytesOf(src: string, pictures: PageToDraw['pictures']): Promise<Buffer | undefined> {
    const file = pictures.get(src);
    return file === undefined ? (await decodeDataUri(src))?.bytes : readFile(file);
}

/** Draws a page as browsers show it, as WebP. Nothing but what is passed is read. @throws NeedsMemory */
export async function drawPage({ styles, elements, pictures, mark }: PageToDraw, mayBeLarge: boolean): Promise<Buffer> {
    const tree = renderPage({ styles: JSON.parse(styles), elements: JSON.parse(elements) }, { assetUrl: (hash) => `asset:${hash}`, still: true });
    const measured = measurer();
    const drawing = new PageDrawing({
        measure: (font, size) => {
            const widthOf = measured(font);
            return async (text) => await widthOf(text) * size;
        },
        emoji: emojiPicture,
        picture: async (src, size) => prepare(await bytesOf(src, pictures), size, mayBeLarge)
    });
    const svg = await drawing.draw(tree, SCALE);
    return sharp(Buffer.from(svg), { unlimited: true }).webp({ quality: 82, effort: 4 }).withExif({ IFD0: { ImageDescription: mark } }).toBuffer();
}
