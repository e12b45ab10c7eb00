import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux has a file system in memory. */
const MEMORY = '/dev/shm';

/** Bytes that must be free. A run of all tests needs less than a third of it. */
const ENOUGH = 4 * 2 ** 30;

/**
 * Puts the temporary files of all tests into one folder, which goes when this process ends, in memory if there is room. Most of them are databases that
 * exist for a few seconds, and a disk spends more time on creating and deleting their files than PostgreSQL on the queries.
 */
export function useOneFolder(): void {
    const isRoomy = process.env.TMPDIR === undefined && runsPrograms() && Math.min(free(), freemem()) >= ENOUGH;
    const folder = mkdtempSync(join(isRoomy ? MEMORY : tmpdir(), 'pagewright-tests-'));
    // As root, PostgreSQL runs under another account, and has its folder in there.
    chmodSync(folder, 0o711);
    process.env.TMPDIR = folder;
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}

/** Whether it is in memory, and programs may be run there, as some tests do. */
function runsPrograms(): boolean {
    const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n').map((line) => line.split(' ')) : [];
    return mounts.some(([, folder, type, options]) => folder === MEMORY && type === 'tmpfs' && !options?.split(',').some((option) => option === 'ro' || option === 'noexec'));
}

function free(): number {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
}
