import type { Turn } from '../../api/concurrency/work-queue';
import { doTask } from './file-work';
import type { FilePool } from './file-work';
import type { ReceivedFile } from './receive-file';
import type { ReceivedAsset } from './register';
import type { AssetType } from './types';

/** Who has a file checked. */
export interface Checking {
    pool: FilePool;
    /** files of several callers are checked in turn */
    turn: Turn;
    signal: AbortSignal;
    /** whether it is said how pictures look, which takes as long again */
    looks?: boolean;
}

/**
 * Checks that a file that was received is a whole file of its type, by its content.
 * @throws 400 type_mismatch, 503 if many others are waiting to be checked
 */
export async function checkFile(
    { file, hash, size }: ReceivedFile, type: AssetType, { pool, turn, signal, looks: wanted = false }: Checking
): Promise<ReceivedAsset> {
    const { size: { width, height } = { width: null, height: null }, looks = null } = await doTask(pool, { kind: 'inspect', file, type, ...wanted && { looks: true } }, turn, signal);
    return { file, hash, size, type, width, height, looks };
}
