import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { Database, postmasterOf } from './database';
import { Load } from './load';
import type { Scenario } from './scenario';
import { faultsOf, readyAgain } from './scenario';
import { Service } from './service';
import { send } from './wire';

/** Milliseconds that a statement may take here; and that a response may take, which includes a wait for a connection. */
const TIMEOUT = 1000;
const MOST = TIMEOUT + 5000 + 10_000 + 4000;

/** The postmaster and all its processes. */
function processesOf(postmaster: number): number[] {
    const parentOf = (pid: string): number => {
        try {
            const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
            return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        }
        catch {
            return 0;
        }
    };

    return [postmaster, ...readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster).map(Number)];
}

/** PostgreSQL is slow, and then does not respond at all: every request still gets a response in time. */
export const slowDatabase: Scenario = {
    name: 'slow',
    title: 'A database that is slow, and one that is frozen',
    run: async ({ dice, defer, log }, outcome) => {
        const database = new Database();
        defer(() => database.end());
        await database.up();
        const service = new Service((name) => ({ DATABASE_URL: database.url(name), DATABASE_POOL: '6', DATABASE_TIMEOUT: String(TIMEOUT) }));
        defer(() => service.kill());
        await service.start();
        // A write that the service gave up may still be done when PostgreSQL continues: only a key makes it safe to repeat it.
        const load = await Load.open({ targets: [service], dice: dice.split(), keyed: 1 });

        const answered = (what: string, before: number): void => {
            const refused = load.journal.statuses.get('503') - before;
            outcome.notes.push(`${what}: ${refused} responses were 503; the slowest response took ${Math.round(load.slowest)} ms`);
            if (refused === 0 || load.slowest > MOST) {
                load.journal.find(`${what}: ${refused} answers were 503, and the slowest answer took ${Math.round(load.slowest)} ms`);
            }
        };

        await database.db.raw(`
            create function dawdle() returns trigger language plpgsql as $$ begin
                if random() < 0.3 then perform pg_sleep(60); end if;
                return new;
            end $$;
            create trigger slow before insert or update on elements for each row execute function dawdle()`);
        // A large bulk succeeds only after that, and each author waits for theirs.
        await load.during(async () => {
            await sleep(5000);
            await database.db.raw('drop trigger slow on elements');
        });
        answered('statements that do not end', 0);
        log('statements were slow');

        const before = load.journal.statuses.get('503');
        await load.during(async () => {
            const processes = processesOf(postmasterOf(database.dir));
            processes.forEach((pid) => process.kill(pid, 'SIGSTOP'));
            try {
                for (const end = Date.now() + TIMEOUT + 8000; Date.now() < end; await sleep(200)) {
                    const answer = await send(service, 'health', { method: 'GET', path: '/health' }, 5000);
                    if (answer?.status !== 200) {
                        load.journal.find('/health is not answered while PostgreSQL is frozen');
                    }
                }
            }
            finally {
                // A stopping postmaster ends its processes only when they are not frozen.
                processes.forEach((pid) => process.kill(pid, 'SIGCONT'));
            }

            await readyAgain(service);
            await sleep(500);
        });
        answered('PostgreSQL frozen for 9 s', before);

        const checked = await check(load, database.db);
        outcome.checks++;
        faultsOf([service], load.journal);
        outcome.take(load, checked);
    }
};
