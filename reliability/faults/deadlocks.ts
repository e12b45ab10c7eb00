import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { Database } from './database';
import { Journal } from './journal';
import { Load } from './load';
import type { Scenario } from './scenario';
import { faultsOf } from './scenario';
import { Service } from './service';
import { send } from './wire';

/** Deadlocks in a round that one retry resolves. */
const DEADLOCKS = 5;

/** Other transactions conflict with the service's, which retries, but not for ever. */
export const deadlocks: Scenario = {
    name: 'deadlocks',
    title: 'Deadlocks and serialization failures',
    run: async ({ dice, rounds, defer }, outcome) => {
        const database = new Database({ deadlock_timeout: '500ms' });
        defer(() => database.end());
        await database.up();
        const strict = (name: string): string => `${database.url(name)}&options=-c%20default_transaction_isolation%3Dserializable`;
        const service = new Service((name) => ({ DATABASE_URL: database.url(name) }));
        const serializable = new Service((name) => ({ DATABASE_URL: strict(name) }));
        defer(() => Promise.all([service.kill(), serializable.kill()]));
        await Promise.all([service.start(), serializable.start()]);
        const load = await Load.open({ targets: [service], dice: dice.split(), over: (name, since) => database.over(name, false, since) });
        const { commons } = load;
        const [element] = commons?.things ?? [];
        const [, project] = /projects\/(\d+)/.exec(element?.path ?? '') ?? [];
        const [, id] = /elements\/(\d+)/.exec(element?.path ?? '') ?? [];
        if (commons === undefined || element === undefined || project === undefined || id === undefined) {
            throw new Error('There is nothing to write');
        }

        const deadlocksSoFar = async (): Promise<number> => {
            await database.db.raw('select pg_stat_force_next_flush()');
            const { rows: [row] } = await database.db.raw<{ rows: { n: number }[] }>('select sum(deadlocks)::int as n from pg_stat_database');
            return Number(row?.n);
        };

        /** Whether the service waits for a lock before it responds. */
        const isWaiting = async (isAnswered: () => boolean): Promise<boolean> => {
            while (!isAnswered()) {
                const { rows } = await database.db.raw(`select from pg_stat_activity where application_name = ? and wait_event_type = 'Lock'`, [service.name]);
                if (rows.length > 0) {
                    return true;
                }
            }

            return false;
        };

        /** Locks the element and then the project, while a write locks them in the other order: so many times. */
        const collide = async (times: number): Promise<number | undefined> => {
            const trx = await database.db.transaction();
            // PostgreSQL ends the transaction that first notices the deadlock: never this one.
            await trx.raw(`set local deadlock_timeout = '60s'`);
            await trx.raw('select from elements where id = ? for update', [id]);
            const write = send(service, 'collision', { method: 'PATCH', path: element.path, body: { attributes: { text: 'collision' } }, token: commons.token });
            let isAnswered = false;
            void write.then(() => {
                isAnswered = true;
            });
            for (let time = 0; time < times && await isWaiting(() => isAnswered); ++time) {
                await trx.raw('savepoint here');
                await trx.raw('select from projects where id = ? for update', [project]);
                await trx.raw('rollback to here');
            }

            await trx.rollback();
            const answer = await write;
            if (answer?.status === 200) {
                element.revisions.add(answer.body.element.revision);
                element.highest = answer.body.element.revision;
            }

            return answer?.status;
        };

        const once: unknown[] = [];
        for (let n = 0; n < DEADLOCKS * rounds; ++n) {
            once.push(await collide(1));
        }

        const endless = await collide(8);
        const met = await deadlocksSoFar();
        outcome.notes.push(`${met} deadlocks: ${once.filter((status) => status === 200).length} of ${once.length} writes that met one succeeded; one that met deadlocks again and again got ${endless}`);
        if (once.some((status) => status !== 200) || endless !== 503 || met < once.length) {
            load.journal.find(`writes that met a deadlock got ${once.join()}, one that met more got ${endless}; there were ${met} deadlocks`);
        }

        const plain = await check(load, database.db);
        outcome.checks++;
        outcome.take(load, plain);

        const racing = await Load.open({ targets: [serializable], journal: new Journal('s'), dice: dice.split(), racers: 8, over: (name, since) => database.over(name, false, since) });
        await racing.during(() => sleep(2000 + 500 * rounds));
        const checked = await check(racing, database.db);
        outcome.checks++;
        faultsOf([service, serializable], racing.journal);
        outcome.take(racing, checked);
    }
};
