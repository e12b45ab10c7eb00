import { tracingChannel } from 'node:diagnostics_channel';
import { join } from 'node:path';

import { StorageUnreachable } from '../../api/errors/storage';
import type { Config } from '../../config';
import { WrongSettings } from '../../config/wrong-settings';
import { errorMessage } from '../../database/statements/error-message';
import { bucketStorage } from './bucket-storage';
import { folderStorage } from './folder-storage';
import type { AssetStorage } from './storage';

/** Age in milliseconds from which on a file in `incoming` was left by a crash: no upload takes so long. */
export const LEFT_BEHIND = 3_600_000;

/** Where a tracer hears of each work of the storage (operations/process/traces.ts). */
const traced = tracingChannel('pagewright:storage');

/** Work of which a tracer hears. */
function told<Args extends unknown[], Result>(operation: string, work: (...args: Args) => Promise<Result>): (...args: Args) => Promise<Result> {
    return (...args) => (traced.hasSubscribers ? traced.tracePromise(() => work(...args), { attributes: { 'pagewright.operation': operation } }) : work(...args));
}

/**
 * Opens where the bytes of assets are, and removes what a crash of this machine left on its way there.
 * @throws Error for an operator, if it cannot be used
 */
export async function openStorage({ assetsUrl, dataDir }: Pick<Config, 'assetsUrl' | 'dataDir'>): Promise<AssetStorage> {
    const folder = join(dataDir, 'assets');
    const storage = assetsUrl === null ? folderStorage(folder) : await bucketStorage(assetsUrl, join(folder, 'incoming'));
    try {
        await storage.prepare();
    }
    catch (error) {
        storage.close();
        // What a bucket refuses depends on its name, its region and the keys. A folder may only lack room.
        const Thrown = assetsUrl === null || error instanceof StorageUnreachable ? Error : WrongSettings;
        throw new Thrown(`The place for assets, ${placeOfAssets({ assetsUrl, dataDir })}, cannot be used: ${errorMessage(error)}`, {
            cause: error
        });
    }

    await storage.tidy(LEFT_BEHIND);
    return Object.assign(storage, {
        put: told('put', storage.put.bind(storage)), open: told('open', storage.open.bind(storage)), size: told('size', storage.size.bind(storage)), remove: told('remove', storage.remove.bind(storage))
    });
}

/** Where the bytes are, in words for an operator. */
export const placeOfAssets = ({ assetsUrl, dataDir }: Pick<Config, 'assetsUrl' | 'dataDir'>): string => {
    return assetsUrl?.split('?')[0] ?? join(dataDir, 'assets');
};
