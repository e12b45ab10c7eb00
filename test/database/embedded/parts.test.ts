import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { ensureAccount } from '../../../src/database/embedded/account';
import { findPrograms, packagedPrograms } from '../../../src/database/embedded/binaries';
import { ensureCluster } from '../../../src/database/embedded/cluster';
import { hasCode, openFolder } from '../../../src/database/embedded/folder';
import { claim, EmbeddedInUse } from '../../../src/database/embedded/owner';
import { inspect, inspectPs } from '../../../src/database/embedded/processes';
import { build, clear, isRoot, temporary, zombie } from './keeper';

export const lab = Lab.script();
const { after, describe, it } = lab;

after(clear);

const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

describe('processes', () => {
    it('are distinguished from earlier ones, and zombies do not count', async () => {
        const dead = await zombie();
        for (const look of [inspect, inspectPs]) {
            const facts = look(process.pid);
            expect(facts?.command).to.contain(process.argv[1]);
            expect(facts).to.equal(look(process.pid));
            expect(look(1)?.start).to.not.equal(facts?.start);
            expect(look(2 ** 22 + 1)).to.be.null();
            expect(look(dead.pid)).to.be.null();
        }

        dead.end();
    });
});

describe('claim()', () => {
    const start = inspect(process.pid)?.start;

    it('fails while the owner lives, and can be released', () => {
        const folder = temporary();
        const release = claim(folder);
        expect(() => claim(folder)).to.throw(EmbeddedInUse);
        expect(readdirSync(folder)).to.equal(['owner.1']);
        expect(readlinkSync(join(folder, 'owner.1'))).to.equal(`${process.pid} ${start}`);
        release();
        claim(folder)();
        expect(readdirSync(folder)).to.equal(['owner.4']);
    });

    it('takes over from dead owners, also if another process has their pid', async () => {
        const dead = await zombie();
        const folder = temporary();
        for (const owner of [`${2 ** 22 + 1} ${start}`, `${process.pid} earlier`, `${dead.pid} ${start}`, '', 'free']) {
            symlinkSync(owner || 'x', join(folder, 'owner.7'));
            claim(folder)();
            expect(readdirSync(folder)).to.equal(['owner.9']);
            rmSync(join(folder, 'owner.9'));
        }

        dead.end();
    });

    it('reports an error if it cannot', () => {
        expect(() => claim('/proc/self')).to.throw(/owner\.1/);
    });

    it('lets one in at a time, even if some die', async () => {
        const folder = temporary();
        const contender = `
            const { claim } = require('${build()}/src/database/embedded/owner.js');
            const { mkdirSync, rmdirSync } = require('fs');
            const inside = '${folder}/inside';
            for (let entered = 0; entered < 100;) {
                let release;
                try { release = claim('${folder}'); } catch (error) { if (error.name !== 'EmbeddedInUse') throw error; continue; }
                mkdirSync(inside); // Fails, and ends the process, if another one is inside.
                rmdirSync(inside);
                if (++entered === 50 && process.argv[1] === 'dies') process.kill(process.pid, 'SIGKILL');
                release();
            }`;
        const ends = await Promise.all(['dies', 'dies', 'lives', 'lives', 'lives'].map((fate) => new Promise((take) => {
            spawn(process.execPath, ['-e', contender, fate], { stdio: ['ignore', 'inherit', 'inherit'] })
                .once('exit', (code, signal) => take(signal ?? code));
        })));
        expect(ends).to.equal(['SIGKILL', 'SIGKILL', 0, 0, 0]);
    });
});

describe('folders', () => {
    it('are rejected with advice', () => {
        expect(() => openFolder('/dev/null/data')).to.throw(/data folder \/dev\/null\/data cannot be used .* set DATABASE_URL/);
        expect(() => openFolder('/proc/x/y')).to.throw(/data folder \/proc\/x\/y cannot be used .*ENOENT/);
        const link = join(temporary(), 'link');
        symlinkSync('/nowhere', link);
        expect(() => openFolder(link)).to.throw(/cannot be used .*ENOENT/);
        expect([hasCode('EACCES', 'EACCES'), hasCode(new Error('EACCES'), 'EACCES')]).to.equal([false, false]);
    });
});

