import { readFile } from 'node:fs/promises';

import { checkDrawing } from './drawing';
import type { PictureSize } from './file-work';
import { checkPicture } from './pictures';
import { isPicture } from './types';
import type { AssetType } from './types';
import { checkWhole } from './whole-files';

/**
 * Reads a whole file, and checks that it is of its type.
 * @param mayBeLarge whether it may take as much memory as one picture may
 * @returns its size in pixels
 * @throws 400 type_mismatch; NeedsMemory
 */
export async function inspectFile(file: string, type: AssetType, mayBeLarge: boolean): Promise<PictureSize> {
    if (type === 'image/svg+xml') {
        return checkDrawing(file);
    }

    await checkWhole(await readFile(file), type);
    return isPicture(type) ? checkPicture(file, type, mayBeLarge) : { width: null, height: null };
}
