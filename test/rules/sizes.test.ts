import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { importedProject } from '../../src/files/imports/queries';
import { atOnce, count, ofBytes, openAuthor } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';
import { putElements, putPages, recount, wrongSizes } from '../support/sizes';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;
const PAGE = 32 * MIB;
const PROJECT = 256 * MIB;

describe('sizes', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
    });

    after(async () => {
        expect(await wrongSizes(server.database.db)).to.equal([]);
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const sizesOf = async (project: Made): Promise<{ project: number; pages: number[]; counted: boolean }> => {
        const { rows: [row] } = await server.database.db.raw(`
            select project_bytes::float8 as project, counted_revision = revision as counted,
                array(select page_bytes::float8 from pages where project_id = p.id and deleted_at is null order by id) as pages from projects p where id = ?`, [project.id]);
        return row;
    };

    /** A project whose first page has this many bytes. */
    const filled = async (bytes: number): Promise<MadeProject> => {
        const { db } = server.database;
        const project = await ada.project();
        const { page } = project;
        // Its own styles are {}, and each element has styles of 8 bytes.
        const elements = Math.max(1, Math.ceil(bytes / (2 * MIB)));
        await putElements(db, page.id, elements - 1, MIB, MIB);
        await putElements(db, page.id, 1, bytes - 2 - (elements - 1) * 2 * MIB - 8);
        expect(await sizesOf(project)).to.equal({ project: bytes, pages: [bytes], counted: true });
        return project;
    };

    /** A project with more pages that only claim to have this many bytes, because counted sizes are trusted. */
    const pretended = async (bytes: number, first = 2): Promise<MadeProject> => {
        const { db } = server.database;
        const project = await ada.project();
        const pages = await putPages(db, project.id, Math.ceil(bytes / PAGE));
        for (const [index, page] of pages.entries()) {
            await db.raw('update pages set page_bytes = ? where id = ?', [Math.min(PAGE, bytes - index * PAGE), page]);
        }

        await db.raw('update pages set page_bytes = ? where id = ?', [first, project.page.id]);
        await db.raw('update projects set project_bytes = ? where id = ?', [bytes + first, project.id]);
        return project;
    };

    const noLongerPretend = (project: Made): Promise<void> => recount(server.database.db, project.id);

    const outcome = ({ status, body }: Answer): unknown[] => [status, body.code, ...body.action === undefined ? [] : [body.action]];

    it('are counted by every write of a page and an element', async () => {
        const project = await ada.project();
        expect(await sizesOf(project)).to.equal({ project: 2, pages: [2], counted: true });

        const page = await ada.page(project, { x: 1, y: 0, styles: { color: 'é' } });
        expect((await sizesOf(project)).pages).to.equal([2, 14]);
        const element = await ada.element(page, { attributes: { text: 'ab' }, styles: { a: 1 } });
        expect((await sizesOf(project)).pages).to.equal([2, 14 + 13 + 7]);
        await ada.call('PATCH', element.url, { attributes: { text: 'abcd' } });
        expect((await sizesOf(project)).pages).to.equal([2, 14 + 15 + 7]);
        await ada.call('PATCH', element.url, { styles: {} });
        await ada.call('PATCH', page.url, { styles: { a: 1 } });
        await ada.call('PATCH', page.url, { x: 5 });
        expect(await sizesOf(project)).to.equal({ project: 2 + 7 + 15 + 2, pages: [2, 7 + 15 + 2], counted: true });
        await ada.call('PATCH', project.url, { title: 'Other' });
        const remix = await ada.remix(project);
        expect(await sizesOf(remix)).to.equal({ project: 26, pages: [2, 24], counted: true });
        await ada.call('DELETE', element.url);
        expect(await sizesOf(project)).to.equal({ project: 9, pages: [2, 7], counted: true });
        await ada.call('DELETE', page.url);
        expect(await sizesOf(project)).to.equal({ project: 2, pages: [2], counted: true });
    });

    it('are counted by every action of a bulk, and for the longer links of a remix', async () => {
        const project = await ada.project();
        const { status, text } = await ada.bulk([
            { type: 'pages', method: 'create', data: { projectId: project.id, x: 1, y: 0, styles: { a: 1 } } },
            { type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'link', attributes: { targetPageId: '$0.id' } } },
            { type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text', attributes: { text: 'é' } } },
            { type: 'elements', method: 'update', data: { id: '$2.id', attributes: { text: 'long' }, styles: { a: 2 } } },
            { type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text' } },
            { type: 'elements', method: 'remove', data: { id: '$4.id' } },
            { type: 'pages', method: 'create', data: { projectId: project.id, x: 2, y: 0, styles: { gone: true } } },
            { type: 'pages', method: 'remove', data: { id: '$6.id' } },
            { type: 'pages', method: 'update', data: { id: project.page.id, styles: { b: 'new' } } },
            { type: 'projects', method: 'create', data: { title: 'New' } }
        ]);
        expect(status, text).to.equal(200);
        expect(await sizesOf(project)).to.include({ counted: true });
        const remix = await ada.remix(project);
        expect((await sizesOf(remix)).project).to.be.above((await sizesOf(project)).project);
        expect(await wrongSizes(server.database.db)).to.equal([]);
    });

    it('stay exact with many concurrent writers', async () => {
        const project = await ada.project();
        const pages = [project.page, await ada.page(project, { x: 1, y: 1 })];
        const elements: Made[] = [];
        for (let n = 0; n < 8; ++n) {
            elements.push(await ada.element(n % 2 === 0 ? project.page : pages[1] ?? project.page));
        }

        const work = async (n: number): Promise<void> => {
            const page = pages[n % 2] ?? project.page;
            const at = n % 10;
            if (at < 5) {
                await ada.call('PATCH', elements[n % 8]?.url ?? '', { attributes: ofBytes(100 + n * 7 % 1000) });
            }
            else if (at === 5) {
                await ada.call('PATCH', page.url, { styles: ofBytes(50 + n) });
            }
            else if (at === 6) {
                await ada.bulk([{ type: 'elements', method: 'update', data: { id: elements[n % 8]?.id, styles: ofBytes(20 + n) } }]);
            }
            else if (at === 7) {
                const { url } = await ada.element(page, { attributes: ofBytes(300) });
                await ada.call('DELETE', url);
            }
            else if (at === 8) {
                const { url } = await ada.page(project, { x: n, y: 9, styles: ofBytes(77) });
                await ada.call('DELETE', url);
            }
            else {
                await ada.remix(project);
            }
        };

        await atOnce(200, 16, work);
        expect(await sizesOf(project)).to.include({ counted: true });
        expect(await wrongSizes(server.database.db)).to.equal([]);
    });

    it('of a page are at most 32 MiB, to the byte', async () => {
        const project = await filled(PAGE - 100);
        const elements = `${project.page.url}/elements`;
        const { body: { element } } = await ada.call('POST', elements, { type: 'text', attributes: ofBytes(50) });
        expect(await sizesOf(project)).to.include({ project: PAGE - 48 });
        const url = `${elements}/${element.id}`;
        const there = await count(server, 'from elements');

        const tooMuch: [string, string, object][] = [
            ['POST', elements, { type: 'text', attributes: ofBytes(48) }],
            ['PATCH', url, { attributes: ofBytes(50 + 49) }],
            ['PATCH', project.page.url, { styles: ofBytes(2 + 49) }]
        ];
        for (const [method, target, body] of tooMuch) {
            const answer = await ada.call(method, target, body);
            expect(outcome(answer)).to.equal([409, 'page_size_limit']);
            expect(answer.body.message).to.contain('32 MiB');
        }

        for (const data of [
            { type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text', attributes: ofBytes(48) } },
            { type: 'elements', method: 'update', data: { id: element.id, attributes: ofBytes(50 + 49) } },
            { type: 'pages', method: 'update', data: { id: project.page.id, styles: ofBytes(2 + 49) } }
        ]) {
            expect(outcome(await ada.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'Not kept' } }, data]))).to.equal([409, 'page_size_limit', 1]);
        }

        expect(await sizesOf(project)).to.include({ project: PAGE - 48 });
        expect(await count(server, 'from elements')).to.equal(there);
        expect((await ada.call('GET', project.url)).body.project.title).to.equal('A project');

        expect((await ada.call('PATCH', url, { attributes: ofBytes(50 + 48) })).status).to.equal(200);
        expect(await sizesOf(project)).to.equal({ project: PAGE, pages: [PAGE], counted: true });
    });

    it('of a project are at most 256 MiB, to the byte', async () => {
        const project = await pretended(PROJECT - 102);
        const tooMuch: [string, string, object][] = [
            ['POST', `${project.url}/pages`, { x: 50, y: 50, styles: ofBytes(101) }],
            ['POST', `${project.page.url}/elements`, { type: 'text', attributes: ofBytes(99) }],
            ['PATCH', project.page.url, { styles: ofBytes(2 + 101) }]
        ];
        for (const [method, target, body] of tooMuch) {
            const answer = await ada.call(method, target, body);
            expect(outcome(answer)).to.equal([409, 'project_size_limit']);
            expect(answer.body.message).to.contain('256 MiB');
        }

        for (const data of [
            { type: 'pages', method: 'create', data: { projectId: project.id, x: 50, y: 50, styles: ofBytes(101) } },
            { type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text', attributes: ofBytes(99) } }
        ]) {
            expect(outcome(await ada.bulk([data]))).to.equal([409, 'project_size_limit', 0]);
        }

        expect((await ada.call('POST', `${project.url}/pages`, { x: 50, y: 50, styles: ofBytes(100) })).status).to.equal(201);
        expect(await sizesOf(project)).to.include({ project: PROJECT, counted: true });
        await noLongerPretend(project);
    });

    it('of a remix are counted again, because its links may be longer', async () => {
        const project = await ada.project();
        const attributes = { targetPageId: project.page.id };
        await ada.element(project.page, { type: 'link', attributes });
        const { page } = project;
        const room = PAGE - 2 - JSON.stringify(attributes).length - 2;
        await putElements(server.database.db, page.id, 15, MIB, MIB);
        await putElements(server.database.db, page.id, 1, room - 30 * MIB - 8);
        expect(outcome(await ada.call('POST', `${project.url}/remixes`, {}))).to.equal([409, 'page_size_limit']);
        await ada.call('PATCH', page.url, { x: 1 });
        expect(await sizesOf(project)).to.include({ project: PAGE, counted: true });
    });

    it('above the limit may shrink and stay, but not grow', async () => {
        const project = await pretended(PROJECT, 40 * MIB);
        const { url } = project.page;
        const elements = await Promise.all([1, 2].map(() => ada.element(project.page).catch(() => undefined)));
        expect(elements).to.equal([undefined, undefined]);

        const { db } = server.database;
        const { rows } = await db.raw(`insert into elements (page_id, project_id, project_revision, created_revision, type, attributes) select ?, ?, 1, 1, 'text', ? from generate_series(1, 2) returning id`, [project.page.id, project.id, JSON.stringify(ofBytes(1000))]);
        await db.raw('update pages set element_count = 2 where id = ?', [project.page.id]);
        const [first, second] = rows.map(({ id }: { id: string }) => id);
        const firstUrl = `${url}/elements/${first}`;
        expect(outcome(await ada.call('PATCH', firstUrl, { attributes: ofBytes(1001) }))).to.equal([409, 'project_size_limit']);
        expect(outcome(await ada.bulk([{ type: 'elements', method: 'update', data: { id: first, attributes: ofBytes(1001) } }]))).to.equal([409, 'page_size_limit', 0]);
        expect(outcome(await ada.call('POST', `${project.url}/remixes`, {}))).to.equal([409, 'project_size_limit']);

        expect((await ada.call('PATCH', firstUrl, { attributes: ofBytes(1000) })).status).to.equal(200);
        expect((await ada.call('PATCH', firstUrl, { attributes: {} })).status).to.equal(200);
        expect((await ada.call('PATCH', url, { x: 77 })).status).to.equal(200);
        expect((await ada.call('PATCH', project.url, { title: 'Large' })).status).to.equal(200);
        expect((await ada.bulk([{ type: 'elements', method: 'update', data: { id: second, attributes: {} } }])).status).to.equal(200);
        expect((await ada.call('DELETE', `${url}/elements/${second}`)).status).to.equal(200);
        const pages = (await sizesOf(project)).pages.length;
        const { rows: others } = await db.raw('select id from pages where project_id = ? and id <> ? order by id limit 2', [project.id, project.page.id]);
        expect((await ada.bulk([{ type: 'pages', method: 'remove', data: { id: others[0].id } }])).status).to.equal(200);
        expect((await ada.call('DELETE', `${project.url}/pages/${others[1].id}`)).status).to.equal(200);
        expect((await sizesOf(project)).pages).to.have.length(pages - 2);

        // Now only a page is too large.
        expect((await sizesOf(project)).project).to.be.below(PROJECT);
        expect(outcome(await ada.call('POST', `${project.url}/remixes`, {}))).to.equal([409, 'page_size_limit']);
        expect((await ada.call('DELETE', url)).status).to.equal(200);
        expect((await ada.call('POST', `${project.url}/remixes`, {})).status).to.equal(201);
        expect((await ada.call('DELETE', project.url)).status).to.equal(200);
        await noLongerPretend(project);
    });

    it('are refused at the end if what was imported became too large', async () => {
        const project = await ada.project();
        for (const [page, whole, code] of [[PAGE + 1, PAGE + 1, 'page_size_limit'], [PAGE + 1, PROJECT + 1, 'page_size_limit'], [PAGE, PROJECT + 1, 'project_size_limit']] as const) {
            const error = await expect(server.database.db.transaction(async (trx) => {
                await trx.raw('update pages set page_bytes = ? where id = ?', [page, project.page.id]);
                await trx.raw('update projects set project_bytes = ? where id = ?', [whole, project.id]);
                await importedProject(trx, project.id);
            })).to.reject();
            expect(Object(error).data.code).to.equal(code);
        }
    });

    it('make only the edit fail that exceeds them, and no other edit of its batch', async () => {
        const project = await filled(PAGE - 1000);
        const other = await ada.project();
        const [full, free] = [await ada.element(project.page), await ada.element(other.page)];
        const answers = await Promise.all(Array.from({ length: 12 }, (_x, n) => {
            return n % 2 === 0 ? ada.call('PATCH', full.url, { attributes: ofBytes(3000) }) : ada.call('PATCH', free.url, { attributes: ofBytes(3000 + n) });
        }));
        expect(answers.map(({ status }) => status)).to.equal(Array.from({ length: 12 }, (_x, n) => (n % 2 === 0 ? 409 : 200)));

        // Edits of a page with less room than a whole batch needs are written one by one.
        const elements = await Promise.all([1, 2, 3, 4].map(() => ada.element(project.page)));
        const small = await Promise.all(elements.map(({ url }) => ada.call('PATCH', url, { attributes: ofBytes(500) })));
        expect(small.map(({ status }) => status).sort()).to.equal([200, 409, 409, 409]);
    });
});