describe('ensureAccount()', () => {
    it('finds a user, and reports an error if it cannot create one', () => {
        expect(ensureAccount('root')).to.equal({ uid: 0, gid: 0 });
        expect(() => ensureAccount('not:a:name')).to.throw(/user "not:a:name" to run it as could not be created [^]* Create that user/);
    });

    it('creates a missing user', { skip: !isRoot }, () => {
        const name = `pw-test-${process.pid}`;
        try {
            const account = ensureAccount(name);
            expect(account.uid).to.be.above(0);
            expect(ensureAccount(name)).to.equal(account);
            expect(execFileSync('getent', ['passwd', name], { encoding: 'utf8' })).to.contain('/nonexistent:/usr/sbin/nologin');
        }
        finally {
            execFileSync('userdel', [name], { stdio: 'ignore' });
        }
    });
});

describe('findPrograms()', () => {
    /** The package as an install without scripts leaves it, in a folder closed to other users. */
    const install = (): string => {
        const folder = join(temporary(), 'linux');
        execFileSync('cp', ['-RP', packagedPrograms(), folder]);
        execFileSync('find', [join(folder, 'native/lib'), '-maxdepth', '1', '-type', 'l', '-delete']);
        ['initdb', 'postgres'].forEach((name) => chmodSync(join(folder, 'native/bin', name), 0o644));
        return folder;
    };

    it('reports an error if there are none', () => {
        expect(() => packagedPrograms('plan9-vax')).to.throw(/no embedded PostgreSQL for plan9-vax .* set DATABASE_URL/);
    });

    it('completes an install that ran no scripts', async () => {
        const folder = install();
        expect(await findPrograms(undefined, folder)).to.equal(join(folder, 'native/bin'));
        expect(await findPrograms(own, folder)).to.equal(join(folder, 'native/bin'));
        expect(readlinkSync(join(folder, 'native/lib/libpq.so.5'))).to.equal('libpq.so.5.18');
        expect(statSync(join(folder, 'native/bin/postgres')).mode & 0o777).to.equal(0o755);
    });

    it('reports what is wrong with an install that cannot be completed', async () => {
        const folder = install();
        rmSync(join(folder, 'native/lib'), { recursive: true });
        await expect(findPrograms(undefined, folder)).to.reject(/in .*linux does not run: .*[^]*shared libraries: [^]*npm rebuild[^]* set DATABASE_URL/);
    });

    it('copies what the account cannot reach, once', { skip: !isRoot }, async () => {
        const store = temporary();
        const folder = install();
        const account = ensureAccount('postgres');
        const find = (): Promise<string> => findPrograms(account, folder, join(store, 'copies'));
        const outcomes = await Promise.allSettled([find(), find()]);
        // At this point the store is also closed to others.
        expect(outcomes.map((outcome) => outcome.status === 'rejected' && /copies\/postgres-18.* does not run/.test(outcome.reason)))
            .to.equal([true, true]);

        chmodSync(store, 0o755);
        const bin = await find();
        expect(bin).to.match(/copies\/postgres-18\.[^/]+\/native\/bin$/);
        expect(readdirSync(join(store, 'copies')).length).to.equal(1);
        expect(await find()).to.equal(bin);
    });

    it('reports an error if a copy does not help either', async () => {
        const store = join(temporary(), 'copies');
        const folder = install();
        rmSync(join(folder, 'native/bin/initdb'));
        // Executing a folder fails like executing a file in a closed one, also for root.
        mkdirSync(join(folder, 'native/bin/initdb'));
        for (const reason of ['the first time', 'the copy being there']) {
            await expect(findPrograms(own, folder, store), reason).to.reject(/copies\/postgres-18.* does not run: .*EACCES/);
        }
    });
});

describe('ensureCluster()', () => {
    it('reports the output of initdb, and leaves nothing behind', async () => {
        const folder = temporary();
        const bin = join(folder, 'bin');
        await expect(ensureCluster({ folder, bin, password: 'x' })).to.reject(/could not make its cluster \(spawn .*initdb ENOENT\)/);
        mkdirSync(bin);
        writeFileSync(join(bin, 'initdb'), '#!/bin/sh\necho "no room in $2"\nexit 7\n', { mode: 0o755 });
        await expect(ensureCluster({ folder, bin, password: 'x' }))
            .to.reject(new RegExp(`could not make its cluster \\(exit code 7\\):\nno room in ${folder}/cluster.new.*/data$`));
        await expect(ensureCluster({ folder, bin, password: 'x', account: own })).to.reject(/no room in \/proc\/self\/fd\/3\/data$/);
        expect(readdirSync(folder).sort()).to.equal(['bin', 'postgres.log']);
    });
});
