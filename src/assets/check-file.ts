import { readFile } from 'node:fs/promises';

import { overloadedError } from '../http/load/refusals';
import { checkDrawing } from './drawing';
import { checkPicture, reading } from './pictures';
import type { ReceivedFile } from './receive-file';
import type { ReceivedAsset } from './register';
import { isPicture } from './types';
import type { AssetType } from './types';
import { checkWhole } from './whole-files';

/** Seconds that an upload may have to wait for others to be checked. */
const LONGEST_WAIT = 20_000;

/**
 * Checks that a file that was received is a whole file of its type, by its content.
 * @param caller whose it is: those of several callers take turns
 * @throws 400 type_mismatch, 503 if many others are waiting to be checked
 */
export function checkFile({ file, hash, size }: ReceivedFile, type: AssetType, caller: string): Promise<ReceivedAsset> {
    if (reading.wait(caller) > LONGEST_WAIT) {
        throw overloadedError();
    }

    return reading.run(async () => {
        if (type === 'image/svg+xml') {
            return { file, hash, size, type, ...await checkDrawing(file) };
        }

        await checkWhole(await readFile(file), type);
        return { file, hash, size, type, ...isPicture(type) ? await checkPicture(file, type) : { width: null, height: null } };
    }, caller);
}
