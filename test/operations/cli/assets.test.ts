import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { Lifting } from '../../../src/operations/cli/lift-assets';
import { run } from '../../../src/operations/cli/main';
import { MAX_USED_ASSETS } from '../../../src/limits';
import { openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { drawing, hashOf, noise, picture, referenceTo, wav } from '../../support/files';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { notOnCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const uriOf = (bytes: Buffer, type = 'image/png'): string => `data:${type};base64,${bytes.toString('base64')}`;

describe('admin assets lift', notOnCluster('it is refused: test/database/citus/distribute.test.ts'), () => {
    let test: TestServer;
    let host: FakeHost;
    let author: Author;
    let folder: string;

    beforeEach(async () => {
        test = await startTestServer();
        author = await openAuthor(test, 'ida');
        folder = mkdtempSync(join(tmpdir(), 'pagewright-lift-'));
    });

    afterEach(async () => {
        await test.stop();
        rmSync(folder, { recursive: true });
    });

    const admin = async (...argv: string[]): Promise<{ code: number; lines: string[] }> => {
        host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: folder, ASSET_QUOTA_MIB: '1', MAX_ASSET_MIB: '1' });
        const code = await run(['assets', ...argv], host);
        return { code, lines: host.out.trimEnd().split('\n') };
    };

    const result = (projects: number, uris: number, bytes: number, left: number): { code: number; lines: string[] } => {
        return { code: 0, lines: [`projects\t${projects}`, `data URIs\t${uris}`, `bytes\t${bytes}`, `left\t${left}`] };
    };

    const read = async ({ url }: Made, by = author): Promise<Answer['body']> => (await by.call('GET', url)).body;
    const rows = async <Row>(sql: string): Promise<Row[]> => (await test.database.db.raw<{ rows: Row[] }>(sql)).rows;

    it('turns data URIs into references, as one change of each project', async () => {
        const [png, sound, svg] = [await picture(), wav(), drawing('<text>100% #1</text>')];
        const project = await author.project();
        await author.call('PATCH', project.page.url, { styles: { backgroundImage: uriOf(png), left: 1 } });
        const attributes = {
            src: uriOf(png), [uriOf(png)]: 'a name', deep: [{ sound: uriOf(sound, 'audio/x-wav') }, 'data:text/plain,Hello', `"${uriOf(png)}"`, 'data: what was measured'],
            drawing: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg.toString())}`, backslash: '\\', large: 12345678901234567890n.toString()
        };
        const element = await author.element(project.page, { type: 'image', attributes, styles: { left: 1 } });
        const plain = await author.element(project.page, { attributes: { text: 'data:' } });
        const before = await read(project);

        expect(await admin('lift', '--dry-run')).to.equal(result(1, 4, png.length * 2 + sound.length + svg.length, 0));
        expect((await read(project)).project.revision).to.equal(before.project.revision);
        expect(await rows('select * from assets')).to.equal([]);

        expect(await admin('lift')).to.equal(result(1, 4, png.length * 2 + sound.length + svg.length, 0));
        expect(host.err).to.equal('');
        const lifted = { ...attributes, src: referenceTo(png), deep: [{ sound: referenceTo(sound) }, ...attributes.deep.slice(1)], drawing: referenceTo(svg) };
        const after = (await read(element)).element;
        expect(after.attributes).to.equal(lifted);
        expect(after.styles).to.equal({ left: 1 });
        expect((await read(project.page)).page.styles).to.equal({ backgroundImage: referenceTo(png), left: 1 });
        expect((await read(plain)).element.revision).to.equal(1);
        const { body: { changes: [change] } } = await author.call('GET', `${project.url}/history`);
        expect([change.kind, change.author, change.from, change.revision]).to.equal(['bulk', null, before.project.revision, before.project.revision + 1]);
        expect(change.counts.elements.updated).to.equal(1);
        expect(change.counts.pages.updated).to.equal(1);
        const listed = await author.call('GET', '/users/me/assets');
        expect(listed.body.assets.map(({ id, projects }: Answer['body']) => [id, projects]).sort()).to.equal([png, sound, svg].map((bytes) => [hashOf(bytes), [project.id]]).sort());
        // Its size is counted again, so more fits now.
        expect((await rows<{ same: boolean }>('select counted_revision = revision and project_bytes < 2000 as same from projects'))[0]?.same).to.be.true();

        const undone = await author.call('POST', `${project.url}/history/${change.revision}/undo`, {});
        expect([undone.status, undone.text.slice(0, 200)]).to.equal([200, undone.text.slice(0, 200)]);
        expect((await read(element)).element.attributes).to.equal(attributes);
        expect(await admin('lift', '--dry-run')).to.equal(result(1, 4, png.length * 2 + sound.length + svg.length, 0));
        expect(await admin('lift')).to.equal(result(1, 4, png.length * 2 + sound.length + svg.length, 0));
        expect(await admin('lift')).to.equal(result(0, 0, 0, 0));
    });

    it('stores nothing again that the service has, leaves small ones if asked, and looks at nothing that is deleted', async () => {
        const [png, small] = [await picture('png', { width: 400, height: 300 }), await picture('gif', { width: 4, height: 4 })];
        const project = await author.project();
        await author.element(project.page, { attributes: { src: uriOf(png), small: uriOf(small, 'image/gif') } });
        const other = await openAuthor(test);
        const remix = await other.remix(project);
        const gone = await author.project();
        await author.element(gone.page, { attributes: { src: uriOf(await picture()) } });
        await author.call('DELETE', gone.url);
        const removed = await author.element(project.page, { attributes: { src: uriOf(await picture()) } });
        await author.call('DELETE', removed.url);

        const atLeast = String(uriOf(small, 'image/gif').length + 1);
        expect(await admin('lift', '--at-least', atLeast, '--dry-run')).to.equal(result(2, 2, 2 * png.length, 0));
        expect(await admin('lift', '--at-least', atLeast)).to.equal(result(2, 2, 2 * png.length, 0));
        expect((await other.call('GET', '/users/me/assets')).body.quota.used).to.equal(0);
        expect((await author.call('GET', '/users/me/assets')).body.quota.used).to.equal(png.length);
        const { body: { pages: [page] } } = await other.call('GET', `${remix.url}/pages`);
        expect(page.elements[0].attributes).to.equal({ src: referenceTo(png), small: uriOf(small, 'image/gif') });
    });

    it('leaves what cannot be an asset, and says so', async () => {
        const project = await author.project();
        const [png, other] = [await picture(), await picture()];
        const attributes = {
            cut: uriOf(png.subarray(0, 50)), wrong: uriOf(png, 'image/webp'), font: uriOf(png, 'image/x-icon'), broken: 'data:image/png;base64', none: 'data:image/png,', odd: 'data:image/png;x="a\\",b',
            huge: uriOf(Buffer.alloc(1_100_000), 'video/mp4'), good: uriOf(other, 'image/png')
        };
        const element = await author.element(project.page, { attributes });
        expect(await admin('lift')).to.equal(result(1, 1, other.length, 7));
        expect(host.err).to.equal(`Project ${project.id} of ida: 7 data URIs stay, as they are not whole, or no picture, sound or video that is accepted.\n`);
        expect((await read(element)).element.attributes).to.equal({ ...attributes, good: referenceTo(other) });
        expect(await admin('lift')).to.equal(result(0, 0, 0, 7));
    });

    it('leaves projects of an account whose quota would not do, and goes on with others', async () => {
        const big = [await noise(700_000), await noise(700_001)];
        const [first, second] = [await author.project(), await author.project()];
        await author.element(first.page, { attributes: { src: uriOf(big[0] ?? Buffer.alloc(0)) } });
        const element = await author.element(second.page, { attributes: { src: uriOf(big[1] ?? Buffer.alloc(0)) } });
        const other = await openAuthor(test);
        const small = await picture();
        const theirs = await other.project();
        await other.element(theirs.page, { attributes: { src: uriOf(small) } });

        const expected = result(2, 2, Number(big[0]?.length) + small.length, 1);
        const why = `Project ${second.id} of ida: 1 data URIs stay: the assets of the account would take more than its quota of 1 MiB. Raise ASSET_QUOTA_MIB for this command, and run it again.\n`;
        expect(await admin('lift', '--dry-run')).to.equal(expected);
        expect(host.err).to.equal(why);
        expect(await admin('lift')).to.equal(expected);
        expect(host.err).to.equal(why);
        expect((await read(element)).element.revision).to.equal(1);

        host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: folder, ASSET_QUOTA_MIB: '2' });
        expect(await run(['assets', 'lift'], host)).to.equal(0);
        expect((await read(element)).element.attributes.src).to.equal(referenceTo(big[1] ?? Buffer.alloc(0)));
    });

    it('goes through large projects in batches, also through those of older releases', async () => {
        const project = await author.project();
        const pictures = await Promise.all(Array.from({ length: 130 }, () => picture()));
        const actions = pictures.map((png) => ({ type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'image', attributes: { src: uriOf(png) } } }));
        expect((await author.bulk(actions)).status).to.equal(200);
        for (let n = 0; n < 6; n++) {
            await author.element(project.page, { attributes: { text: 'x'.repeat(1_500_000), src: uriOf(pictures[0] ?? Buffer.alloc(0)) } });
        }

        const { revision } = (await read(project)).project;
        const total = pictures.reduce((sum, { length }) => sum + length, 6 * Number(pictures[0]?.length));
        expect(await admin('lift')).to.equal(result(1, 136, total, 0));
        expect((await read(project)).project.revision).to.equal(revision + 3);
        const [sizes] = await rows<{ kept: string; real: string }>(`
            select project_bytes::text as kept, (select sum(octet_length(attributes::text) + octet_length(styles::text)) + 2 from elements)::text as real from projects`);
        expect(sizes?.kept).to.equal(sizes?.real);
    });

    it('leaves what somebody changes meanwhile for the next run, and other projects that can have no more assets', async () => {
        const png = await picture();
        const project = await author.project();
        const element = await author.element(project.page, { attributes: { src: uriOf(png) } });
        const deleted = await author.project();
        await author.element(deleted.page, { attributes: { src: uriOf(png) } });
        const full = await author.project();
        await author.element(full.page, { attributes: { src: uriOf(png) } });
        await test.database.db.raw(`insert into assets (hash, type, size) select lpad(n::text, 64, '0'), 'image/png', 1 from generate_series(1, ?) n`, [MAX_USED_ASSETS]);
        await test.database.db.raw(`insert into asset_uses (project_id, hash) select ?, lpad(n::text, 64, '0') from generate_series(1, ?) n`, [full.id, MAX_USED_ASSETS]);

        const remarks: string[] = [];
        const meanwhile = new Map([
            [hashOf(png), async () => {
                await author.call('PATCH', element.url, { attributes: { src: uriOf(png), mine: true } });
                await author.call('DELETE', deleted.url);
            }]
        ]);
        // The pictures are stored between reading and writing.
        const storage: typeof test.assets = { ...test.assets, put: async (name, file, type) => {
            const change = meanwhile.get(name);
            meanwhile.delete(name);
            await change?.();
            return test.assets.put(name, file, type);
        } };
        const options = { scanUrl: null, quota: 1e6, most: 1e6, atLeast: 0, dry: false, remark: (line: string) => void remarks.push(line) };
        const counts = await new Lifting(test.database.db, storage, options).run();
        expect(counts).to.equal({ projects: 0, uris: 0, bytes: 0, left: 3 });
        const changed = '1 data URIs stay: somebody changed them just now. Run this again.';
        expect(remarks).to.equal([`Project ${project.id} of ida: ${changed}`, `Project ${deleted.id} of ida: ${changed}`, `Project ${full.id} of ida: 1 data URIs stay: A project can use 5,000 assets, including those in its history and trash.`]);
        expect((await read(element)).element.attributes).to.equal({ src: uriOf(png), mine: true });

        await test.database.db.raw('delete from asset_uses');
        expect(await new Lifting(test.database.db, test.assets, options).run()).to.equal({ projects: 2, uris: 2, bytes: 2 * png.length, left: 0 });
        expect((await read(element)).element.attributes).to.equal({ src: referenceTo(png), mine: true });
    });

    it('fails where the assets cannot be kept, and changes nothing', async () => {
        const project = await author.project();
        const element = await author.element(project.page, { attributes: { src: uriOf(await picture()) } });
        const broken = { ...test.assets, put: () => Promise.reject(new Error('the disk is gone')) };
        const unreadable = { ...test.assets, incoming: join(folder, 'none') };
        const options = { scanUrl: null, quota: 1e6, most: 1e6, atLeast: 0, dry: false, remark: () => undefined };
        await expect(new Lifting(test.database.db, broken, options).run()).to.reject('the disk is gone');
        const away = { ...test.assets, put: () => Promise.reject(Object.assign(new Error('the bucket is away'), { code: 'ECONNREFUSED' })) };
        await expect(new Lifting(test.database.db, away, options).run()).to.reject('the bucket is away');
        await expect(new Lifting(test.database.db, unreadable, options).run()).to.reject(/ENOENT/);
        expect((await read(element)).element.revision).to.equal(1);
    });

    it('takes only the folder that the database has, until another one is adopted', async () => {
        const inFolder = async (name: string, ...argv: string[]): Promise<[number, string]> => {
            host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: join(folder, name) });
            return [await run(['assets', ...argv], host), host.out + host.err];
        };

        expect((await inFolder('one', 'lift', '--dry-run'))[0]).to.equal(0);
        expect(await inFolder('two', 'lift')).to.equal([1, `The pictures and sounds of this database are not in ${folder}/two/assets, but in another folder or bucket, so people would not see them.
Give all instances the same one (DATA_DIR or ASSETS_URL). If it was moved, copy all of it, with the file "database".
If it is lost, or this is to replace it: npm run admin -- assets adopt\n`]);
        expect(await inFolder('one', 'adopt')).to.equal([0, `${folder}/one/assets is the place for pictures and sounds of this database already.\n`]);
        expect((await inFolder('two', 'adopt'))[0]).to.equal(4);
        expect((await inFolder('one', 'lift', '--dry-run'))[0]).to.equal(0);
        expect((await inFolder('two', 'adopt', '--yes'))[0]).to.equal(0);
        expect((await inFolder('two', 'lift', '--dry-run'))[0]).to.equal(0);
        expect((await inFolder('one', 'lift'))[0]).to.equal(1);
    });

    it('is explained where it is used wrongly', async () => {
        for (const [message, ...argv] of [
            ['What to do is missing: "assets lift" or "assets adopt".'], ['What to do is missing: "assets lift" or', 'drop'], ['Too many arguments: now', 'adopt', 'now'], ['Too many arguments: now', 'lift', 'now'], ['--at-least must be a whole number', 'lift', '--at-least', 'x']
        ] as const) {
            expect((await admin(...argv)).code).to.equal(2);
            expect(host.err).to.contain(message);
        }
    });
});
