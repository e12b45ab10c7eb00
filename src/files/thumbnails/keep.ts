import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { deleteFile } from '../assets/receive-file';
import { NoSuchBytes, storedName } from '../assets/storage';
import type { AssetStorage } from '../assets/storage';
import { transaction } from '../../database/statements/transaction';
import { repeat } from '../../api/concurrency/repeat';
import { pageHeight, pageWidth } from '../../../client/src/render';
import { SCALE } from './draw';
import type { FilePool } from '../assets/file-work';
import { Ended } from '../../api/concurrency/process-pool';
import type { Task } from './perform';
import { claimWork, findDue, findPageToDraw, keepClaim, keepThumbnail, releaseWork, timeNow } from './queries';
import type { Due } from './queries';

/*
 * Thumbnails of projects whose authors have sent none, made by the service of their first pages. Writers neither wait for it nor know of it: one
 * instance at a time looks in the history what has changed, and draws one page after the other in another process.
 */

/** Milliseconds between two checks whether something has changed. */
const EVERY = 2000;

/** Before the next thumbnail the event loop has to be idle for this many times as long as it worked while the last one was made, but no longer than the longest pause in milliseconds, for which the work stays claimed. */
const REST = 4;
const LONGEST_REST = 10_000;

/** The shortest milliseconds between two checks whether the event loop was idle for long enough. */
const CHECK = 50;

/** Bytes of all pictures of a page that are drawn; the others are left out. */
const MAX_BYTES = 40 * 1024 * 1024;

export interface ThumbnailServices {
    db: Knex;
    assets: AssetStorage;
    files: FilePool<Task>;
}

/** Copies the pictures of a page into files. @returns their paths by `src` */
async function picturesOf(assets: AssetStorage, hashes: readonly string[], files: string[], signal: AbortSignal): Promise<Map<string, string>> {
    const pictures = new Map<string, string>();
    let bytes = 0;
    for (const hash of hashes) {
        try {
            bytes += await assets.size(storedName(hash)) ?? 0;
            if (bytes <= MAX_BYTES) {
                const file = join(assets.incoming, randomUUID());
                files.push(file);
                await pipeline(await assets.open(storedName(hash)), createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
                pictures.set(`asset:${hash}`, file);
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

/** Whose turn the service's own drawing is, beside those of callers. */
const CALLER = 'thumbnails';

/** Draws a page. @returns WebP; undefined if it cannot be drawn, or not in time */
async function draw({ assets, files: pool }: ThumbnailServices, { styles, elements, mark, pictures }: Due, signal: AbortSignal): Promise<Buffer | undefined> {
    const files: string[] = [];
    try {
        const { result } = await pool.run({ kind: 'draw', styles, elements, mark, pictures: await picturesOf(assets, pictures, files, signal) }, CALLER, signal);
        return result?.picture && Buffer.from(result.picture);
    }
    catch (error) {
        if (error instanceof Ended || signal.aborted) {
            return undefined;
        }

        throw error;
    }
    finally {
        await Promise.all(files.map((file) => deleteFile(file)));
    }
}

async function make(services: ThumbnailServices, due: Due, signal: AbortSignal): Promise<void> {
    const { db, assets } = services;
    const drawn = due.wanted ? await draw(services, due, signal) : undefined;
    if (drawn === undefined && signal.aborted) {
        return;
    }

    if (drawn === undefined) {
        return transaction(db, undefined, (trx) => keepThumbnail(trx, assets, due, null));
    }

    const file = join(assets.incoming, randomUUID());
    try {
        await writeFile(file, drawn, { flag: 'wx', mode: 0o600 });
        const hash = createHash('sha256').update(drawn).digest('hex');
        const picture = { file, hash, type: 'image/webp' as const, size: drawn.length, width: pageWidth * SCALE, height: pageHeight * SCALE };
        await transaction(db, undefined, (trx) => keepThumbnail(trx, assets, due, picture));
    }
    finally {
        await deleteFile(file);
    }
}

/** Does some work, and then pauses: the busier this process was and still is, the longer, so that requests are not delayed. */
async function unhurried<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const before = performance.eventLoopUtilization();
    const result = await work();
    const after = performance.eventLoopUtilization();
    const wanted = REST * performance.eventLoopUtilization(after, before).active;
    const latest = performance.now() + LONGEST_REST;
    for (;;) {
        const missing = Math.min(wanted - performance.eventLoopUtilization(after).idle, latest - performance.now());
        if (missing <= 0 || signal.aborted) {
            return result;
        }

        // It cannot be idle for longer than time goes by.
        await sleep(Math.max(missing, CHECK), undefined, { signal, ref: false }).catch(() => undefined);
    }
}

/**
 * Makes the thumbnails that are due, unless another instance does.
 * @param signal ends it, with what is being drawn
 * @returns how many projects were looked at
 */
export async function makeThumbnails(services: ThumbnailServices, signal: AbortSignal): Promise<number> {
    const { db } = services;
    let count = 0;
    const since = await timeNow(db);
    let round = await findDue(db);
    if (round.length === 0 || !await claimWork(db)) {
        return 0;
    }

    try {
        while (round.length > 0 && !signal.aborted) {
            for (const due of round) {
                if (signal.aborted) {
                    break;
                }

                await unhurried(async () => {
                    const page = await findPageToDraw(db, due.id);
                    await (page && make(services, page, signal));
                    await keepClaim(db, due);
                }, signal);
                count++;
            }

            round = await unhurried(() => findDue(db), signal);
        }
    }
    finally {
        await releaseWork(db, round.length === 0, since);
    }

    return count;
}

/**
 * Keeps making thumbnails.
 * @returns a function that ends it
 */
export function keepThumbnails(services: ThumbnailServices, logger: Pick<Logger, 'warn'>, every = EVERY): () => Promise<void> {
    return repeat((signal) => makeThumbnails(services, signal), every, logger, 'thumbnails could not be made, and are tried again');
}
