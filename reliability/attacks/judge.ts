import { bounds } from './attack';
import type { Attack, Bounds, Tally } from './attack';

/** Everything measured of one attack. Times in milliseconds, memory in MiB, sizes in bytes. */
export interface Measured {
    tally: Tally;
    /** how the service's process ended; undefined where it did not */
    ended: string | undefined;
    /** what the service has logged as an error */
    logged: readonly string[];
    user: { requests: number; slowest: number; slowestStep: string; sent: number; failures: readonly string[] };
    stall: number;
    memory: number;
    kept: number;
    stored: number;
    seconds: number;
}

/** What may be stored however little is sent: pages that PostgreSQL adds to its own tables, some at a time. */
const FREE = 8 * 1024 * 1024;

/** What is stored of one byte that the ordinary user sends: each save leaves a dead row until the next vacuum. */
const OF_USER = 2;

/** Bytes stored for each byte that the attacker sent. */
export const storedPerByte = ({ stored, tally, user }: Measured): number => Math.max(0, stored - FREE - OF_USER * user.sent) / Math.max(1, tally.sent);

/** The milliseconds that the slowest request of the ordinary user takes on a machine that is good enough, without any attack. */
const USUAL = 250;
/** How much longer it may take, at most, on one that is not. */
const MOST = 3;

/** How many times as long as on a good machine an answer may take here, given how long the slowest took before the attack. */
export const slownessOf = (slowest: number): number => Math.min(MOST, Math.max(1, slowest / USUAL));

/** What is wrong; nothing where the service has stood the attack. */
export function faultsOf({ answers = [], bounds: own = {} }: Pick<Attack, 'answers' | 'bounds'>, measured: Measured, slowness: number): string[] {
    const most: Bounds = { ...bounds, ...own };
    const { tally, ended, logged, user, stall, memory, kept } = measured;
    const above = (what: string, value: number, bound: number, unit: string): string[] => (value <= bound ? [] : [`${what} ${value.toFixed(0)}${unit}, more than ${bound.toFixed(0)}${unit}`]);
    return [
        ...ended === undefined ? [] : [`the process ended: ${ended}`],
        ...user.failures.length === 0 ? [] : [`${user.failures.length} requests of the ordinary user failed: ${[...new Set(user.failures)].slice(0, 5).join(', ')}`],
        ...above(`the ordinary user waited to ${user.slowestStep}:`, user.slowest, most.answer * slowness, ' ms'),
        ...above('the event loop stood still for', stall, most.stall, ' ms'),
        ...above('memory', memory, most.memory, ' MiB'),
        ...above('memory that stays', kept, most.kept, ' MiB'),
        ...above('stored per byte sent', storedPerByte(measured), most.stored, ''),
        ...Object.keys(tally.answers).filter((answer) => answer.startsWith('500')).map((answer) => `it was answered ${answer}`),
        ...answers.filter((answer) => tally.answers[answer] === undefined).map((answer) => `it was never answered ${answer}`),
        ...logged.length === 0 ? [] : [`${logged.length} errors in the log: ${logged[0]?.slice(0, 300)}`],
        ...tally.failure === '' ? [] : [`the attack broke off: ${tally.failure}`]
    ];
}
