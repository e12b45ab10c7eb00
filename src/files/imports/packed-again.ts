import { PROJECT_FILE } from '../format/schema';
import type { ZippedFile } from '../zip/read-zip';

/** Files and folders that systems put beside those of people: hidden ones, and those that have names of their own. */
const ofSystems = /(?:^|\/)(?:\.[^/.][^/]*|__MACOSX|@eaDir|\$RECYCLE\.BIN|System Volume Information|Icon\r|desktop\.ini|(?:eh)?thumbs(?:_\w+)?\.db)(?:\/|$)/i;

/**
 * The files of an export by the names that they had in it, also if somebody unpacked it and packed it again: then a folder may be around all of them, and there may be
 * files of the system. If one of them is not where the project is, nothing is taken away from the names.
 */
export function unpacked(files: ReadonlyMap<string, ZippedFile>): Map<string, ZippedFile> {
    const own = [...files].filter(([name]) => !ofSystems.test(name));
    const [project = PROJECT_FILE] = own.map(([name]) => name).filter((name) => name.endsWith(`/${PROJECT_FILE}`));
    const around = project.slice(0, -PROJECT_FILE.length);
    return new Map(own.every(([name]) => name.startsWith(around)) ? own.map(([name, file]) => [name.slice(around.length), file]) : own);
}
