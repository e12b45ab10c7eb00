import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { check } from './check';
import { Database } from './database';
import { Load } from './load';
import type { Scenario } from './scenario';
import { faultsOf, readyAgain } from './scenario';
import { Service } from './service';
import { send } from './wire';

/** Milliseconds that a statement may take here; it may wait for a lock for a third of that. */
const TIMEOUT = 3000;

/** All connections are in use: first those of the service's pool by writes that wait, then all of PostgreSQL's by somebody else. */
export const fullPool: Scenario = {
    name: 'pool',
    title: 'A full connection pool',
    run: async ({ dice, defer, log }, outcome) => {
        const database = new Database({ max_connections: '20' });
        defer(() => database.end());
        await database.up();
        const service = new Service((name) => ({ DATABASE_URL: database.url(name), DATABASE_POOL: '3', DATABASE_TIMEOUT: String(TIMEOUT) }));
        defer(() => service.kill());
        await service.start();
        const load = await Load.open({ targets: [service], dice: dice.split(), racers: 6, over: (name, since) => database.over(name, false, since) });

        /** Works while something is wrong; afterwards everything must work again. */
        const through = async (what: string, wrong: () => Promise<void>): Promise<void> => {
            const before = load.journal.statuses.get('503');
            let healthy = 0;
            await load.during(async () => {
                const watching = setInterval(() => void send(service, 'health', { method: 'GET', path: '/health' }, 5000).then((answer) => (healthy += Number(answer?.status === 200)), () => {
                    load.journal.find(`/health hangs while ${what}`);
                }), 100);
                await wrong();
                clearInterval(watching);
                await readyAgain(service);
                await sleep(300);
            });
            const refused = load.journal.statuses.get('503') - before;
            outcome.notes.push(`${what}: ${refused} responses were 503, /health responded ${healthy} times`);
            if (refused === 0 || healthy < 5) {
                load.journal.find(`${what}: ${refused} answers were 503, /health answered ${healthy} times: nothing was full`);
            }
        };

        await through('writes wait for a lock and hold the pool', async () => {
            const trx = await database.db.transaction();
            await trx.raw('select from projects for update');
            await sleep(2 * TIMEOUT);
            await trx.rollback();
        });
        log('the pool was full');

        await through('PostgreSQL has no connection left', async () => {
            // Ends the service's connections, and takes all before the service opens new ones.
            const clients: Client[] = [];
            const deadline = Date.now() + 3000;
            while (Date.now() < deadline) {
                const client = new Client({ connectionString: database.url('taker') });
                client.on('error', Boolean);
                await client.connect().then(() => clients.push(client), () => sleep(10));
                await clients[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'fault-%'`);
            }

            await Promise.all(clients.map((client) => client.end()));
        });

        const checked = await check(load, database.db);
        outcome.checks++;
        faultsOf([service], load.journal);
        outcome.take(load, checked);
    }
};
