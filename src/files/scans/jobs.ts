import { buffer } from 'node:stream/consumers';

import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { askJson } from '../../api/auth/providers/ask';
import { noteDecisionOnPicture } from '../../community/moderation/decisions';
import { retryAfter } from '../../database/jobs/retry';
import { startWorker } from '../../database/jobs/worker';
import { errorMessage } from '../../database/statements/error-message';
import { operatorWrite } from '../../rules/write';
import { findSenders, findUsers } from '../assets/queries';
import { lockForDecision } from '../assets/register';
import { keepPicture, leasePicture, passPicture } from '../assets/scans';
import type { WaitingPicture } from '../assets/scans';
import { storedName } from '../assets/storage';
import type { AssetStorage } from '../assets/storage';
import { redrawThumbnails } from '../thumbnails/redraw';

/*
 * Asks the scanner of the operators (SCAN_URL) about new pictures. One that it neither lets pass nor refuses, in so many words, stays as it
 * is and is asked about again, for as long as somebody needs it.
 */

/** Milliseconds between two checks whether there are new pictures. */
const EVERY = 250;

/** Pictures that are scanned at a time: new ones, and others, of which an attempt failed. Each is in memory. */
const SLOTS = { quick: 4, slow: 2 };

/** Seconds until the scanner is asked again. */
const RETRY = { first: 1, times: 3, longest: 300 };

/** Milliseconds in which the scanner has to answer. */
const TIMEOUT = 30_000;

/** Most characters of a reason. With the hash it is a line of the moderation log. */
const MAX_REASON = 900;

export interface ScanOptions {
    db: Knex;
    assets: AssetStorage;
    url: string;
    logger: Pick<Logger, 'warn'>;
    every?: number;
    timeout?: number;
    /** seconds until a picture is scanned again the first time, if not the usual ones */
    firstRetry?: number;
}

/** Asks the scanner about a picture. @returns why it is refused; null if it is not @throws Error without a clear answer */
async function refusalOf({ id, type }: WaitingPicture, { assets, url, timeout = TIMEOUT }: ScanOptions, ending: AbortSignal): Promise<string | null> {
    const body = await buffer(await assets.open(storedName(id)));
    const signal = AbortSignal.any([ending, AbortSignal.timeout(timeout)]);
    const { ok, reason } = await askJson(url, signal, { method: 'POST', headers: { 'content-type': type, 'user-agent': 'Pagewright' }, body });
    if (typeof ok !== 'boolean') {
        throw new Error('The answer has no "ok" that is true or false.');
    }

    const text = typeof reason === 'string' ? [...reason.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')].slice(0, MAX_REASON).join('').trim() : '';
    return ok ? null : text || 'The scanner refused it.';
}

/** Has one picture scanned, and notes what came of it. */
async function scan(picture: WaitingPicture, options: ScanOptions, ending: AbortSignal): Promise<void> {
    const { db, url, logger, firstRetry: first = RETRY.first } = options;
    const { id, attempts } = picture;
    const refusal = await refusalOf(picture, options, ending).catch((error: unknown) => new Error(errorMessage(error instanceof Error ? error.cause ?? error : error)));
    if (refusal instanceof Error) {
        // The address may have a key in it.
        logger.warn({ picture: id, attempts, why: refusal.message.replaceAll(url, 'SCAN_URL') }, 'a picture could not be scanned, and is tried again');
        await keepPicture(db, picture, null, retryAfter(attempts, { ...RETRY, first }));
        return;
    }

    await operatorWrite(db, async (trx) => {
        if (refusal === null) {
            await (await passPicture(trx, picture) && redrawThumbnails(trx, await findUsers(trx, id)));
            return;
        }

        // Whoever sends it meanwhile waits, and is told then.
        await lockForDecision(trx, id);
        if (await keepPicture(trx, picture, refusal)) {
            const senders = await findSenders(trx, id);
            await noteDecisionOnPicture(trx, { picture: id, senders, decision: 'hold', reason: refusal, moderatorId: null });
        }
    });
}

/** Keeps scanning new pictures. @returns a function that ends it: what is being scanned has a moment to be done */
export function keepScanning(options: ScanOptions): () => Promise<void> {
    const { db, logger, every = EVERY } = options;
    return startWorker({
        logger, every, failure: 'pictures could not be scanned, and are tried again', slots: SLOTS,
        look: () => Promise.resolve(true),
        claim: (free) => leasePicture(db, free),
        isSlow: ({ attempts }) => attempts > 1,
        run: (picture, { signal }) => scan(picture, options, signal)
    });
}
