import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { atOnce, count, known, openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('remixes', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let moderator: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve', { language: 'fr' });
        moderator = await openAuthor(server, 'mod', { moderator: true });
    });

    after(() => server.stop());

    const statsOf = async ({ id }: { id: string }): Promise<{ views: number; remixes: number }> => (await server.call('GET', `/projects/${id}`)).body.project.stats;

    it('copy the title, the thumbnail, the pages and the elements, and nothing else', async () => {
        const thumbnail = { 320: 'https://example.com/a.png' };
        const source = await ada.project({ title: 'Original', description: 'with a #tag', thumbnail });
        const far = await ada.page(source, { x: -5, y: 2147483647, styles: { a: [1, { b: null }] } });
        await ada.page(source, { x: 1, y: 0 });
        const types = ['z', 'a', 'link', 'm', 'b'];
        for (const type of types) {
            await ada.element(far, { type, attributes: { 'ключ "': 1e300, type }, styles: { '': [] } });
        }

        const removed = await ada.element(far, { type: 'removed' });
        await ada.call('DELETE', removed.url);
        await ada.call('DELETE', (await ada.page(source, { x: 9, y: 9 })).url);
        await moderator.call('PATCH', `${source.url}/feature`);
        await eve.call('POST', `/view-project/${source.id}`);

        const answer = await eve.call('POST', `${source.url}/remixes`);
        expect(answer.status).to.equal(201);
        const { project } = answer.body;
        expect(answer.body).to.equal({ status: 'remixed', project });
        expect(answer.headers.location).to.equal(`/users/${eve.id}/projects/${project.id}`);
        const { author, ...rest } = known<Made['thing']>(project);
        expect(rest).to.equal({ user_id: eve.id, version: '1', title: 'Original', description: '', tags: [], remixed_from: source.id, featured: false, visibility: 'public', thumbnail, revision: 1 });
        expect(author).to.include({ id: eve.id, username: 'eve', locale: { language: 'fr' } });
        expect((await server.call('GET', String(answer.headers.location))).body.project).to.equal(project);
        expect(await statsOf(project)).to.equal({ views: 0, remixes: 0 });
        expect(await statsOf(source)).to.equal({ views: 1, remixes: 1 });

        const { body: { pages: originals } } = await server.call('GET', `${source.url}/pages`);
        const { body: { pages } } = await server.call('GET', `${answer.headers.location}/pages`);
        expect(pages).to.have.length(3);
        for (const [index, page] of pages.entries()) {
            const { x, y, styles, id, elements } = originals[index];
            expect(page.id).to.not.equal(id);
            expect(known(page)).to.include({ project_id: project.id, user_id: eve.id, x, y, styles, revision: 1 });
            expect(page.elements.map((element: Made['thing']) => known(element))).to.equal(elements.map((element: Made['thing']) => ({
                ...known(element), page_id: page.id, user_id: eve.id, revision: 1
            })));
        }

        expect(pages[1].elements.map(({ type }: { type: string }) => type)).to.equal(types);
        expect((await server.call('GET', '/discover')).body.projects.map(({ id }: { id: string }) => id)).to.not.include(project.id);
        expect((await server.call('GET', '/projects/tagged/tag')).body.projects).to.have.length(1);
    });

    it('are independent projects', async () => {
        const source = await ada.project();
        const element = await ada.element(source.page);
        const remix = await eve.remix(source);
        const { body: { pages: [page] } } = await server.call('GET', `${remix.url}/pages`);
        const pageUrl = `${remix.url}/pages/${page.id}`;
        const writes = [
            ['PATCH', remix.url, { title: 'Mine' }], ['POST', `${remix.url}/pages`, { x: 1, y: 0 }], ['PATCH', pageUrl, { x: 7 }], ['POST', `${pageUrl}/elements`, { type: 'x' }],
            ['PATCH', `${pageUrl}/elements/${page.elements[0].id}`, { styles: { a: 1 } }], ['DELETE', `${pageUrl}/elements/${page.elements[0].id}`, {}]
        ] as const;
        for (const [method, url, body] of writes) {
            expect((await ada.call(method, url, body)).status, `${method} ${url}`).to.equal(403);
            expect((await eve.call(method, url, body)).status, `${method} ${url}`).to.be.below(300);
        }

        expect((await server.call('GET', source.url)).body.project).to.include({ title: 'A project', revision: 2 });
        expect((await server.call('GET', element.url)).body.element).to.equal(element.thing);
        const { rows } = await server.database.db.raw('select page_count, element_count from projects p join pages g on g.project_id = p.id where g.id = ?', [page.id]);
        expect(rows).to.equal([{ page_count: 2, element_count: 1 }]);
    });

    it('can be made from your own projects and from remixes, which they name', async () => {
        const source = await ada.project();
        const own = await ada.remix(source);
        const second = await eve.remix(own);
        expect([own.thing.remixed_from, second.thing.remixed_from]).to.equal([source.id, own.id]);
        expect([await statsOf(source), await statsOf(own), await statsOf(second)].map(({ remixes }) => remixes)).to.equal([1, 1, 0]);
    });

    it('include the edit right before', async () => {
        const source = await ada.project();
        const element = await ada.element(source.page);
        for (let n = 0; n < 20; ++n) {
            await ada.call('PATCH', element.url, { attributes: { n } });
            const { url } = await eve.remix(source);
            expect((await server.call('GET', `${url}/pages`)).body.pages[0].elements[0].attributes).to.equal({ n });
        }
    });

    it('include all of a concurrent edit, or nothing of it', async () => {
        const source = await ada.project();
        const elements = await Promise.all(Array.from({ length: 10 }, () => ada.element(source.page, { attributes: { n: 0 } })));
        let editing = true;
        const edits = atOnce(40, 1, async (n) => {
            const { status } = await ada.bulk(elements.map(({ id }) => ({ type: 'elements', method: 'update', data: { id, attributes: { n } } })));
            expect(status).to.equal(200);
        }).finally(() => {
            editing = false;
        });
        while (editing) {
            const { url } = await eve.remix(source);
            const { body } = await server.call('GET', `${url}/pages`);
            const seen = new Set(body.pages[0].elements.map(({ attributes }: { attributes: { n: number } }) => attributes.n));
            expect(seen.size).to.equal(1);
        }

        await edits;
    });

    it('are listed under their source, newest first, and counted', async () => {
        const source = await ada.project();
        const remixes = [await eve.remix(source), await ada.remix(source), await eve.remix(source)];
        const { status, body } = await server.call('GET', `${source.url}/remixes`);
        expect(status).to.equal(200);
        expect(body).to.equal({ status: 'success', projects: remixes.map(({ thing }) => ({ ...thing, stats: { views: 0, remixes: 0 } })).reverse(), next: null });

        const first = await server.call('GET', `${source.url}/remixes?count=2`);
        expect(first.headers.link).to.equal(`<${source.url}/remixes?count=2&after=${first.body.next}>; rel="next"`);
        const rest = await server.call('GET', `${source.url}/remixes?count=2&after=${first.body.next}`);
        expect([...first.body.projects, ...rest.body.projects]).to.equal(body.projects);

        await eve.call('DELETE', remixes[0]?.url ?? '');
        expect(await statsOf(source)).to.equal({ views: 0, remixes: 2 });
        expect((await server.call('GET', `${source.url}/remixes`)).body.projects).to.have.length(2);
        const removed = await eve.bulk([{ type: 'projects', method: 'remove', data: { id: remixes[2]?.id } }]);
        expect(removed.status).to.equal(200);
        expect(await statsOf(source)).to.equal({ views: 0, remixes: 1 });

        const leaving = await openAuthor(server);
        await leaving.remix(source);
        expect((await statsOf(source)).remixes).to.equal(2);
        await leaving.call('DELETE', `/users/${leaving.id}`);
        expect((await statsOf(source)).remixes).to.equal(1);
    });

    it('are counted exactly, however many are made at once', async () => {
        const source = await ada.project();
        const made: Made[] = [];
        await atOnce(40, 10, async () => {
            made.push(await eve.remix(source));
        });
        expect((await statsOf(source)).remixes).to.equal(40);
        await Promise.all(made.slice(0, 15).map(({ url }) => eve.call('DELETE', url)));
        expect((await statsOf(source)).remixes).to.equal(25);
    });

    it('still name their source after it was deleted or purged', async () => {
        const source = await ada.project();
        const remix = await eve.remix(source);
        await ada.call('DELETE', source.url);
        expect((await server.call('GET', remix.url)).body.project.remixed_from).to.equal(source.id);
        await server.database.db.raw('delete from projects where id = ?', [source.id]);
        expect((await server.call('GET', remix.url)).body.project.remixed_from).to.equal(source.id);
        expect((await server.call('GET', `/projects/${remix.id}`)).status).to.equal(200);
        expect((await eve.call('DELETE', remix.url)).status).to.equal(200);
    });

    it('of missing projects, or without a token, are not created', async () => {
        const source = await ada.project();
        const projects = await count(server, 'from projects');
        expect((await server.call('POST', `${source.url}/remixes`)).status).to.equal(401);
        expect((await eve.call('POST', `${source.url}/remixes`, { description: 'x' })).status).to.equal(400);
        for (const url of [`/users/${eve.id}/projects/${source.id}/remixes`, `/users/${ada.id}/projects/999999/remixes`, `/users/999999/projects/${source.id}/remixes`]) {
            expect((await eve.call('POST', url)).body).to.include({ statusCode: 404, code: 'not_found' });
            expect((await server.call('GET', url)).status).to.equal(404);
        }

        expect(await count(server, 'from projects')).to.equal(projects);
    });

    it('log no error', () => {
        expect(server.faults).to.equal([]);
    });
});
