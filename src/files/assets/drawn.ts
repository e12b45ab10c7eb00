import sharp from 'sharp';
import type { Metadata } from 'sharp';

import { pixelArtWidth } from '../../../client/src/render';

/** The side of the sample that colours are counted in, and how many of its pixels may have a colour of their own. */
const SAMPLE = 128;
const FEW = SAMPLE * SAMPLE / 8;

/** Formats that drawings are kept in. */
const lossless = new Set<string>(['png', 'gif', 'webp']);

/**
 * Whether a picture was drawn, or is a picture of a screen, and not a photo: it has few colours, or few pixels, in a format without loss.
 */
export async function isDrawn(file: string, { format, width }: Metadata): Promise<boolean> {
    if (!lossless.has(format)) {
        return false;
    }

    if (width <= pixelArtWidth) {
        return true;
    }

    // With this kernel, all colours of the sample are in the picture.
    const pixels = await sharp(file).resize(SAMPLE, SAMPLE, { fit: 'fill', kernel: 'nearest', fastShrinkOnLoad: false }).ensureAlpha().raw().toBuffer();
    const colours = new Set<number>();
    for (let at = 0; at < pixels.length; at += 4) {
        colours.add(pixels.readUInt32LE(at));
    }

    return colours.size <= FEW;
}
