import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { defined } from '../../../src/api/errors/defined';
import { readConfig } from '../../../src/config/index';
import { openStorage } from '../../../src/files/assets/open-storage';
import { run } from '../../../src/operations/cli/main';
import { fileOf } from '../../../src/site/archive/names';
import { writeArchive } from '../../../src/site/archive/write';
import { faultsOfLinks, filesIn, unsafeNames } from '../../support/archives';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { inThisProcess } from '../../support/file-pools';
import { drawing, hashOf, picture, referenceTo, storeAsset } from '../../support/files';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { build } from '../../support/program';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('admin archive', () => {
    let test: TestServer;
    let host: FakeHost;
    let data: string;
    let folder: string;
    let ana: Author;
    let ben: Author;
    let eve: Author;
    let garden: MadeProject;
    let remix: Made;
    let shared: MadeProject;
    let hidden: MadeProject;
    let held: MadeProject;
    let evil: MadeProject;

    before(async () => {
        await build();
        data = mkdtempSync(join(tmpdir(), 'pagewright-archive-'));
        folder = join(data, 'archive');
        test = await startTestServer({ assets: await openStorage({ assetsUrl: null, dataDir: data }) });
        [ana, ben, eve] = [await openAuthor(test, 'Ana'), await openAuthor(test, 'ben', { language: 'pt-BR' }), await openAuthor(test, 'eve', { language: 'mw1' })];
        garden = await ana.project({ title: 'The <garden>', description: 'About #plants & #Con', visibility: 'public' });
        shared = await ana.project({ title: 'Shared secretly', visibility: 'unlisted', description: 'about #whispers' });
        hidden = await ana.project({ title: 'Hidden away', visibility: 'private', description: 'about #nobody' });
        held = await ana.project({ title: 'Held back', visibility: 'public', description: 'about #noise' });
        evil = await eve.project({ title: 'Suspended thing', visibility: 'public', description: 'about #bad' });
        remix = await ben.remix(garden);
        await ben.call('PATCH', remix.url, { title: 'My garden', visibility: 'public' });
        const secondRemix = await ben.remix(shared);
        await ben.call('PATCH', secondRemix.url, { title: 'After a whisper', visibility: 'public' });
        const attributes = { text: 'There', href: 'https://elsewhere.example/' };
        await ana.element(garden.page, { type: 'link', attributes });
        for (const { id } of [remix, shared, hidden, held, evil]) {
            await ana.element(garden.page, { type: 'link', attributes: { text: 'On', targetProjectId: id } });
        }

        for (const fields of [{ title: 'Good ones', visibility: 'public' }, { title: 'My own', visibility: 'private' }]) {
            const made = await ben.call('POST', '/users/me/collections', fields);
            expect(made.status, made.text).to.equal(201);
            for (const { id } of [garden, shared]) {
                const put = await ben.call('PUT', `/users/me${String(made.headers.location)}/projects/${id}`, {});
                expect(put.status, put.text).to.be.below(300);
            }
        }

        const png = await picture();
        expect((await test.call('PUT', `/users/me/projects/${garden.id}/thumbnail`, png, { token: ana.token, headers: { 'content-type': 'image/png' } })).status).to.equal(200);
        expect((await test.call('PUT', `/users/me/projects/${remix.id}/thumbnail`, drawing(), { token: ben.token, headers: { 'content-type': 'image/svg+xml' } })).status).to.equal(200);
        const absent = { 320: `https://other.example/assets/${'a'.repeat(64)}?width=320` };
        expect((await ben.call('PATCH', secondRemix.url, { thumbnail: absent })).status).to.equal(200);
        await test.database.db.raw(`update projects set held_at = now(), held_reason = 'x' where id = ?`, [held.id]);
        await test.database.db.raw('update projects set featured = true where id = ?', [garden.id]);
        await suspend(true);
    });

    after(async () => {
        expect(test.faults).to.equal([]);
        await test.stop();
        rmSync(data, { recursive: true });
    });

    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const suspend = (is: boolean): Promise<unknown> => test.database.db.raw(`update users set suspended_until = ${is ? `'infinity'` : 'null'}, suspension_reason = ${is ? `'x'` : 'null'} where id = ?`, [eve.id]);

    const archive = async (...more: string[]): Promise<Record<string, string>> => {
        host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: data, SITE_COLOR: '0b6e4f' });
        expect(await run(['archive', folder, ...more], host), host.err).to.equal(0);
        expect(host.err).to.equal('');
        return Object.fromEntries(host.out.trimEnd().split('\n').map((line) => line.split('\t')));
    };

    const fails = async (...argv: string[]): Promise<string> => {
        host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: data });
        expect(await run(['archive', ...argv], host)).to.be.above(0);
        return host.err;
    };

    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const page = (address: string): string => read(fileOf(address));
    const fileOfProject = ({ id }: { id: string }): string => fileOf(`/p/${id}`);

    it('writes what is public, and nothing else', async () => {
        const counts = await archive();
        expect(counts).to.include({ projects: '3', written: '3', unchanged: '0', removed: '0', failed: '0', 'left out, unlisted': '1', 'left out, private': '1', 'left out, held': '1', 'left out, suspended': '1' });
        const files = filesIn(folder);
        expect(counts.files).to.equal(String(files.length));
        expect(counts.bytes).to.equal(String(files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)));
        const all = files.map((name) => read(name)).join('\n');
        expect(all).to.not.contain(['Shared secretly', 'Hidden away', 'Held back', 'Suspended thing', 'My own', 'whispers', 'nobody', '#noise', '#bad', '>eve<', 'xlink:href']);
        expect(files.filter((name) => /^p\/.*\.html$/.test(name)).length).to.equal(3);
        expect(faultsOfLinks(folder)).to.equal([]);
        expect(unsafeNames(folder)).to.equal([]);

        expect(page('/')).to.contain(['The &lt;garden>', 'My garden', 'A copy of the public projects', 'Featured', '#<bdi>plants</bdi>']).and.to.not.contain(['/account', 'Sign in']);
        expect(page('/browse/featured')).to.contain('The &lt;garden>').and.to.not.contain('My garden');
        expect(page('/browse/new')).to.contain(['The &lt;garden>', 'My garden', 'After a whisper']);
        expect(page('/tags/con')).to.contain('The &lt;garden>');
        expect(page('/tags')).to.contain(['#con', '#plants']);
        expect(page('/people')).to.contain(['>Ana<', '>ben<']);
        expect(page('/u/ANA')).to.contain('The &lt;garden>').and.to.not.contain('moderation');
        expect(page('/languages')).to.contain(['>English<', '>Portuguese<']);
        expect(page('/languages/pt')).to.contain('My garden').and.to.not.contain('The &lt;garden>');
        expect(page('/collections')).to.contain('Good ones');
        expect(read(files.find((name) => name.startsWith('c/')) ?? '')).to.contain(['Good ones', 'The &lt;garden>', '>ben<']);
        expect(read('site/style.css')).to.contain('--accent').and.to.not.contain('url(');
    });

    it('has projects that say who made them, and from what, and whose links stay in the archive', async () => {
        await archive('--language', 'es');
        const html = read(fileOfProject(garden));
        expect(html).to.match(/^<!doctype html>\n<html lang="es" dir="ltr">/).and.to.contain(['<h1><bdi>The &lt;garden></bdi></h1>', '#<bdi>plants</bdi>', '"name":"Pagewright"']);
        const [, linked = ''] = /id="linked">([^<]*)</.exec(html) ?? [];
        expect(JSON.parse(linked)).to.equal({ missing: '../../missing.html', projects: { [remix.id]: `${remix.id}.html` } });
        expect(read(fileOfProject(remix))).to.contain(`<a href="${garden.id}.html"><bdi>The &lt;garden></bdi></a>`);
        const [last = ''] = filesIn(folder).filter((name) => /^p\/.*\.html$/.test(name)).slice(-1);
        expect(read(last)).to.contain('Remezcla de un proyecto que no es público');
        expect(filesIn(folder).filter((name) => name.endsWith('.webp'))).to.equal([`p/0/${garden.id}.webp`]);
    });

    it('writes again only what has changed, and removes what is not public any more', async () => {
        await archive();
        const times = (): number[] => [garden, remix].map((one) => statSync(join(folder, fileOfProject(one))).mtimeMs);
        const first = times();
        expect(await archive()).to.include({ written: '0', unchanged: '3' });
        expect(times()).to.equal(first);

        await ben.call('PATCH', remix.url, { title: 'Our garden' });
        expect(await archive()).to.include({ written: '1', unchanged: '2' });
        expect(page('/browse/new')).to.contain('Our garden').and.to.not.contain('My garden');

        await ben.call('PATCH', remix.url, { visibility: 'private' });
        await suspend(false);
        expect(await archive()).to.include({ projects: '3', written: '2', unchanged: '1', removed: '1' });
        const all = filesIn(folder).map((name) => read(name)).join('\n');
        expect(all).to.not.contain('Our garden').and.to.contain('Suspended thing');
        expect(page('/languages')).to.not.contain('mw1');
        expect(faultsOfLinks(folder)).to.equal([]);

        await suspend(true);
        await ben.call('PATCH', remix.url, { title: 'My garden', visibility: 'public' });
        expect(await archive()).to.include({ projects: '3', written: '2', removed: '1' });
        expect(filesIn(folder).map((name) => read(name)).join('\n')).to.not.contain(['Suspended thing', '>eve<']);
        expect(faultsOfLinks(folder)).to.equal([]);
    });

    it('writes a file again that is not whole, removes what was left half, and leaves what somebody added', async () => {
        await archive();
        truncateSync(join(folder, fileOfProject(garden)), 5000);
        for (const name of ['p/0/999.html.1.part', 'browse/old.html', 'index.html.7.part']) {
            writeFileSync(join(folder, name), 'half');
        }

        writeFileSync(join(folder, 'robots.txt'), 'User-agent: *');
        expect(await archive()).to.include({ written: '1', unchanged: '2' });
        expect(read(fileOfProject(garden))).to.endWith('-->\n');
        expect(filesIn(folder)).to.include('robots.txt').and.to.not.include(['p/0/999.html.1.part', 'browse/old.html', 'index.html.7.part']);
    });

    it('has names that no file system minds', () => {
        expect(['/', '/p/7', '/p/1234567', '/c/999', '/browse/new?after=12', '/languages/con', 'https://elsewhere.example/'].map(fileOf)).to.equal(['index.html', 'p/0/7.html', 'p/1234/1234567.html', 'c/0/999.html', 'browse/new-12.html', 'languages/in-con.html', 'index.html']);
        expect(fileOf('/u/Ana')).to.equal(fileOf('/u/ANA')).and.to.match(/^u\/[0-9a-f]{2}\/[0-9a-f]{14}\.html$/);
    });

    it('has no room for anything else', async () => {
        mkdirSync(folder);
        writeFileSync(join(folder, 'archive.json.1.part'), '{');
        await archive();
        const mark = JSON.parse(read('archive.json'));
        writeFileSync(join(folder, 'archive.json'), JSON.stringify({ ...mark, database: 'x' }));
        expect(await fails(folder)).to.match(/is the archive of another database, so nothing in it is replaced\. Choose/);
        for (const text of ['{', '{}']) {
            writeFileSync(join(folder, 'archive.json'), text);
            expect(await fails(folder)).to.match(/is not empty, and is no archive\. Choose another folder/);
        }

        expect(await fails(folder, '--language', 'xx')).to.startWith('--language must be one of en, es, pt, ru, ar, not "xx".');
        expect(await fails()).to.startWith('The file name is missing.');
        host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: data, SITE: 'off' });
        expect(await run(['archive', join(data, 'other')], host)).to.equal(1);
        expect(host.err).to.contain('Run this with SITE=on.');
        writeFileSync(join(data, 'file'), '');
        expect(await fails(join(data, 'file'))).to.contain('EEXIST');
    });

    it('goes on without a project whose pictures are gone, and says so', async () => {
        const png = await picture();
        expect((await test.call('PUT', `/users/me/assets/${hashOf(png)}`, png, { token: ana.token, headers: { 'content-type': 'image/png' } })).status).to.be.below(300);
        const project = await ana.project({ title: 'Pictures', visibility: 'public' });
        await ana.element(project.page, { type: 'image', attributes: { src: `asset:${hashOf(png)}` } });
        expect((await test.call('PUT', `/users/me/projects/${project.id}/thumbnail`, png, { token: ana.token, headers: { 'content-type': 'image/png' } })).status).to.equal(200);
        await test.assets.remove(hashOf(png));
        await ana.element(garden.page, { type: 'link', attributes: { text: 'On', targetProjectId: project.id } });
        const noPicture = Buffer.from('This is no picture');
        await storeAsset(test, noPicture, 'image/png');
        const other = await ana.project({ title: 'Without a thumbnail', visibility: 'public', thumbnail: { 320: `https://pages.example/assets/${hashOf(noPicture)}?width=320` } });
        for (const [written, unchanged] of [[4, 0], [1, 3]]) {
            const told = await fails(folder);
            expect(told).to.contain(`Project ${project.id} was not written: There are no bytes named ${hashOf(png)}.\n`).and.to.endWith('1 project(s) could not be written. Run the command again.\n');
            // A thumbnail is tried again each time.
            expect(told).to.contain([`Project ${project.id} has no thumbnail: There are no bytes named`, `Project ${other.id} has no thumbnail: Error: Input file contains unsupported image format.`]);
            expect(host.out).to.contain([`failed\t1\n`, `written\t${written}\n`, `unchanged\t${unchanged}\n`]);
            expect(page('/browse/new')).to.not.contain('Pictures').and.to.contain('Without a thumbnail');
            expect(page(`/p/${project.id}`)).to.contain('Nothing here');
            expect(faultsOfLinks(folder)).to.equal([]);
        }

        await ana.call('DELETE', project.url);
        await ana.call('DELETE', other.url);
    });

    it('waits for nobody who changes a project, and leaves no link to what is gone', async () => {
        const { site } = readConfig({});
        const remarks: string[] = [];
        let turns = 0;
        const go = (change: () => Promise<unknown>, assets = test.assets): ReturnType<typeof writeArchive> => writeArchive({
            db: test.database.db, files: inThisProcess, place: defined(site ?? undefined), language: 'en', remark: (line) => remarks.push(line),
            // Its thumbnail is written first.
            assets: Object.assign(Object.create(assets), { open: async (name: string) => {
                turns++;
                await change();
                return await assets.open(name);
            } })
        }, folder);
        const edit = (): Promise<unknown> => ana.call('PATCH', garden.url, { title: `The <garden> ${turns}` });
        expect(await go(() => (turns === 1 ? edit() : Promise.resolve()))).to.include({ written: 3, failed: 0 });
        expect([turns, remarks]).to.equal([2, []]);

        // Its remix says what it was made from, so it is written again, too.
        await edit();
        expect(await go(edit)).to.include({ written: 1, unchanged: 1, failed: 1 });
        expect(remarks).to.equal([`Project ${garden.id} was not written: It has changed while it was being sent.`]);

        turns = 0;
        expect(await go(() => ana.call('PATCH', garden.url, { visibility: 'private' }))).to.include({ written: 1, unchanged: 1, removed: 1, failed: 0 });
        expect(filesIn(folder).map((name) => read(name)).join('\n')).to.not.contain('The <garden>');
        expect(faultsOfLinks(folder)).to.equal([]);
        await ana.call('PATCH', garden.url, { title: 'The <garden>', visibility: 'public' });

        // What a full disk says is not passed over.
        const png = await picture();
        expect((await test.call('PUT', `/users/me/assets/${hashOf(png)}`, png, { token: ana.token, headers: { 'content-type': 'image/png' } })).status).to.be.below(300);
        await ana.element(garden.page, { type: 'image', attributes: { src: referenceTo(png) } });
        await expect(go(() => Promise.reject(new Error('No room')))).to.reject('No room');
        rmSync(join(folder, 'p'), { recursive: true });
        writeFileSync(join(folder, 'p'), '');
        await expect(go(() => Promise.resolve())).to.reject(/ENOTDIR/);
    });

    it('shows the logo and the texts of the place, and lists page by page', async () => {
        const [logo, imprint] = [join(data, 'logo.svg'), join(data, 'imprint.md')];
        writeFileSync(logo, drawing());
        writeFileSync(imprint, 'Who *we* are');
        for (const from of [0, 60]) {
            const made = await ana.bulk(Array.from({ length: 60 }, (_each, n) => ({ method: 'create', type: 'projects', data: { title: `Many ${from + n}`, description: `#many #a${from + n} #b${from + n}`, visibility: 'public' } })));
            expect(made.status, made.text.slice(0, 300)).to.equal(200);
        }

        host = fakeHost({ DATABASE_URL: test.database.url, DATA_DIR: data, SITE_LOGO: logo, SITE_IMPRINT: imprint, SITE_NAME: 'Our & place', SITE_WELCOME: 'Come in' });
        expect(await run(['archive', folder], host), host.err).to.equal(0);
        expect(page('/imprint')).to.contain(['Who <em>we</em> are', 'Our &amp; place']);
        expect(page('/')).to.contain(['Come in', 'class="logo"']);
        const cards = (address: string): number => page(address).match(/class="card"/g)?.length ?? 0;
        expect([cards('/tags/many'), cards('/tags/many?after=5'), cards('/browse/new?after=5'), cards('/browse/new?after=6')]).to.equal([24, 24, 24, 3]);
        expect(page('/tags')).to.contain('href="tags-2.html"');
        expect(faultsOfLinks(folder)).to.equal([]);
        // The second page goes with what was on it.
        await test.database.db.raw(`update projects set visibility = 'private' where title like 'Many%'`);
        expect(await archive()).to.include({ removed: '120' });
        expect(filesIn(folder)).to.not.include([fileOf('/browse/new?after=2'), fileOf('/tags?after=2')]);
        expect(faultsOfLinks(folder)).to.equal([]);
    });

    it('is a page that says so if there is nothing yet', async () => {
        const empty = await startTestServer();
        try {
            host = fakeHost({ DATABASE_URL: empty.database.url, DATA_DIR: join(data, 'empty') });
            expect(await run(['archive', folder], host), host.err).to.equal(0);
            expect(page('/')).to.contain('There are no projects here.');
            expect(page('/browse/new')).to.contain('There are no projects here.').and.to.not.contain('/account');
            expect(faultsOfLinks(folder)).to.equal([]);
        }
        finally {
            await empty.stop();
        }
    });
});
