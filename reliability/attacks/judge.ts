import { bounds } from './attack';
import type { Attack, Bounds } from './attack';
import type { Tally } from './tally';
import type { Rest } from './family';

/** All measurements of one attack. Times in milliseconds, memory in MiB, sizes in bytes. */
export interface Measured {
    tally: Tally;
    /** how the service's process ended; undefined if it did not */
    ended: string | undefined;
    /** errors in the service's log */
    logged: readonly string[];
    user: { requests: number; slowest: number; slowestStep: string; sent: number; failures: readonly string[]; ratios: readonly number[] };
    stall: number;
    memory: number;
    kept: number;
    stored: number;
    /** seconds of processor time of the service's processes */
    cpu: number;
    rest: Rest;
    /** seconds after its clients have left at which the service was seen quiet, or at which it was looked at last */
    quiet: number;
    seconds: number;
}

/** Bytes that are always allowed: PostgreSQL adds several pages at a time to its tables. */
const FREE = 8 * 1024 * 1024;

/** Bytes stored for each byte of the ordinary user: each save leaves a dead row until the next vacuum. */
const OF_USER = 2;

/** Bytes stored for each byte that the attacker sent. */
export const storedPerByte = ({ stored, tally, user }: Measured): number => Math.max(0, stored - FREE - OF_USER * user.sent) / Math.max(1, tally.sent);

/** Milliseconds of the slowest request of the ordinary user without an attack, on a machine that is fast enough. */
const USUAL = 250;
/** How many times longer it may take on a slow machine, at most. */
const MOST = 3;

/** How many times longer a response may take on this machine, from the slowest response before the attack. */
export const slownessOf = (slowest: number): number => Math.min(MOST, Math.max(1, slowest / USUAL));

/** The limits that did not hold; empty if the attack had no success. */
export function faultsOf({ answers = [], bounds: own = {} }: Pick<Attack, 'answers' | 'bounds'>, measured: Measured, slowness: number): string[] {
    const most: Bounds = { ...bounds, ...own };
    const { tally, ended, logged, user, stall, memory, kept, cpu, rest, quiet } = measured;
    const above = (what: string, value: number, bound: number, unit: string): string[] => (value <= bound ? [] : [`${what} ${value.toFixed(0)}${unit}, more than ${bound.toFixed(0)}${unit}`]);
    return [
        ...ended === undefined ? [] : [`the process ended: ${ended}`],
        ...user.failures.length === 0 ? [] : [`${user.failures.length} requests of the ordinary user failed: ${[...new Set(user.failures)].slice(0, 5).join(', ')}`],
        ...above(`the ordinary user waited to ${user.slowestStep}:`, user.slowest, most.answer * slowness, ' ms'),
        ...above('the event loop was blocked for', stall, most.stall, ' ms'),
        ...above('memory', memory, most.memory, ' MiB'),
        ...above('memory that stays', kept, most.kept, ' MiB'),
        ...above('processor time', cpu, most.cpu, ' s'),
        ...above(`${quiet.toFixed(0)} s after its clients have left, the service is busy:`, 100 * rest.busy, 100 * most.after, ' % of a processor'),
        ...rest.statements.length === 0 ? [] : [`statements go on without their clients: ${rest.statements.length}, such as ${rest.statements[0]}`],
        ...tally.achieved.map((what) => `it achieved this: ${what}`),
        ...above('stored per byte sent', storedPerByte(measured), most.stored, ''),
        ...Object.keys(tally.answers).filter((answer) => answer.startsWith('500')).map((answer) => `it got ${answer}`),
        ...answers.filter((answer) => tally.answers[answer] === undefined).map((answer) => `it never got ${answer}`),
        ...logged.length === 0 ? [] : [`${logged.length} errors in the log: ${logged[0]?.slice(0, 300)}`],
        ...tally.failure === '' ? [] : [`the attack failed to run: ${tally.failure}`]
    ];
}
