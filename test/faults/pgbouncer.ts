import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { accountFor } from '../../src/db/embedded/account';
import { freePort } from '../../src/db/embedded/server';
import { check } from './check';
import { startDaemon } from './daemon';
import type { Daemon } from './daemon';
import { Database, temporary } from './database';
import { documented } from './documented';
import { Load } from './load';
import type { Scenario } from './scenario';
import { faultsOf } from './scenario';
import { Service } from './service';

const SERVICES = 2;
const RESTARTS_A_ROUND = 4;
/** Fewer than the services ask for together, so that they share. */
const POOL_SIZE = 6;

/** PgBouncer by the configuration that docs/operations.md shows, in front of this database. */
class Pooler {
    readonly #config = join(temporary(), 'pgbouncer.ini');
    readonly #account = accountFor('');
    readonly #url: URL;
    #daemon: Daemon | undefined;

    private constructor(url: URL) {
        this.#url = url;
    }

    static async inFrontOf(database: URL): Promise<Pooler> {
        const url = new URL(database);
        url.port = String(await freePort(0));
        const pooler = new Pooler(url);
        const users = join(pooler.#config, '../userlist.txt');
        writeFileSync(users, `"${url.username}" "${url.password}"\n`);
        writeFileSync(pooler.#config, documented('ini', {
            'port=5432': `port=${database.port}`, 'listen_port = 6432': `listen_port = ${url.port}\nunix_socket_dir =`,
            '/etc/pgbouncer/userlist.txt': users, 'default_pool_size = 20': `default_pool_size = ${POOL_SIZE}`
        }));
        // It does not run as root either.
        chmodSync(join(pooler.#config, '..'), 0o755);
        if (pooler.#account !== undefined) {
            chownSync(users, pooler.#account.uid, pooler.#account.gid);
        }

        return pooler;
    }

    async start(): Promise<void> {
        this.#daemon = await startDaemon('/usr/sbin/pgbouncer', ['-q', this.#config], Number(this.#url.port), 'pgbouncer', this.#account);
    }

    async end(signal: NodeJS.Signals): Promise<void> {
        await this.#daemon?.end(signal);
    }

    /** The database through it; `application_name` tells in PostgreSQL whose a session is just now. */
    urlFor(name: string): string {
        const url = new URL(this.#url);
        url.searchParams.set('application_name', name);
        return url.href;
    }
}

/** Processes that share fewer sessions than they have connections, through a pooler that is killed and restarted. */
export const pgbouncer: Scenario = {
    name: 'pgbouncer',
    title: 'PgBouncer in transaction mode, restarted',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const database = new Database();
        defer(() => database.end());
        await database.up();
        const pooler = await Pooler.inFrontOf(new URL(database.url()));
        await pooler.start();
        defer(() => pooler.end('SIGKILL'));
        const services = Array.from({ length: SERVICES }, () => new Service((name) => ({ DATABASE_URL: pooler.urlFor(name), DATABASE_POOL: '8' })));
        defer(() => Promise.all(services.map((service) => service.kill())));
        // All at once on an empty database: one makes the schema, through the pooler, and the others wait for it.
        await Promise.all(services.map((service) => service.start()));
        const load = await Load.open({
            targets: services, dice: dice.split(),
            over: (name, since) => database.over(name, false, since)
        });

        let sessions = 0;
        const look = async (): Promise<void> => {
            const { rows: [row] } = await database.db.raw(`select count(*)::int as n from pg_stat_activity where application_name like 'fault-%'`);
            sessions = Math.max(sessions, row.n);
        };

        let checked;
        for (let round = 1; round <= rounds; ++round) {
            await load.during(async () => {
                for (let n = 0; n < RESTARTS_A_ROUND; ++n) {
                    await sleep(dice.between(500, 1500));
                    await look();
                    // At once, its connections breaking, or killed.
                    const signal = dice.pick(['SIGTERM', 'SIGKILL'] as const) ?? 'SIGTERM';
                    await pooler.end(signal);
                    outcome.kills.add(`PgBouncer by ${signal}`);
                    await sleep(dice.between(0, 300));
                    await pooler.start();
                }

                await sleep(500);
            });
            checked = await check(load, database.db);
            outcome.checks++;
            faultsOf(services, load.journal);
            log(`round ${round}: ${outcome.kills}; ${load.journal.acknowledged.total()} acknowledged, ${load.journal.lost.total()} lost; ${load.journal.findings.length} findings`);
            if (load.journal.findings.length > 0) {
                break;
            }
        }

        if (checked !== undefined) {
            outcome.take(load, checked);
            outcome.notes.push(`${SERVICES} × 8 connections of the service shared at most ${sessions} sessions of PostgreSQL`);
        }
    }
};
