import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from 'pino';

import { StorageUnreachable } from '../../api/errors/storage';
import { fieldOf } from '../../api/json/is-object';
import { errorMessage } from '../../database/statements/error-message';
import { outageOf } from '../../database/statements/outage';

/** Milliseconds before the second try, and most before any other. */
const FIRST = 500;
const MOST = 10_000;

export interface Waiting {
    logger: Pick<Logger, 'warn'>;
    /** ends the wait */
    signal: AbortSignal;
    /** called with what is waited for, in words that show nothing private */
    onWait: (cause: string) => Promise<void>;
}

/**
 * Tries work until it no longer fails because the database or the place for pictures and sounds is not there yet, or its name is not known yet.
 * @throws any other error, and the reason of the signal
 */
export async function untilUsable<Result>(work: () => Promise<Result>, { logger, signal, onWait }: Waiting): Promise<Result> {
    for (let pause = FIRST; ; pause = Math.min(2 * pause, MOST)) {
        try {
            return await work();
        }
        catch (error) {
            const cause = passingCause(error);
            if (cause === undefined) {
                throw error;
            }

            await onWait(cause);
            logger.warn(`waiting to start: ${cause} (${errorMessage(error)})`);
            await sleep(pause, undefined, { signal });
        }
    }
}

/** Why work failed, if that passes by itself. */
function passingCause(error: unknown): string | undefined {
    const outage = outageOf(error);
    if (outage !== undefined) {
        return outage.passes ? outage.words : undefined;
    }

    const isStorage = [error, fieldOf(error, 'cause')].some((one) => one instanceof StorageUnreachable);
    return isStorage ? 'The place for pictures and sounds cannot be reached.' : undefined;
}
