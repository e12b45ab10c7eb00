import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openStorage } from '../../../src/files/assets/open-storage';
import { run } from '../../../src/operations/cli/main';
import { restoreAssets, saveAssets } from '../../../src/operations/cli/saved-assets';
import { openDatabase } from '../../../src/database/statements/connection';
import { migrate } from '../../../src/database/statements/migrate';
import { startEmbedded } from '../../../src/database/embedded';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { hashOf, picture, referenceTo } from '../../support/files';
import { fakeHost, until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const root = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
const backups = join(root, 'backups');

/** @returns what it printed */
async function admin(dataDir: string, ...argv: string[]): Promise<string> {
    const host = fakeHost({ DATA_DIR: dataDir });
    expect(await run(argv, host), host.err).to.equal(0);
    return host.out;
}

/** A service with its database and its assets in this folder. */
async function open(dataDir: string): Promise<TestServer> {
    const embedded = await startEmbedded({ dir: dataDir, settings: { fsync: 'off' } });
    const db = openDatabase({ url: embedded.url, pool: 4 });
    await migrate(db);
    return await startTestServer({ assets: await openStorage({ assetsUrl: null, dataDir }), database: { db, url: embedded.url, drop: async () => {
        await db.destroy();
        await embedded.stop();
    } } });
}

/** The backups in their folder, the oldest first. */
const kept = (): string[] => readdirSync(backups).sort().map((name) => join(backups, name));

describe('a backup of database and assets', () => {
    const first = join(root, 'first');
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    /** the pictures of elements, in the order in which their writes were acknowledged */
    const shown: Buffer[] = [];

    before(async () => {
        server = await open(first);
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
    });

    after(async () => {
        await server.stop();
        rmSync(root, { recursive: true, force: true });
    });

    /** Sends a picture, and then an element that shows it. */
    async function show(): Promise<void> {
        const png = await picture();
        const sent = await ada.call('PUT', `/users/me/assets/${hashOf(png)}`, png, { headers: { 'content-type': 'image/png' } });
        expect(sent.status).to.equal(201);
        await ada.element(project.page, { attributes: { src: referenceTo(png) } });
        shown.push(png);
    }

    /** Restores a backup to an empty place. @returns how many elements are there, each with the bytes of its picture */
    async function restored(backup: string): Promise<number> {
        const place = join(root, `restored-${Math.random()}`);
        expect(await admin(place, 'restore', backup)).to.match(/with \d+ picture\(s\) and sound\(s\)\.\n$/);
        const copy = await open(place);
        const { rows } = await copy.database.db.raw<{ rows: { src: string }[] }>(`select attributes->>'src' as src from elements order by id`);
        for (const [at, { src }] of rows.entries()) {
            const [, hash = ''] = src.split(':');
            expect(hashOf(await buffer(await copy.assets.open(hash))), `the picture of element ${at}`).to.equal(hash);
            expect(hash).to.equal(hashOf(shown[at] ?? Buffer.of()));
        }

        await copy.stop();
        rmSync(place, { recursive: true });
        return rows.length;
    }

    it('has every write that was acknowledged before, and all pictures that it refers to, at any time under load', async () => {
        const writers = new AbortController();
        const writing = (async () => {
            while (!writers.signal.aborted) {
                await show();
            }
        })();
        const expected: [number, number][] = [];
        await until(() => shown.length > 2);
        for (let time = 0; time < 3; ++time) {
            await sleep(Math.random() * 300);
            const atLeast = shown.length;
            const out = await admin(first, 'backup', backups, '--keep', '3');
            expect(out).to.match(/^Saved the embedded database in .*, with \d+ picture\(s\) and sound\(s\), to .*\/pagewright-[\dTZ-]+\.\n$/);
            expected.push([atLeast, shown.length + 1]);
        }

        writers.abort();
        await writing;
        expect(kept()).to.have.length(3);
        for (const [at, backup] of kept().entries()) {
            const [atLeast = 0, atMost = 0] = expected[at] ?? [];
            expect(await restored(backup)).to.be.within(atLeast, atMost);
        }
    });

    it('links what the backup before has, and removes the oldest beyond --keep', async () => {
        const [oldest] = kept();
        writeFileSync(join(backups, 'notes'), 'of the operator');
        const out = await admin(first, 'backup', backups, '--keep', '3');
        expect(out).to.endWith(`\nRemoved ${oldest}.\n`);
        expect(kept()).to.have.length(4).and.to.not.include(oldest).and.to.include(join(backups, 'notes'));
        rmSync(join(backups, 'notes'));
        const [last = '', earlier = ''] = kept().reverse();
        // The last one may have others too.
        const [folder = ''] = readdirSync(join(earlier, 'assets'));
        const [name = ''] = readdirSync(join(earlier, 'assets', folder));
        const [newest, other] = [last, earlier].map((backup) => statSync(join(backup, 'assets', folder, name)));
        expect([newest?.ino, newest?.mode]).to.equal([other?.ino, 0o100600]);
        expect(await restored(kept().at(-1) ?? '')).to.equal(shown.length);
    });

    it('copies again what the backup before has not whole', async () => {
        const assets = join(kept().at(-1) ?? '', 'assets');
        const [picked = ''] = shown.map(hashOf);
        const cut = join(assets, picked.slice(0, 2), picked);
        // Other backups have the same file.
        rmSync(cut);
        writeFileSync(cut, 'cut');
        await admin(first, 'backup', backups, '--keep', '3');
        expect(await restored(kept().at(-1) ?? '')).to.equal(shown.length);
    });

    it('does not replace what is no backup, and does replace a backup', async () => {
        const place = join(root, 'documents');
        mkdirSync(place);
        writeFileSync(join(place, 'thesis'), '');
        const host = fakeHost({ DATA_DIR: first });
        expect(await run(['backup', place], host)).to.equal(1);
        expect(host.err).to.equal(`${place} is there already and is not a backup, so it is not replaced. Choose another name, or add --keep 7 to keep several backups in it.\n`);
        expect(readdirSync(place)).to.equal(['thesis']);

        const one = join(root, 'one');
        await admin(first, 'backup', one);
        await show();
        await admin(first, 'backup', one);
        expect(await restored(one)).to.equal(shown.length);
        expect(readdirSync(root).filter((name) => name.startsWith('one'))).to.equal(['one']);
    });

    it('leaves out what the maintenance removes meanwhile, ends with what cannot be read or written, and leaves what is there', async () => {
        const storage = await openStorage({ assetsUrl: null, dataDir: first });
        const gone = { ...storage, list: async function* list() {
            yield ['0'.repeat(64)];
        } };
        const signal = new AbortController().signal;
        expect(await saveAssets(gone, join(root, 'gone'), join(root, 'none'), signal)).to.equal(0);
        const broken = { ...gone, open: () => Promise.reject(new Error('the disk is gone')) };
        await expect(saveAssets(broken, join(root, 'broken'), join(root, 'none'), signal)).to.reject('the disk is gone');
        const [backup = ''] = kept();
        const [picked] = shown.map(hashOf);
        const twice = { ...storage, list: async function* list() {
            yield [picked ?? '', picked ?? ''];
        } };
        await expect(saveAssets(twice, join(root, 'twice'), join(backup, 'assets'), signal)).to.reject(/EEXIST/);
        expect(await restoreAssets(storage, join(backup, 'assets'), signal)).to.be.above(0);
        const foreign = { ...storage, owner: () => Promise.resolve('another') };
        await expect(restoreAssets(foreign, join(backup, 'assets'), signal)).to.reject(/^The place for pictures and sounds belongs to another database\. Set DATA_DIR/);
        const left = AbortSignal.abort(new Error('interrupted'));
        await expect(saveAssets(storage, join(root, 'left'), join(root, 'none'), left)).to.reject('interrupted');
    });
});
