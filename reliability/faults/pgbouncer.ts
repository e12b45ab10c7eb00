import { setTimeout as sleep } from 'node:timers/promises';

import { check } from './check';
import { Database } from './database';
import { documented } from '../daemons/documented';
import { Load } from './load';
import { PASSWORD } from './sender';
import { Pooler } from './pooler';
import type { Scenario } from './scenario';
import { startServices } from './service';
import type { Service } from './service';
import { send } from './wire';
import type { Answer, Call } from './wire';

const SERVICES = 2;
const RESTARTS_A_ROUND = 3;

/** Milliseconds until a write that waits for another one is ended by the limit of the role. @throws Error if it is not */
async function waitForLock(service: Service | undefined, { db }: Database): Promise<number> {
    const ask = async (call: Call): Promise<Answer> => {
        const answer = service && await send(service, 'lock', call);
        if (!answer) {
            throw new Error('A request that waited for a lock got no response');
        }

        return answer;
    };

    const { body: { user, token: { access_token: token } } } = await ask({ method: 'POST', path: '/users', body: { username: 'waiting', password: PASSWORD } });
    const { body: { project } } = await ask({ method: 'POST', path: `/users/${user.id}/projects`, body: { title: 'Locked' }, token });
    return await db.transaction(async (trx) => {
        await trx.raw('select from projects where id = ? for update', [project.id]);
        const { status, retryAfter, ms } = await ask({ method: 'PATCH', path: `/users/${user.id}/projects/${project.id}`, body: { title: 'Mine' }, token });
        if (status !== 503 || retryAfter === undefined) {
            throw new Error(`A write that waited for a lock got ${status}`);
        }

        return Math.round(ms);
    });
}

/** Processes that share fewer sessions than they have connections, through a PgBouncer that is killed and restarted. */
export const pgbouncer: Scenario = {
    name: 'pgbouncer',
    title: 'PgBouncer in transaction mode, restarted',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const database = new Database();
        defer(() => database.end());
        await database.up();
        await database.db.raw(documented('sql', { '\'10s\'': '\'1s\'' }, 'deploy.md'));
        const pooler = await Pooler.inFrontOf(new URL(database.url()));
        await pooler.start();
        defer(() => pooler.end('SIGKILL'));
        // All start at once on an empty database: one creates the schema, through PgBouncer, and the others wait for it.
        const services = await startServices(SERVICES, (name) => pooler.urlFor(name), defer);
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
                    // Stopped at once, which breaks its connections, or killed.
                    const signal = dice.pick(['SIGTERM', 'SIGKILL'] as const) ?? 'SIGTERM';
                    await pooler.end(signal);
                    outcome.kills.add(`PgBouncer by ${signal}`);
                    await sleep(dice.between(0, 300));
                    await pooler.start();
                }

                await sleep(500);
            });
            checked = await check(load, database.db);
            log(outcome.endRound(round, load, services));
            if (load.journal.findings.length > 0) {
                break;
            }
        }

        const waited = await waitForLock(services[0], database);
        if (checked !== undefined) {
            outcome.take(load, checked);
            outcome.notes.push(`${SERVICES} × 8 connections of the service shared at most ${sessions} sessions of PostgreSQL; a write that waited for a lock got 503 after ${waited} ms`);
        }
    }
};
