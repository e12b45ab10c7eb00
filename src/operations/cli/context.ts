import type { Knex } from 'knex';
import type { Logger } from 'pino';

import type { Config } from '../../config';
import { pendingMigrations } from '../../database/statements/migrate';
import { openStore, placeOfDatabase } from '../../database/statements/open';
import { errorMessage } from '../../database/statements/error-message';
import type { Host } from '../process/host';

/** The context of every command. */
export interface Context {
    config: Config;
    /** for programs that a command starts */
    env: Readonly<Record<string, string | undefined>>;
    logger: Logger;
    /** the words before the name of a command */
    program: string;
    filePool: Host['filePool'];
    /** aborted when the command is interrupted; its listeners run last */
    interrupted: AbortSignal;
    /** Reads one line from standard input, without its end. */
    readLine(): Promise<string>;
    /** Writes one line of the result to standard output. */
    print(line: string): void;
    /** Writes one line for a person to standard error. */
    remark(line: string): void;
}

/** The context of a command that uses the database. */
export interface DatabaseContext extends Context {
    db: Knex;
    /** with its password */
    url: string;
}

/**
 * Work on the database of the service. If a service with an embedded database is running, that database is used.
 * @param anySchema whether the work can be done before all migrations have been applied
 */
export function onDatabase(work: (context: DatabaseContext) => Promise<void>, { anySchema = false } = {}): (context: Context) => Promise<void> {
    return async (context) => {
        const { config, interrupted, program, remark } = context;
        const store = await openStore(config, { share: true, log: remark });
        interrupted.addEventListener('abort', store.abandon);
        try {
            if (!anySchema && (await pendingOf(store.db, config)).length > 0) {
                throw new Error(`The schema of the database is not up to date. Run "${program} migrate" first.`);
            }

            await work({ ...context, db: store.db, url: store.url });
        }
        finally {
            interrupted.removeEventListener('abort', store.abandon);
            await store.close();
        }
    };
}

/** @throws Error that names the database if it cannot be used */
async function pendingOf(db: Knex, config: Config): Promise<string[]> {
    try {
        return await pendingMigrations(db);
    }
    catch (error) {
        throw new Error(`Cannot use ${placeOfDatabase(config)}: ${errorMessage(error)}`, { cause: error });
    }
}
