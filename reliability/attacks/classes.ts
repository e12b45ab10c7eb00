import { textAt } from '../../seeds/calls';
import { MAX_NAMES } from '../../src/limits';
import type { Attacker } from './attacker';
import type { Attack, Run } from './attack';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** Most rosters of one teacher in a quarter of an hour. */
const ROSTERS = 20;

/** Lists of names, each of which takes a hash for each name; all at once, some abandoned, some sent again. Then new pass-phrases, and reads of full classes. */
async function rosters(attacker: Attacker): Promise<Run> {
    const account = await attacker.open();
    const { headers } = account;
    const classes: string[] = [];
    for (const n of numbers(ROSTERS)) {
        const { json } = await attacker.call({ method: 'POST', path: `${account.path}/classes`, headers, body: { title: `Class ${n}` } });
        classes.push(`/classes/${textAt(json, 'class.id')}`);
    }

    const names = numbers(MAX_NAMES).map((n) => `${n} ${'n'.repeat(50)}`);
    const roster = (n: number): { method: string; path: string; headers: Readonly<Record<string, string>>; body: object } => {
        return { method: 'POST', path: `${classes[n % ROSTERS]}/pupils`, headers: { ...headers, 'idempotency-key': `the-key-of-a-roster-${process.pid}-${n % ROSTERS}` }, body: { names } };
    };

    return async () => {
        await Promise.all([
            ...numbers(3).map((n) => attacker.abandon(roster(n), 500)),
            attacker.times(30, 30, (n) => attacker.call(roster(3 + n))),
            attacker.times(300, 4, (n) => attacker.call({ path: String(classes[n % ROSTERS]), headers }))
        ]);
        await attacker.times(400, 16, (n) => attacker.call({ method: 'PATCH', path: `${classes[n % ROSTERS]}/pupils/${n}`, headers, body: { passphrase: true } }));
    };
}

export const classes: readonly Attack[] = [
    { name: 'rosters', short: true, title: '20 lists of 200 names at once, some abandoned and some sent twice, of a teacher who wants new pass-phrases too', prepare: rosters, seconds: 20, settings: { TEACHERS: 'open' }, answers: ['429 rate_limited'] }
];
