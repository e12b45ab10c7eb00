import { readFile, writeFile } from 'node:fs/promises';
import { TextDecoder } from 'node:util';

import type { FileTask, StoryForm } from '../assets/file-work';
import { NeedsMemory } from '../assets/memory';
import { projectOf } from './layout';
import { readMarkdown } from './markdown';
import { notAStory } from './story';
import type { Story } from './story';
import { readTwine } from './twine/story-file';

const readers: Readonly<Record<StoryForm, (text: string) => Promise<Story>>> = { twine: readTwine, markdown: readMarkdown };

/** Bytes of a file from which on it may take much memory. */
const LARGE = 256 * 1024;

/** @throws 400 type_mismatch */
function textIn(bytes: Buffer): string {
    try {
        // PostgreSQL does not store the character 0.
        const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
        return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes).replaceAll('\0', '');
    }
    catch {
        throw notAStory('The file is not text in UTF-8. Save it in this encoding.');
    }
}

/**
 * Writes the `project.json` of an import that has a story. The parsers take what is in a file as it comes, so this is done in a process of its own, which
 * has bounds of time and memory.
 * @throws 400 type_mismatch that says what is wrong with the file; NeedsMemory
 */
export async function convertStory({ form, from, to }: Omit<Extract<FileTask, { kind: 'story' }>, 'kind'>, mayBeLarge: boolean): Promise<void> {
    const bytes = await readFile(from);
    if (bytes.length > LARGE && !mayBeLarge) {
        throw new NeedsMemory();
    }

    await writeFile(to, JSON.stringify(projectOf(await readers[form](textIn(bytes)))), { flag: 'wx', mode: 0o600 });
}
