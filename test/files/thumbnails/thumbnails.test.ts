import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import { NotBegun } from '../../../src/api/concurrency/process-pool';
import { findDue, storeOrigin } from '../../../src/files/thumbnails/queries';
import { redrawThumbnails } from '../../../src/files/thumbnails/redraw';
import type { FilePool } from '../../../src/files/assets/file-work';
import { filePool } from '../../../src/files/thumbnails/file-pool';
import type { Task } from '../../../src/files/thumbnails/perform';
import { keepThumbnails, makeThumbnails } from '../../../src/files/thumbnails/jobs';
import { removeUnusedAssets } from '../../../src/operations/maintenance/unused-assets';
import { builtProgram, builtStarter, inProcesses } from '../../support/file-pools';
import { openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { ageAssets, hashOf, picture, referenceTo } from '../../support/files';
import { listen, until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

const never = new AbortController().signal;
const box = { left: 0, top: 0, width: 320, height: 480 };
const red = { type: 'shape', attributes: { shape: 'rectangle' }, styles: { ...box, backgroundColor: 'red' } };

describe('Thumbnails that the service makes', () => {
    let test: TestServer;
    let author: Author;
    let drawer: FilePool<Task>;

    before(() => {
        drawer = inProcesses(60_000);
    });

    beforeEach(async () => {
        test = await startTestServer();
        await storeOrigin(test.database.db, 'https://pages.example');
        author = await openAuthor(test);
    });

    after(() => drawer.close());

    afterEach(() => test.stop());

    const make = (by = drawer): Promise<number> => makeThumbnails({ db: test.database.db, assets: test.assets, files: by }, never);
    const rows = async <Row>(sql: string, ...values: string[]): Promise<Row[]> => (await test.database.db.raw<{ rows: Row[] }>(sql, values)).rows;
    const again = (): Promise<unknown> => rows(`update made_thumbnails set made_at = now() - interval '1 hour'`);
    const read = (project: Made, by: Author | undefined = author): Promise<Answer> => (by ?? test).call('GET', project.url);
    const shown = async (project: Made): Promise<Record<string, string>> => (await read(project)).body.project.thumbnail;
    const hashIn = (thumbnail: Record<string, string>): string => String(/[0-9a-f]{64}/.exec(String(thumbnail['320']))?.[0]);

    /** The colour in the middle of a thumbnail. */
    const middle = async (thumbnail: Record<string, string>): Promise<number[]> => {
        const { rawPayload } = await test.server.inject(String(thumbnail['640']).replace('https://pages.example', ''));
        const file = join(test.assets.incoming, 'thumbnail.webp');
        await writeFile(file, rawPayload);
        const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
        expect([info.width, info.height]).to.equal([640, 960]);
        const at = (480 * 640 + 320) * 3;
        return [...data.subarray(at, at + 3)].map((value) => Math.round(value / 51));
    };

    /** The colour in the middle of a PNG. */
    const colourOf = async (png: Buffer): Promise<number[]> => {
        const file = join(test.assets.incoming, 'picture.png');
        await writeFile(file, png);
        const bytes = await sharp(file).extract({ left: 160, top: 240, width: 1, height: 1 }).removeAlpha().raw().toBuffer();
        return [...bytes].slice(0, 3).map((value) => Math.round(value / 51));
    };

    it('are made for all owners in turn, however many projects one of them makes', async () => {
        const [busy, other] = [await openAuthor(test), await openAuthor(test)];
        await busy.bulk(Array.from({ length: 300 }, (_one, n) => ({ type: 'projects', method: 'create', data: { title: `Nearly empty ${n}` } })));
        const project = await other.project();
        expect(await make()).to.equal(301);
        const [place] = await rows<{ n: number }>('select n from (select project_id, row_number() over (order by made_at)::int as n from made_thumbnails) m where project_id = ?', project.id);
        expect(Number(place?.n)).to.be.below(3);
    });

    it('are made of nothing that is deleted meanwhile, and not begun any more at the end', async () => {
        const [first, second, third] = [await author.project(), await author.project(), await author.project()];
        for (const { page } of [first, second, third]) {
            await author.element(page, red);
        }

        const ending = new AbortController();
        const deleting: FilePool<Task> = { ...drawer, run: async (task, caller) => {
            await author.call('DELETE', second.url, {});
            return drawer.run(task, caller);
        } };
        expect(await makeThumbnails({ db: test.database.db, assets: test.assets, files: deleting }, ending.signal)).to.equal(3);
        expect((await rows<{ id: string }>('select project_id::text as id from made_thumbnails order by project_id')).map(({ id }) => id)).to.equal([first.id, third.id]);
        await again();
        await author.call('PATCH', first.url, { title: 'Changed' });
        await author.call('PATCH', third.url, { title: 'Changed' });
        const last: FilePool<Task> = { ...drawer, run: (task, caller) => {
            ending.abort();
            return drawer.run(task, caller);
        } };
        expect(await makeThumbnails({ db: test.database.db, assets: test.assets, files: last }, ending.signal)).to.equal(1);
        expect(await make()).to.equal(1);
    });

    it('are made of the first page, and are no change of the project', async () => {
        const project = await author.project();
        const png = await picture('png', { width: 320, height: 480 });
        await author.call('PUT', `/users/me/assets/${hashOf(png)}`, png, { headers: { 'content-type': 'image/png' } });
        await author.element(project.page, red);
        await author.element(await author.page(project, { x: 1, y: 0 }), { ...red, styles: { ...box, backgroundColor: 'lime' } });
        const first = await read(project);
        expect(first.body.project.thumbnail).to.equal({});
        expect(await make()).to.equal(1);
        const found = await read(project);
        const { thumbnail, ...rest } = found.body.project;
        expect({ ...rest, thumbnail: {} }).to.equal(first.body.project);
        expect(thumbnail).to.equal({ 320: `https://pages.example/assets/${hashIn(thumbnail)}?width=320&height=198`, 640: `https://pages.example/assets/${hashIn(thumbnail)}?width=640` });
        expect(await middle(thumbnail)).to.equal([5, 0, 0]);
        const card = join(test.assets.incoming, 'card.webp');
        await writeFile(card, (await test.server.inject(String(thumbnail['320']).replace('https://pages.example', ''))).rawPayload);
        expect(await sharp(card).metadata()).to.include({ width: 320, height: 198 });
        expect((await author.call('GET', `/projects/${project.id}`)).body.project.thumbnail).to.equal(thumbnail);
        expect((await author.call('GET', '/users/me/assets')).body.quota.used).to.equal(png.length);
        expect((await author.call('GET', `${project.url}/history`)).body.changes[0].revision).to.equal(first.body.project.revision);

        // Who has the old state is told of the new one, and who writes is not in the way of it.
        const tag = String(first.headers.etag);
        expect((await author.call('GET', project.url, undefined, { headers: { 'if-none-match': tag } })).status).to.equal(200);
        expect((await author.call('GET', project.url, undefined, { headers: { 'if-none-match': String(found.headers.etag) } })).status).to.equal(304);
        expect((await author.call('PATCH', project.url, { title: 'New' }, { headers: { 'if-match': tag } })).status).to.equal(200);
        expect((await author.call('PATCH', project.url, { title: 'Newer' }, { headers: { 'if-match': String((await read(project)).headers.etag) } })).status).to.equal(200);

        // Not again at once, and the same picture for the same page.
        expect(await make()).to.equal(0);
        await again();
        expect(await make()).to.equal(1);
        expect(await shown(project)).to.equal(thumbnail);
        await author.element(project.page, { type: 'image', attributes: { src: referenceTo(png) }, styles: box });
        await author.element(project.page, { type: 'image', attributes: { src: `data:image/png;base64,${png.toString('base64')}` }, styles: { ...box, width: 10 } });
        await again();
        await make();
        expect(await middle(await shown(project))).to.equal(await colourOf(png));
    });

    it('give way to those that authors send, and are not kept when an editor sends them back', async () => {
        const project = await author.project();
        const element = await author.element(project.page, red);
        await make();
        const made = await shown(project);
        expect((await author.call('PATCH', project.url, { thumbnail: made, title: 'Sent back' })).body.project).to.include({ title: 'Sent back', thumbnail: made });
        expect(await rows('select thumbnail::text as thumbnail from projects')).to.equal([{ thumbnail: '{}' }]);
        expect((await author.project({ thumbnail: made })).thing.thumbnail).to.equal({});

        const own = { 320: 'https://elsewhere.example/a.png' };
        await author.call('PATCH', project.url, { thumbnail: own });
        await again();
        await make();
        expect(await shown(project)).to.equal(own);
        expect(await rows('select made_thumbnail from projects where id = ?', project.id)).to.equal([{ made_thumbnail: null }]);

        await author.call('PATCH', project.url, { thumbnail: {} });
        await again();
        await make();
        expect(hashIn(await shown(project))).to.equal(hashIn(made));
        // There is nothing to show of a page without elements.
        await author.call('DELETE', element.url);
        await again();
        await make();
        expect(await shown(project)).to.equal({});
    });

    it('are kept as long as they are shown, and not longer', async () => {
        const project = await author.project();
        const element = await author.element(project.page, red);
        await make();
        const first = await shown(project);
        await author.call('PATCH', element.url, { styles: { ...box, backgroundColor: 'lime' } });
        await again();
        await make();
        const second = await shown(project);
        expect(await middle(second)).to.equal([0, 5, 0]);
        const clean = async (): Promise<void> => {
            await ageAssets(test.database.db, 8);
            for await (const _step of removeUnusedAssets(test.database.db, test.assets)) {
                // All of it.
            }
        };

        await clean();
        await clean();
        expect([(await test.call('GET', `/assets/${hashIn(first)}`)).status, (await test.call('GET', `/assets/${hashIn(second)}`)).status]).to.equal([404, 200]);
    });

    it('of private projects have addresses that nobody can know', async () => {
        const fields = { visibility: 'public' };
        const [project, twin] = [await author.project(fields), await author.project(fields)];
        await author.element(project.page, red);
        await author.element(twin.page, red);
        expect(await make()).to.equal(2);
        const open = await shown(project);
        expect(hashIn(await shown(twin))).to.not.equal(hashIn(open));
        await author.call('PATCH', project.url, { visibility: 'private' });
        await again();
        await make();
        const hidden = await shown(project);
        expect(hashIn(hidden)).to.not.equal(hashIn(open));
        expect((await test.call('GET', project.url)).status).to.equal(404);
        await author.call('PATCH', project.url, { title: 'Still private' });
        await again();
        await make();
        expect(hashIn(await shown(project))).to.equal(hashIn(hidden));
    });

    it('are made by one instance at a time, also for older projects, and remixes get their own', async () => {
        const project = await author.project();
        await author.element(project.page, red);
        const gone = await author.project();
        await author.project();
        await rows('update thumbnail_progress set claimed_until = now() + interval \'1 hour\'');
        expect(await make()).to.equal(0);
        await rows('update thumbnail_progress set claimed_until = now()');
        await rows('delete from project_changes');
        await author.call('DELETE', gone.url);
        await rows('delete from project_changes');
        expect((await findDue(test.database.db)).map(({ id }) => id)).to.include(project.id);
        // All changes until then were looked at, also if there is more to do.
        const ending = new AbortController();
        const [now] = await rows<{ text: string }>('select now()::text as text');
        const last: FilePool<Task> = { ...drawer, run: (task, caller) => {
            ending.abort();
            return drawer.run(task, caller);
        } };
        expect(await makeThumbnails({ db: test.database.db, assets: test.assets, files: last }, ending.signal)).to.equal(1);
        expect(await rows('select done_until > ?::timestamptz as "isDone" from thumbnail_progress', String(now?.text))).to.equal([{ isDone: true }]);
        expect(await make()).to.equal(1);
        const remix = await author.remix(project);
        expect(remix.thing.thumbnail).to.equal({});
        expect(await make()).to.equal(1);
        expect(hashIn(await shown(remix))).to.not.equal(hashIn(await shown(project)));
        expect(await rows<{ filled: string }>('select filled_to::text as filled from thumbnail_progress')).to.equal([{ filled: remix.id }]);
    });

    it('are made later of an older project that is to be drawn again while another one is drawn', async () => {
        const [first, second] = [await author.project(), await author.project()];
        await author.element(first.page, red);
        await author.element(second.page, red);
        expect(await make()).to.equal(2);
        await rows('delete from project_changes');
        const redraw = ({ id }: Made): Promise<string[]> => test.database.db.transaction((trx) => redrawThumbnails(trx, [id]));
        await redraw(second);
        await make({ ...drawer, run: async (task, caller) => {
            await redraw(first);
            return drawer.run(task, caller);
        } });
        await make();
        expect([hashIn(await shown(first)), hashIn(await shown(second))].map((hash) => hash.length)).to.equal([64, 64]);
    });

    it('are made later of an older project whose drawing was cut off', async () => {
        const project = await author.project();
        await author.element(project.page, red);
        await rows('delete from project_changes');
        const ending = new AbortController();
        const cut: FilePool<Task> = { ...drawer, run: () => {
            ending.abort();
            return Promise.reject(new Error('aborted'));
        } };
        expect(await makeThumbnails({ db: test.database.db, assets: test.assets, files: cut }, ending.signal)).to.equal(0);
        expect(await make()).to.equal(1);
        expect(hashIn(await shown(project))).to.have.length(64);
    });

    it('load nothing from anywhere, whatever is in a page', async () => {
        let asked = 0;
        const elsewhere = createServer((_request, response) => {
            asked++;
            response.end();
        });
        const port = await listen(elsewhere);
        const url = `http://127.0.0.1:${port}/a.png`;
        const svg = (inside: string): string => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xi="http://www.w3.org/2001/XInclude" width="320" height="480"><style>@import url(${url});rect{fill:url(${url}#a)}</style>${inside}</svg>`)}`;
        const project = await author.project();
        await author.element(project.page, red);
        for (const src of [url, `${url}?b`, svg(`<image href="${url}" width="320" height="480"/><image xlink:href="file:///etc/hostname" width="9" height="9"/><xi:include href="file:///etc/hostname"/><use href="${url}#a"/><script>fetch("${url}")</script>`)]) {
            await author.element(project.page, { type: 'image', attributes: { src }, styles: { ...box, top: 400 } });
        }

        await author.element(project.page, { type: 'text', attributes: { text: `<img src="${url}"/></text><image href="${url}"/>` }, styles: { ...box, fontFamily: `url(${url})`, backgroundColor: `url(${url})`, color: `url(${url})` } });
        expect(await make()).to.equal(1);
        expect(await middle(await shown(project))).to.equal([5, 0, 0]);
        elsewhere.close();
        expect(asked).to.equal(0);
    });

    it('leave out a page that takes too long, or whose drawing fails, and go on', async () => {
        const bomb = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1200"><filter id="f" x="0" y="0" width="1" height="1"><feTurbulence baseFrequency="0.01" numOctaves="9"/><feGaussianBlur stdDeviation="90"/></filter>${'<rect width="1200" height="1200" filter="url(#f)"/>'.repeat(400)}</svg>`;
        const project = await author.project();
        await author.element(project.page, { type: 'image', attributes: { src: `data:image/svg+xml,${encodeURIComponent(bomb)}` }, styles: box });
        const impatient = inProcesses(1500);
        expect(await make(impatient)).to.equal(1);
        expect(await shown(project)).to.equal({});
        expect(await make()).to.equal(0);

        const other = await author.project();
        await author.element(other.page, red);
        await author.element(other.page, { type: 'image', attributes: { src: `asset:${await lost()}` }, styles: box });
        // That no process could be started is not because of the page.
        await expect(make(filePool(join(__dirname, 'nothing-there.js'), undefined, builtStarter()))).to.reject(NotBegun);
        expect(await make({ ...drawer, run: () => Promise.resolve({ error: 'no fonts', memory: 0 }) })).to.equal(1);
        expect(await shown(other)).to.equal({});
        await author.call('PATCH', other.url, { title: 'Changed' });
        await again();
        expect(await make()).to.equal(1);
        expect(await middle(await shown(other))).to.equal([5, 0, 0]);
    });

    it('leave no folder when the service is killed while it draws', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-test-'));
        await writeFile(join(folder, 'fonts.conf'), '');
        const drawing = fork(builtProgram(), [folder], { serialization: 'advanced' });
        await once(drawing, 'spawn');
        // So it seems to the process that draws.
        drawing.disconnect();
        await once(drawing, 'exit');
        expect(existsSync(folder)).to.be.false();
    });

    /** An asset whose bytes are lost. */
    const lost = async (): Promise<string> => {
        const png = await picture();
        await author.call('PUT', `/users/me/assets/${hashOf(png)}`, png, { headers: { 'content-type': 'image/png' } });
        await test.assets.remove(hashOf(png));
        return hashOf(png);
    };

    it('are kept up to date, are tried again where the assets cannot be read, and end when the service does', async () => {
        const project = await author.project();
        await author.element(project.page, red);
        await author.element(project.page, { type: 'image', attributes: { src: `asset:${await lost()}` }, styles: { ...box, width: 1 } });
        const warnings: string[] = [];
        let fails = true;
        const assets = { ...test.assets, size: () => (fails ? Promise.reject(new Error('the bucket is away')) : Promise.resolve(1e9)) };
        const end = keepThumbnails({ db: test.database.db, assets, files: drawer }, { warn: (_fields: unknown, message?: string) => void warnings.push(String(message)) }, 10);
        await until(() => warnings.length > 0, 60_000);
        expect(warnings[0]).to.equal('thumbnails could not be made, and are tried again: the bucket is away');
        fails = false;
        let found = {};
        void (async () => {
            while (Object.keys(found).length === 0) {
                found = await shown(project);
            }
        })();

        await until(() => Object.keys(found).length > 0, 60_000);
        await end();

        await author.call('PATCH', project.url, { title: 'Changed' });
        await again();
        let drawing = false;
        const stuck: FilePool<Task> = { ...drawer, run: (_task, _caller, signal) => new Promise((_resolve, reject) => {
            drawing = true;
            signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }) };
        const endStuck = keepThumbnails({ db: test.database.db, assets, files: stuck }, { warn: () => undefined }, 10);
        await until(() => drawing, 60_000);
        await endStuck();
        expect(await shown(project)).to.equal(found);
    });
});
