import type { Knex } from 'knex';

import type { Config } from '../config';
import { ADMIN, openDatabase } from './connection';
import { attachEmbedded, startEmbedded } from '../embedded-postgres';
import type { Embedded } from '../embedded-postgres';

/** The database a process works on, wherever it comes from. */
export interface OpenDatabase {
    db: Knex;
    /** with its password */
    url: string;
    /** whether it is the embedded one */
    embedded: boolean;
    /** Closes the pool, and stops the embedded server if this process started it. */
    close(): Promise<void>;
    /** For last moments, where nothing can be waited for: asks the embedded server to stop. */
    abandon(): void;
}

export interface StoreOptions {
    /** for an operators' command: it uses the embedded server of a running service, if there is one */
    share: boolean;
    /** milliseconds, as for `openDatabase` */
    statementTimeout?: number;
    /** told of an embedded server that ends by itself, and of its coming back */
    log: (message: string) => void;
}

/**
 * Opens the database that the configuration names: DATABASE_URL, or the embedded one in DATA_DIR.
 * @throws EmbeddedInUse where another process has the data folder open
 */
export async function openStore(config: Config, { share, statementTimeout, log }: StoreOptions): Promise<OpenDatabase> {
    const shared = config.databaseUrl ?? (share ? await attachEmbedded(config.dataDir) : null);
    const { url, stop, stopNow } = shared === null ? await startEmbedded({ dir: config.dataDir, log }) : anothers(shared);
    // A running instance always has a connection, by which other programs can see that it is there.
    const db = openDatabase({ url, pool: config.databasePool, statementTimeout, ...share ? { name: ADMIN } : { keep: 1 } });
    return {
        db,
        url,
        embedded: config.databaseUrl === null,
        close: async () => {
            await db.destroy();
            await stop();
        },
        abandon: stopNow
    };
}

/** A server that is not this process's to stop. */
const anothers = (url: string): Pick<Embedded, 'url' | 'stop' | 'stopNow'> => ({
    url,
    stop: () => Promise.resolve(),
    stopNow: () => undefined
});

/** Where the database is, for messages: never with its password. */
export function placeOfDatabase({ databaseUrl, dataDir }: Config): string {
    if (databaseUrl === null) {
        return `the embedded database in ${dataDir}`;
    }

    const { hostname, port, pathname } = new URL(databaseUrl);
    return `the database ${decodeURIComponent(pathname.slice(1))} at ${hostname || 'localhost'}:${port || '5432'} (DATABASE_URL)`;
}
