import type { Knex } from 'knex';

import { INSTANCE } from '../../database/statements/connection';

interface Session {
    pid: number;
    address: string;
    since: string;
}

/**
 * Makes sure that no instance of the service, and no other operators' command, is connected to the database. What a
 * pooler keeps connected for an instance counts as well.
 * @throws Error that lists the connections
 */
export async function refuseWhileInUse(db: Knex): Promise<void> {
    // A name in the URL replaces ours, and then all connections have it.
    const { rows } = await db.raw<{ rows: Session[] }>(`
        select pid, coalesce(host(client_addr), 'this machine') as address, to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as since
        from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
            and (application_name in (?, current_setting('application_name')) or starts_with(application_name, ?))
        order by backend_start`, [INSTANCE, `${INSTANCE} `]);
    if (rows.length > 0) {
        const sessions = rows.map(({ pid, address, since }) => `  process ${pid} of PostgreSQL, for ${address}, since ${since} UTC`);
        throw new Error(`The database is in use. Stop the service first. These are connected:\n${sessions.join('\n')}`);
    }
}
