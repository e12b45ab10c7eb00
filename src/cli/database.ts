import type { Knex } from 'knex';
import type { Logger } from 'pino';

import type { Config } from '../config';
import { pendingMigrations } from '../db/migrate';
import { openStore, placeOfDatabase } from '../db/open';
import { wordsOf } from '../process/host';

/** What every command works with. */
export interface Context {
    config: Config;
    /** for programs that a command starts */
    env: Readonly<Record<string, string | undefined>>;
    logger: Logger;
    /** aborted when the command is interrupted; its listeners are the last that runs */
    interrupted: AbortSignal;
    /** one line of the result, for whoever reads standard output */
    print(line: string): void;
    /** one line for a person, on standard error */
    remark(line: string): void;
}

/** What a command works with that asks the database. */
export interface DatabaseContext extends Context {
    db: Knex;
    /** with its password */
    url: string;
}

/**
 * Work on the database of the service, the embedded one of a running service included; on one that lacks migrations only
 * where it is for `anySchema`.
 */
export function onDatabase(work: (context: DatabaseContext) => Promise<void>, { anySchema = false } = {}): (context: Context) => Promise<void> {
    return async (context) => {
        const { config, interrupted, remark } = context;
        const store = await openStore(config, { share: true, log: remark });
        interrupted.addEventListener('abort', store.abandon);
        try {
            if (!anySchema && await pendingOf(store.db, config) > 0) {
                throw new Error('The database lacks migrations: run "npm run admin -- migrate" first.');
            }

            await work({ ...context, db: store.db, url: store.url });
        }
        finally {
            interrupted.removeEventListener('abort', store.abandon);
            await store.close();
        }
    };
}

/** @throws Error naming the database where it cannot be used */
async function pendingOf(db: Knex, config: Config): Promise<number> {
    try {
        return await pendingMigrations(db);
    }
    catch (error) {
        throw new Error(`Cannot use ${placeOfDatabase(config)}: ${wordsOf(error)}`, { cause: error });
    }
}
