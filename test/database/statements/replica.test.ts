import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';
import pino from 'pino';

import { openDatabase } from '../../../src/database/statements/connection';
import { startEmbedded } from '../../../src/database/embedded';
import type { Embedded } from '../../../src/database/embedded';
import { databaseFault } from '../../../src/api/errors/database';
import { migrate } from '../../../src/database/statements/migrate';
import { followReplica } from '../../../src/database/statements/replica';
import type { Replica } from '../../../src/database/statements/replica';
import { openAuthor } from '../../support/authoring';
import { emptyDatabase } from '../../support/database';
import { listen } from '../../support/host';
import { startTestServer } from '../../support/server';
import { startStandby } from '../../support/standby';
import type { Standby } from '../../support/standby';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('a streaming replica', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    let embedded: Embedded;
    let primary: Knex;
    let standby: Standby;
    let replica: Replica | undefined;
    let told: string[] = [];

    before(async () => {
        embedded = await startEmbedded({ dir, settings: { fsync: 'off', wal_keep_size: '1GB' } });
        primary = openDatabase({ url: embedded.url, pool: 4 });
        await migrate(primary);
        standby = await startStandby(embedded.url);
    });

    afterEach(async () => {
        await replica?.close();
        replica = undefined;
        told = [];
        await standby.start();
        await standby.resume();
    });

    after(async () => {
        await standby.drop();
        await primary.destroy();
        await embedded.stop();
        rmSync(dir, { recursive: true, force: true });
    });

    const follow = ({ url = standby.url, maxAge = 1000, of = primary } = {}): Replica => {
        const logger = pino({ base: null, timestamp: false }, { write: (line) => {
            const { msg, why = '' } = JSON.parse(line);
            told.push(`${msg} ${why}`.trim());
        } });
        replica = followReplica({ primary: of, url, pool: 4, maxAge, logger });
        return replica;
    };

    const isStandby = async (db: Knex): Promise<boolean> => {
        const { rows: [{ standby: is }] } = await db.raw('select pg_is_in_recovery() as standby');
        return is;
    };

    /** Writes something that a paused replica does not have yet. */
    const write = (): Promise<unknown> => primary.raw('create table written_once(); drop table written_once');

    /** Reads until the replica is used, or is not. */
    const untilUsed = async (used: boolean, patience = 10_000): Promise<void> => {
        const start = performance.now();
        while (await replica?.read(isStandby) !== used) {
            if (performance.now() - start > patience) {
                throw new Error(`It is not ${used ? 'used' : 'left alone'}: ${told.join('; ')}`);
            }

            await sleep(20);
        }
    };

    const USED = 'public lists are read from the replica';
    const UNUSED = 'public lists are read from the primary';

    it('is refused as the database itself, because it accepts no writes', async () => {
        const db = openDatabase({ url: standby.url, pool: 1 });
        try {
            const refused = await expect(db.raw('select 1')).to.reject('This server is a standby, which accepts no writes');
            expect(databaseFault(refused)?.output.statusCode).to.equal(503);
            expect(databaseFault(refused)?.data.code).to.equal('service_unavailable');
        }
        finally {
            await db.destroy();
        }
    });

    it('is read once it is known to be fresh, and while it is', async () => {
        const { read } = follow();
        expect(await read(isStandby)).to.be.false();
        await untilUsed(true);
        for (let i = 0; i < 10; ++i) {
            await write();
            await sleep(100);
            expect(await read(isStandby)).to.be.true();
        }

        expect(told).to.equal([USED]);
    });

    it('is not used as soon as it may lag too far, and used again when it has caught up', async () => {
        const { read } = follow();
        await untilUsed(true);
        await sleep(600);
        await read(isStandby);
        await sleep(200);
        await standby.pause();
        await write();
        const written = performance.now();
        // It has everything written before, which is recent enough for a while.
        let lastUsed = -Infinity;
        for (let began = written; await read(isStandby); began = performance.now()) {
            lastUsed = began;
            await sleep(20);
        }

        expect(lastUsed - written).to.be.between(1000, 3000);
        await sleep(1000);
        expect(await read(isStandby)).to.be.false();
        await standby.resume();
        await untilUsed(true);
        expect(told.map((line) => line.replace(/ The .*/, ''))).to.equal([USED, UNUSED, USED]);
        expect(told[1]).to.match(/ The replica lags by more than 3000 ms\.$/);
    });

    it('is used while it lags a little', async () => {
        follow();
        await untilUsed(true);
        const deadline = performance.now() + 4000;
        let [ofReplica, all] = [0, 0];
        while (performance.now() < deadline) {
            await standby.pause();
            await write();
            await sleep(700);
            all++;
            ofReplica += Number(await replica?.read(isStandby));
            await standby.resume();
            await sleep(50);
        }

        expect(ofReplica).to.equal(all);
        expect(told).to.equal([USED]);
    });

    it('causes no failed request when it goes away, and is used again when it is back', async () => {
        const { read } = follow();
        await untilUsed(true);
        await standby.stop();
        for (let i = 0; i < 100; ++i) {
            expect(await read(isStandby)).to.be.false();
            await sleep(10);
        }

        expect(told[1]).to.match(/^public lists are read from the primary The replica failed: ./);
        await standby.start();
        await untilUsed(true, 15_000);
        expect(told).to.have.length(3);
    });

    it('that is slow delays one read by a second, and the next ones not at all', async () => {
        const { read } = follow();
        await untilUsed(true);
        const tried: ('primary' | 'replica')[] = [];
        const slow = async (db: Knex): Promise<unknown> => {
            tried.push(db === primary ? 'primary' : 'replica');
            const { rows } = await db.raw('select pg_is_in_recovery() as standby, case when pg_is_in_recovery() then pg_sleep(5) end');
            return rows[0].standby;
        };

        const start = performance.now();
        expect(await read(slow)).to.be.false();
        // Not the five seconds of the query.
        expect(performance.now() - start).to.be.between(950, 4500);
        expect(await read(slow)).to.be.false();
        expect(tried).to.equal(['replica', 'primary', 'primary']);
        await sleep(1000);
        expect(await read(isStandby)).to.be.false();
        expect(told).to.have.length(2);
        expect(told[1]).to.match(/ The replica failed: .* - (Query read timeout|canceling statement due to statement timeout)$/);
    });

    it('is not trusted if its answer is too old when it arrives', async () => {
        // With this cache time, 0.1 of the five seconds are left for the replica, besides a second for the response.
        const { read } = follow({ maxAge: 3900 });
        await sleep(100);
        const late = async (db: Knex): Promise<boolean> => {
            const is = await isStandby(db);
            await sleep(is ? 1200 : 0);
            return is;
        };

        const answers = new Set<boolean>();
        for (let i = 0; i < 40 && answers.size < 2; ++i) {
            answers.add(await read(isStandby));
            expect(await read(late)).to.be.false();
            await sleep(20);
        }

        expect(answers.size).to.equal(2);
    });

    it('is not used if it is the primary itself, follows another primary, or is ahead of its primary', async () => {
        const refusedFor = async (reason: string): Promise<void> => {
            for (let i = 0; i < 8; ++i) {
                expect(await replica?.read(isStandby)).to.be.false();
                await sleep(100);
            }

            expect(told.splice(0)).to.equal([`${UNUSED} The replica failed: ${reason}`]);
            await replica?.close();
        };

        follow({ url: embedded.url });
        await refusedFor('it is not a standby');

        const another = await emptyDatabase();
        follow({ of: another.db });
        await refusedFor('it does not follow this primary');
        await another.drop();

        // After a failover: a primary whose write-ahead log continues from an earlier position.
        await primary.raw('create schema earlier; create function earlier.pg_current_wal_flush_lsn() returns pg_lsn return \'0/1\'::pg_lsn');
        const earlier = openDatabase({ url: `${embedded.url}?options=-c%20search_path%3Dearlier%2Cpg_catalog`, pool: 1 });
        follow({ of: earlier });
        await refusedFor('it does not follow this primary');
        await earlier.destroy();
    });

    it('needs only a role without special rights', async () => {
        await primary.raw('create role plain login password \'plain\'');
        const plain = new URL(embedded.url);
        plain.username = plain.password = 'plain';
        const of = openDatabase({ url: plain.href, pool: 1 });
        plain.port = new URL(standby.url).port;
        follow({ of, url: plain.href });
        await untilUsed(true);
        await of.destroy();
    });

    it('that accepts connections and does not respond delays nobody', async () => {
        const sockets: Socket[] = [];
        const mute = createServer((socket) => void sockets.push(socket));
        const { read } = follow({ url: `postgres://127.0.0.1:${await listen(mute)}/pagewright` });
        const deadline = performance.now() + 2500;
        const times: number[] = [];
        while (performance.now() < deadline) {
            const start = performance.now();
            expect(await read(isStandby)).to.be.false();
            times.push(performance.now() - start);
            await sleep(100);
        }

        // One that waits for the replica takes a second. A single one may also be slow because the machine is busy.
        expect(times.filter((ms) => ms > 900).length, times.join()).to.be.at.most(Math.floor(times.length / 4));
        expect(sockets.length).to.be.above(0);
        expect(told).to.have.length(1);
        sockets.forEach((socket) => socket.destroy());
        mute.close();
    });

    it('has every visible commit, also with asynchronous commits', async () => {
        const hasty = openDatabase({ url: `${embedded.url}?options=-c%20synchronous_commit%3Doff`, pool: 2 });
        const { read } = follow({ of: hasty });
        for (let i = 0; i < 10; ++i) {
            await hasty.raw('create table written_hastily(); drop table written_hastily');
            await sleep(100);
            await read(isStandby);
        }

        await untilUsed(true);
        await hasty.destroy();
    });

    it('is used only for the first pages of public lists', async () => {
        const server = await startTestServer({ replica: follow(), database: { db: primary, url: embedded.url, drop: () => Promise.resolve() } });
        const ada = await openAuthor(server, 'ada');
        const titles = async (url: string): Promise<string[]> => (await server.call('GET', url)).body.projects.map(({ title }: { title: string }) => title);
        for (const title of ['One', 'Two']) {
            const { url } = await ada.project({ title, description: '#slow' });
            await primary.raw('update users set moderator = true');
            expect((await ada.call('PATCH', `${url}/feature`, { featured: true })).status).to.equal(200);
        }

        await untilUsed(true);
        await sleep(600);
        await untilUsed(true);
        await standby.pause();
        const { url, id } = await ada.project({ title: 'Three', description: '#slow #newest' });
        expect((await ada.call('PATCH', `${url}/feature`, { featured: true })).status).to.equal(200);
        // Not listed yet, so these lists come from the replica.
        for (const list of ['/projects', '/projects?page=1', '/projects/tagged/slow', '/discover', '/discover/en']) {
            expect(await titles(list), list).to.equal(['Two', 'One']);
        }

        expect((await server.call('GET', '/featured-tags')).body.featured).to.equal(['slow']);
        // A read returns the author's latest writes.
        expect(await titles(`/users/${ada.id}/projects`)).to.equal(['Three', 'Two', 'One']);
        expect((await server.call('GET', `/projects/${id}`)).status).to.equal(200);
        expect((await server.call('GET', url)).body.project.featured).to.be.true();

        // A list that began on the primary is not continued on the replica, which would leave something out.
        const begun = await startTestServer({ database: { db: primary, url: embedded.url, drop: () => Promise.resolve() } });
        await standby.resume();
        await untilUsed(true);
        await sleep(600);
        await untilUsed(true);
        await standby.pause();
        await ada.project({ title: 'Four' });
        await ada.project({ title: 'Five' });
        const { body: { projects, next } } = await begun.call('GET', '/projects?count=1');
        expect(projects[0].title).to.equal('Five');
        expect(await titles('/projects?count=1')).to.equal(['Three']);
        expect(await titles(`/projects?count=2&after=${next}`)).to.equal(['Four', 'Three']);
        await begun.stop();
        await server.stop();
    });
});
