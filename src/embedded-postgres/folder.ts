import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Whether an error carries this code of the operating system (ENOENT, EACCES, …). */
export const hasCode = (error: unknown, ...codes: string[]): boolean => {
    return error instanceof Error && 'code' in error && codes.includes(String(error.code));
};

/**
 * Makes the data folder, for its owner alone, and answers its absolute path. A folder that is already there keeps its
 * mode: it may be a mounted volume or hold other things, and everything we put in it is closed to others by itself.
 * @throws Error naming the remedy when this process may not work in it
 */
export const openFolder = (dir: string): string => {
    const folder = resolve(dir);
    try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
        return folder;
    }
    catch (error) {
        throw new Error(`The data folder ${folder} cannot be used (${String(error)}). Run as the user it belongs to, ` +
            'choose another data folder, or set DATABASE_URL to use a PostgreSQL server of yours.');
    }
};

/** The connection URL kept in the folder, or null when there is none yet. */
export const readUrl = (folder: string): URL | null => {
    const file = join(folder, 'url');
    return existsSync(file) ? new URL(readFileSync(file, 'utf8').trim()) : null;
};

/** Keeps the connection URL, which holds the password, readable by the owner alone. It is there whole or not at all. */
export const saveUrl = (folder: string, url: URL): void => {
    const file = join(folder, 'url.new');
    writeFileSync(file, `${url.href}\n`, { mode: 0o600 });
    sync(file);
    renameSync(file, join(folder, 'url'));
    sync(folder);
};

/** Brings a file, or the names in a folder, to the disk: a rename alone does not outlive a power cut. */
export const sync = (path: string): void => {
    const handle = openSync(path, 'r');
    fsyncSync(handle);
    closeSync(handle);
};
