import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/database/statements/connection';
import { startEmbedded } from '../../src/database/embedded';
import type { Embedded } from '../../src/database/embedded';
import { findServer } from '../../src/database/embedded/server';

/** A temporary folder, deleted at the end of this process together with any PostgreSQL that still runs in it. */
export function temporary(): string {
    const dir = mkdtempSync(join(tmpdir(), 'pagewright-faults-'));
    process.on('exit', () => {
        const left = existsSync(join(dir, 'cluster')) ? findServer(join(dir, 'cluster')) : null;
        if (left !== null) {
            process.kill(-left.pid, 'SIGKILL');
        }

        rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    });
    return dir;
}

/** The process id of the PostgreSQL that runs in a data folder. @throws Error if there is none */
export const postmasterOf = (dir: string): number => Number(readFileSync(join(dir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]);

/** How PostgreSQL is ended: killed, immediate stop, normal stop, or by the end of one of its processes. */
export type Death = 'SIGKILL' | 'SIGQUIT' | 'SIGINT' | 'backend';

/** SQL for the process of a session of a service, or of another node of a cluster for one: rather one that is working. */
export const anySession = `
    select pid from pg_stat_activity where datname = current_database() and application_name ~ '^(fault-|citus_internal)' order by state = 'idle', random() limit 1`;

/** A PostgreSQL of the suite's own, which the service uses through DATABASE_URL. */
export class Database {
    readonly dir = temporary();
    readonly settings: Record<string, string>;
    #embedded: Embedded | undefined;
    #db: Knex | undefined;

    constructor(settings: Record<string, string> = {}) {
        this.settings = { max_connections: '200', ...settings };
    }

    async up(): Promise<void> {
        this.#embedded = await startEmbedded({ dir: this.dir, settings: this.settings });
    }

    /** The URL; its `application_name` identifies the sessions in PostgreSQL. */
    url(name = 'checker'): string {
        const url = new URL(this.#embedded?.url ?? '');
        url.searchParams.set('application_name', name);
        return url.href;
    }

    /** The checker's own connections. */
    get db(): Knex {
        this.#db ??= openDatabase({ url: this.url(), pool: 4 });
        return this.#db;
    }

    /** Ends PostgreSQL and waits until it is down; after the end of one process it continues by itself. */
    async kill(how: Death): Promise<void> {
        if (how === 'backend') {
            const { rows: [row] } = await this.db.raw<{ rows: { pid: number }[] }>(anySession);
            if (row !== undefined) {
                process.kill(row.pid, 'SIGKILL');
            }

            return;
        }

        process.kill(postmasterOf(this.dir), how);
        await this.#embedded?.stop();
    }

    over(name: string, isDead: boolean, since: Date): Promise<void> {
        return sessionsOver(this.db, name, isDead, since);
    }

    /** Waits until nothing is left of transactions of two phases, which one server has none of. */
    settled(): Promise<void> {
        return Promise.resolve();
    }

    async end(): Promise<void> {
        await this.#db?.destroy();
        await this.#embedded?.stop();
        rmSync(this.dir, { recursive: true, force: true });
    }
}

/** Waits until everything that a process sent before is finished: its sessions are gone, or their transactions over. */
export async function sessionsOver(db: Knex, name: string, isDead: boolean, since: Date): Promise<void> {
    for (;;) {
        const left = await db.raw<{ rows: { n: number }[] }>(
            `select count(*)::int as n from pg_stat_activity where application_name = ? and (? or (state <> 'idle' and xact_start < ?))`, [name, isDead, since]
        ).then(({ rows }) => rows[0]?.n, () => undefined);
        if (left === 0) {
            return;
        }

        await sleep(20);
    }
}
