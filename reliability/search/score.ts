import type { Cost } from './measure';

/** What requests may cost, by measure. */
export const most = {
    /** milliseconds of the event loop */
    'event loop': 100,
    /** milliseconds that an ordinary user waits beside them */
    'an ordinary user': 1000,
    /** MiB of the service's processes */
    'memory': 550,
    /** processors that are busy 2 s after the clients have left */
    'what goes on': 0.3,
    /** milliseconds of processor time for one request, of the service and of PostgreSQL */
    'processor': 5000
} as const;

export type Measure = keyof typeof most;

/** How many times of what it may cost a failed request of an ordinary user, or a statement without its client, counts as. */
const [FAILED, LEFT] = [10, 3];

/** Each measure in relation to what it may be. */
export function ratiosOf({ stall, memory, cpu, database, requests, user, rest }: Cost): Record<Measure, number> {
    return {
        'event loop': stall / most['event loop'],
        'an ordinary user': user.slowest / most['an ordinary user'] + (user.failures.length > 0 ? FAILED : 0),
        'memory': memory / most.memory,
        'what goes on': rest.busy / most['what goes on'] + (rest.statements.length > 0 ? LEFT : 0),
        'processor': (cpu + database) / requests / most.processor
    };
}

/** The measure that is furthest beyond what it may cost, and how many times of that it is. */
export function worstOf(cost: Cost): { measure: Measure; ratio: number } {
    const ratios = ratiosOf(cost);
    const names: readonly Measure[] = ['event loop', 'an ordinary user', 'memory', 'what goes on', 'processor'];
    return names.map((measure) => ({ measure, ratio: ratios[measure] })).reduce((worst, one) => (one.ratio > worst.ratio ? one : worst));
}

/** A cost as text. */
export function figuresOf({ manner, requests, took, cpu, database, stall, memory, user, rest, answers }: Cost): string {
    const counts = Object.entries(answers).map(([answer, count]) => `${count}×${answer}`).join(' ');
    const seen = user.requests === 0 ? [] : [`user ${user.slowest.toFixed(0)} ms (to ${user.slowestStep})${user.failures.length === 0 ? '' : `, ${user.failures.length} failed`}`];
    const later = manner === 'one' ? [] : [`later ${(100 * rest.busy).toFixed(0)} %${rest.statements.length === 0 ? '' : ` and ${rest.statements.length} statements`}`];
    return [
        `${requests} ${manner === 'heads' ? 'as HEAD' : manner === 'abandoned' ? 'abandoned' : manner === 'behind' ? 'behind a long write' : requests === 1 ? 'alone' : 'at once'} in ${took.toFixed(0)} ms`, `loop ${stall.toFixed(0)} ms`, ...seen,
        `processor for each ${(cpu / requests).toFixed(0)} ms and ${(database / requests).toFixed(0)} in PostgreSQL`, `memory ${memory.toFixed(0)} MiB`, ...later, counts
    ].join('; ');
}
