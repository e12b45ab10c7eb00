import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { BadZip } from '../zip/read-zip';
import { checkFile } from '../assets/check-file';
import type { Checking } from '../assets/check-file';
import { deleteFile } from '../assets/receive-file';
import type { ReceivedAsset } from '../assets/register';
import type { AssetStorage } from '../assets/storage';
import { isFault } from '../../api/errors/errors';
import type { ZippedAsset } from './archive';

/** The assets of an import, in files of the storage's folder. Each is checked like an upload. */
export class ImportedAssets {
    readonly received: ReceivedAsset[] = [];
    readonly #storage: AssetStorage;
    readonly #files: string[] = [];

    constructor(storage: AssetStorage) {
        this.#storage = storage;
    }

    /**
     * Receives assets from the zip.
     * @throws BadZip if an asset is damaged, does not match the hash in its name, or is not of its type; 503 if many others are waiting to be checked
     */
    async receive(assets: readonly ZippedAsset[], checking: Checking): Promise<void> {
        for (const { hash, type, file: zipped } of assets) {
            const file = join(this.#storage.incoming, randomUUID());
            this.#files.push(file);
            const sum = createHash('sha256');
            await pipeline(zipped.read(), async function* (chunks: AsyncIterable<Buffer>) {
                for await (const chunk of chunks) {
                    sum.update(chunk);
                    yield chunk;
                }
            }, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal: checking.signal });
            if (sum.digest('hex') !== hash) {
                throw new BadZip(zipped.name, 'does not have the SHA-256 that its name says');
            }

            this.received.push(await checkFile({ file, hash, size: zipped.size }, type, checking).catch((error: unknown) => {
                throw isFault(error) && error.data.code === 'type_mismatch' ? new BadZip(zipped.name, `is not what its name says: ${error.message}`) : error;
            }));
        }
    }

    /** Removes the files that were not stored. */
    async discard(): Promise<void> {
        for (const file of this.#files) {
            await deleteFile(file);
        }
    }
}
