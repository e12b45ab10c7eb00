import { spawn } from 'node:child_process';

import { ADMIN, openDatabase } from '../../database/statements/connection';
import { hasCode } from '../../database/embedded/folder';
import { errorMessage } from '../../database/statements/error-message';
import type { Context } from './context';
import { refuseWhileInUse } from './in-use';

type Programs = Pick<Context, 'env' | 'interrupted'>;

/** Writes a dump of the database into an open file, as of the moment this begins, by the `pg_dump` in PATH. */
export function dump(programs: Programs, url: string, file: number): Promise<void> {
    return run(programs, 'pg_dump', url, ['--format=custom'], ['ignore', file]);
}

/**
 * Restores a dump in an open file to an empty database, all of it or nothing, by the `pg_restore` in PATH. All becomes
 * the property of the role in the URL.
 * @param first done when it is known that the database is empty
 */
export async function restoreDump(programs: Programs, url: string, file: number, first: () => Promise<void>): Promise<void> {
    const db = openDatabase({ url, pool: 1, name: ADMIN });
    try {
        await refuseWhileInUse(db);
        const { rows: [{ tables } = { tables: 0 }] } = await db.raw<{ rows: { tables: number }[] }>(`
            select count(*)::int as tables from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`);
        if (tables > 0) {
            throw new Error(`The database of DATABASE_URL has ${tables} table(s), and nothing is replaced. Make an empty database (createdb), and set DATABASE_URL to it.`);
        }

        await first();
        await run(programs, 'pg_restore', url, ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'], [file, 'ignore']);
        // A dump has no statistics, which the plans of queries depend on.
        await db.raw('analyze');
    }
    finally {
        await db.destroy();
    }
}

/** @throws Error that says what to install, or with the program's own words */
async function run({ env, interrupted }: Programs, program: string, url: string, args: readonly string[], [input, output]: ['ignore' | number, 'ignore' | number]): Promise<void> {
    const { address, password } = withoutPassword(url);
    const child = spawn(program, [...args, '--no-password', `--dbname=${address}`], {
        // Its messages are compared below, so they must not be translated.
        env: { ...env, LC_ALL: 'C', ...password !== undefined && { PGPASSWORD: password } }, stdio: [input, output, 'pipe'], signal: interrupted
    });
    let words = '';
    child.stderr?.on('data', (data) => {
        words += data;
    });
    const ending = await new Promise<string>((resolve) => {
        child.once('error', (error) => resolve(hasCode(error, 'ENOENT') ? NOT_FOUND : errorMessage(error)));
        child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    if (ending !== 'exit code 0') {
        throw new Error(explained(program, ending, words));
    }
}

const NOT_FOUND = 'not found';

function explained(program: string, ending: string, words: string): string {
    if (ending === NOT_FOUND) {
        return `${program} is not installed, or not in PATH. It comes with PostgreSQL, and must not be older than the server: on Debian it is in postgresql-client-<version>.`;
    }

    const [, server, own] = /server version: (\d[^;:]*); \w+ version: (\S+)/.exec(words) ?? [];
    if (server !== undefined) {
        return `${program} is version ${own}, which is older than the server, ${server}. Install a newer one (on Debian: postgresql-client-${server.split('.')[0]}), and put it first in PATH.`;
    }

    return `${program} failed (${ending}).\n${words.trimEnd()}`;
}

/** The URL without its password, since everybody can see it in the list of processes, and the password. */
function withoutPassword(url: string): { address: string; password: string | undefined } {
    const address = new URL(url);
    const password = address.searchParams.get('password') ?? decodeURIComponent(address.password);
    address.searchParams.delete('password');
    address.password = '';
    return { address: address.href, password: password || undefined };
}
