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
 * Makes this process the only owner of the folder until the returned function is called or the process ends.
 *
 * The owner is a symbolic link `owner.<n>` -> "<pid> <start>". The system creates a link with its contents in one step, and only
 * one of two processes can create the same link. The highest number counts. It is never deleted while it is the highest, so a
 * process that found an earlier owner dead cannot remove a newer one.
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
        // Only races between processes get here. The tests run some, but not in the process whose coverage is measured.
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
    // Somebody may have deleted the whole folder while the server ran; then there is nothing to release.
    if (existsSync(folder)) {
        mark(folder, mine + 1, 'free');
        remove(folder, mine);
    }
};

/** The pid of the live process of a mark; null if there is no mark, or its process has ended. */
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

/** The contents of a mark: "<pid> <start>". The pid alone may belong to another process by now. */
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

/** Creates a mark; false if another process has just created the same one. */
const mark = (folder: string, number: number, text: string): boolean => {
    try {
        symlinkSync(text, path(folder, number));
        return true;
    }
    catch (error) {
        // Otherwise it is a race again.
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
