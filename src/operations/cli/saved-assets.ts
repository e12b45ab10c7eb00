import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { deleteFile } from '../../files/assets/receive-file';
import { folderStorage, sync } from '../../files/assets/folder-storage';
import { NoSuchBytes, hashPattern } from '../../files/assets/storage';
import type { AssetStorage } from '../../files/assets/storage';

/** Whatever its age: clocks of other machines may be ahead. */
const ANY_AGE = -Infinity;

/** The originals. Scaled pictures are made again when somebody asks for one. */
async function* originals(storage: AssetStorage): AsyncGenerator<string> {
    for await (const names of storage.list(ANY_AGE)) {
        yield* names.filter((name) => hashPattern.test(name));
    }
}

/** The file of an asset in the folder of a backup. */
const fileOf = (folder: string, name: string): string => join(folder, name.slice(0, 2), name);

/**
 * Copies all assets to the folder of a backup. It comes after the database, so that everything that the database refers to is there:
 * bytes are stored before a reference is, and removed 7 days after the last one is gone. What an earlier backup has is linked, and takes
 * no room, since bytes of one name never change.
 * @returns how many there are
 */
export async function saveAssets(storage: AssetStorage, folder: string, earlier: string, signal: AbortSignal): Promise<number> {
    let count = 0;
    await mkdir(folder, { mode: 0o700 });
    for await (const name of originals(storage)) {
        signal.throwIfAborted();
        const file = fileOf(folder, name);
        await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
        count += await isLinked(storage, name, fileOf(earlier, name), file) || await isCopied(storage, name, file, signal) ? 1 : 0;
    }

    await copyOwner(storage, folderStorage(folder));
    return count;
}

/** Only a copy with it is accepted by the database. */
async function copyOwner(from: AssetStorage, to: AssetStorage): Promise<void> {
    const owner = await from.owner();
    if (owner !== undefined) {
        await to.setOwner(owner);
    }
}

async function isLinked(storage: AssetStorage, name: string, earlier: string, file: string): Promise<boolean> {
    const size = await stat(earlier).then((found) => found.size, () => undefined);
    return size !== undefined && size === await storage.size(name) && await link(earlier, file).then(() => true, () => false);
}

/** @returns false if the maintenance has removed it meanwhile, because nothing needs it */
async function isCopied(storage: AssetStorage, name: string, file: string, signal: AbortSignal): Promise<boolean> {
    try {
        await pipeline(await storage.open(name), createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
        await sync(file);
        return true;
    }
    catch (error) {
        if (error instanceof NoSuchBytes) {
            return false;
        }

        throw error;
    }
}

/**
 * Stores the assets of a backup's folder. What is there already stays.
 * @returns how many the backup has
 * @throws Error if the storage belongs to another database
 */
export async function restoreAssets(storage: AssetStorage, folder: string, signal: AbortSignal): Promise<number> {
    let count = 0;
    const saved = folderStorage(folder);
    const [owner, savedOwner] = [await storage.owner(), await saved.owner()];
    if (owner !== undefined && owner !== savedOwner) {
        throw new Error('The place for pictures and sounds belongs to another database. Set DATA_DIR to another folder, or ASSETS_URL to an empty bucket.');
    }

    for await (const name of originals(saved)) {
        signal.throwIfAborted();
        count++;
        if (await storage.size(name) === undefined) {
            const file = join(storage.incoming, randomUUID());
            await copyFile(fileOf(folder, name), file);
            // Types are in the database; nobody else reads from a bucket.
            await storage.put(name, file, 'application/octet-stream').finally(() => deleteFile(file));
        }
    }

    await copyOwner(saved, storage);
    return count;
}
