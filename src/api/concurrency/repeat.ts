import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from 'pino';

import { errorMessage } from '../../database/statements/error-message';

/**
 * Does something again and again in the background. A failure is logged, and then it is tried again.
 * @param every milliseconds between two runs
 * @param failure what the log says before the message of the error
 * @returns what ends it, and waits until the run in progress is done; the signal of that run is aborted
 */
export function repeat(run: (signal: AbortSignal) => Promise<unknown>, every: number, logger: Pick<Logger, 'warn'>, failure: string): () => Promise<void> {
    const ending = new AbortController();
    const { signal } = ending;
    const keepRunning = async (): Promise<void> => {
        while (!signal.aborted) {
            await run(signal).catch((error: unknown) => logger.warn({ err: error }, `${failure}: ${errorMessage(error)}`));
            await sleep(every, undefined, { signal, ref: false }).catch(() => undefined);
        }
    };

    const running = keepRunning();
    return async () => {
        ending.abort();
        await running;
    };
}
