import { createHash } from 'node:crypto';

import type { Knex } from 'knex';
import { DatabaseError } from 'pg';

import { NotOnCluster } from './cluster';
import { copyTables } from './copies';
import { coordinatorObjects, clusterOverrides } from './differences';
import { functions } from './shard-functions';
import { placeTables } from './shard-tables';
import { asOne, runAll } from './steps';

/** A list of this release's objects beside the tables, as one short text, which is kept as a comment. */
const release = createHash('sha256').update(JSON.stringify([functions, clusterOverrides, coordinatorObjects])).digest('hex');
export const noteRelease = `comment on table at_project is '${release}'`;

/** Whether a distributed database has what this release needs there. */
export async function isOfThisRelease(db: Knex): Promise<boolean> {
    const { rows: [found] } = await db.raw<{ rows: { release: string | null }[] }>(`select obj_description('at_project'::regclass) as release`);
    return found?.release === release;
}

/** The views that statements run on have the columns that tables had when they were made, and would keep a column from being dropped. */
const withoutViews = `select read_everywhere(project_id, '!do $f$ begin
    perform set_config(''citus.enable_ddl_propagation'', ''off'', true);
    execute format(''drop schema %I cascade'', current_schema());
end $f$', '{}') from shards`;
const withViews = `select read_everywhere(project_id, 'select 1', '{}') from shards`;

/**
 * Changes the schema of a distributed database on all nodes, and makes what this release has there beside the tables: all of it or nothing. Nobody else may use it
 * meanwhile.
 * @param work applies or takes back migrations
 * @throws NotOnCluster with what Citus or PostgreSQL says, if it cannot be done
 */
export async function changeSchema<T>(trx: Knex, work: () => Promise<T>): Promise<T> {
    try {
        await runAll(trx, [...asOne, ...functions, withoutViews]);
        const result = await work();
        await runAll(trx, clusterOverrides);
        await copyTables(trx);
        await placeTables(trx);
        await runAll(trx, [...coordinatorObjects, noteRelease, withViews]);
        return result;
    }
    catch (error) {
        throw error instanceof DatabaseError ? refusal(error) : error;
    }
}

/** Knex puts the whole statement before the message. */
function refusal(error: DatabaseError): NotOnCluster {
    const said = [error.message.replace(/^[\s\S]* - /, ''), error.detail, error.hint].filter(Boolean);
    return new NotOnCluster(`Nothing was changed. The cluster refused it: ${said.join(' ')}`);
}

/** A database to which the statements of a text are sent one by one, since Citus passes on no text of several. PL/pgSQL, which finds their ends, has no `select` without a target. */
export const statementByStatement = (db: Knex): Knex => new Proxy(db, {
    get: (target, name): unknown => (name === 'raw' ? (text: string) => target.raw(`do $statements$ begin\n${text.trim().replace(/;?$/, '\n;')} end $statements$`) : Reflect.get(target, name))
});
