import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';

import { inspectFile } from '../files/assets/inspect-file';
import { assetTypes, extensions, isImage } from '../files/assets/types';
import { errorMessage } from '../database/statements/error-message';

/** Most bytes of a logo, as every visitor loads it. */
const MAX_BYTES = 256 * 1024;

/** The picture of a place. */
export interface Logo {
    /** its name on the pages, with a hash of its content */
    name: string;
    type: string;
    bytes: Buffer;
    /** in pixels; null if it does not say it */
    width: number | null;
    height: number | null;
}

/**
 * Reads the logo of a place, whose content has to match the ending of its name.
 * @throws Error with a message for an operator
 */
export async function readLogo(path: string): Promise<Logo> {
    try {
        const extension = extname(path).slice(1).toLowerCase().replace('jpeg', 'jpg');
        const type = assetTypes.find((each) => extensions[each] === extension);
        if (type === undefined || !isImage(type)) {
            throw new Error('its name has to end with .png, .jpg, .webp, .gif, .avif or .svg');
        }

        const { size } = await stat(path);
        if (size > MAX_BYTES) {
            throw new Error(`it has ${size} bytes, and may have ${MAX_BYTES}`);
        }

        const bytes = await readFile(path);
        const hash = createHash('sha256').update(bytes).digest('hex');
        const { width, height } = await inspectFile(path, type, true);
        return { name: `logo-${hash.slice(0, 8)}.${extension}`, type, bytes, width, height };
    }
    catch (error) {
        throw new Error(`SITE_LOGO cannot be used. ${path}: ${errorMessage(error)}`, { cause: error });
    }
}
