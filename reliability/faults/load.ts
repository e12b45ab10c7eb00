import { setTimeout as sleep } from 'node:timers/promises';

import { Author } from './author';
import { Dice } from '../../test/support/dice';
import { Histories } from './histories';
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
    /** clients that write to one project and watch its history */
    historians?: number;
    /** the share of POSTs with an `Idempotency-Key`; 1 if we cannot wait for the end of lost requests */
    keyed?: number;
    /** Resolves when everything that was sent to a process before has ended. Needed if `keyed` is below 1. */
    over?: (name: string, since: Date) => Promise<void>;
    /** milliseconds between two requests of one author */
    pause?: number;
}

/** What works in a load. */
export interface Client {
    step(): Promise<void>;
}

export const PASSWORD = 'correct horse battery';

/**
 * Authors that write and remember what was acknowledged. Each does one thing after the other, and continues only when the
 * outcome of the last one is known, so it knows exactly what must be stored.
 */
export class Load {
    readonly journal: Journal;
    readonly authors: Author[] = [];
    readonly racers: Racer[] = [];
    readonly keyed: number;
    commons: Commons | undefined;
    histories: Histories | undefined;
    readonly #others: Client[] = [];
    /** milliseconds of the slowest response */
    slowest = 0;
    /** responses that report a full disk */
    full = 0;
    readonly #options: LoadOptions;
    #running: Promise<unknown>[] = [];
    #paused = true;

    private constructor(options: LoadOptions) {
        this.#options = options;
        this.journal = options.journal ?? new Journal();
        this.keyed = options.keyed ?? 0.5;
    }

    /** Opens the accounts and creates their first things. */
    static async open(options: LoadOptions): Promise<Load> {
        const load = new Load(options);
        const { authors = 8, racers = 3, historians = 3, dice } = options;
        load.commons = racers > 0 ? await openCommons(load) : undefined;
        for (let n = 0; n < authors; ++n) {
            load.authors.push(await Author.open(load, dice.split()));
        }

        for (let n = 0; n < racers; ++n) {
            load.racers.push(new Racer(load, dice.split()));
        }

        if (historians > 0) {
            const histories = await Histories.open(load, dice.split());
            load.histories = histories;
            load.#others.push(histories.follower, ...Array.from({ length: historians }, () => histories.writer(dice.split())));
        }

        return load;
    }

    /** Lets one more work. */
    add(client: Client): void {
        this.#others.push(client);
    }

    get targets(): readonly Target[] {
        return this.#options.targets;
    }

    /** Lets all authors work until `pause`. */
    go(): void {
        this.#paused = false;
        dropIdle();
        const work = async (one: Client): Promise<void> => {
            while (!this.#paused) {
                await one.step();
                await sleep(this.#options.pause ?? 0);
            }
        };

        this.#running = [...this.authors, ...this.racers, ...this.#others].map((one) => work(one).catch((error: Error) => {
            this.journal.find(error instanceof Hung ? error.message : `a client broke: ${error.stack}`);
        }));
    }

    /** Waits until all authors have finished their current action and know its outcome. */
    async pause(): Promise<void> {
        this.#paused = true;
        await Promise.all(this.#running);
        this.#running = [];
    }

    /** Works for some milliseconds while something else happens. */
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
        this.go();
        try {
            return await work();
        }
        finally {
            await this.pause();
        }
    }

    /** Sends a request to one of the running processes; waits while there is none. @throws Hung */
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

        if ((status >= 500 && status !== 503) || (status === 429 && !waits.has(body.code)) || status === 401) {
            this.journal.find(`${kind}: ${method} ${path} answered ${status}: ${shown}`);
        }
    }

    /**
     * Writes, and resolves when the outcome is known. Repeats the request until there is a response, if that cannot do it
     * twice. Returns null if the response was lost, the request cannot be repeated, and it has ended, done or not.
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

    /** Reads until there is a response. */
    async read(path: string, dice: Dice): Promise<Answer> {
        const told = await this.write('read', { method: 'GET', path }, dice);
        if (told === null) {
            throw new Error('A GET can always be repeated');
        }

        return told;
    }
}

/** A response, and whether its request was a repeated one. */
export interface Told extends Answer {
    again: boolean;
}

/** Codes of responses that ask to wait for other requests, as all clients of a load have one address. */
const waits = new Set(['request_in_flight', 'too_much_in_progress']);

/** Whether a response says what the outcome is: a 503 may be sent while the write is in progress, and so may those that ask to wait. */
function isFinal({ status, body }: Answer): boolean {
    return status < 500 && !waits.has(body.code);
}
