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
import { workInSteps } from '../../database/jobs/in-steps';
import { startPolling } from '../../database/jobs/poll';
import { transaction } from '../../database/statements/transaction';
import { pageHeight, pageWidth } from '../../../client/src/render';
import { SCALE } from './draw';
import type { FilePool } from '../assets/file-work';
import { Ended } from '../../api/concurrency/process-pool';
import type { Task } from './perform';
import { claimWork, findDue, findPageToDraw, findShown, keepThumbnail, releaseWork, renewWork } from './queries';
import type { Due, Next } from './queries';
import { redrawThumbnails } from './redraw';

/*
 * Thumbnails of projects whose authors have sent none, made by the service of their first pages. Writers neither wait for it nor know of it: one
 * instance at a time looks in the history what has changed, and draws one page after the other in another process.
 */

/** Milliseconds between two checks whether something has changed. */
const EVERY = 2000;

/** Before the next thumbnail the event loop has to be idle for this many times as long as it worked while the last one was made, but no longer than the longest pause in milliseconds, for which the lease goes on. */
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

/** Keeps what was drawn for a project, or that there is nothing to show. */
async function keep({ db, assets }: ThumbnailServices, due: Due, drawn: Buffer | undefined): Promise<void> {
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

/** Makes the thumbnail of a project, if it is still there. @returns false if that was cut off */
async function make(services: ThumbnailServices, { id }: Next, signal: AbortSignal): Promise<boolean> {
    const { db } = services;
    const due = await findPageToDraw(db, id);
    if (due === undefined) {
        return true;
    }

    const pictures = await findShown(db, due);
    const drawn = due.wanted ? await draw(services, { ...due, pictures }, signal) : undefined;
    if (drawn === undefined && signal.aborted) {
        return false;
    }

    await keep(services, due, drawn);
    // One that was kept from others may have passed meanwhile.
    if (pictures.length < due.pictures.length && (await findShown(db, due)).length > pictures.length) {
        await transaction(db, undefined, (trx) => redrawThumbnails(trx, [id]));
    }

    return true;
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

/** Makes one thumbnail after the other, until none is due. */
async function* makeAll(services: ThumbnailServices, first: readonly Next[], signal: AbortSignal): AsyncGenerator<Next> {
    for (let round = first; round.length > 0; round = await unhurried(() => findDue(services.db), signal)) {
        for (const next of round) {
            if (signal.aborted || !await unhurried(() => make(services, next, signal), signal)) {
                return;
            }

            yield next;
        }
    }
}

/**
 * Makes the thumbnails that are due, unless another instance does.
 * @param signal ends it, with what is being drawn
 * @returns how many projects were looked at
 */
export async function makeThumbnails(services: ThumbnailServices, signal: AbortSignal): Promise<number> {
    const { db } = services;
    const due = await findDue(db);
    let count = 0;
    await (due.length > 0 && workInSteps({
        claim: () => claimWork(db),
        steps: () => makeAll(services, due, signal),
        renew: (token, done) => {
            count++;
            return renewWork(db, token, done);
        },
        release: (token, outcome, claimed) => releaseWork(db, token, outcome, claimed)
    }, signal));
    return count;
}

/**
 * Keeps making thumbnails.
 * @returns a function that ends it
 */
export function keepThumbnails(services: ThumbnailServices, logger: Pick<Logger, 'warn'>, every = EVERY): () => Promise<void> {
    const failure = 'thumbnails could not be made, and are tried again';
    return startPolling((signal) => makeThumbnails(services, signal), { every, logger, failure }).end;
}
