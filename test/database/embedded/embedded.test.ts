import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { attachEmbedded, type Embedded, EmbeddedInUse, startEmbedded } from '../../../src/database/embedded';
import { findServer } from '../../../src/database/embedded/server';
import { clear, query, serverPid, temporary, until } from './keeper';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const settings = { fsync: 'off' };
const mode = (path: string): number => statSync(path).mode & 0o777;
const altered = (url: string, part: 'password' | 'hostname', value: string): string => Object.assign(new URL(url), { [part]: value }).href;

/** Every command line on the machine. */
const commands = (): string => spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;

describe('embedded PostgreSQL', () => {
    let dir = '';
    let server: Embedded | undefined;

    const start = async (log?: (message: string) => void): Promise<Embedded> => {
        server = await startEmbedded({ dir, log, settings });
        return server;
    };

    before(async () => {
        dir = join(temporary(), 'made', 'anew');
        const { fresh, stop } = await start();
        expect(fresh).to.be.true();
        await stop();
    });

    afterEach(() => server?.stop());
    after(clear);

    it('finds its cluster again after a normal stop, at the same URL', async () => {
        const first = await start();
        await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
        await first.stop();
        expect(existsSync(join(dir, 'cluster/postmaster.pid'))).to.be.false();

        const second = await start();
        expect(second.fresh).to.be.false();
        expect(second.url).to.equal(first.url);
        expect(await query(second.url, 'SELECT n FROM kept')).to.equal([{ n: 1 }]);
        expect(readFileSync(join(dir, 'postgres.log'), 'utf8')).to.not.contain('not properly shut down');
    });

    it('rejects other users', async () => {
        const { url } = await start();
        expect([dir, join(dir, 'cluster')].map(mode)).to.equal([0o700, 0o700]);
        expect([join(dir, 'url'), join(dir, 'postgres.log')].map(mode)).to.equal([0o600, 0o600]);
        await expect(query(altered(url, 'password', 'guess'), 'SELECT')).to.reject(/password authentication failed/);
        await expect(query(altered(url, 'password', ''), 'SELECT')).to.reject();
        // 127.* is this machine, so a server that listens on every address would respond here.
        await expect(query(altered(url, 'hostname', '127.0.0.2'), 'SELECT')).to.reject(/ECONNREFUSED/);
        const [shown] = await query(url, `SELECT current_setting('unix_socket_directories') AS sockets,
            current_setting('password_encryption') AS passwords, (SELECT count(*)::int FROM pg_hba_file_rules
            WHERE auth_method NOT IN ('scram-sha-256', 'reject')) AS others`);
        expect(shown).to.equal({ sockets: '', passwords: 'scram-sha-256', others: 0 });
    });

    it('never shows its password in a command line or a readable file', async () => {
        const fresh = temporary();
        const starting = startEmbedded({ dir: fresh, settings });
        const seen: string[] = [];
        await until(() => {
            seen.push(commands());
            return existsSync(join(fresh, 'cluster'));
        });
        const { url, stop } = await starting;
        seen.push(commands());
        await stop();
        const { password } = new URL(url);
        expect(password.length).to.equal(32);
        expect(seen.some((all) => all.includes('initdb'))).to.be.true();
        expect(seen.filter((all) => all.includes(password))).to.be.empty();
        expect(spawnSync('grep', ['-rlF', '-e', password, fresh], { encoding: 'utf8' }).stdout.trim()).to.equal(join(fresh, 'url'));
    });

    it('has the same encoding and collation on every machine', async () => {
        const { url, stop } = await startEmbedded({ dir });
        const [shown] = await query(url, `SELECT current_setting('server_encoding') AS encoding, lower('ИСКУССТВО') AS lower,
            'a' > 'B' AS by_code, current_setting('timezone') AS zone, current_setting('fsync') AS fsync,
            current_setting('data_checksums') AS checksums, current_setting('server_version_num')::int / 10000 AS version`);
        await stop();
        expect(shown).to.equal({
            encoding: 'UTF8', lower: 'искусство', by_code: true, zone: 'UTC', fsync: 'on', checksums: 'on', version: 18
        });
    });

    it('uses a reasonable share of the memory', async () => {
        const { url, stop } = await startEmbedded({ dir });
        const [shown] = await query(url, `SELECT pg_size_bytes(current_setting('shared_buffers')) / 1048576 AS buffers`);
        await stop();
        // This machine has more than the 64 MiB that PostgreSQL needs, and PostgreSQL must not use all of it.
        expect(Number(shown?.buffers)).to.be.above(16).and.to.be.at.most(Math.min(4096, totalmem() / 4 / 2 ** 20));
    });

    it('accepts settings, but none that would open it to others', async () => {
        const { url, stop } = await startEmbedded({ dir, settings: { ...settings, work_mem: '5MB', listen_addresses: '*' } });
        const [shown] = await query(url, `SELECT current_setting('fsync') AS fsync, current_setting('work_mem') AS memory,
            current_setting('listen_addresses') AS addresses`);
        await stop();
        expect(shown).to.equal({ fsync: 'off', memory: '5MB', addresses: '127.0.0.1' });
    });

    it('moves to another port when its own is taken, and keeps that one', async () => {
        const old = readFileSync(join(dir, 'url'), 'utf8').trim();
        const squatter = createServer().listen(Number(new URL(old).port), '127.0.0.1');
        const { url } = await start();
        squatter.close();
        expect(new URL(url).port).to.not.equal(new URL(old).port);
        expect(await query(url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);
        expect(readFileSync(join(dir, 'url'), 'utf8').trim()).to.equal(url);
    });

    it('reports the server\'s output if it does not start, and releases the folder', async () => {
        await expect(startEmbedded({ dir, settings: { max_connections: 'plenty' } }))
            .to.reject(/did not start \(exit code 1\)[^]*invalid value for parameter "max_connections": "plenty"/);
        await start();
    });

    it('rejects a folder that this process has already opened', async () => {
        await start();
        const error = await expect(startEmbedded({ dir })).to.reject(EmbeddedInUse);
        expect(error.message).to.contain(`${dir} is in use by process ${process.pid}`);
    });

    it('is started again when it ends by itself, at the same URL, with all its data', async () => {
        const messages: string[] = [];
        const { url } = await start((message) => messages.push(message));
        await query(url, 'CREATE TABLE outlasting AS SELECT 7 AS n');
        process.kill(serverPid(dir), 'SIGKILL');
        const takesConnections = 'The embedded PostgreSQL takes connections again.';
        // On a busy machine the processes of the old one end after a first try to start the next, which then finds its memory in use.
        const times = (): number => messages.filter((message) => message === takesConnections).length;
        await until(() => times() === 1);
        expect(messages.filter((message) => !message.includes('shared memory block'))).to.equal(['The embedded PostgreSQL ended by itself (SIGKILL): it is started again.', takesConnections]);
        expect(await query(url, 'SELECT n FROM outlasting')).to.equal([{ n: 7 }]);
        expect(await attachEmbedded(dir)).to.equal(url);

        // One that is killed while it writes its pid file leaves an empty one.
        const pid = serverPid(dir);
        writeFileSync(join(dir, 'cluster/postmaster.pid'), '');
        process.kill(pid, 'SIGKILL');
        await until(() => times() === 2);

        // It may end while it is being stopped, or without a listener.
        process.kill(serverPid(dir), 'SIGKILL');
        await server?.stop();
        expect(findServer(join(dir, 'cluster'))).to.be.null();
        await start();
        const last = serverPid(dir);
        process.kill(last, 'SIGQUIT');
        // The next one may be up before the failure is noticed.
        await until(() => {
            const next = findServer(join(dir, 'cluster'));
            return next?.ready === true && next.pid !== last;
        });
    });

    it('is started again when the obstacle is gone, unless it is stopped before', async () => {
        const messages: string[] = [];
        const { url, stop } = await start((message) => messages.push(message));
        const file = join(dir, 'cluster/global/pg_control');
        const harm = async (): Promise<void> => {
            messages.length = 0;
            renameSync(file, `${file}.away`);
            process.kill(serverPid(dir), 'SIGKILL');
            await until(() => messages.some((message) => /^Error: The embedded PostgreSQL did not start \(exit code [^]*pg_control/.test(message)));
        };

        await harm();
        renameSync(`${file}.away`, file);
        await until(() => messages.at(-1) === 'The embedded PostgreSQL takes connections again.');
        expect(await query(url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);

        await harm();
        await stop();
        const { length } = messages;
        renameSync(`${file}.away`, file);
        await sleep(300);
        expect(messages.length).to.equal(length);
        expect(findServer(join(dir, 'cluster'))).to.be.null();
    });

    it('can be stopped without waiting, and stops once even if told several times', async () => {
        const { stop, stopNow } = await start();
        const pid = serverPid(dir);
        stopNow();
        await Promise.all([stop(), stop()]);
        expect(() => process.kill(pid, 0)).to.throw(/ESRCH/);
        expect(readFileSync(join(dir, 'postgres.log'), 'utf8')).to.endWith('database system is shut down\n');
        stopNow();
    });

    it('gives its URL to other processes only while it runs', async () => {
        expect(await attachEmbedded(join(dir, 'nowhere'))).to.be.null();
        expect(await attachEmbedded(temporary())).to.be.null();
        expect(await attachEmbedded(dir)).to.be.null();
        const { url } = await start();
        expect(await attachEmbedded(dir)).to.equal(url);

        // As during the very first start, before the database is created.
        await query(url.replace(/pagewright$/, 'postgres'), 'DROP DATABASE pagewright');
        expect(await attachEmbedded(dir)).to.be.null();
        await server?.stop();
        expect(await query((await start()).url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);
    });

    it('does not guess a lost password', async () => {
        const file = join(dir, 'url');
        const url = readFileSync(file, 'utf8');
        writeFileSync(file, altered(url, 'password', 'guess'));
        await expect(startEmbedded({ dir, settings })).to.reject(/password authentication failed/);
        expect(existsSync(join(dir, 'cluster/postmaster.pid'))).to.be.false();
        rmSync(file);
        await expect(startEmbedded({ dir, settings })).to.reject(/url with the password of .* is missing/);
        writeFileSync(file, url);
        await start();
    });

    it('rotates a large log', async () => {
        const log = join(dir, 'postgres.log');
        appendFileSync(log, 'x'.repeat(6_000_000));
        await start();
        expect(statSync(log).size).to.be.below(100_000);
        expect(statSync(`${log}.old`).size).to.be.above(6_000_000);
    });

    it('stops even when its folder was deleted under it', async () => {
        const doomed = temporary();
        const { stop } = await startEmbedded({ dir: doomed, settings });
        rmSync(doomed, { recursive: true });
        await stop();
        expect(existsSync(doomed)).to.be.false();
    });

    it('leaves only its own files', () => {
        expect(readdirSync(dir).sort().filter((name) => !name.startsWith('owner.'))).to.equal(['cluster', 'postgres.log', 'postgres.log.old', 'url']);
        expect(readdirSync(dir).filter((name) => name.startsWith('owner.')).length).to.equal(1);
    });
});
