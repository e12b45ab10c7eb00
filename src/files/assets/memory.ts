import type { Metadata } from 'sharp';

import { fault } from '../../api/errors/errors';

/** Bytes of memory that reading one picture may take, and how many a small one does. */
const MOST = 240_000_000;
const SMALL = 32_000_000;

/** Reading a picture takes more memory than a small one may have. It can be tried again where there is more. */
export class NeedsMemory extends Error {}

/** Bytes for each pixel of a frame that a format's decoder keeps, as measured with libvips 8.18; 0 for formats that are read row by row. */
function bytesPerPixel({ format, depth, channels, bitsPerSample = 8, isProgressive = false }: Metadata): number {
    switch (format) {
        case 'heif':
            return bitsPerSample > 8 ? 26 : 19;
        case 'webp':
            return 7;
        case 'gif':
            return 5;
        case 'jpeg':
            return isProgressive ? 2 * channels : 0;
        default:
            return isProgressive ? channels * (depth === 'ushort' ? 2 : 1) : 0;
    }
}

/**
 * Checks that a picture can be read with the memory that there is for one.
 * @throws 400 type_mismatch if it is too large, NeedsMemory if it is not small and has to be
 */
export function checkMemory(metadata: Metadata, mayBeLarge: boolean): void {
    const { width, height, pageHeight = height } = metadata;
    const perPixel = bytesPerPixel(metadata);
    const needed = width * pageHeight * perPixel;
    if (needed > MOST) {
        const most = Math.floor(MOST / perPixel / 1e5) / 10;
        throw fault('type_mismatch', `The picture cannot be used: it has ${(width * pageHeight / 1e6).toFixed(1)} million pixels, and one of its kind has at most ${most} million. Make it smaller, or save it as JPEG or PNG, not progressive or interlaced.`);
    }

    if (needed > SMALL && !mayBeLarge) {
        throw new NeedsMemory();
    }
}
