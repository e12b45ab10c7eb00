import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { Database } from '../faults/database';
import { Dice } from '../../test/support/dice';
import { Service } from '../faults/service';
import { probe } from '../attacks/run';
import { out, runProgram } from '../program';
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
class Search {
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
}

/** `npm run search:cost -- [--minutes N] [--seed N] [--again JSON]`: exits with 1 if a sequence ended the service or got a 500. */
async function main(): Promise<void> {
    const { values } = parseArgs({ options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) }, minutes: { type: 'string', default: '30' }, again: { type: 'string' } } });
    const database = new Database({ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
    await database.up();
    // Rate limits would only slow the search down: it looks for the cost of single requests.
    const service = new Service((name) => ({ DATABASE_URL: database.url(name) }), probe);
    await service.start();
    if (values.again !== undefined) {
        out(told(await costOf(JSON.parse(values.again), service, database)));
    }
    else {
        out(`seed ${values.seed}, ${values.minutes} minutes`);
        const search = new Search(new Dice(Number(values.seed)), service, database);
        const end = performance.now() + Number(values.minutes) * 60_000;
        while (performance.now() < end) {
            await search.next();
        }

        out(`\n${search.tried} sequences tried`);
        for (const [measure, { sequence, cost }] of search.found) {
            out(`\n${measure}: ${ratioOf(cost, measure).toFixed(1)} for each KiB; ${told(cost)}\n${JSON.stringify(sequence)}`);
        }

        search.broken.forEach((one) => out(`\nFOUND: ${one}`));
        process.exitCode = search.broken.length > 0 ? 1 : 0;
    }

    await service.kill('SIGTERM');
    await database.end();
}

runProgram(main);
