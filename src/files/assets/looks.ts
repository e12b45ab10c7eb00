import sharp from 'sharp';

import { MAX_PIXELS } from '../../limits';

/*
 * How a picture looks, in 64 bits, as pHash does it with a DCT (C. Zauner, Implementation and Benchmarking of Perceptual Image Hash
 * Functions, 2010, section 3.2.1): the picture in 32 × 32 grey pixels, the lowest 8 × 8 frequencies of it but those of whole rows and
 * columns, and of each whether it is above their median. Copies that were saved again, scaled or cut a little differ in few bits; pictures
 * that have nothing to do with each other in 32, give or take 4.
 */

const SIDE = 32;
const FREQUENCIES = 8;

/** Standard deviation of the grey levels, of 255, below which there is too little to see: nearly all bits would be those of noise. */
const LEAST = 5;

const waves = Array.from({ length: FREQUENCIES }, (_row, n) => Float64Array.from({ length: SIDE }, (_one, at) => Math.cos((2 * at + 1) * (n + 1) * Math.PI / (2 * SIDE))));

/** Of rows of `SIDE` numbers, how much of each frequency is in each; as columns. */
function transformed(rows: readonly (readonly number[])[]): number[][] {
    return waves.map((wave) => rows.map((row) => row.reduce((sum, value, at) => sum + value * (wave[at] ?? 0), 0)));
}

/** The looks of a picture that is known to be a whole one, of its first frame if it has several; null if it has too little to see. */
export async function looksOf(file: string | Buffer): Promise<string | null> {
    const pixels = await sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'none', sequentialRead: true }).autoOrient().flatten({ background: '#fff' }).greyscale()
        .resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer();
    const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
    const deviation = Math.sqrt(pixels.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pixels.length);
    if (deviation < LEAST) {
        return null;
    }

    const rows = Array.from({ length: SIDE }, (_row, n) => [...pixels.subarray(n * SIDE, (n + 1) * SIDE)]);
    const values = transformed(transformed(rows)).flat();
    const [low = 0, high = 0] = [...values].sort((a, b) => a - b).slice(values.length / 2 - 1);
    return values.map((value) => (value > (low + high) / 2 ? '1' : '0')).join('');
}
