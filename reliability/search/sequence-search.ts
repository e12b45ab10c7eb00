import type { Database } from '../faults/database';
import type { Service } from '../faults/service';
import { out } from '../program';
import type { Dice } from '../../test/support/dice';
import { costOf, measures, ratioOf, told } from './cost';
import type { Cost, Measure } from './cost';
import { mutated, randomSequence } from './sequence';
import type { Sequence } from './sequence';

/** The share of new sequences; the others are changes of known ones. */
const NEW = 0.25;

interface Found {
    sequence: Sequence;
    cost: Cost;
}

/** The most expensive sequence for each measure, relative to what it sends. */
export class SequenceSearch {
    readonly found = new Map<Measure, Found>();
    /** sequences that ended the service, or got a 500 */
    readonly broken: string[] = [];
    tried = 0;
    readonly #dice: Dice;
    readonly #service: Service;
    readonly #database: Database;

    constructor(dice: Dice, service: Service, database: Database) {
        this.#dice = dice;
        this.#service = service;
        this.#database = database;
    }

    /** Tries one more sequence, and keeps it if it costs more than any before, also in a second measurement. */
    async next(): Promise<void> {
        const measure = measures[this.tried++ % measures.length] ?? 'cpu';
        const best = this.found.get(measure);
        const sequence = best === undefined || this.#dice.chance(NEW) ? randomSequence(this.#dice) : mutated(this.#dice, best.sequence);
        const cost = await this.#try(sequence);
        const better = cost === undefined ? [] : measures.filter((one) => this.#isMore(cost, one));
        const again = better.length === 0 ? undefined : await this.#try(sequence);
        for (const one of better) {
            if (again !== undefined && this.#isMore(again, one)) {
                this.found.set(one, { sequence, cost: again });
                out(`${this.tried}: ${one} ${ratioOf(again, one).toFixed(1)} for each KiB; ${told(again)}`);
            }
        }
    }

    #isMore(cost: Cost, measure: Measure): boolean {
        const best = this.found.get(measure);
        return best === undefined || ratioOf(cost, measure) > ratioOf(best.cost, measure);
    }

    async #try(sequence: Sequence): Promise<Cost | undefined> {
        if (this.#service.url === null) {
            await this.#service.start();
        }

        try {
            const cost = await costOf(sequence, this.#service, this.#database);
            if (Object.keys(cost.answers).some((answer) => answer.startsWith('500'))) {
                this.broken.push(`${told(cost)}\n${JSON.stringify(sequence)}`);
            }

            return cost;
        }
        catch (error) {
            this.broken.push(`${String(error)}\n${JSON.stringify(sequence)}`);
            return undefined;
        }
    }

    /** Prints the most expensive sequences. */
    print(): void {
        out(`\n${this.tried} sequences tried`);
        for (const [measure, { sequence, cost }] of this.found) {
            out(`\n${measure}: ${ratioOf(cost, measure).toFixed(1)} for each KiB; ${told(cost)}\n${JSON.stringify(sequence)}`);
        }
    }
}
