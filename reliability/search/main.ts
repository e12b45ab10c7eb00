import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { Database } from '../faults/database';
import { Dice } from '../../test/support/dice';
import { Service } from '../faults/service';
import { precede, probe } from '../attacks/run';
import { out, runProgram } from '../program';
import { costOf, told } from './cost';
import { RouteSearch } from './route-search';
import { SequenceSearch } from './sequence-search';

/** The share of the time in which routes are tried, one by one and then by many clients; the rest is for random sequences. */
const ROUTES = 0.85;

/** `npm run search:cost -- [--minutes N] [--seed N] [--only TEXT] [--again JSON]`: exits with 1 if something costs more than it may, ends the service, or gets a 500. */
async function main(): Promise<void> {
    const { values: { seed, minutes, only, again } } = parseArgs({ options: {
        seed: { type: 'string', default: String(randomInt(2 ** 31)) }, minutes: { type: 'string', default: '30' }, only: { type: 'string' }, again: { type: 'string' }
    } });
    const database = new Database({ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
    await database.up();
    // Rate limits would only slow the search down: it looks for the cost of requests.
    const service = new Service((name) => ({ DATABASE_URL: database.url(name), DATA_DIR: join(database.dir, 'data') }), probe);
    await service.start();
    if (again !== undefined) {
        out(told(await costOf(JSON.parse(again), service, database)));
    }
    else {
        out(`seed ${seed}, ${minutes} minutes`);
        const milliseconds = Number(minutes) * 60_000;
        const end = performance.now() + milliseconds;
        const routes = await RouteSearch.begin(service, database, only);
        await routes.run(end - (only === undefined ? 1 - ROUTES : 0) * milliseconds);
        routes.print();
        const sequences = new SequenceSearch(new Dice(Number(seed)), service, database);
        while (performance.now() < end) {
            await sequences.next();
        }

        sequences.print();
        const broken = [...routes.broken, ...sequences.broken];
        broken.forEach((one) => out(`\nFOUND: ${one}`));
        process.exitCode = broken.length > 0 || routes.found.length > 0 ? 1 : 0;
    }

    await service.kill('SIGTERM');
    await database.end();
}

precede();

runProgram(main);
