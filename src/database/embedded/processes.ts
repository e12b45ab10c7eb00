import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** A live process. `start` distinguishes it from an earlier process with the same pid. */
export interface ProcessFacts {
    start: string;
    command: string;
}

/** The start is in ticks since the boot, so it also contains the id of the boot. */
const inspectProc = (pid: number): ProcessFacts | null => {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The second field is the program's name in brackets. It may contain blanks and brackets, so fields are counted from its end.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (fields[0] === 'Z') {
            return null;
        }

        return {
            start: `${readFileSync(BOOT_ID, 'utf8').trim()}/${fields[19]}`,
            command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        };
    }
    catch {
        return null;
    }
};

/** Facts by `ps`, for systems without /proc (macOS); slim containers have /proc and no `ps`. */
export const inspectPs = (pid: number): ProcessFacts | null => {
    try {
        const line = execFileSync('ps', ['-o', 'stat=,lstart=,command=', '-p', String(pid)], {
            encoding: 'utf8',
            env: { ...process.env, LC_ALL: 'C' },
            stdio: ['ignore', 'pipe', 'ignore']
        });
        const words = line.trim().split(/\s+/);
        return line.startsWith('Z') ? null : { start: words.slice(1, 6).join('-'), command: words.slice(6).join(' ') };
    }
    catch {
        return null;
    }
};

/**
 * Finds a process; null if there is none. A zombie counts as none: it holds nothing open, although signal 0 still reaches it
 * until its parent collects it (a pid 1 may never do that).
 */
/* $lab:coverage:off$ */ // Which one is called depends on the operating system.
export const inspect = existsSync(BOOT_ID) ? inspectProc : inspectPs;
/* $lab:coverage:on$ */
