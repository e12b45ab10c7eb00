import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { accountFor } from '../../src/database/embedded/account';
import { freePort } from '../../src/database/embedded/server';
import { startDaemon } from '../daemons/daemon';
import type { Daemon } from '../daemons/daemon';
import { temporary } from './database';
import { documentedFile } from '../daemons/documented';

/** Fewer than all services together want, so that they share. */
const POOL_SIZE = 6;

/** PgBouncer with the configuration from examples/deploy, in front of a PostgreSQL. */
export class Pooler {
    readonly #config = join(temporary(), 'pgbouncer.ini');
    readonly #account = accountFor('');
    readonly #url: URL;
    #daemon: Daemon | undefined;

    private constructor(url: URL) {
        this.#url = url;
    }

    static async inFrontOf(database: URL): Promise<Pooler> {
        const url = new URL(database);
        url.port = String(await freePort(0));
        const pooler = new Pooler(url);
        const users = join(dirname(pooler.#config), 'userlist.txt');
        writeFileSync(users, `"${url.username}" "${url.password}"\n`);
        writeFileSync(pooler.#config, documentedFile('pgbouncer.ini', {
            'pagewright = host': `${url.pathname.slice(1)} = host`,
            'port=5432': `port=${database.port}`, 'listen_port = 6432': `listen_port = ${url.port}\nunix_socket_dir =`,
            '/etc/pgbouncer/userlist.txt': users, 'default_pool_size = 20': `default_pool_size = ${POOL_SIZE}`
        }));
        // Like PostgreSQL, it does not run as root.
        chmodSync(dirname(pooler.#config), 0o755);
        if (pooler.#account !== undefined) {
            chownSync(users, pooler.#account.uid, pooler.#account.gid);
        }

        return pooler;
    }

    async start(): Promise<void> {
        this.#daemon = await startDaemon('/usr/sbin/pgbouncer', ['-q', this.#config], Number(this.#url.port), 'pgbouncer', this.#account);
    }

    async end(signal: NodeJS.Signals): Promise<void> {
        await this.#daemon?.end(signal);
    }

    /** The URL of the database through PgBouncer; its `application_name` identifies the sessions in PostgreSQL. */
    urlFor(name: string): string {
        const url = new URL(this.#url);
        url.searchParams.set('application_name', name);
        return url.href;
    }
}
