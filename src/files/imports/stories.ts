import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { doTask } from '../assets/file-work';
import type { StoryForm } from '../assets/file-work';
import type { Checking } from '../assets/check-file';
import { deleteFile } from '../assets/receive-file';
import { PROJECT_FILE } from '../format/schema';
import { HTML, MARKDOWN } from '../../api/description/operation';
import type { ImportZip } from './archive';

const MIB = 1024 * 1024;

/** Most bytes of a file of each form. A story that Twine has published has a program in it. */
export const MAX_STORY_BYTES: Readonly<Record<StoryForm, number>> = { twine: 4 * MIB, markdown: MIB };

/** The forms by the media types that browsers and tools send. */
export const storyTypes: ReadonlyMap<string, StoryForm> = new Map([[HTML, 'twine'], [MARKDOWN, 'markdown'], ['text/x-markdown', 'markdown']]);

/**
 * Makes the `project.json` of a story that was received, whose own file is deleted.
 * @returns its file
 * @throws 400 type_mismatch that says what is wrong with the story, 503 if many other files are waiting
 */
export async function convertedStory(form: StoryForm, from: string, { pool, turn, signal }: Checking): Promise<string> {
    const to = join(dirname(from), randomUUID());
    try {
        await doTask(pool, { kind: 'story', form, from, to }, turn, signal);
        return to;
    }
    catch (error) {
        await deleteFile(to);
        throw error;
    }
    finally {
        await deleteFile(from);
    }
}

/** The file of a story as an import has it. It goes the way of all imports, with the same rules and limits. */
export async function storyIn(handle: FileHandle): Promise<ImportZip> {
    const { size } = await handle.stat();
    return { project: { name: PROJECT_FILE, size, read: () => handle.createReadStream({ start: 0, autoClose: false }) }, assets: [] };
}
