import { spawn } from 'node:child_process';

import { ADMIN, openDatabase } from '../db/connection';
import { wordsOf } from '../process/host';
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
 */
export async function restoreDump(programs: Programs, url: string, file: number): Promise<void> {
    const db = openDatabase({ url, pool: 1, name: ADMIN });
    try {
        await refuseWhileInUse(db);
        const { rows: [{ tables } = { tables: 0 }] } = await db.raw<{ rows: { tables: number }[] }>(`
            select count(*)::int as tables from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`);
        if (tables > 0) {
            throw new Error(`The database of DATABASE_URL has ${tables} table(s), and nothing is replaced: make an empty one (createdb), and name it there.`);
        }

        await run(programs, 'pg_restore', url, ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'], [file, 'ignore']);
        // A dump has the rows alone, and nothing of what plans of queries go by.
        await db.raw('analyze');
    }
    finally {
        await db.destroy();
    }
}

/** @throws Error with the program's own words */
async function run({ env, interrupted }: Programs, program: string, url: string, args: readonly string[], [input, output]: ['ignore' | number, 'ignore' | number]): Promise<void> {
    const { address, password } = withoutPassword(url);
    const child = spawn(program, [...args, '--no-password', `--dbname=${address}`], {
        env: { ...env, ...password !== undefined && { PGPASSWORD: password } }, stdio: [input, output, 'pipe'], signal: interrupted
    });
    let words = '';
    child.stderr?.on('data', (data) => {
        words += data;
    });
    const ending = await new Promise<string>((resolve) => {
        child.once('error', (error) => resolve(wordsOf(error)));
        child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    if (ending !== 'exit code 0') {
        throw new Error(`${program} failed (${ending}).\n${words}It has to be in PATH, and no older than the server: on Debian it is in postgresql-client-<version>.`);
    }
}

/** A URL as others may see it in the list of processes, and the password that was in it. */
function withoutPassword(url: string): { address: string; password: string | undefined } {
    const address = new URL(url);
    const password = address.searchParams.get('password') ?? decodeURIComponent(address.password);
    address.searchParams.delete('password');
    address.password = '';
    return { address: address.href, password: password || undefined };
}
