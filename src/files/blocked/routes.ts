import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Plugin, Request } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { fault, isFault, notFound } from '../../api/errors/errors';
import { signalOf } from '../../api/request/client-gone';
import { thing } from '../../api/request/responses';
import { blockPicture, unblockPicture } from '../../community/filters';
import { moderatorOf, stayModerator } from '../../community/moderation/acting';
import { logAct } from '../../community/moderation/acts';
import type { Database } from '../../database/statements/connection';
import type { AuthoringServices } from '../../rules/write';
import { doTask } from '../assets/file-work';
import { findFacts, findUsers, forgetSendersOf, isSender } from '../assets/queries';
import { deleteFile } from '../assets/receive-file';
import { lockForBlocking } from '../assets/register';
import { liftRefusal } from '../assets/scans';
import { assetPath } from '../assets/schema';
import type { AssetServices } from '../assets/services';
import { NoSuchBytes, storedName, storedNames } from '../assets/storage';
import type { AssetStorage } from '../assets/storage';
import { isPicture } from '../assets/types';
import { redrawThumbnails } from '../thumbnails/redraw';
import { blockedOperation, endOfBlock, newBlock } from './docs';

type Params = { sha256: string };

const shown = (sha256: string, reason: string): string => JSON.stringify({ sha256, reason });

/** Most characters of a reason in the moderation log. */
const MAX_LOGGED = 1000;

/**
 * Writes into the moderation log which picture it was, and why. It is of no project, and many may have sent it: the line is about the
 * moderator.
 */
async function logPicture(
    trx: Database, act: 'block_picture' | 'unblock_picture', moderatorId: string, hash: string, why: string | undefined
): Promise<void> {
    const reason = [...why === undefined ? hash : `${hash}: ${why}`].slice(0, MAX_LOGGED).join('');
    await logAct(trx, { moderatorId, act, type: 'user', id: moderatorId, projectId: null, ownerId: moderatorId, reason });
}

const removeBytes = async (storage: AssetStorage, hashes: readonly string[]): Promise<void> => {
    for (const name of hashes.flatMap(storedNames)) {
        await storage.remove(name);
    }
};

export const blockedPictures: Plugin<AssetServices & Pick<AuthoringServices, 'write'>> = {
    name: 'blocked-pictures',
    dependencies: ['token-strategy'],
    register(server, { db, assets, files, write }) {
        const app = { signedIn: true, noted: 'nothing' } as const;

        /** How the picture looks that is stored under a hash; null if it has no looks, or no bytes (any more) */
        const looksOfStored = async (request: Pick<Request, 'active' | 'app' | 'raw' | 'turn'>, hash: string): Promise<string | null> => {
            const facts = await findFacts(db, hash);
            if (facts === undefined || !isPicture(facts.type)) {
                return null;
            }

            const file = join(assets.incoming, randomUUID());
            try {
                await pipeline(await assets.open(storedName(hash)), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
                const { looks = null } = await doTask(files, { kind: 'inspect', file, type: facts.type, looks: true }, request.turn(), signalOf(request));
                return looks;
            }
            catch (error) {
                // It was accepted when more was, or its bytes are gone: it is blocked by its hash alone.
                if (error instanceof NoSuchBytes || (isFault(error) && error.data.code === 'type_mismatch')) {
                    return null;
                }

                throw error;
            }
            finally {
                await deleteFile(file);
            }
        };

        server.route<{ Params: Params; Payload: { reason: string } }>({
            method: 'PUT',
            path: '/moderation/assets/{sha256}',
            options: { ...blockedOperation('blockPicture'), auth: needs('projects'), app: { ...app, cost: 'heavy' }, validate: { params: assetPath, payload: newBlock } },
            handler: async (request, h) => {
                const { id } = moderatorOf(request);
                const { params: { sha256: hash }, payload: { reason } } = request;
                const looks = await looksOfStored(request, hash);
                const made = await write.together(request, async (trx) => {
                    await stayModerator(trx, id);
                    await lockForBlocking(trx, hash);
                    if (await findFacts(trx, hash) === undefined) {
                        throw notFound('picture');
                    }

                    await blockPicture(trx, hash, looks, reason, id);
                    await logPicture(trx, 'block_picture', id, hash, reason);
                    await forgetSendersOf(trx, hash);
                    return await redrawThumbnails(trx, await findUsers(trx, hash));
                });
                await removeBytes(assets, [hash, ...made]);
                return thing(h, 'updated', 'blocked', shown(hash, reason));
            }
        });

        server.route<{ Params: Params; Payload: { reason?: string } }>({
            method: 'DELETE',
            path: '/moderation/assets/{sha256}',
            options: { ...blockedOperation('unblockPicture'), auth: needs('projects'), app: { ...app, cost: 'cheap' }, validate: { params: assetPath, payload: endOfBlock } },
            handler: async (request, h) => {
                const { id } = moderatorOf(request);
                const { params: { sha256: hash }, payload: { reason: why } } = request;
                const reason = await write.together(request, async (trx) => {
                    await stayModerator(trx, id);
                    const blockedFor = await unblockPicture(trx, hash) ?? await liftRefusal(trx, hash);
                    if (blockedFor === undefined) {
                        throw notFound('blocked picture');
                    }

                    if (await isSender(trx, hash, id)) {
                        throw fault('own_decision');
                    }

                    await logPicture(trx, 'unblock_picture', id, hash, why);
                    await redrawThumbnails(trx, await findUsers(trx, hash));
                    return blockedFor;
                });

                return thing(h, 'deleted', 'blocked', shown(hash, reason));
            }
        });
    }
};
