import { BadZip, openZip } from '../archive/read-zip';
import type { ZippedFile } from '../archive/read-zip';
import { invalid } from '../errors/errors';
import { HISTORY_FILE, PROJECT_FILE } from '../file-format/schema';
import type { SpooledBody } from '../http/spool-body';

const MIB = 1024 * 1024;

/** Most bytes of each file once it is inflated: what a project may hold, and as much again for what is around it. The history is not read. */
const mostBytes = new Map([[PROJECT_FILE, 512 * MIB], [HISTORY_FILE, 4096 * MIB], ['assets/', 0]]);

const limits = { files: 5010, mostBytes: (name: string): number | undefined => mostBytes.get(name) };

/**
 * Opens the zip of an import, and finds the project in it.
 * @throws 400 if it is no such zip
 */
export async function openImport({ handle, size }: SpooledBody): Promise<ZippedFile> {
    const files = await openZip(handle, size, limits);
    const project = files.get(PROJECT_FILE);
    if (project === undefined) {
        throw new BadZip(PROJECT_FILE, 'is missing');
    }

    return project;
}

/** The error for a zip that cannot be imported; any other error as it is. */
export function badZipFault(error: unknown): unknown {
    if (!(error instanceof BadZip)) {
        return error;
    }

    const place = error.place.toWellFormed().slice(0, 200);
    return invalid([{ path: place, message: `${place === '' ? 'the zip' : `"${place}"`} ${error.message.toWellFormed().slice(0, 300)}` }]);
}
