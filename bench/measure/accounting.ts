import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Microseconds in a tick of /proc: USER_HZ is 100 on every Linux that Node runs on. */
const TICK = 10_000;

interface Stat {
    name: string;
    parent: number;
    /** µs of the process itself, in user and system mode */
    own: number;
    /** µs of its children that have ended */
    ended: number;
}

/** Reads /proc/<pid>/stat (proc(5)); undefined if there is no such process, or no /proc. */
function statOf(pid: number): Stat | undefined {
    try {
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const end = text.lastIndexOf(')');
        const fields = text.slice(end + 2).split(' ').map(Number);
        const [, parent = 0] = fields;
        const ticks = (from: number): number => (fields[from] ?? 0) + (fields[from + 1] ?? 0);
        return { name: text.slice(text.indexOf('(') + 1, end), parent, own: ticks(11) * TICK, ended: ticks(13) * TICK };
    }
    catch {
        return undefined;
    }
}

/** CPU time of a process in µs; 0 if it has ended. */
export const cpuOf = (pid: number): number => statOf(pid)?.own ?? 0;

/** CPU time in µs of a process and all its children, also of those that have ended. */
export function cpuOfFamily(pid: number): number {
    const parent = statOf(pid);
    if (parent === undefined) {
        return 0;
    }

    const children = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).map((name) => statOf(Number(name)));
    return children.reduce((sum, child) => sum + (child?.parent === pid ? child.own + child.ended : 0), parent.own + parent.ended);
}

/** PostgreSQL's first process, given one that serves a connection; null if we cannot see that process. */
export function postmasterOf(backend: number): number | null {
    const stat = statOf(backend);
    return stat?.name === 'postgres' ? stat.parent : null;
}

/** Lets the most that a process ever held begin with what it holds now (proc(5)). */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/**
 * MiB of memory that a process holds (VmRSS), the most that it ever held (VmHWM), and what of it belongs to no file, or to files that it has
 * mapped: for most those of its program. All are 0 for one that has ended and that nobody has asked for.
 */
export function memoryOf(pid: number): { now: number; peak: number; own: number; mapped: number } {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const read = (name: string): number => Number(new RegExp(`^${name}:\\s+([0-9]+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return { now: read('VmRSS'), peak: read('VmHWM'), own: read('RssAnon') + read('RssShmem'), mapped: read('RssFile') };
}
