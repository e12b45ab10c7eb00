import { readFile, writeFile } from 'node:fs/promises';

import sharp from 'sharp';
import type { SharpOptions } from 'sharp';

import { fault } from '../../api/errors/errors';
import { MAX_FRAMES, MAX_PIXELS, MAX_SIDE } from '../../limits';
import { checkMemory } from './memory';
import { isDrawn } from './drawn';
import { POSTER } from './storage';
import type { Size } from './storage';
import type { AssetType } from './types';

// Only the types that assets can have are allowed: the library could read many others. Drawings are read from memory alone, so that there
// is nothing beside them to read.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: [...['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].flatMap((format) => [`VipsForeignLoad${format}File`, `VipsForeignLoad${format}Buffer`]), 'VipsForeignLoadSvgBuffer'] });
sharp.concurrency(1);
sharp.cache(false);

const options: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true };

const refused = (why: string): Error => fault('type_mismatch', `The picture cannot be used: ${why}.`);

/**
 * Reads a whole picture, all of its frames, and says how large it is as it is shown. Its type is known by then.
 * @throws 400 type_mismatch if it is not whole, or has too many pixels; NeedsMemory
 */
export async function checkPicture(file: string, type: AssetType, mayBeLarge: boolean): Promise<{ width: number; height: number }> {
    const metadata = await readable(sharp(file, { ...options, limitInputPixels: false, pages: -1 }).metadata());
    const { pages = 1, pageHeight, width, height, autoOrient } = metadata;
    const frame = pageHeight ?? height;
    if (width > MAX_SIDE || frame > MAX_SIDE || width * frame * pages > MAX_PIXELS || pages > MAX_FRAMES) {
        throw refused(`a picture has at most ${MAX_SIDE} pixels on a side, and ${MAX_PIXELS / 1e6} million in at most ${MAX_FRAMES} frames`);
    }

    checkMemory(metadata, mayBeLarge);
    const whole = sharp(file, { ...options, pages: -1 });
    // Scaled to one pixel, which reads all of it and keeps nothing; with the kernel `nearest`, most rows would be left out. A JPEG is
    // decoded only as far as its first row: all tables are read then, and all scans if there are several. What is wrong in later rows is no
    // error to the decoder, and that the file is whole is known by its structure.
    await readable((type === 'image/jpeg' ? whole.extract({ left: 0, top: 0, width, height: 1 }) : whole.resize(1, 1, { fit: 'fill' })).raw().toBuffer());
    return pages > 1 ? { width, height: frame } : { width: autoOrient.width, height: autoOrient.height };
}

async function readable<Result>(work: Promise<Result>): Promise<Result> {
    try {
        return await work;
    }
    catch {
        throw refused('it is damaged, not whole, or not a picture');
    }
}

/**
 * Writes a picture as WebP to a file: at most so wide, or its upper part of that shape; never larger than it was, upright, and without what
 * cameras note in it, as where it was taken. Drawings, pixel art above all, are kept without loss.
 * @throws 400 type_mismatch if it takes too much memory, NeedsMemory
 */
export async function scalePicture(from: string, size: Size, to: string, mayBeLarge: boolean): Promise<void> {
    if (size === POSTER.size) {
        await writePoster(from, to, mayBeLarge);
        return;
    }

    const metadata = await sharp(from, options).metadata();
    checkMemory(metadata, mayBeLarge);
    const look = await isDrawn(from, metadata) ? { lossless: true } : { quality: 80 };
    const [width, height] = String(size).split('x').map(Number);
    await sharp(from, options).autoOrient().resize({ width, height, position: 'top', withoutEnlargement: true }).webp({ ...look, effort: 2 }).toFile(to);
}

/** Writes a picture as a poster. A drawing is read from memory alone, so that nothing beside it is read. */
async function writePoster(from: string, to: string, mayBeLarge: boolean): Promise<void> {
    const { width, height } = POSTER;
    const picture = sharp(await readFile(from), options);
    checkMemory(await readable(picture.metadata()), mayBeLarge);
    const bytes = await readable(picture.autoOrient().resize({ width, height, fit: 'contain', background: '#fff' }).flatten({ background: '#fff' }).jpeg({ quality: 85 }).toBuffer());
    await writeFile(to, bytes);
}
