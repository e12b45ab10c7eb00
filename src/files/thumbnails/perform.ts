import { inspectFile } from '../assets/inspect-file';
import type { FileResult, FileTask } from '../assets/file-work';
import { looksOf } from '../assets/looks';
import { NeedsMemory } from '../assets/memory';
import { scalePicture } from '../assets/pictures';
import { isPicture } from '../assets/types';
import type { Reply } from '../../api/concurrency/process-reply';
import { isFault } from '../../api/errors/errors';
import { convertStory } from '../stories/convert';
import { drawPage } from './draw';
import type { PageToDraw } from './draw';

/** A task of the pool of processes. */
export type Task = FileTask | ({ kind: 'draw' } & PageToDraw);

async function resultOf(task: Task, mayBeLarge: boolean): Promise<FileResult> {
    switch (task.kind) {
        case 'inspect':
            return {
                size: await inspectFile(task.file, task.type, mayBeLarge),
                ...task.looks === true && { looks: isPicture(task.type) ? await looksOf(task.file) : null }
            };
        case 'scale':
            await scalePicture(task.from, task.size, task.to, mayBeLarge);
            return {};
        case 'story':
            await convertStory(task, mayBeLarge);
            return {};
        default:
            return { picture: await drawPage(task, mayBeLarge) };
    }
}

/** Does a task. @param task with `large` if it may take much memory */
export async function perform({ large = false, ...task }: Task & { large?: boolean }): Promise<Omit<Reply<FileResult>, 'memory'>> {
    try {
        return { result: await resultOf(task, large) };
    }
    catch (error) {
        if (error instanceof NeedsMemory) {
            return { isLarge: true };
        }

        return isFault(error) ? { refused: error.message } : { error: String(error) };
    }
}
