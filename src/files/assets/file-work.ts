import { Ended, NotBegun } from '../../api/concurrency/process-pool';
import type { ProcessPool } from '../../api/concurrency/process-pool';
import type { Turn } from '../../api/concurrency/work-queue';
import { fault } from '../../api/errors/errors';
import { overloadedError } from '../../api/protection/refusals';
import type { Size } from './storage';
import type { AssetType } from './types';

/** The forms of stories from elsewhere that become projects (src/files/stories/). */
export type StoryForm = 'twine' | 'markdown';

/** Work on the content of files, which is done in a process of its own (src/files/thumbnails/perform.ts). */
export type FileTask =
    /** with `looks` also says how a picture looks */
    | { kind: 'inspect'; file: string; type: AssetType; looks?: boolean }
    | { kind: 'scale'; from: string; size: Size; to: string }
    | { kind: 'story'; form: StoryForm; from: string; to: string };

/** Size in pixels of a picture; null where a file does not say, and for sounds. */
export interface PictureSize {
    width: number | null;
    height: number | null;
}

/** The result of a task. */
export interface FileResult {
    size?: PictureSize;
    /** 64 bits, as `looksOf` says; null for what is no picture of pixels, or has too little to see */
    looks?: string | null;
    /** a page that was drawn, as WebP */
    picture?: Uint8Array;
}

export type FilePool<Task extends object = FileTask> = ProcessPool<Task, FileResult>;

/** Milliseconds that a task may have to wait for others. */
const LONGEST_WAIT = 20_000;

/**
 * Does a task for a caller, if it need not wait too long.
 * @throws 503 if many others are waiting, or the machine is too busy to begin; 400 type_mismatch if the content is not accepted, or takes
 * too much memory or time
 */
export async function doTask(pool: FilePool, task: FileTask, turn: Turn, signal?: AbortSignal): Promise<FileResult> {
    if (pool.wait(turn) > LONGEST_WAIT) {
        throw overloadedError();
    }

    try {
        const { result, refused, error } = await pool.run(task, turn, signal);
        if (refused !== undefined) {
            throw fault('type_mismatch', refused);
        }

        if (result === undefined) {
            throw new Error(error);
        }

        return result;
    }
    catch (error) {
        signal?.throwIfAborted();
        if (error instanceof NotBegun) {
            throw overloadedError();
        }

        throw error instanceof Ended ? fault('type_mismatch', 'The file takes too much memory or time to be read: make it smaller or simpler.') : error;
    }
}
