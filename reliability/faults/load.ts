import { setTimeout as sleep } from 'node:timers/promises';

import { Author } from './author';
import { Dice } from './dice';
import { Journal } from './journal';
import { openCommons, Racer } from './racers';
import type { Commons } from './racers';
import { dropIdle, Hung, PATIENCE, send } from './wire';
import type { Answer, Call, Target } from './wire';

export interface LoadOptions {
    targets: readonly Target[];
    dice: Dice;
    journal?: Journal;
    authors?: number;
    racers?: number;
    /** how likely a POST has an `Idempotency-Key`; 1 where lost requests cannot be waited for */
    keyed?: number;
    /** Resolves once nothing can be under way any more of what was sent to a process before. Needed where `keyed` is below 1. */
    over?: (name: string, since: Date) => Promise<void>;
    /** milliseconds between two requests of one author */
    pause?: number;
}

export const PASSWORD = 'correct horse battery';

/**
 * Authors that write and remember what was acknowledged. Each does one thing after the other, goes on with the next only
 * when it knows what became of the last, and so knows exactly what must be stored.
 */
export class Load {
    readonly journal: Journal;
    readonly authors: Author[] = [];
    readonly racers: Racer[] = [];
    readonly keyed: number;
    commons: Commons | undefined;
    /** milliseconds that the slowest answer took */
    slowest = 0;
    /** answers that told of a full disk */
    full = 0;
    readonly #options: LoadOptions;
    #running: Promise<unknown>[] = [];
    #paused = true;

    private constructor(options: LoadOptions) {
        this.#options = options;
        this.journal = options.journal ?? new Journal();
        this.keyed = options.keyed ?? 0.5;
    }

    /** Opens the accounts, and what they start with. */
    static async open(options: LoadOptions): Promise<Load> {
        const load = new Load(options);
        const { authors = 8, racers = 3, dice } = options;
        load.commons = racers > 0 ? await openCommons(load) : undefined;
        for (let n = 0; n < authors; ++n) {
            load.authors.push(await Author.open(load, dice.split()));
        }

        for (let n = 0; n < racers; ++n) {
            load.racers.push(new Racer(load, dice.split()));
        }

        return load;
    }

    get targets(): readonly Target[] {
        return this.#options.targets;
    }

    /** Lets all go on working until `pause`. */
    go(): void {
        this.#paused = false;
        dropIdle();
        const work = async (one: Author | Racer): Promise<void> => {
            while (!this.#paused) {
                await one.step();
                await sleep(this.#options.pause ?? 0);
            }
        };

        this.#running = [...this.authors, ...this.racers].map((one) => work(one).catch((error: Error) => {
            this.journal.find(error instanceof Hung ? error.message : `a client broke: ${error.stack}`);
        }));
    }

    /** Waits until everybody is done with what they do, and knows what came of it. */
    async pause(): Promise<void> {
        this.#paused = true;
        await Promise.all(this.#running);
        this.#running = [];
    }

    /** Works for so many milliseconds, with something else happening meanwhile. */
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
        this.go();
        try {
            return await work();
        }
        finally {
            await this.pause();
        }
    }

    /** Sends a request to one of the processes that are up; waits while none is. @throws Hung */
    async ask(kind: string, call: Call, dice: Dice): Promise<{ answer: Answer | null; name: string }> {
        const target = await this.#anyUp(dice);
        const { name } = target;
        const answer = await send(target, kind, call);
        if (answer !== null) {
            this.#note(kind, call, answer);
        }

        return { answer, name };
    }

    async #anyUp(dice: Dice): Promise<Target> {
        const deadline = Date.now() + 2 * PATIENCE;
        for (;;) {
            const target = dice.pick(this.targets.filter(({ url }) => url !== null));
            if (target !== undefined) {
                return target;
            }

            if (Date.now() > deadline) {
                throw new Hung('no process came up');
            }

            await sleep(20);
        }
    }

    #note(kind: string, { method, path }: Call, { status, retryAfter, body, ms }: Answer): void {
        this.journal.statuses.add(String(status));
        this.slowest = Math.max(this.slowest, ms);
        this.full += Number(body.code === 'storage_full');
        const shown = JSON.stringify(body).slice(0, 300);
        if (status === 503 && retryAfter === undefined) {
            this.journal.find(`${kind}: 503 without Retry-After: ${shown}`);
        }

        if ((status >= 500 && status !== 503) || [401, 429].includes(status)) {
            this.journal.find(`${kind}: ${method} ${path} answered ${status}: ${shown}`);
        }
    }

    /**
     * Writes, and comes back when it is known what became of it: what can be sent again without doing it twice is, until
     * it is answered. Null where it was lost, cannot be sent again, and is over, done or not.
     */
    async write(kind: string, call: Call, dice: Dice): Promise<Told | null> {
        const safe = call.method !== 'POST' || call.key !== undefined;
        const deadline = Date.now() + 4 * PATIENCE;
        for (let again = false; ; again = true) {
            const { answer, name } = await this.ask(kind, call, dice);
            if (answer !== null && isFinal(answer)) {
                (again ? this.journal.found : this.journal.acknowledged).add(again ? 'answered when sent again' : kind);
                return { ...answer, again };
            }

            if (!again) {
                this.journal.lost.add(kind);
            }

            if (!safe) {
                if (answer === null) {
                    await this.#options.over?.(name, new Date());
                }

                return null;
            }

            if (Date.now() > deadline) {
                throw new Hung(`${call.method} ${call.path} is answered ${answer?.status ?? 'nothing'} for ${4 * PATIENCE} ms`);
            }

            await sleep(dice.between(10, 60));
        }
    }

    /** Reads until it is answered. */
    async read(path: string, dice: Dice): Promise<Answer> {
        const told = await this.write('read', { method: 'GET', path }, dice);
        if (told === null) {
            throw new Error('A GET can be sent again');
        }

        return told;
    }
}

/** An answer, and whether it came to a request that had been sent before. */
export interface Told extends Answer {
    again: boolean;
}

/** Whether an answer says what became of the write: 503 may have come in its midst, and so may the 409 that asks for patience. */
function isFinal({ status, body }: Answer): boolean {
    return status < 500 && body.code !== 'request_in_flight';
}
