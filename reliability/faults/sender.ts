import { setTimeout as sleep } from 'node:timers/promises';

import type { Dice } from '../../test/support/dice';
import { Journal } from './journal';
import { Hung, PATIENCE, send } from './wire';
import type { Answer, Call, Target } from './wire';

export interface SenderOptions {
    targets: readonly Target[];
    journal?: Journal;
    /** the share of POSTs with an `Idempotency-Key`; 1 if we cannot wait for the end of lost requests */
    keyed?: number;
    /** Resolves when everything that was sent to a process before has ended. Needed if `keyed` is below 1. */
    over?: (name: string, since: Date) => Promise<void>;
}

export const PASSWORD = 'correct horse battery';

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

/** Sends the requests of all clients, and notes what was answered. */
export class Sender {
    readonly journal: Journal;
    readonly keyed: number;
    readonly targets: readonly Target[];
    /** milliseconds of the slowest response */
    slowest = 0;
    /** responses that report a full disk */
    full = 0;
    readonly #over: SenderOptions['over'];

    constructor({ targets, journal = new Journal(), keyed = 0.5, over }: SenderOptions) {
        this.targets = targets;
        this.journal = journal;
        this.keyed = keyed;
        this.#over = over;
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
                    await this.#over?.(name, new Date());
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
