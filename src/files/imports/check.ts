import assert from 'node:assert/strict';

import type { ZippedFile } from '../zip/read-zip';
import { emptyObject } from '../../api/json/json-text';
import type { JsonText } from '../../api/json/json-text';
import { refuseSizes } from '../../rules/sizes';
import { Faults } from './faults';
import { readParts } from './project-file';
import type { FilePage, FileProject } from './project-file';

/** A page of a file that was checked. */
export interface CheckedPage extends Pick<FilePage, 'id' | 'x' | 'y'> {
    elements: number;
    /** bytes of its styles and of everything on it */
    bytes: number;
}

/** The content of a valid file. The styles of its pages and its elements are left out, as they may be larger than memory. */
export interface CheckedFile {
    project: FileProject;
    /** in the order of the file */
    pages: CheckedPage[];
}

/** Bytes as they are stored; a missing value becomes an empty object. */
const bytesOf = (...objects: (JsonText | undefined)[]): number => objects.reduce((sum, object = emptyObject) => sum + object.bytes, 0);

/**
 * Reads all of `project.json`, and finds everything that is wrong with it.
 * @param signal ends it before the next piece of the file, however long a part is
 * @throws BadZip; 400 with all errors; 409 if it has more than a project may have
 */
export async function checkProjectFile(file: ZippedFile, signal: AbortSignal): Promise<CheckedFile> {
    const faults = new Faults(file.name);
    const pages: CheckedPage[] = [];
    const taken = new Set<string>();
    let project: FileProject | undefined;
    let inPage = { elements: 0, bytes: 0 };
    for await (const part of readParts({ ...file, read: () => endedBy(signal, file.read()) }, faults)) {
        if (part.kind === 'elements') {
            inPage.elements += part.elements.length;
            inPage.bytes += part.elements.reduce((sum, { attributes, styles }) => sum + bytesOf(attributes, styles), 0);
        }
        else if (part.kind === 'page') {
            const { page, fields: { id, x, y, styles } } = part;
            noteFirst(taken, `${x} ${y}`, () => faults.add(['pages', page], 'is at the same place as another page'));
            noteFirst(taken, id, () => faults.add(['pages', page, 'id'], 'is the id of another page too'));
            pages.push({ id, x, y, elements: inPage.elements, bytes: inPage.bytes + bytesOf(styles) });
            inPage = { elements: 0, bytes: 0 };
        }
        else {
            project = part.project;
        }
    }

    faults.report();
    refuseSizes(pages.reduce((most, { bytes }) => Math.max(most, bytes), 0), pages.reduce((sum, { bytes }) => sum + bytes, 0));
    assert(project !== undefined, 'a file without faults has a project');
    return { project, pages };
}

async function* endedBy(signal: AbortSignal, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
        signal.throwIfAborted();
        yield chunk;
    }
}

function noteFirst(taken: Set<string>, what: string | undefined, again: () => void): void {
    if (what !== undefined && taken.has(what)) {
        again();
    }

    taken.add(String(what));
}
