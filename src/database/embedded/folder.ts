import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Whether an error carries this code of the operating system (ENOENT, EACCES, …). */
export const hasCode = (error: unknown, ...codes: string[]): boolean => {
    return error instanceof Error && 'code' in error && codes.includes(String(error.code));
};

/** Creates a folder and those above it. Node's own `recursive` never ends where nothing can be made, as in /proc. */
export const makeFolders = (folder: string): void => {
    if (!existsSync(folder)) {
        makeFolders(dirname(folder));
        try {
            mkdirSync(folder, { mode: 0o700 });
        }
        catch (error) {
            // Another process may have made it meanwhile.
            if (!hasCode(error, 'EEXIST')) {
                throw error;
            }
        }
    }
};

/**
 * Creates the data folder, for its owner only, and returns its absolute path. An existing folder keeps its mode, as it may be a
 * mounted volume or hold other files; what we put in it has modes of its own.
 * @throws Error that says what to do if this process cannot use it
 */
export const openFolder = (dir: string): string => {
    const folder = resolve(dir);
    try {
        makeFolders(folder);
        accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
        return folder;
    }
    catch (error) {
        throw new Error(`The data folder ${folder} cannot be used (${String(error)}). Run as the user it belongs to, ` +
            'choose another data folder, or set DATABASE_URL to use a PostgreSQL server of yours.');
    }
};

/** The connection URL that the folder holds, or null if there is none yet. */
export const readUrl = (folder: string): URL | null => {
    const file = join(folder, 'url');
    return existsSync(file) ? new URL(readFileSync(file, 'utf8').trim()) : null;
};

/** Stores the connection URL, which contains the password, readable by the owner only. It is written in one step. */
export const saveUrl = (folder: string, url: URL): void => {
    const file = join(folder, 'url.new');
    writeFileSync(file, `${url.href}\n`, { mode: 0o600 });
    sync(file);
    renameSync(file, join(folder, 'url'));
    sync(folder);
};

/** Writes a file, or the names in a folder, to the disk. Without it a rename may not survive a power cut. */
export const sync = (path: string): void => {
    const handle = openSync(path, 'r');
    fsyncSync(handle);
    closeSync(handle);
};
