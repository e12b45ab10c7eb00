import { setTimeout as sleep } from 'node:timers/promises';

import { Author } from './author';
import type { Dice } from '../../test/support/dice';
import { Histories } from './histories';
import { openCommons, Racer } from './racers';
import type { Commons } from './racers';
import { Sender } from './sender';
import type { SenderOptions } from './sender';
import { dropIdle, Hung } from './wire';

export interface LoadOptions extends SenderOptions {
    dice: Dice;
    authors?: number;
    racers?: number;
    /** clients that write to one project and watch its history */
    historians?: number;
    /** milliseconds between two requests of one author */
    pause?: number;
}

/** What works in a load. */
export interface Client {
    step(): Promise<void>;
}

/**
 * Authors that write and remember what was acknowledged. Each does one thing after the other, and continues only when the
 * outcome of the last one is known, so it knows exactly what must be stored.
 */
export class Load extends Sender {
    readonly authors: Author[] = [];
    readonly racers: Racer[] = [];
    commons: Commons | undefined;
    histories: Histories | undefined;
    readonly #others: Client[] = [];
    readonly #options: LoadOptions;
    #running: Promise<unknown>[] = [];
    #paused = true;

    private constructor(options: LoadOptions) {
        super(options);
        this.#options = options;
    }

    /** Opens the accounts and creates their first things. */
    static async open(options: LoadOptions): Promise<Load> {
        const load = new Load(options);
        const { authors = 8, racers = 3, historians = 3, dice } = options;
        const commons = racers > 0 ? await openCommons(load) : undefined;
        load.commons = commons;
        for (let n = 0; n < authors; ++n) {
            load.authors.push(await Author.open(load, dice.split()));
        }

        for (let n = 0; n < racers && commons !== undefined; ++n) {
            load.racers.push(new Racer(load, commons, dice.split()));
        }

        if (historians > 0) {
            const histories = await Histories.open(load, load.authors, dice.split());
            load.histories = histories;
            load.#others.push(histories.follower, ...Array.from({ length: historians }, () => histories.writer(dice.split())));
        }

        return load;
    }

    /** Lets one more work. */
    add(client: Client): void {
        this.#others.push(client);
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
}
