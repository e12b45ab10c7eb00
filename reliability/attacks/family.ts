import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { cpuOf, cpuOfFamily, memoryOf } from '../../bench/measure/accounting';
import type { Database } from '../faults/database';

/** Milliseconds between two looks at the memory, and of the look at what goes on. */
const EVERY = 100;
const WINDOW = 500;

/** The processes that a process has started. Those of an ended process are none. */
function childrenOf(pid: number): number[] {
    try {
        return readdirSync(`/proc/${pid}/task`).flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
    }
    catch {
        return [];
    }
}

/** A process with all that it has started, and that those have started. */
const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

function residentOf(pid: number): Pick<ReturnType<typeof memoryOf>, 'own' | 'mapped'> {
    try {
        return memoryOf(pid);
    }
    catch {
        return { own: 0, mapped: 0 };
    }
}

/**
 * MiB that a process and its children hold together. They run the same programs, whose pages are in memory once: so of the files that they
 * have mapped, those of the one with the most are counted.
 */
export function memoryOfFamily(pid: number): number {
    const all = familyOf(pid).map(residentOf);
    return all.reduce((sum, { own }) => sum + own, 0) + Math.max(...all.map(({ mapped }) => mapped));
}

/** Watches the memory of a process and its children. Returns what stops that, and tells the most that they held together, in MiB. */
export function watchMemory(pid: number): () => number {
    let peak = memoryOfFamily(pid);
    const timer = setInterval(() => {
        peak = Math.max(peak, memoryOfFamily(pid));
    }, EVERY);
    return () => {
        clearInterval(timer);
        return Math.max(peak, memoryOfFamily(pid));
    };
}

/** What a service still does once its clients have left. */
export interface Rest {
    /** processor time of its processes and of its connections to PostgreSQL, for each second: 1 is one processor */
    busy: number;
    /** statements that have been running for longer than a second, each with its process and its start */
    statements: readonly string[];
}

interface Session {
    pid: number;
    /** with its connection and its start, so that it is the same only as long as it runs */
    statement: string | null;
}

/** Looks for half a second at what a service does, and what PostgreSQL does for it. `name` is that of its connections. */
export async function watchRest(pid: number, name: string, database: Database): Promise<Rest> {
    const { rows } = await database.db.raw<{ rows: Session[] }>(`
        select pid, case when state = 'active' and query_start < now() - interval '1 second'
            then concat(left(regexp_replace(query, '\\s+', ' ', 'g'), 120), ' (process ', pid, ', since ', query_start::time, ')') end as statement
        from pg_stat_activity where application_name ~ ?`, [`^${name}( |$)`]);
    const spent = (): number => cpuOfFamily(pid) + rows.reduce((sum, session) => sum + cpuOf(session.pid), 0);
    const before = spent();
    await sleep(WINDOW);
    return { busy: (spent() - before) / (1000 * WINDOW), statements: rows.flatMap(({ statement }) => statement ?? []) };
}

/**
 * Looks again and again until the service is quiet, as a garbage collection or a thumbnail that is being drawn is no work for clients that have left.
 * @param most how busy a quiet service may be
 * @param isLate whether to give up
 * @returns the last look, with the statements that were also running at the look before it
 */
export async function watchUntilQuiet(look: () => Promise<Rest>, most: number, isLate: () => boolean): Promise<Rest> {
    let earlier: readonly string[] = [];
    for (;;) {
        const { busy, statements } = await look();
        const lasting = statements.filter((statement) => earlier.includes(statement));
        if (lasting.length > 0 || (busy <= most && statements.length === 0) || isLate()) {
            return { busy, statements: lasting };
        }

        earlier = statements;
    }
}
