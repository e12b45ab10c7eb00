import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from 'pino';

import { errorMessage } from '../statements/error-message';

export interface PollOptions {
    /** milliseconds between two runs, about, so that instances do not look all at once */
    every: number;
    /** milliseconds before the first run */
    first?: number;
    logger: Pick<Logger, 'warn'>;
    /** what the log says before the message of an error */
    failure: string;
}

export interface Poller {
    /** Has the next run begin at once, after the one in progress. */
    wake: () => void;
    /** Ends it, and waits for the run in progress, whose signal is aborted. */
    end: () => Promise<void>;
}

/** Does something again and again in the background. A failure is logged, and then it is tried again. */
export function startPolling(run: (signal: AbortSignal) => Promise<unknown>, { every, first = 0, logger, failure }: PollOptions): Poller {
    const ending = new AbortController();
    let waking = new AbortController();
    const pause = async (milliseconds: number): Promise<void> => {
        await sleep(milliseconds, undefined, { signal: waking.signal, ref: false }).catch(() => undefined);
    };

    const keepRunning = async (): Promise<void> => {
        await pause(first);
        while (!ending.signal.aborted) {
            waking = new AbortController();
            await run(ending.signal).catch((error: unknown) => logger.warn({ err: error }, `${failure}: ${errorMessage(error)}`));
            await pause(every * (1 + Math.random() / 10));
        }
    };

    const running = keepRunning();
    const wake = (): void => waking.abort();
    return {
        wake,
        end: async () => {
            ending.abort();
            wake();
            await running;
        }
    };
}
