import { setTimeout as sleep } from 'node:timers/promises';

import type { Dice } from '../../test/support/dice';
import type { Outcome } from './scenario';
import type { Service } from './service';
import { send } from './wire';
import type { Answer, Call } from './wire';

/** Asks whichever instance answers, and counts what comes of it. */
export class AnyInstance {
    readonly #services: readonly Service[];
    readonly #dice: Dice;
    readonly #outcome: Outcome;
    readonly #kind: string;

    constructor(services: readonly Service[], dice: Dice, outcome: Outcome, kind: string) {
        this.#services = services;
        this.#dice = dice;
        this.#outcome = outcome;
        this.#kind = kind;
    }

    check(holds: boolean, what: string): void {
        if (!holds) {
            this.#outcome.findings.push(what);
        }
    }

    /** Sends a request once; undefined if its outcome is not known. */
    async ask(call: Call): Promise<Answer | undefined> {
        const service = this.#dice.pick(this.#services.filter(({ url }) => url !== null));
        const answer = service === undefined ? null : await send(service, this.#kind, call);
        // PostgreSQL may not have noticed yet that the first one is dead.
        if (answer === null || answer.status === 503 || answer.body?.code === 'request_in_flight') {
            this.#outcome.lost++;
            await sleep(20);
            return undefined;
        }

        this.check(answer.status !== 500, `${call.method} ${call.path}: 500`);
        this.#outcome.acknowledged++;
        return answer;
    }

    /** Sends a request until it is answered. */
    async must(call: Call): Promise<Answer> {
        for (;;) {
            const answer = await this.ask(call);
            if (answer !== undefined) {
                return answer;
            }
        }
    }
}
