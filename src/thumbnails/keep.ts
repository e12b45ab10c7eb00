import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { discard } from '../assets/receive-file';
import { NoSuchBytes, nameOf } from '../assets/storage';
import type { AssetStorage } from '../assets/storage';
import { transaction } from '../db/transaction';
import { repeat } from '../concurrency/repeat';
import { pageHeight, pageWidth } from '../../client/src/render';
import { SCALE } from './draw';
import type { Drawer } from './drawer';
import { claimWork, findDue, findPage, keepClaim, keepThumbnail, releaseWork, timeNow } from './queries';
import type { Due } from './queries';

/*
 * Thumbnails of projects whose authors have sent none, made by the service of their first pages. Writers neither wait for it nor know of it: one
 * instance at a time looks in the history what has changed, and draws one page after the other in another process.
 */

/** Milliseconds between two looks whether something has changed. */
const EVERY = 2000;

/** Bytes of all pictures of a page that are drawn; the others are left out. */
const MOST_BYTES = 40 * 1024 * 1024;

export interface ThumbnailServices {
    db: Knex;
    assets: AssetStorage;
    drawer: Drawer;
}

async function picturesOf(assets: AssetStorage, hashes: readonly string[]): Promise<Map<string, Buffer>> {
    const pictures = new Map<string, Buffer>();
    let bytes = 0;
    for (const hash of hashes) {
        try {
            bytes += await assets.size(nameOf(hash)) ?? 0;
            if (bytes <= MOST_BYTES) {
                pictures.set(`asset:${hash}`, await buffer(await assets.open(nameOf(hash))));
            }
        }
        catch (error) {
            if (!(error instanceof NoSuchBytes)) {
                throw error;
            }
        }
    }

    return pictures;
}

async function make({ db, assets, drawer }: ThumbnailServices, due: Due, signal: AbortSignal): Promise<void> {
    const { styles, elements, mark } = due;
    const drawn = due.wanted ? await drawer.draw({ styles, elements, mark, pictures: await picturesOf(assets, due.pictures) }) : undefined;
    if (drawn === undefined && signal.aborted) {
        return;
    }

    if (drawn === undefined) {
        return transaction(db, undefined, (trx) => keepThumbnail(trx, assets, due, null));
    }

    const file = join(assets.incoming, randomUUID());
    try {
        await writeFile(file, drawn, { flag: 'wx', mode: 0o600, flush: true });
        const hash = createHash('sha256').update(drawn).digest('hex');
        const picture = { file, hash, type: 'image/webp', size: drawn.length, width: pageWidth * SCALE, height: pageHeight * SCALE };
        await transaction(db, undefined, (trx) => keepThumbnail(trx, assets, due, picture));
    }
    finally {
        await discard(file);
    }
}

/**
 * Makes the thumbnails that are due, unless another instance does.
 * @param signal ends it between two projects
 * @returns how many projects were looked at
 */
export async function makeThumbnails(services: ThumbnailServices, signal: AbortSignal): Promise<number> {
    const { db, drawer } = services;
    let count = 0;
    const since = await timeNow(db);
    let next = await findDue(db);
    if (next === undefined || !await claimWork(db)) {
        return 0;
    }

    try {
        for (; next !== undefined && !signal.aborted; next = await findDue(db)) {
            await make(services, await findPage(db, next.id), signal);
            await keepClaim(db, next.areOlder ? next.id : '0');
            count++;
        }
    }
    finally {
        await drawer.rest();
        await releaseWork(db, next === undefined, since);
    }

    return count;
}

/**
 * Keeps making thumbnails.
 * @returns what ends it, and waits until the step in progress is done
 */
export function keepThumbnails(services: ThumbnailServices, logger: Pick<Logger, 'warn'>, every = EVERY): () => Promise<void> {
    const end = repeat((signal) => makeThumbnails(services, signal), every, logger, 'thumbnails could not be made, and are tried again');
    return async () => {
        const ended = end();
        await services.drawer.rest();
        await ended;
    };
}
