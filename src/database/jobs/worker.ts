import { performance } from 'node:perf_hooks';

import { errorMessage } from '../statements/error-message';
import { startPolling } from './poll';
import type { PollOptions, Poller } from './poll';

/** Those that are quick, as far as is known, and others. Each kind has slots of its own: quick ones soon find one, whatever others wait for. */
type Kind = 'quick' | 'slow';

const kinds: readonly Kind[] = ['quick', 'slow'];

/** Where a job runs. */
export interface Slot {
    /** ends what is in progress, a moment after the service was asked to end */
    readonly signal: AbortSignal;
    /** Whether the job may do more, or others have their turn: it has had its own, and no slot is free for them. */
    goesOn(): boolean;
    /** Has the job count among the slow ones from now on. */
    becomeSlow(): void;
}

export interface WorkerOptions<Job> extends Omit<PollOptions, 'first'> {
    /** how many jobs run at once */
    slots: Readonly<Record<Kind, number>>;
    /** Does what has to be done in turn before. @returns whether there may be jobs */
    look(signal: AbortSignal): Promise<boolean>;
    /** Leases the next job of a kind that has a free slot. */
    claim(free: Readonly<Record<Kind, boolean>>): Promise<Job | undefined>;
    /** whether a job is one of the slow ones, as far as is known; none if left out */
    isSlow?(job: Job): boolean;
    run(job: Job, slot: Slot): Promise<void>;
}

/** Milliseconds that a job may go on while others wait. */
const TURN = 2000;

/** Milliseconds that jobs in progress have after the service was asked to end. */
const GRACE = 3000;

/** Runs jobs, several at once, each by the one instance that has a lease of it. When a lease ends, somebody else begins again. */
class Worker<Job> {
    readonly #options: WorkerOptions<Job>;
    readonly #poller: Poller;
    readonly #cut = new AbortController();
    readonly #jobs = { quick: new Set<Job>(), slow: new Set<Job>() };
    readonly #running = new Set<Promise<void>>();

    constructor(options: WorkerOptions<Job>) {
        this.#options = options;
        this.#poller = startPolling((ending) => this.#look(ending), options);
    }

    /** Begins nothing more, and waits for what is in progress, a while. */
    async end(): Promise<void> {
        await this.#poller.end();
        const timer = setTimeout(() => this.#cut.abort(), GRACE);
        await Promise.all(this.#running);
        clearTimeout(timer);
    }

    async #look(ending: AbortSignal): Promise<void> {
        const { look, claim } = this.#options;
        let mayFind = await look(ending);
        while (mayFind && !ending.aborted && kinds.some((kind) => this.#isFree(kind))) {
            const job = await claim({ quick: this.#isFree('quick'), slow: this.#isFree('slow') });
            mayFind = job !== undefined;
            if (job !== undefined) {
                const running = this.#run(job, ending).finally(() => this.#running.delete(running));
                this.#running.add(running);
            }
        }
    }

    #isFree(kind: Kind): boolean {
        return this.#jobs[kind].size < this.#options.slots[kind];
    }

    async #run(job: Job, ending: AbortSignal): Promise<void> {
        const { logger, failure, isSlow, run } = this.#options;
        const { quick, slow } = this.#jobs;
        const began = performance.now();
        (isSlow?.(job) ? slow : quick).add(job);
        try {
            await run(job, {
                signal: this.#cut.signal,
                goesOn: () => !ending.aborted && (performance.now() - began < TURN || this.#isFree(slow.has(job) ? 'slow' : 'quick')),
                becomeSlow: () => {
                    quick.delete(job);
                    slow.add(job);
                }
            });
        }
        catch (error) {
            logger.warn({ err: error }, `${failure}: ${errorMessage(error)}`);
        }

        quick.delete(job);
        slow.delete(job);
        // Another one may have waited for the slot.
        this.#poller.wake();
    }
}

/**
 * Keeps running jobs.
 * @returns a function that ends it: what is in progress has a moment to end
 */
export function startWorker<Job>(options: WorkerOptions<Job>): () => Promise<void> {
    const worker = new Worker(options);
    return () => worker.end();
}
