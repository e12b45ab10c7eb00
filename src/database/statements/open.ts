import type { Knex } from 'knex';

import type { Config } from '../../config';
import { ADMIN, openDatabase } from './connection';
import { attachEmbedded, startEmbedded } from '../embedded';
import type { Embedded } from '../embedded';

/** An open database. */
export interface OpenDatabase {
    db: Knex;
    /** with its password */
    url: string;
    /** whether it is the embedded one */
    embedded: boolean;
    /** Closes the pool, and stops the embedded server if this process started it. */
    close(): Promise<void>;
    /** Asks the embedded server to stop, without waiting. For exit handlers. */
    abandon(): void;
}

export interface StoreOptions {
    /** for an operators' command: it uses the embedded server of a running service, if there is one */
    share: boolean;
    /** milliseconds, as for `openDatabase` */
    statementTimeout?: number;
    /** called when the embedded server ends by itself, and when it is back */
    log: (message: string) => void;
    /** as for `startEmbedded` */
    meanwhile?: () => unknown;
}

/**
 * Opens the database that the configuration names: DATABASE_URL, or the embedded one in DATA_DIR.
 * @throws EmbeddedInUse if another process has the data folder open
 */
export async function openStore(config: Config, { share, statementTimeout, log, meanwhile }: StoreOptions): Promise<OpenDatabase> {
    const shared = config.databaseUrl ?? (share ? await attachEmbedded(config.dataDir) : null);
    // A server that another process started is not stopped by this one.
    const { url, stop, stopNow }: Pick<Embedded, 'url'> & Partial<Embedded> = shared === null ? await startEmbedded({ dir: config.dataDir, log, meanwhile }) : { url: shared };
    // A running instance always keeps a connection, so that other programs can see it in pg_stat_activity.
    const db = openDatabase({ url, pool: config.databasePool, statementTimeout, log, ...share ? { name: ADMIN } : { keep: 1 } });
    return {
        db,
        url,
        embedded: config.databaseUrl === null,
        close: async () => {
            await db.destroy();
            await stop?.();
        },
        abandon: () => stopNow?.()
    };
}

/** The place of the database for messages, without its password. */
export function placeOfDatabase({ databaseUrl, dataDir }: Config): string {
    if (databaseUrl === null) {
        return `the embedded database in ${dataDir}`;
    }

    const { hostname, port, pathname } = new URL(databaseUrl);
    return `the database ${decodeURIComponent(pathname.slice(1))} at ${hostname || 'localhost'}:${port || '5432'} (DATABASE_URL)`;
}
