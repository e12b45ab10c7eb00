import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';
import { Client } from 'pg';

import { cloneDatabase } from '../../test/support/database';
import type { TestDatabase } from '../../test/support/database';
import { anySession, sessionsOver } from './database';
import type { Death } from './database';

/** Asks one server, by a connection of its own. */
async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    return await client.connect().then(() => client.query(sql)).then(({ rows }) => rows).finally(() => client.end());
}

/** How to start a program again. */
interface Program {
    pid: number;
    command: string[];
    env: NodeJS.ProcessEnv;
    uid: number;
    gid: number;
}

/** What a running process was started with. */
function programOf(pid: number, folder: string): Program {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter((arg) => arg !== '');
    const env = Object.fromEntries(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter((one) => one.includes('=')).map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
    const { uid, gid } = statSync(folder);
    return { pid, command, env, uid, gid };
}

/** One node of a cluster on this machine: a PostgreSQL that can be killed and started again. */
export class CitusNode {
    readonly name: string;
    readonly #url: string;
    readonly #folder: string;
    #program: Program;

    private constructor(name: string, url: string, folder: string, program: Program) {
        this.name = name;
        this.#url = url;
        this.#folder = folder;
        this.#program = program;
    }

    static async at(name: string, url: string): Promise<CitusNode> {
        const [found] = await ask(url, `select current_setting('data_directory') as folder`);
        const folder = String(found?.folder);
        const pid = Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0]);
        return new CitusNode(name, url, folder, programOf(pid, folder));
    }

    /** Ends PostgreSQL, as a machine without power does if nothing else is said, and waits until it is down; after the end of one process it continues by itself. */
    async kill(how: Death = 'SIGKILL'): Promise<void> {
        if (how === 'backend') {
            const [session] = await this.ask(anySession);
            if (session !== undefined) {
                process.kill(Number(session.pid), 'SIGKILL');
            }

            return;
        }

        process.kill(this.#program.pid, how);
        while (existsSync(`/proc/${this.#program.pid}`)) {
            await sleep(10);
        }
    }

    /** Starts it again, and waits until it accepts connections. */
    async up(): Promise<void> {
        const { command: [file = '', ...args], env, uid, gid } = this.#program;
        for (const deadline = Date.now() + 60_000; ; await sleep(200)) {
            // The processes of the one before may still be there: then it ends at once.
            const child = spawn(file, args, { cwd: this.#folder, env, uid, gid, stdio: 'ignore', detached: true });
            child.unref();
            let ended = false;
            child.once('exit', () => {
                ended = true;
            });
            while (!ended && Date.now() < deadline) {
                if (await this.ask('select 1').then(() => true, () => false)) {
                    this.#program = { ...this.#program, pid: child.pid ?? 0 };
                    return;
                }

                await sleep(50);
            }

            if (Date.now() > deadline) {
                throw new Error(`${this.name} did not start`);
            }
        }
    }

    /** Where it is, as functions of Citus want it. */
    get address(): string {
        const { hostname, port } = new URL(this.#url);
        return `'${hostname}', ${port}`;
    }

    /** Makes it a node that no cluster knows: with an empty database. */
    async renew(): Promise<void> {
        const url = new URL(this.#url);
        const name = url.pathname.slice(1);
        url.pathname = new URL(String(process.env.CITUS_DATABASE_URL)).pathname;
        for (const sql of [`drop database ${name} with (force)`, `create database ${name}`, `alter database ${name} set synchronous_commit = on`]) {
            await ask(url.href, sql);
        }

        await this.ask('create extension citus');
    }

    /** Asks the node itself. */
    ask(sql: string): Promise<Record<string, unknown>[]> {
        return ask(this.#url, sql);
    }
}

/** A database of its own on the cluster at `CITUS_DATABASE_URL`, whose nodes all run on this machine. */
export class CitusDatabase {
    readonly nodes: readonly CitusNode[];
    readonly #database: TestDatabase;
    #kills = 0;

    private constructor(database: TestDatabase, nodes: readonly CitusNode[]) {
        this.#database = database;
        this.nodes = nodes;
    }

    static async open(): Promise<CitusDatabase> {
        const database = await cloneDatabase({ pool: 4 });
        const { rows } = await database.db.raw<{ rows: { host: string; port: number; groupid: number }[] }>('select nodename as host, nodeport as port, groupid from pg_dist_node order by groupid');
        const nodes = await Promise.all(rows.map(({ host, port, groupid }) => {
            const url = new URL(database.url);
            Object.assign(url, { hostname: host, port: String(port) });
            return CitusNode.at(groupid === 0 ? 'the coordinator' : `worker ${groupid}`, url.href);
        }));
        // Nothing that is acknowledged may be lost with the memory of a node.
        const name = new URL(database.url).pathname.slice(1);
        await Promise.all(nodes.map((node) => node.ask(`alter database ${name} set synchronous_commit = on`)));
        return new CitusDatabase(database, nodes);
    }

    /** The URL; its `application_name` identifies the sessions in PostgreSQL. */
    url(name = 'checker'): string {
        const url = new URL(this.#database.url);
        url.searchParams.set('application_name', name);
        return url.href;
    }

    get db(): Knex {
        return this.#database.db;
    }

    /** The node that `kill` was for last. */
    get #node(): CitusNode | undefined {
        return this.nodes[(this.#kills - 1) % this.nodes.length];
    }

    /** Ends PostgreSQL on the next node: each time on another one. */
    async kill(how: Death): Promise<void> {
        this.#kills++;
        await this.#node?.kill(how);
    }

    /** Starts it again. */
    async up(): Promise<void> {
        await this.#node?.up();
    }

    /** Waits until everything that a process sent before is finished, on all nodes. */
    async over(name: string, isDead: boolean, since: Date): Promise<void> {
        await sessionsOver(this.db, name, isDead, since);
        await this.settled(since);
    }

    /** Waits until all transactions that began before have ended on all nodes, also those of two phases, which Citus finishes by itself after a node was lost. */
    async settled(since = new Date()): Promise<void> {
        const own = `(select count(*) from pg_prepared_xacts where database = current_database() and prepared < '${since.toISOString()}')
            + (select count(*) from pg_stat_activity where datname = current_database() and application_name like 'citus_internal%' and state <> 'idle' and xact_start < '${since.toISOString()}')`;
        for (;;) {
            const left = await Promise.all(this.nodes.map((node) => node.ask(`select (${own})::int as n`))).then((all) => all.flat(), () => [{ n: 1 }]);
            if (left.every(({ n }) => n === 0)) {
                return;
            }

            await sleep(50);
        }
    }

    end(): Promise<void> {
        return this.#database.drop();
    }
}
