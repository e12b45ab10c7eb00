import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import type { Dice } from '../../test/support/dice';
import type { Sender } from './sender';
import { Mirror } from './mirror';
import type { Target } from './wire';

/** Milliseconds that a stream is read, at most; and in which it must tell of what was missed. */
const LONGEST = 2000;
const PATIENCE = 15_000;

/** A client that knows a project by its event stream and GET …/changes alone, and connects again wherever it can. */
export class Follower {
    /** streams that were opened, and changes that they told */
    streams = 0;
    told = 0;
    readonly #load: Sender;
    readonly #path: string;
    readonly #dice: Dice;
    #mirror: Mirror;
    #isNew = false;
    /** the id of the last event */
    #seen: number;

    constructor(load: Sender, path: string, revision: number, dice: Dice) {
        this.#load = load;
        this.#path = path;
        this.#dice = dice;
        this.#seen = revision;
        this.#mirror = new Mirror(load, path);
    }

    /** Forgets all it knows before the next step. */
    beginAgain(): void {
        this.#isNew = true;
    }

    async #begin(): Promise<void> {
        if (this.#isNew) {
            this.#isNew = false;
            this.#mirror = new Mirror(this.#load, this.#path);
            await this.#mirror.update(this.#dice);
            this.#seen = this.#mirror.revision;
        }
    }

    /** Reads one stream for a while, from wherever it left off, and then what has changed. */
    async step(): Promise<void> {
        await this.#begin();
        // Only now: a server may have gone down in the meantime.
        const target = this.#dice.pick(this.#load.targets.filter(({ url }) => url !== null));
        if (target === undefined) {
            return await sleep(20);
        }

        const before = this.#seen;
        await this.#follow(target, this.#dice.between(50, LONGEST), () => false);
        if (this.#seen > before) {
            await this.#mirror.update(this.#dice);
        }
    }

    /** While nobody writes: a stream tells all that was missed, and the mirror is the project. */
    async check(dice: Dice): Promise<string[]> {
        await this.#begin();
        const present = new Mirror(this.#load, this.#path);
        await present.update(dice);
        for (const deadline = Date.now() + PATIENCE; this.#seen < present.revision && Date.now() < deadline;) {
            const target = dice.pick(this.#load.targets.filter(({ url }) => url !== null));
            await (target === undefined ? sleep(20) : this.#follow(target, PATIENCE, () => this.#seen >= present.revision));
        }

        if (this.#seen !== present.revision) {
            return [`${this.#path} is at revision ${present.revision}, and its streams told of ${this.#seen}`];
        }

        await this.#mirror.update(dice);
        return isDeepStrictEqual(this.#mirror.contents(), present.contents()) ? []
            : [`${this.#path}: a mirror is ${JSON.stringify(this.#mirror.contents()).slice(0, 1000)}, and the project is ${JSON.stringify(present.contents()).slice(0, 1000)}`];
    }

    /** Reads a stream until its connection ends, or for some milliseconds, or until it has told enough. */
    #follow({ url }: Target, ms: number, enough: () => boolean): Promise<void> {
        return new Promise((resolve) => {
            const request = get(`${url}${this.#path}/events`, { agent: false, headers: { 'last-event-id': String(this.#seen) } }, (response) => {
                let rest = '';
                if (response.statusCode !== 200 && response.statusCode !== 503) {
                    this.#load.journal.find(`${this.#path}/events got ${response.statusCode}`);
                }

                this.streams += Number(response.statusCode === 200);
                response.setEncoding('utf8').on('data', (text: string) => {
                    const blocks = (rest + text).split('\n\n');
                    rest = blocks.pop() ?? '';
                    blocks.forEach((block) => this.#hear(block));
                    if (enough()) {
                        request.destroy();
                    }
                }).on('error', () => undefined);
            });
            const late = setTimeout(() => request.destroy(), ms);
            request.on('error', () => undefined).on('close', () => {
                clearTimeout(late);
                resolve();
            });
        });
    }

    #hear(block: string): void {
        const [, text] = /^event: change[^]*^data: (.*)$/m.exec(block) ?? [];
        if (text === undefined) {
            return;
        }

        const { revision, from }: { revision: number; from: number } = JSON.parse(text);
        if (from > this.#seen) {
            this.#load.journal.find(`${this.#path}: its streams told of ${this.#seen}, and then of the change from ${from} to ${revision}`);
        }

        this.told++;
        this.#seen = Math.max(this.#seen, revision);
    }
}
