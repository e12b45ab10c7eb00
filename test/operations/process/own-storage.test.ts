import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openStorage } from '../../../src/files/assets/open-storage';
import { openDatabase } from '../../../src/database/statements/connection';
import { migrate } from '../../../src/database/statements/migrate';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { addressIn, build, startProgram } from '../../support/program';
import type { Program } from '../../support/program';
import { BUCKET, S3_KEYS, startS3 } from '../../support/s3';

export const lab = Lab.script();
const { afterEach, before, beforeEach, describe, it } = lab;

/** Instances and commands in processes of their own, which share a database, but perhaps not the place for pictures and sounds. */
describe('the place for pictures and sounds', () => {
    let root: string;
    let database: TestDatabase;
    const running: Program[] = [];
    const closing: (() => Promise<void>)[] = [];

    before(() => build());

    beforeEach(async () => {
        root = await mkdtemp(join(tmpdir(), 'pagewright-place-'));
        database = await emptyDatabase();
    });

    const stopAll = async (): Promise<void> => {
        const programs = running.splice(0);
        programs.forEach(({ child }) => child.kill('SIGTERM'));
        await Promise.all(programs.map(({ ended }) => ended));
    };

    afterEach(async () => {
        await stopAll();
        await Promise.all(closing.splice(0).map((close) => close()));
        await database.drop();
        await rm(root, { recursive: true });
    });

    const folder = (name: string): string => join(root, name);
    const settings = (name: string): Record<string, string> => ({ DATABASE_URL: database.url, DATA_DIR: folder(name), PORT: '0', THUMBNAILS: 'off' });

    const start = (env: Record<string, string>): Program => {
        const program = startProgram('start', env);
        running.push(program);
        return program;
    };

    const refused = async (env: Record<string, string>): Promise<string> => {
        const program = start(env);
        expect(await program.ended).to.equal(78);
        return program.err;
    };

    const adopt = async (env: Record<string, string>, ...args: string[]): Promise<[number | null, string]> => {
        const program = startProgram('admin', env, { args: ['assets', 'adopt', ...args] });
        return [await program.ended, program.out + program.err];
    };

    it('is one folder for all instances, until an operator adopts another one', async () => {
        // The first start of several at once, on an empty database.
        const both = [start(settings('a')), start(settings('a'))];
        await Promise.all(both.map(addressIn));
        const another = `The pictures and sounds of this database are not in ${folder('b')}/assets, but in another folder or bucket, so people would not see them.
Give all instances the same one (DATA_DIR or ASSETS_URL). If it was moved, copy all of it, with the file "database".
If it is lost, or this is to replace it: npm run admin -- assets adopt\n`;
        expect(await refused(settings('b'))).to.equal(another);
        expect(await refused({ ...settings('b'), WEB_CONCURRENCY: '2' })).to.equal(another);
        await stopAll();

        // A copy of the folder is the same place.
        await cp(folder('a'), folder('moved'), { recursive: true });
        await addressIn(start(settings('moved')));
        await stopAll();

        expect(await adopt(settings('a'))).to.equal([0, `${folder('a')}/assets is the place for pictures and sounds of this database already.\n`]);
        const [code, told] = await adopt(settings('b'));
        expect([code, told]).to.equal([4, `${folder('b')}/assets would become the place for pictures and sounds of this database. What is only in its place of before would be gone for people,
and what is here and unknown to this database would be removed. Add --yes to do it.\n`]);
        expect(await refused(settings('b'))).to.equal(another);
        expect(await adopt(settings('b'), '--yes')).to.equal([0, `${folder('b')}/assets is the place for pictures and sounds of this database now. Restart all instances with it.\n`]);
        await addressIn(start(settings('b')));
        expect(await refused(settings('a'))).to.equal(another.replace('/b/', '/a/'));

        // Commands that read or write there do not take another place either.
        for (const args of [['assets', 'lift'], ['backup', folder('saved')], ['purge', '--yes']]) {
            const program = startProgram('admin', settings('c'), { args });
            expect(await program.ended, args.join(' ')).to.equal(1);
            expect(program.err).to.contain(`The pictures and sounds of this database are not in ${folder('c')}/assets,`);
        }

        // Undone.
        expect((await adopt(settings('a'), '--yes'))[0]).to.equal(0);
        await addressIn(start(settings('a')));
    });

    it('is one bucket for all instances, and for an older database the one of the next start', async () => {
        const s3 = await startS3(folder('s3'));
        closing.push(() => s3.close());
        const inBucket = (prefix: string): Record<string, string> => ({ ...settings('here'), ...S3_KEYS, ASSETS_URL: `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${s3.port}` });
        const db = openDatabase({ url: database.url, pool: 1 });
        await migrate(db);
        await db.raw('update asset_owner set place = null');
        await db.destroy();
        await Promise.all([start(inBucket('one')), start({ ...inBucket('one'), DATA_DIR: folder('there') })].map(addressIn));
        expect(await refused(inBucket('two'))).to.contain(`The pictures and sounds of this database are not in s3://${BUCKET}/two, but in another folder or bucket`);
        expect(await refused(settings('here'))).to.startWith(`The pictures and sounds of this database are not in ${folder('here')}/assets, but`);
        await addressIn(start(inBucket('one')));
    });

    it('comes back with a backup, whole', async () => {
        const embedded = (name: string): Record<string, string> => ({ ...settings(name), DATABASE_URL: '' });
        const admin = async (env: Record<string, string>, ...args: string[]): Promise<[number | null, string]> => {
            const program = startProgram('admin', env, { args });
            return [await program.ended, program.err];
        };

        await addressIn(start(embedded('a')));
        expect(await admin(embedded('a'), 'backup', folder('saved'))).to.equal([0, '']);
        const foreign = await openStorage({ assetsUrl: null, dataDir: folder('foreign') });
        await foreign.setOwner('another');
        expect(await admin(embedded('foreign'), 'restore', folder('saved')))
            .to.equal([1, 'The place for pictures and sounds belongs to another database. Set DATA_DIR to another folder, or ASSETS_URL to an empty bucket.\n']);
        expect(await admin(embedded('b'), 'restore', folder('saved'))).to.equal([0, '']);
        await addressIn(start(embedded('b')));
        await stopAll();
        await rename(join(folder('b'), 'assets'), join(folder('b'), 'elsewhere'));
        expect(await refused(embedded('b'))).to.contain(`are not in ${folder('b')}/assets, but in another`);
    });
});
