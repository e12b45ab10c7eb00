import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Plugin, Request } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { isFault, notFound } from '../../api/errors/errors';
import { signalOf } from '../../api/request/client-gone';
import { thing } from '../../api/request/responses';
import { blockPicture, unblockPicture } from '../../community/filters';
import { moderatorOf, stayModerator } from '../../community/moderation/acting';
import { noteDecisionOnPicture, noteEndOnPicture } from '../../community/moderation/decisions';
import type { StatedPictures } from '../../community/moderation/undo';
import type { AuthoringServices } from '../../rules/write';
import { doTask } from '../assets/file-work';
import { findFacts, findSenders, findUsers, forgetSendersOf } from '../assets/queries';
import { deleteFile } from '../assets/receive-file';
import { lockForDecision } from '../assets/register';
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

const lifts = { remove: unblockPicture, hold: liftRefusal } as const;

/** Decisions about pictures, as whoever takes them back needs them. */
export const pictures: StatedPictures = {
    lock: lockForDecision,
    lift: async (trx, decision, picture, moderatorId, why) => {
        const reason = await lifts[decision](trx, picture);
        if (reason !== undefined) {
            await noteEndOnPicture(trx, { picture, decision, moderatorId }, why);
            await redrawThumbnails(trx, await findUsers(trx, picture));
        }

        return reason;
    }
};

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
                    await pictures.lock(trx, hash);
                    if (await findFacts(trx, hash) === undefined) {
                        throw notFound('picture');
                    }

                    await blockPicture(trx, hash, looks, reason, id);
                    const senders = await findSenders(trx, hash);
                    await noteDecisionOnPicture(trx, { picture: hash, senders, decision: 'remove', reason, moderatorId: id });
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
                    await pictures.lock(trx, hash);
                    const found = await pictures.lift(trx, 'remove', hash, id, why) ?? await pictures.lift(trx, 'hold', hash, id, why);
                    if (found === undefined) {
                        throw notFound('blocked picture');
                    }

                    return found;
                });

                return thing(h, 'deleted', 'blocked', shown(hash, reason));
            }
        });
    }
};
