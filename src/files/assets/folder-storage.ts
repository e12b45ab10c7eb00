import { createReadStream, open as openFile } from 'node:fs';
import { access, constants, mkdir, open, readFile, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

import { makeFolders } from '../../database/embedded/folder';
import { errorCode } from '../../database/error-code';
import { NoSuchBytes, OWNER, isName } from './storage';
import type { AssetStorage, ByteRange } from './storage';

const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT';

/** A plain descriptor: a stream from a `FileHandle` takes half as much CPU again. */
const descriptorOf = promisify(openFile);

/** Bytes that are read at a time. A file of 2 MiB in pieces of 64 KiB, as by default, takes a third more CPU to send. */
const AT_A_TIME = 512 * 1024;

/** The result, or undefined if there is no such file. */
async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
    try {
        return await work;
    }
    catch (error) {
        if (isMissing(error)) {
            return undefined;
        }

        throw error;
    }
}

/** Brings a file, or the names in a folder, to the disk: a rename alone does not outlive a power cut. */
export async function sync(path: string): Promise<void> {
    const handle = await open(path, 'r');
    try {
        await handle.sync();
    }
    finally {
        await handle.close();
    }
}

/** Makes a folder, for its owner alone. @throws Error if this process may not write there */
export async function makeFolder(folder: string): Promise<void> {
    makeFolders(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Whether there is a file that has not been written for so many milliseconds. */
async function isOlder(path: string, olderThan: number): Promise<boolean> {
    const found = await ifThere(stat(path));
    return found !== undefined && found.mtimeMs < Date.now() - olderThan;
}

/** Removes the files of a folder that have not been written for so many milliseconds. */
export async function tidyFolder(folder: string, olderThan: number): Promise<void> {
    for (const entry of await readdir(folder)) {
        const path = join(folder, entry);
        if (await isOlder(path, olderThan)) {
            await rm(path, { force: true });
        }
    }
}

/**
 * Bytes in a folder, in one subfolder for each first byte of a hash. With several instances, all have to see the same folder.
 * Files and folders are for their owner alone.
 */
export function folderStorage(folder: string): AssetStorage {
    const incoming = join(folder, 'incoming');
    const folderOf = (name: string): string => join(folder, name.slice(0, 2));
    const pathOf = (name: string): string => join(folderOf(name), name);
    return {
        incoming,
        put: async (name, file) => {
            const made = await mkdir(folderOf(name), { recursive: true, mode: 0o700 });
            await rename(file, pathOf(name));
            // Together they take hardly longer than one.
            await Promise.all([sync(pathOf(name)), sync(folderOf(name))]);
            if (made !== undefined) {
                await sync(folder);
            }
        },
        open: async (name: string, range?: ByteRange): Promise<Readable> => {
            const fd = await ifThere(descriptorOf(pathOf(name), 'r'));
            if (fd === undefined) {
                throw new NoSuchBytes(name);
            }

            return createReadStream('', { fd, ...range, highWaterMark: AT_A_TIME });
        },
        size: async (name) => (await ifThere(stat(pathOf(name))))?.size,
        remove: async (name) => void await ifThere(unlink(pathOf(name))),
        async* list(olderThan) {
            for (const prefix of (await readdir(folder)).filter((entry) => /^[0-9a-f]{2}$/.test(entry)).sort()) {
                const names: string[] = [];
                for (const name of (await readdir(join(folder, prefix))).filter(isName).sort()) {
                    if (await isOlder(pathOf(name), olderThan)) {
                        names.push(name);
                    }
                }

                yield names;
            }
        },
        owner: () => ifThere(readFile(join(folder, OWNER), 'utf8')),
        setOwner: async (database) => {
            const file = join(folder, `${OWNER}.new`);
            await writeFile(file, database, { mode: 0o600, flush: true });
            await rename(file, join(folder, OWNER));
            await sync(folder);
        },
        tidy: (olderThan) => tidyFolder(incoming, olderThan),
        prepare: () => makeFolder(incoming),
        close: () => undefined
    };
}
