import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { median } from '../../bench/measure/figures';
import type { Account, Answer, Attacker } from './attacker';
import type { Attack, Run } from './attack';

/** The address of somebody who writes what the attackers do, too. */
const OTHER = { 'x-forwarded-for': '192.0.2.9' };

/** Accounts at one address: what one may write in a minute is refused before it waits. */
const ACCOUNTS = 6;

/** Writes of one address that may wait for a row of the database: they have half of its ten connections, and one of them works. */
const MAX_WAITING = 4;

/** How much of the time of an attacker's write another's may take. */
const PART = 1 / 3;

/** Writes in no project: follows and likes of the same people and project by a few accounts, each of which locks the same row again and again. */
async function choices(attacker: Attacker, db: Knex): Promise<Run> {
    const accounts: Account[] = [];
    for (let n = 0; n < ACCOUNTS; n++) {
        accounts.push(await attacker.open());
    }

    const [chosen, other] = [await attacker.open(OTHER), await attacker.open(OTHER)];
    const { id } = await attacker.project(chosen);
    const choose = ({ headers }: Account, n: number): Promise<Answer> => {
        return attacker.call({ method: n % 2 === 0 ? 'PUT' : 'DELETE', path: n % 4 < 2 ? `/users/me/following/${chosen.username}` : `/projects/${id}/like`, headers, body: {} });
    };

    return async () => {
        const [tried, times]: [number[], number[]] = [[], []];
        const ordinary = async (): Promise<void> => {
            for (let n = 0; !attacker.over; n++) {
                const { status, code, ms } = await choose(other, n);
                times.push(ms);
                if (status !== 200 && status !== 201) {
                    attacker.achieve(`somebody else's write is answered with ${status} ${code}`);
                }

                await sleep(200);
            }
        };

        const watch = async (): Promise<void> => {
            while (!attacker.over) {
                const { rows } = await db.raw<{ rows: { count: number }[] }>(`
                    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
                const waiting = rows[0]?.count ?? 0;
                if (waiting > MAX_WAITING) {
                    attacker.achieve(`${waiting} connections wait for a row`);
                }

                await sleep(50);
            }
        };

        const attack = attacker.times(1e6, 250, async (n) => {
            const { status, ms } = await choose(accounts[n % ACCOUNTS] ?? chosen, n);
            if (status < 300) {
                tried.push(ms);
            }
        });
        await Promise.all([ordinary(), watch(), attack]);
        if (median(times) > PART * median(tried)) {
            attacker.achieve(`somebody else's write waits as theirs do: ${median(times).toFixed(0)} ms, and they ${median(tried).toFixed(0)}`);
        }
    };
}

export const choicesAttacks: readonly Attack[] = [
    { name: 'choices', title: '250 follows and likes in flight by six accounts of one address, beside those of another', prepare: choices, seconds: 12, settings: { TRUSTED_PROXIES: '1' } }
];
