import { existsSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { hasCode } from './folder';
import { inspect } from './processes';

/** Another live process has the data folder open; `pid` is its process id. */
export class EmbeddedInUse extends Error {
    readonly pid: number;

    constructor(folder: string, pid: number) {
        super(`${folder} is in use by process ${pid}: stop that one first, or give this one a data folder of its own.`);
        this.name = 'EmbeddedInUse';
        this.pid = pid;
    }
}

/**
 * Makes this process the one owner of the folder until the answered function is called or the process is gone.
 *
 * The owner is a symbolic link `owner.<n>` -> "<pid> <start>": made by the system in one step with all it says, and of two
 * who make the same one, one fails. The highest number counts and is never taken away while it is, only surpassed, so
 * nobody who judged an earlier owner dead can push out the live one that came after.
 * @throws EmbeddedInUse
 */
export const claim = (folder: string): () => void => {
    for (;;) {
        const [last = 0] = numbers(folder);
        const owner = ownerOf(folder, last);
        if (owner !== null) {
            throw new EmbeddedInUse(folder, owner);
        }

        const mine = last + 1;
        const made = mark(folder, mine, String(identify(process.pid)));
        const [newest, ...older] = numbers(folder);
        // Only races between processes lead in here; the tests run some, but not in the process that is measured.
        /* $lab:coverage:off$ */
        if (!made || newest !== mine) {
            if (made) {
                remove(folder, mine);
            }

            continue;
        }
        /* $lab:coverage:on$ */

        older.forEach((number) => remove(folder, number));
        return () => release(folder, mine);
    }
};

const release = (folder: string, mine: number): void => {
    // Somebody may have deleted the whole folder under the running server; then there is nothing left to give back.
    if (existsSync(folder)) {
        mark(folder, mine + 1, 'free');
        remove(folder, mine);
    }
};

/** The pid of the live process behind a mark; null when it is free, or its process is gone. */
const ownerOf = (folder: string, number: number): number | null => {
    try {
        const text = readlinkSync(path(folder, number));
        const pid = Number(text.split(' ')[0]);
        return identify(pid) === text ? pid : null;
    }
    catch {
        return null;
    }
};

/** What a mark says of its live process: "<pid> <start>", for the pid alone may be another process's by now. */
const identify = (pid: number): string | null => {
    const facts = inspect(pid);
    return facts && `${pid} ${facts.start}`;
};

/** The numbers of the marks in the folder, highest first. */
const numbers = (folder: string): number[] => {
    return readdirSync(folder)
        .map((name) => Number(/^owner\.(\d+)$/.exec(name)?.[1]))
        .filter((number) => number > 0)
        .sort((a, b) => b - a);
};

/** Makes a mark; false when somebody else has just made the same one. */
const mark = (folder: string, number: number, text: string): boolean => {
    try {
        symlinkSync(text, path(folder, number));
        return true;
    }
    catch (error) {
        // Else it is again a race.
        /* $lab:coverage:off$ */
        if (hasCode(error, 'EEXIST')) {
            return false;
        }
        /* $lab:coverage:on$ */

        throw error;
    }
};

const remove = (folder: string, number: number): void => {
    rmSync(path(folder, number), { force: true });
};

const path = (folder: string, number: number): string => {
    return join(folder, `owner.${number}`);
};
