import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/database/statements/connection';
import { accountFor } from '../../src/database/embedded/account';
import { freePort } from '../../src/database/embedded/server';
import { startDaemon } from '../daemons/daemon';
import type { Daemon } from '../daemons/daemon';
import { temporary } from './database';
import { documented, documentedFile } from '../daemons/documented';

const page = 'high-availability.md';

/** Debian packages, by a program of each. */
const programs = { '/usr/bin/patroni': 'patroni', '/usr/bin/etcd': 'etcd-server', '/usr/sbin/haproxy': 'haproxy', '/usr/sbin/ip': 'iproute2', '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15' };

/** Milliseconds until all three nodes work together again. */
const PATIENCE = 180_000;

interface Member {
    name: string;
    role: string;
    state: string;
    lag?: number | string;
}

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** A machine of the cluster: a network namespace with etcd, Patroni and PostgreSQL, as docs/high-availability.md has them. */
export class Node {
    readonly name: string;
    readonly dir: string;
    readonly #space: string;
    readonly #link: string;
    readonly #network: string;
    readonly #number: number;
    readonly #log: number;
    #children: ChildProcess[] = [];

    /** @param network the first three numbers of its addresses, with the dot behind them */
    constructor(number: number, dir: string, network: string, bridge: string) {
        this.name = `node${number}`;
        this.dir = join(dir, this.name);
        this.#number = number;
        this.#network = network;
        this.#space = `${bridge}-${number}`;
        this.#link = `${bridge}v${number}`;
        process.on('exit', () => this.#remove());
        ip('netns', 'add', this.#space);
        ip('link', 'add', this.#link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#space);
        ip('link', 'set', this.#link, 'master', bridge, 'up');
        ip('-n', this.#space, 'addr', 'add', `${this.address}/24`, 'dev', 'eth0');
        ['lo', 'eth0'].forEach((device) => ip('-n', this.#space, 'link', 'set', device, 'up'));

        const account = accountFor('');
        mkdirSync(this.dir);
        this.#log = openSync(join(this.dir, 'log'), 'a');
        const own = `${network}${number}:`;
        writeFileSync(join(this.dir, 'patroni.yml'), documentedFile('patroni.yml', {
            'name: node1': `name: ${this.name}`, 'listen: 10.0.0.1:': `listen: ${own}`, 'connect_address: 10.0.0.1:': `connect_address: ${own}`, '10.0.0.': network,
            '/var/lib/postgresql/pagewright': join(this.dir, 'data'), '/var/run/postgresql': this.dir
        }));
        if (account !== undefined) {
            chownSync(this.dir, account.uid, account.gid);
        }
    }

    get address(): string {
        return `${this.#network}${this.#number}`;
    }

    start(): void {
        const own = `http://${this.address}:`;
        const etcd = documented('sh', {
            '--name node1': `--name ${this.name}`, '/var/lib/etcd/pagewright': join(this.dir, 'etcd'), '-urls http://10.0.0.1:': `-urls ${own}`, '10.0.0.': this.#network
        }, page);
        // What it has joined before, it goes on with.
        this.#run('sh', ['-c', `exec ${etcd}`]);
        this.#run('/usr/bin/patroni', [join(this.dir, 'patroni.yml')]);
    }

    #run(program: string, args: string[]): void {
        const inside = ['netns', 'exec', this.#space, 'setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...args];
        this.#children.push(spawn('ip', inside, { cwd: this.dir, env: { ...process.env, HOME: this.dir }, stdio: ['ignore', this.#log, this.#log] }));
    }

    /** All processes of the machine end at once, as if it lost its power. */
    async kill(): Promise<void> {
        const ended = this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).map((child) => new Promise((resolve) => void child.once('close', resolve)));
        for (;;) {
            const pids = ip('netns', 'pids', this.#space).split('\n').filter(Boolean);
            if (pids.length === 0) {
                break;
            }

            pids.forEach((pid) => {
                try {
                    process.kill(Number(pid), 'SIGKILL');
                }
                catch {
                    // It has ended meanwhile.
                }
            });
            await sleep(20);
        }

        await Promise.all(ended);
        this.#children = [];
    }

    /** What it knows of the cluster, which may be out of date; nothing if it does not respond. */
    async members(): Promise<Member[]> {
        try {
            const answer = await fetch(`http://${this.address}:8008/cluster`, { signal: AbortSignal.timeout(1000) });
            const { members }: { members: Member[] } = JSON.parse(await answer.text());
            return members;
        }
        catch {
            return [];
        }
    }

    /** The end of what its programs have printed. */
    said(): string {
        return `${this.name}: ${readFileSync(join(this.dir, 'log'), 'utf8').slice(-3000)}`;
    }

    /** Ends PostgreSQL alone. */
    killPostgres(): void {
        process.kill(Number(readFileSync(join(this.dir, 'data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    }

    /** Takes it off the network, or connects it again. */
    connect(state: 'up' | 'down'): void {
        ip('link', 'set', this.#link, state);
    }

    /** Its own PostgreSQL over a Unix socket, which needs no network. */
    open(database = 'pagewright'): Knex {
        return openDatabase({ url: `postgres://postgres@/${database}?host=${encodeURIComponent(this.dir)}`, pool: 1, timeout: 5000 });
    }

    #remove(): void {
        try {
            ip('netns', 'pids', this.#space).split('\n').filter(Boolean).forEach((pid) => process.kill(Number(pid), 'SIGKILL'));
        }
        catch {
            // Some have ended by themselves.
        }

        try {
            ip('netns', 'del', this.#space);
        }
        catch {
            // It is gone already.
        }
    }

    async end(): Promise<void> {
        await this.kill();
        this.#remove();
    }
}

/** @returns the name of the primary, if all three nodes work, one of them as the synchronous standby */
function leaderOf(members: readonly Member[]): string | undefined {
    const leader = members.find(({ role }) => role === 'leader');
    const standbys = members.filter(({ role, state, lag }) => role !== 'leader' && ['running', 'streaming'].includes(state) && lag === 0);
    return leader?.state === 'running' && standbys.length === 2 && standbys.some(({ role }) => role === 'sync_standby') ? leader.name : undefined;
}

/** Three nodes, and HAProxy in front of them, as docs/high-availability.md has them. */
export class Cluster {
    readonly nodes: readonly Node[];
    readonly #bridge = `pw${process.pid}`;
    #url = '';
    #haproxy: Daemon | undefined;
    #db: Knex | undefined;

    constructor() {
        Object.entries(programs).filter(([program]) => !existsSync(program)).forEach(([program, debian]) => {
            throw new Error(`This scenario needs ${program}: apt-get install ${debian}`);
        });
        const dir = temporary();
        chmodSync(dir, 0o755);
        const network = `10.213.${process.pid % 250}.`;
        ip('link', 'add', this.#bridge, 'type', 'bridge');
        process.on('exit', () => this.#remove());
        ip('addr', 'add', `${network}254/24`, 'dev', this.#bridge);
        ip('link', 'set', this.#bridge, 'up');
        this.nodes = [1, 2, 3].map((number) => new Node(number, dir, network, this.#bridge));
        this.#configure = async () => {
            const port = await freePort(0);
            const config = join(dir, 'haproxy.cfg');
            writeFileSync(config, documentedFile('haproxy.cfg', { '127.0.0.1:5000': `127.0.0.1:${port}`, '10.0.0.': network }));
            this.#haproxy = await startDaemon('/usr/sbin/haproxy', ['-q', '-db', '-f', config], port, 'haproxy');
            this.#url = `postgres://pagewright:a-third-secret@127.0.0.1:${port}/pagewright`;
        };
    }

    readonly #configure: () => Promise<void>;

    async start(): Promise<void> {
        this.nodes.forEach((node) => node.start());
        const leader = await this.whole();
        const empty = leader.open('postgres');
        for (const sql of documented('sql', {}, page).split(';\n').filter(Boolean)) {
            await empty.raw(sql);
        }

        await empty.destroy();
        const db = leader.open();
        await db.raw('create table lone_writes (node text, n integer); alter table lone_writes owner to pagewright');
        await db.destroy();
        await this.#configure();
    }

    /** The URL of the primary; its `application_name` identifies the sessions in PostgreSQL. */
    url(name = 'checker'): string {
        return `${this.#url}?application_name=${name}`;
    }

    /** The checker's own connections. */
    get db(): Knex {
        this.#db ??= openDatabase({ url: this.url(), pool: 4 });
        return this.#db;
    }

    /** Waits until all three nodes say that all three work, one of them as the synchronous standby. @returns the primary @throws Error if they do not in time */
    async whole(): Promise<Node> {
        for (const deadline = Date.now() + PATIENCE; ;) {
            const views = await Promise.all(this.nodes.map((node) => node.members()));
            const [leader, ...others] = views.map(leaderOf);
            const node = this.nodes.find(({ name }) => name === leader);
            if (node !== undefined && others.every((other) => other === leader)) {
                return node;
            }

            if (Date.now() > deadline) {
                throw new Error(`The cluster is not whole after ${PATIENCE} ms: ${JSON.stringify(views)}\n${this.nodes.map((each) => each.said()).join('\n')}`);
            }

            await sleep(250);
        }
    }

    #remove(): void {
        try {
            ip('link', 'del', this.#bridge);
        }
        catch {
            // It is gone already.
        }
    }

    async end(): Promise<void> {
        await this.#db?.destroy();
        await this.#haproxy?.end('SIGKILL');
        await Promise.all(this.nodes.map((node) => node.end()));
        this.#remove();
    }
}
