import { Client } from 'pg';

import type { Config } from '../../config';
import { ADMIN, isDirect } from '../../database/statements/connection';

/** The target of a URL. */
interface Found {
    isPooler: boolean;
    /** which database it is: when its server was started, and the id in there */
    database: string;
}

/**
 * The URL of the database for programs that change settings of their session, as pg_dump and pg_restore do. Through a pooler in transaction
 * mode other clients would get that session next, and find no table.
 * @throws Error for an operator if it leads to a pooler, or DATABASE_DIRECT_URL to another database
 */
export async function directUrl(databaseUrl: string, { databaseDirectUrl }: Pick<Config, 'databaseDirectUrl'>): Promise<string> {
    const usual = await lookAt(databaseUrl);
    if (databaseDirectUrl === null) {
        if (usual?.isPooler) {
            throw new Error('DATABASE_URL leads to a pooler such as PgBouncer, where pg_dump and pg_restore would change sessions that the service uses. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself, such as postgres://name:password@host:5432/database.');
        }

        return databaseUrl;
    }

    const direct = await lookAt(databaseDirectUrl);
    if (direct?.isPooler) {
        throw new Error('DATABASE_DIRECT_URL leads to a pooler too. Set it to the address of PostgreSQL itself, such as postgres://name:password@host:5432/database.');
    }

    if (usual !== undefined && direct !== undefined && usual.database !== direct.database) {
        throw new Error('DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Set both to the same one.');
    }

    return databaseDirectUrl;
}

/** Undefined if it cannot be reached: then the program itself says why. */
async function lookAt(url: string): Promise<Found | undefined> {
    const client: Client & { processID?: number | null } = new Client({ connectionString: url, application_name: ADMIN, connectionTimeoutMillis: 10_000 });
    // A broken connection emits a second error, which would end the process if nobody listened.
    client.on('error', Boolean);
    try {
        await client.connect();
        const { rows: [server] } = await client.query<{ pid: number; database: string }>(`
            select pg_backend_pid() as pid, pg_postmaster_start_time() || ' ' || oid as database from pg_database where datname = current_database()`);
        return { isPooler: !isDirect(client, server?.pid), database: String(server?.database) };
    }
    catch {
        return undefined;
    }
    finally {
        await client.end();
    }
}
