import assert from 'node:assert/strict';
import { Readable } from 'node:stream';

import type { Request } from '@hapi/hapi';

import { workQueue, shareOf } from '../../api/concurrency/work-queue';
import type { Config } from '../../config';
import type { Database } from '../../database/statements/connection';
import type { AuthoringServices, Sender } from '../../rules/write';
import { fault } from '../../api/errors/errors';
import { blocksByLooks } from '../../community/filters';
import { currentUser } from '../../api/request/caller';
import { signalOf } from '../../api/request/client-gone';
import type { ClientLimits } from '../../api/request/client-limits';
import { checkEncoding } from '../../api/request/read-body';
import { slotsByCaller } from '../../api/protection/places';
import { checkFile } from './check-file';
import type { FilePool } from './file-work';
import { deleteFile, receiveFile } from './receive-file';
import { registerAssets } from './register';
import type { ReceivedAsset } from './register';
import type { AssetStorage } from './storage';
import { assetTypeOf } from './types';
import type { AssetType } from './types';

/** Uploads that one process receives at a time, and what part of them can be one caller's. */
const MAX_UPLOADS = 64;
const PARTS = { user: 1 / 8, address: 1 / 2, network: 3 / 4 };

interface UploadServices extends Pick<AuthoringServices, 'write'> {
    db: Database;
    config: Pick<Config, 'assetQuota' | 'databasePool' | 'maxAssetBytes' | 'scanUrl' | 'trustedProxies'>;
    assets: AssetStorage;
    files: FilePool;
    limits: ClientLimits;
}

/** An upload that is to be stored. */
export interface Upload<Result> {
    /** the SHA-256 that it has to have; undefined for any */
    hash?: string;
    accepted?: (type: AssetType) => boolean;
    /** Writes what goes with it, as part of the same transaction. @param before whether the user had sent it before */
    then(trx: Database, asset: ReceivedAsset, before: boolean): Promise<Result>;
}

/** Receives, checks and stores the body of a request as an asset of the caller's. */
type Sending = Pick<Request, 'headers' | 'turn'> & Sender & { payload: unknown };

export type ReceiveAsset = <Result>(request: Sending, upload: Upload<Result>) => Promise<Result>;

/**
 * Uploads of one process. What arrives is in a file until it is known to be what it says; the transaction that stores it is short. An
 * upload that fails, or whose client goes away, leaves nothing.
 */
export function assetUploads({ db, config, write, assets, files, limits }: UploadServices): ReceiveAsset {
    const take = slotsByCaller(MAX_UPLOADS, 'sends too many files at once', config.trustedProxies, PARTS);
    // A bucket takes its time, and each has a connection to the database meanwhile.
    const most = shareOf(config.databasePool);
    const storing = workQueue(most, Math.ceil(most / 2));

    return async (request, { hash, accepted, then }) => {
        const type = assetTypeOf(request.headers['content-type'], accepted);
        checkEncoding(request.headers);
        const { id } = currentUser(request);
        const leave = take(request);
        let file: string | undefined;
        const signal = signalOf(request);
        try {
            assert(request.payload instanceof Readable, 'payloadOptions say so');
            const received = await receiveFile(request.raw.req, request.payload, { folder: assets.incoming, most: config.maxAssetBytes }, limits);
            ({ file } = received);
            if (hash !== undefined && received.hash !== hash) {
                throw fault('hash_mismatch');
            }

            const turn = request.turn();
            const asset = await checkFile(received, type, { pool: files, turn, signal, looks: await blocksByLooks(db) });
            return await storing.run(() => write.together(request, async (trx) => {
                const before = await registerAssets(trx, assets, id, [asset], config);
                return then(trx, asset, before.has(asset.hash));
            }), turn, signal);
        }
        finally {
            leave();
            if (file !== undefined) {
                await deleteFile(file);
            }
        }
    };
}
