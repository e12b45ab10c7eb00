import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { type Embedded, startEmbedded } from '../../../src/database/embedded';
import { stopOrphan } from '../../../src/database/embedded/server';
import { clear, isRoot, keeper, type Keeper, query, root, serverPid, temporary, until, zombie } from './keeper';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const settings = { fsync: 'off' };
const alive = (pid: number): boolean => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** An ordinary user of this machine, and whether that user can read this checkout. */
const nobody = { uid: Number(execFileSync('id', ['-u', 'nobody'])), gid: Number(execFileSync('id', ['-g', 'nobody'])) };
const nobodyCan = isRoot && spawnSync(process.execPath, ['-e', `require('${root}/node_modules/pg')`], { ...nobody, cwd: '/' }).status === 0;

describe('embedded PostgreSQL among processes', () => {
    let dir = '';
    let server: Embedded | undefined;
    const keepers: Keeper[] = [];

    const start = async (): Promise<Embedded> => {
        server = await startEmbedded({ dir, settings });
        return server;
    };

    const keep = (...args: Parameters<typeof keeper>): Keeper => {
        const kept = keeper(...args);
        keepers.push(kept);
        return kept;
    };

    const kill = async ({ child, ended }: Keeper): Promise<void> => {
        child.kill('SIGKILL');
        await ended;
    };

    before(async () => {
        dir = temporary();
        await query((await start()).url, 'CREATE TABLE kept (n int)');
        await server?.stop();
    });

    afterEach(async () => {
        await server?.stop();
        await Promise.all(keepers.splice(0).map(kill));
    });

    after(clear);

    it('is opened by one process at a time, however close together they start', async () => {
        const fresh = temporary();
        const both = [1, 2].map(() => keep({ dir: fresh, settings }, { detached: true }));
        const [winner, loser] = (await Promise.all(both.map(({ said }) => said))).sort((a) => (a.url ? -1 : 1));
        expect(winner?.fresh).to.be.true();
        expect(loser?.name).to.equal('EmbeddedInUse');
        expect(both.map(({ child }) => `${fresh} is in use by process ${child.pid}: stop that one first, or give this one a data folder of its own.`))
            .to.include(loser?.message);
        expect(await keep({ dir: fresh, attach: true }).said).to.equal({ attached: winner?.url });
        await expect(startEmbedded({ dir: fresh })).to.reject(/in use/);

        // Ctrl-C in a terminal goes to every process of the group, so the server must have its own group.
        const pid = serverPid(fresh);
        expect(Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)]))).to.equal(pid);
        await Promise.all(both.filter(({ child }) => child.exitCode === null).map(({ child, ended }) => {
            process.kill(-Number(child.pid), 'SIGINT');
            return ended;
        }));
        expect(alive(pid)).to.be.false();
        expect(readFileSync(join(fresh, 'postgres.log'), 'utf8')).to.endWith('database system is shut down\n');
    });

    it('takes the server over from a killed process', async () => {
        const killed = keep({ dir, settings });
        const { url = '' } = await killed.said;
        const pid = serverPid(dir);
        await query(url, 'INSERT INTO kept VALUES (1)');
        await kill(killed);
        expect(alive(pid)).to.be.true();

        const { fresh } = await start();
        expect(fresh).to.be.false();
        expect(alive(pid)).to.be.false();
        expect(await query(url, 'SELECT n FROM kept')).to.equal([{ n: 1 }]);
    });

    it('kills a left-over server that does not stop, without losing data', async () => {
        const killed = keep({ dir });
        const { url = '' } = await killed.said;
        await query(url, 'UPDATE kept SET n = 2');
        await kill(killed);
        await stopOrphan(join(dir, 'cluster'), 0);
        expect(readFileSync(join(dir, 'postgres.log'), 'utf8')).to.contain('received immediate shutdown request');
        await start();
        expect(await query(url, 'SELECT n FROM kept')).to.equal([{ n: 2 }]);
    });

    it('has everything that was acknowledged, after everything was killed', async () => {
        const killed = keep({ dir });
        const { url = '' } = await killed.said;
        await query(url, 'TRUNCATE kept');
        let acknowledged = 0;
        const writing = (async () => {
            for (;;) {
                await query(url, `INSERT INTO kept VALUES (${acknowledged})`);
                ++acknowledged;
            }
        })().catch(() => 'refused');
        for (const end = Date.now() + 10_000; acknowledged < 20 && Date.now() < end;) {
            await sleep(5);
        }

        process.kill(serverPid(dir), 'SIGKILL');
        await kill(killed);
        expect(await writing).to.equal('refused');

        const [{ n } = {}] = await query((await start()).url, 'SELECT count(*)::int AS n FROM kept');
        expect(acknowledged).to.be.above(10);
        expect(n === acknowledged || n === acknowledged + 1).to.be.true();
    });

    it('is not misled by a pid file of a zombie or of another program', async () => {
        await start();
        const file = join(dir, 'cluster/postmaster.pid');
        const [pid, ...lines] = readFileSync(file, 'utf8').split('\n');
        await server?.stop();
        const owner = statSync(join(dir, 'cluster'));
        const dead = await zombie({ uid: owner.uid, gid: owner.gid });
        const stranger = spawn('sleep', ['60'], { uid: owner.uid, gid: owner.gid, cwd: '/' });
        for (const other of [dead.pid, stranger.pid, pid]) {
            writeFileSync(file, [other, ...lines].join('\n'));
            expect(await query((await start()).url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);
            await server?.stop();
        }

        expect(alive(Number(stranger.pid))).to.be.true();
        stranger.kill();
        dead.end();
    });

    it('starts after one that was killed while it wrote its pid file, and leaves a file alone that is being written', async () => {
        const file = join(dir, 'cluster/postmaster.pid');
        writeFileSync(file, '');
        setTimeout(() => writeFileSync(file, '999999\n'), 100);
        await stopOrphan(join(dir, 'cluster'));
        expect(readFileSync(file, 'utf8')).to.equal('999999\n');
        for (const part of ['', '1', '999999', '999999\n/somewhere\n']) {
            writeFileSync(file, part);
            expect(await query((await start()).url, 'SELECT 1 AS n'), part).to.equal([{ n: 1 }]);
            await server?.stop();
        }
    });

    it('waits for the remaining processes of a killed server', async () => {
        const killed = keep({ dir, settings });
        const { url = '' } = await killed.said;
        const [{ pid } = {}] = await query(url, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`);
        process.kill(Number(pid), 'SIGSTOP');
        process.kill(serverPid(dir), 'SIGKILL');
        await kill(killed);
        setTimeout(() => process.kill(Number(pid), 'SIGCONT'), 700);
        const started = await start();
        expect(readFileSync(join(dir, 'postgres.log'), 'utf8')).to.contain('still in use');
        // Another program may have taken the port meanwhile.
        expect(await query(started.url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);
    });

    it('repairs a first start that was killed half-way', async () => {
        const half = temporary();
        const unfinished = (): string | undefined => readdirSync(half).find((name) => name.startsWith('cluster.new.'));
        const first = keep({ dir: half, settings });
        await until(() => existsSync(join(half, String(unfinished()), 'data/PG_VERSION')));
        await kill(first);
        expect(existsSync(join(half, 'cluster'))).to.be.false();

        const { fresh, url, stop } = await startEmbedded({ dir: half, settings });
        expect(fresh).to.be.true();
        expect(await query(url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);
        await stop();
        // An initdb whose parent was killed may make folders again; the next start deletes them.
        const next = await startEmbedded({ dir: half, settings });
        expect(unfinished()).to.be.undefined();
        await next.stop();
    });

    it('repairs a first start that was killed after the cluster was made and before the database', async () => {
        const half = temporary();
        const first = keep({ dir: half, settings });
        // A server that was started an instant before the kill writes this file later than the next start looks for it.
        await until(() => existsSync(join(half, 'cluster/postmaster.pid')));
        await kill(first);
        const { url, stop } = await startEmbedded({ dir: half, settings });
        expect(await query(url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);
        await stop();
    });

    it('runs for an ordinary user', { skip: !nobodyCan }, async () => {
        const own = temporary(nobody.uid);
        const first = keep({ dir: join(own, 'data'), settings }, nobody);
        const { fresh, url = '' } = await first.said;
        expect(fresh).to.be.true();
        expect(await query(url, 'SELECT 1 AS n')).to.equal([{ n: 1 }]);
        expect(statSync(`/proc/${serverPid(join(own, 'data'))}`).uid).to.equal(nobody.uid);
        expect(await keep({ dir: join(own, 'data'), attach: true }, nobody).said).to.equal({ attached: url });

        // Killed and taken over, then stopped normally.
        await kill(first);
        const second = keep({ dir: join(own, 'data'), settings }, nobody);
        expect(await second.said).to.equal({ fresh: false, url });
        second.child.kill('SIGINT');
        await second.ended;

        // Root can continue with it, as its owner.
        const { stop } = await startEmbedded({ dir: join(own, 'data'), settings });
        expect(statSync(`/proc/${serverPid(join(own, 'data'))}`).uid).to.equal(nobody.uid);
        await stop();
    });

    it('tells another user that it is not their folder', { skip: !nobodyCan }, async () => {
        const { message } = await keep({ dir }, nobody).said;
        expect(message).to.match(/data folder .* cannot be used \(.*EACCES.*\)\. Run as the user it belongs to, .* or set DATABASE_URL/);
    });

    it('runs for root as another user, in a folder that one cannot enter', { skip: !isRoot }, async () => {
        await start();
        expect(statSync(dir)).to.include({ uid: 0, mode: 0o40700 });
        expect(statSync(`/proc/${serverPid(dir)}`).uid).to.equal(Number(execFileSync('id', ['-u', 'postgres'])));
    });
});
