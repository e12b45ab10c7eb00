import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const action = (type: string, method: string, data: unknown): object => ({ type, method, data });

describe('actions of a bulk', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
    });

    after(() => server.stop());

    /** The results of a bulk that has to succeed. */
    const results = async (...actions: object[]): Promise<ReturnType<JSON['parse']>> => {
        const { body, text } = await ada.bulk(actions);
        expect(body.status, text.slice(0, 500)).to.equal('success');
        expect(body.results).to.have.length(actions.length);
        return body.results;
    };

    it('refer to ids in earlier results', async () => {
        const [project, page, element, , , , moved] = await results(
            action('projects', 'create', { title: 'x' }), action('pages', 'create', { projectId: '$0.id', x: 0, y: 0 }), action('elements', 'create', { pageId: '$1.id', type: 'x' }),
            action('elements', 'create', { pageId: '$2.page_id', type: 'y' }), action('pages', 'create', { projectId: '$1.project_id', x: 1, y: 0 }),
            action('elements', 'update', { id: '$2.id', attributes: { n: 1 } }), action('pages', 'update', { id: '$5.page_id', x: 2 }), action('projects', 'update', { id: '$6.project_id', title: 'y' })
        );
        expect(moved).to.include({ id: page.id, x: 2, project_id: project.id });
        expect(moved.elements.map(({ id, type }: { id: string; type: string }) => [id === element.id, type])).to.equal([[true, 'x'], [false, 'y']]);
        expect((await server.call('GET', `/users/${ada.id}/projects/${project.id}`)).body.project.title).to.equal('y');
    });

    it('refer by ids in any notation, deep into a result and into things that it only names', async () => {
        const { id, page } = await ada.project();
        const first = await ada.element(page);
        const other = await ada.project();
        const named = await ada.element(page, { type: 'note', attributes: { ids: [other.id, 0, { page: Number(other.page.id) }] } });
        const [, , , changed, moved, made] = await results(
            action('pages', 'update', { id: Number(page.id), styles: {} }), action('elements', 'update', { id: '$0.elements.0.id', styles: { found: true } }),
            action('elements', 'update', { id: named.id, styles: {} }), action('projects', 'update', { id: '$2.attributes.ids.0', title: 'reached' }),
            action('pages', 'update', { id: '$2.attributes.ids.2.page', x: 8 }), action('pages', 'create', { projectId: '$2.attributes.ids.0', x: 0, y: 0 })
        );
        expect(changed).to.include({ id: other.id, title: 'reached' });
        expect(moved).to.include({ id: other.page.id, x: 8 });
        expect(made).to.include({ project_id: other.id, x: 0 });
        expect((await server.call('GET', first.url)).body.element.styles).to.equal({ found: true });
        expect(id).to.not.equal(other.id);
    });

    it('refer to fields of things that no other action named: place, elements and project', async () => {
        const { page, id, url } = await ada.project();
        const element = await ada.element(page, { attributes: { a: 1 } });
        const neighbour = await ada.element(page);
        const taken = await ada.page({ url, id, thing: undefined }, { x: 1, y: 0 });
        const [, moved, made] = await results(
            action('elements', 'update', { id: element.id, styles: { b: 1 } }), action('pages', 'update', { id: '$0.page_id', x: 3 }), action('pages', 'create', { projectId: '$1.project_id', x: 0, y: 0 })
        );
        expect(moved.elements.map((shown: { id: string }) => shown.id)).to.equal([element.id, neighbour.id]);
        expect(moved.elements[0].styles).to.equal({ b: 1 });
        expect((await server.call('GET', `${url}/pages/${made.id}`)).body.page).to.include({ x: 0, y: 0 });

        const collision = await ada.bulk([action('elements', 'update', { id: element.id, styles: {} }), action('pages', 'update', { id: '$0.page_id', x: taken.thing.x })]);
        expect(collision.body).to.include({ statusCode: 409, code: 'coordinates_taken', action: 1 });
    });

    it('show a page\'s elements in the order of creation, in whatever order they were loaded', async () => {
        const { page } = await ada.project();
        const elements: string[] = [];
        for (let n = 0; n < 4; ++n) {
            elements.push((await ada.element(page)).id);
        }

        const [first, second, third, last] = elements;
        const [, , shown] = await results(
            action('elements', 'update', { id: last, styles: { n: 4 } }), action('elements', 'update', { id: second, styles: { n: 2 } }), action('pages', 'update', { id: '$0.page_id', styles: {} })
        );
        expect(shown.elements.map(({ id }: { id: string }) => id)).to.equal([first, second, third, last]);
    });

    it('find places as earlier actions left them, also while places of other projects are looked up', async () => {
        const [one, other] = [await ada.project(), await ada.project()];
        const [, , , moved] = await results(
            action('pages', 'update', { id: one.page.id, x: 5 }), action('projects', 'update', { id: other.id, title: 'x' }), action('pages', 'create', { projectId: '$1.id', x: 1, y: 0 }),
            action('pages', 'create', { projectId: '$0.project_id', x: 0, y: 0 })
        );
        expect(moved).to.include({ project_id: one.id, x: 0, y: 0 });
    });

    it('find the place of a removed page free, also if it is looked up afterwards', async () => {
        const { page, id, url } = await ada.project();
        const removed = await ada.page({ url, id, thing: undefined }, { x: 1, y: 0 });
        const element = await ada.element(page);
        const [, , moved] = await results(
            action('elements', 'update', { id: element.id, styles: {} }), action('pages', 'remove', { id: removed.id }), action('pages', 'update', { id: '$0.page_id', x: 1 })
        );
        expect(moved).to.include({ id: page.id, x: 1 });
        expect((await server.call('GET', page.url)).body.page.x).to.equal(1);
    });

    it('see earlier actions: removed things are gone, created ones exist', async () => {
        const { page, id } = await ada.project();
        const [one, two] = [await ada.element(page, { type: 'one' }), await ada.element(page, { type: 'two' })];
        const [, , , shown] = await results(
            action('elements', 'remove', { id: one.id }), action('elements', 'create', { pageId: page.id, type: 'three' }),
            action('elements', 'update', { id: two.id, attributes: { seen: 1 } }), action('pages', 'update', { id: '$2.page_id', styles: { a: 1 } })
        );
        expect(shown.elements.map(({ type, attributes }: { type: string; attributes: object }) => [type, attributes])).to.equal([['two', { seen: 1 }], ['three', {}]]);

        // Things inside a removed thing are gone too, in the bulk and in the database.
        const below = [
            [action('projects', 'remove', { id }), action('pages', 'update', { id: page.id, x: 1 })], [action('projects', 'remove', { id }), action('elements', 'remove', { id: two.id })],
            [action('projects', 'remove', { id }), action('pages', 'create', { projectId: '$0.id', x: 3, y: 3 })], [action('pages', 'remove', { id: page.id }), action('elements', 'update', { id: two.id, styles: {} })],
            [action('pages', 'remove', { id: page.id }), action('elements', 'create', { pageId: '$0.id', type: 'x' })], [action('elements', 'remove', { id: two.id }), action('elements', 'remove', { id: two.id })]
        ];
        for (const actions of below) {
            expect((await ada.bulk(actions)).body, JSON.stringify(actions)).to.include({ statusCode: 404, code: 'not_found', action: 1 });
        }
    });

    it('do not find removed things', async () => {
        const { id, url, page } = await ada.project();
        const [gone, left] = [await ada.element(page), await ada.element(page)];
        const removed = await ada.page({ url, id, thing: undefined }, { x: 1, y: 0 });
        const below = await ada.element(removed);
        await ada.call('DELETE', gone.url);
        await ada.call('DELETE', removed.url);
        const [shown] = await results(action('pages', 'update', { id: page.id, styles: {} }), action('elements', 'update', { id: left.id, styles: {} }));
        expect(shown.elements.map((element: { id: string }) => element.id)).to.equal([left.id]);
        const missing = [
            action('elements', 'update', { id: gone.id, styles: {} }), action('pages', 'update', { id: removed.id, styles: {} }), action('elements', 'update', { id: below.id, styles: {} }),
            action('elements', 'create', { pageId: removed.id, type: 'x' })
        ];
        const old = await ada.project();
        await ada.call('DELETE', old.url);
        missing.push(action('projects', 'update', { id: old.id, title: 'x' }), action('pages', 'create', { projectId: old.id, x: 1, y: 1 }), action('pages', 'update', { id: old.page.id, styles: {} }));
        for (const change of missing) {
            expect((await ada.bulk([change])).body, JSON.stringify(change)).to.include({ statusCode: 404, code: 'not_found', action: 0 });
        }

        // The place of a removed page is free.
        await results(action('pages', 'create', { projectId: id, x: removed.thing.x, y: removed.thing.y }));
    });

    it('change only the title, and keep the description', async () => {
        const { url, id } = await ada.project({ description: 'stays #here', thumbnail: { 1: 'http://a' } });
        const [updated] = await results(action('projects', 'update', { id, title: 'New' }));
        expect(updated).to.include({ title: 'New', description: 'stays #here', tags: ['here'], thumbnail: { 1: 'http://a' }, revision: 2 });
        expect((await server.call('GET', url)).body.project).to.include({ title: 'New', description: 'stays #here', tags: ['here'] });
    });

    it('create and remove the same thing, and leave nothing', async () => {
        const { url, id, page } = await ada.project();
        const earlier = (await server.call('GET', `${url}/pages`)).body;
        const made = await results(
            action('projects', 'create', { title: 'x', description: '#fleeting' }), action('pages', 'create', { projectId: '$0.id', x: 0, y: 0 }), action('elements', 'create', { pageId: '$1.id', type: 'x' }),
            action('projects', 'remove', { id: '$0.id' }), action('elements', 'create', { pageId: page.id, type: 'x' }), action('elements', 'remove', { id: '$4.id' }),
            action('pages', 'create', { projectId: id, x: 5, y: 5 }), action('elements', 'create', { pageId: '$6.id', type: 'x' }), action('pages', 'remove', { id: '$6.id' })
        );
        expect(made[3]).to.equal({ status: 'deleted', id: made[0].id, type: 'projects', method: 'remove' });
        expect((await server.call('GET', `/projects/${made[0].id}`)).status).to.equal(404);
        expect((await server.call('GET', '/projects/tagged/fleeting')).body.projects).to.equal([]);
        const { body } = await server.call('GET', `${url}/pages`);
        expect(body.pages.map(({ revision, history, ...rest }: { revision: number; history: object }) => [revision > 0, history !== undefined, rest]))
            .to.equal(earlier.pages.map(({ revision, history, ...rest }: { revision: number; history: object }) => [revision > 0, history !== undefined, rest]));
        expect((await server.call('GET', `${url}/pages/${made[6].id}`)).status).to.equal(404);
        // The limits count only live things.
        const { rows } = await server.database.db.raw('select page_count, element_count from projects p join pages g on g.project_id = p.id where g.id = ?', [page.id]);
        expect(rows).to.equal([{ page_count: 1, element_count: 0 }]);
    });

    it('fail to use a place that becomes free only later', async () => {
        const { url, id, page } = await ada.project();
        const other = await ada.page({ url, id, thing: undefined }, { x: 1, y: 0 });
        const direct = [action('pages', 'update', { id: page.id, x: 1 }), action('pages', 'update', { id: other.id, x: 0 })];
        expect((await ada.bulk(direct)).body).to.include({ statusCode: 409, code: 'coordinates_taken', action: 0 });
        const [, , last] = await results(action('pages', 'update', { id: page.id, y: 1 }), action('pages', 'update', { id: other.id, x: 0 }), action('pages', 'update', { id: page.id, x: 1, y: 0 }));
        expect(last).to.include({ x: 1, y: 0 });
        expect((await server.call('GET', other.url)).body.page).to.include({ x: 0, y: 0 });
        // A place that a removed page leaves is free for the next action.
        await results(action('pages', 'remove', { id: other.id }), action('pages', 'create', { projectId: id, x: 0, y: 0 }));
    });

    it('change the targets of links to things that the bulk creates; other text stays', async () => {
        const { page } = await ada.project();
        const literal = { text: '$0.id', inner: { targetPageId: '$0.id' }, list: ['$0.id'] };
        const [project, target, link, text, changed, odd] = await results(
            action('projects', 'create', { title: '$0.id', description: '$0.id' }), action('pages', 'create', { projectId: '$0.id', x: 0, y: 0, styles: literal }),
            action('elements', 'create', { pageId: page.id, type: 'link', attributes: { ...literal, targetPageId: '$1.id', targetProjectId: '$0.id', targetUserId: '$0.user_id' } }),
            action('elements', 'create', { pageId: page.id, type: 'text', attributes: { ...literal, targetPageId: '$1.id' } }),
            action('elements', 'update', { id: '$2.id', attributes: { targetPageId: '$1.id' }, styles: literal }),
            action('elements', 'create', { pageId: page.id, type: 'link', attributes: { targetPageId: '$1', targetProjectId: '$x.id', targetUserId: '7' } })
        );
        expect(project).to.include({ title: '$0.id', description: '$0.id' });
        expect(target.styles).to.equal(literal);
        expect(link.attributes).to.equal({ ...literal, targetPageId: target.id, targetProjectId: project.id, targetUserId: ada.id });
        expect(text.attributes).to.equal({ ...literal, targetPageId: '$1.id' });
        expect(changed).to.include({ attributes: { targetPageId: target.id }, styles: literal });
        expect(odd.attributes).to.equal({ targetPageId: '$1', targetProjectId: '$x.id', targetUserId: '7' });
        const { body } = await server.call('GET', `${page.url}/elements`);
        expect(body.elements.map(({ attributes }: { attributes: object }) => attributes)).to.equal([changed.attributes, text.attributes, odd.attributes]);
    });

    it('resolve references only in the link attributes, whatever their text', async () => {
        const { page } = await ada.project();
        const lookalike = { targetPageId: '$0.id' };
        const attributes = {
            a: '{"targetPageId":"$0.id"}', '[{': '\\"', b: [lookalike, '}]', { ...lookalike, deep: [lookalike] }], 'x"targetPageId': '$0.id', targetUserId: '$0.user_id', targetProjectId: 'no "$0.id"',
            c: { c: '"' }, targetPageId: '$0.page_id'
        };
        const [first, link] = await results(action('elements', 'create', { pageId: page.id, type: 'x' }), action('elements', 'create', { pageId: page.id, type: 'link', attributes }));
        expect(link.attributes).to.equal({ ...attributes, targetPageId: page.id, targetUserId: first.user_id });
        expect((await server.call('GET', `${page.url}/elements/${link.id}`)).body.element.attributes).to.equal(link.attributes);
    });

    it('refer to ids in at most 256 KiB of attributes and styles, which are parsed once', async () => {
        const { page } = await ada.project();
        const padding = (length: number): object => Object.fromEntries(Array.from({ length: length / 16 }, (_, n) => [`k${String(n).padStart(9, '0')}`, 0]));
        const readable = await ada.element(page, { attributes: { ...padding(240_000), z: page.id } });
        const all = await results(
            action('elements', 'update', { id: readable.id, styles: {} }), ...Array.from({ length: 999 }, () => action('elements', 'create', { pageId: '$0.attributes.z', type: 'x' }))
        );
        expect(all.at(-1).page_id).to.equal(page.id);

        const other = (await ada.project()).page;
        const small = await ada.element(other, { attributes: { ...padding(60_000), z: other.id } });
        const { body } = await ada.bulk([
            action('elements', 'update', { id: readable.id, styles: {} }), action('elements', 'update', { id: small.id, styles: {} }), action('elements', 'create', { pageId: '$1.attributes.z', type: 'x' }),
            action('elements', 'update', { id: '$0.attributes.z', styles: {} })
        ]);
        expect(body).to.include({ statusCode: 400, code: 'bad_reference', action: 3 });
    });

    it('do not change stored things that they do not name', async () => {
        const { page } = await ada.project();
        const attributes = { targetPageId: '$0.id' };
        const link = await ada.element(page, { type: 'link', attributes });
        const [, changed] = await results(action('projects', 'create', { title: 'x' }), action('elements', 'update', { id: link.id, styles: { a: 1 } }));
        expect(changed.attributes).to.equal(attributes);
        expect((await server.call('GET', link.url)).body.element).to.include({ attributes, styles: { a: 1 } });
    });

    it('do not change things that are only returned, or that are in the same project', async () => {
        const { page, id, url } = await ada.project();
        const beside = await ada.page({ url, id, thing: undefined }, { x: 1, y: 0 });
        const untouched = [await ada.element(page), await ada.element(beside)];
        const changing = await ada.element(page);
        const read = (): Promise<unknown[]> => Promise.all([beside, ...untouched].map(async (made) => (await server.call('GET', made.url)).body));
        const earlier = await read();
        // Only one coordinate of the page changes, which is known only through its element.
        const [, moved] = await results(action('elements', 'update', { id: changing.id, styles: { a: 1 } }), action('pages', 'update', { id: '$0.page_id', y: 4 }));
        expect(moved).to.include({ id: page.id, x: 0, y: 4 });
        expect(await read()).to.equal(earlier);
    });

    it('are up to 1,000, in order', async () => {
        const { id, url, page } = await ada.project();
        const actions = Array.from({ length: 999 }, (_, n) => action('elements', n === 0 ? 'create' : 'update', n === 0 ? { pageId: page.id, type: 'x' } : { id: `$${n - 1}.id`, attributes: { n } }));
        const all = await results(...actions, action('projects', 'update', { id, title: 'done' }));
        expect(all[998]).to.include({ attributes: { n: 998 }, revision: 999 });
        expect((await server.call('GET', url)).body.project).to.include({ title: 'done', revision: 1001 });
    });
});
