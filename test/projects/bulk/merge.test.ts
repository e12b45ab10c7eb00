import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a bulk with updates that merge', () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let page: Made;
    let element: Made;

    before(async () => {
        // Time stands still, so that no bulk takes too long on a busy machine.
        const began = Date.now();
        server = await startTestServer({ now: () => began });
        ada = await openAuthor(server, 'ada');
    });

    beforeEach(async () => {
        project = await ada.project({ title: 'one', thumbnail: { 320: 'https://a.example/1' } });
        page = await ada.page(project, { x: 1, y: 1, styles: { color: 'red' } });
        element = await ada.element(page, { attributes: { text: 'a', size: 1 }, styles: { top: 1 } });
    });

    after(() => server.stop());

    type Kind = 'projects' | 'pages' | 'elements';
    const things = { projects: () => project, pages: () => page, elements: () => element };
    const update = (type: Kind, data: object): object => ({ type, method: 'update', data: { id: things[type]().id, ...data } });
    const read = async ({ url }: Made): Promise<Answer['body']> => {
        const { body } = await server.call('GET', url);
        return body.element ?? body.page ?? body.project;
    };

    const theirs = { projects: { title: 'two' }, pages: { x: 5, styles: { color: 'red', size: 1 } }, elements: { attributes: { text: 'b', size: 1 } } };
    const mine = { projects: { title: 'one', description: '#mine', thumbnail: { 320: 'https://a.example/1' } }, pages: { x: 1, y: 1, styles: { color: 'blue' } }, elements: { attributes: { text: 'a', size: 2 }, styles: { top: 1 } } };
    const both = {
        projects: { title: 'two', description: '#mine', tags: ['mine'], thumbnail: { 320: 'https://a.example/1' } }, pages: { x: 5, y: 1, styles: { color: 'blue', size: 1 } },
        elements: { attributes: { text: 'b', size: 2 }, styles: { top: 1 } }
    };
    const against = { projects: { title: 'three' }, pages: { x: 6, styles: {} }, elements: { attributes: { text: 'c', size: 1 } } };
    const pointers = { projects: ['/title'], pages: ['/position'], elements: ['/attributes/text'] };
    const kinds: Kind[] = ['projects', 'pages', 'elements'];

    for (const type of kinds) {
        it(`of ${type} keeps what both sides changed`, async () => {
            const { revision } = await read(things[type]());
            await ada.call('PATCH', things[type]().url, theirs[type]);
            const { status, body, text } = await ada.bulk([update(type, { ...mine[type], revision, merge: true })]);
            expect(status, text).to.equal(200);
            expect(body.results[0]).to.include({ type, method: 'update', merged: true, ...both[type] });
            expect(await read(things[type]())).to.include({ ...both[type], revision: revision + 2 });
        });

        it(`of ${type} is ordinary if the revision matches`, async () => {
            const { revision } = await read(things[type]());
            const { body } = await ada.bulk([update(type, { ...mine[type], revision, merge: true })]);
            expect(body.results[0]).to.include(mine[type]);
            expect(body.results[0].merged).to.be.undefined();
        });

        it(`of ${type} writes nothing if both sides changed something`, async () => {
            const base = await read(things[type]());
            await ada.call('PATCH', things[type]().url, theirs[type]);
            const current = await read(things[type]());
            for (const merge of [{ merge: true }, {}]) {
                const { status, body } = await ada.bulk([update('projects', { description: 'x' }), update(type, { ...against[type], revision: base.revision, ...merge })]);
                expect(status).to.equal(409);
                const own = type === 'projects' ? { description: 'x', tags: [], revision: current.revision + 1 } : {};
                expect({ ...body, current: { ...body.current, history: 0 } }).to.include({
                    code: 'revision_conflict', action: 1, base, conflicts: pointers[type], changed_by: { id: ada.id, username: 'ada' }, current: { ...current, ...own, history: 0 }
                });
            }

            expect(await read(things[type]())).to.equal(current);
        });

        it(`of ${type} writes nothing if what was there at its revision is not known`, async () => {
            const current = await read(things[type]());
            const { status, body } = await ada.bulk([update(type, { ...against[type], revision: 99, merge: true })]);
            expect(status).to.equal(409);
            expect(body).to.include({ base: null, current });
        });

        it(`of ${type} needs a revision`, async () => {
            const { status, body } = await ada.bulk([update(type, { ...mine[type], merge: true })]);
            expect(status).to.equal(400);
            expect(body.details).to.equal([{ path: 'actions.0.data', message: '"merge" needs the "revision" that the changes were made against' }]);
        });

        it(`that removes ${type} says what it takes to decide`, async () => {
            const base = await read(things[type]());
            await ada.call('PATCH', things[type]().url, theirs[type]);
            const { status, body } = await ada.bulk([{ type, method: 'remove', data: { id: things[type]().id, revision: base.revision } }]);
            expect(status).to.equal(409);
            expect(body).to.include({ base, current: await read(things[type]()), conflicts: [], changed_by: { id: ada.id, username: 'ada' } });
        });
    }

    it('merges with what its earlier actions wrote', async () => {
        const { revision } = await read(element);
        const { status, body } = await ada.bulk([
            update('elements', { attributes: { text: 'b', size: 1 }, revision, merge: true }), update('elements', { attributes: { text: 'a', size: 2 }, revision, merge: true }),
            update('elements', { styles: { top: 2 }, revision, merge: true })
        ]);
        expect(status).to.equal(200);
        expect(body.results.map(({ merged }: { merged?: boolean }) => merged)).to.equal([undefined, true, true]);
        expect(await read(element)).to.include({ attributes: { text: 'b', size: 2 }, styles: { top: 2 }, revision: revision + 3 });
    });

    it('names the caller if its own actions were in between', async () => {
        const moderator = await openAuthor(server, undefined, { moderator: true });
        await moderator.call('DELETE', (await ada.element(page)).url);
        const { body } = await ada.bulk([update('pages', { x: 7 }), update('pages', { x: 8, revision: 1, merge: true })]);
        expect(body).to.include({ action: 1, changed_by: { id: ada.id, username: 'ada' } });
        expect((await ada.bulk([update('pages', { x: 8, revision: 1 })])).body.changed_by).to.equal({ id: moderator.id, username: moderator.username });
    });

    it('has no base for what it has made itself', async () => {
        const { status, body } = await ada.bulk([
            { type: 'elements', method: 'create', data: { pageId: page.id, type: 'text', styles: { a: 1 } } }, { type: 'elements', method: 'update', data: { id: '$0.id', styles: {}, revision: 9, merge: true } }
        ]);
        expect(status).to.equal(409);
        expect(body).to.include({ base: null, conflicts: ['/styles/a'], changed_by: { id: ada.id, username: 'ada' } });
    });

    it('resolves the references of a link, but not those that are stored as text', async () => {
        const link = await ada.element(page, { type: 'link', attributes: { targetProjectId: '$0.id' } });
        await ada.call('PATCH', link.url, { attributes: { targetProjectId: '$0.id', targetUserId: '$0.user_id' } });
        const { status, text } = await ada.bulk([
            { type: 'pages', method: 'create', data: { projectId: project.id, x: 8, y: 8 } },
            { type: 'elements', method: 'update', data: { id: link.id, attributes: { targetProjectId: '$0.project_id', targetPageId: '$0.id' }, revision: 1, merge: true } }
        ]);
        expect(status, text).to.equal(200);
        const { attributes } = await read(link);
        expect(attributes).to.include({ targetProjectId: project.id, targetUserId: '$0.user_id' });
        expect(attributes.targetPageId).to.match(/^\d+$/);
    });

    it('shows a merged thing by its id if the answer is large already', async () => {
        const large = await ada.element(page, { attributes: { text: 'x'.repeat(1024 * 1024) } });
        const action = (styles: object): object => ({ type: 'elements', method: 'update', data: { id: large.id, styles, revision: 1, merge: true } });
        const { body } = await ada.bulk([action({ a: 1 }), action({ b: 1 })]);
        expect(body.results[1]).to.equal({ id: large.id, revision: 3, type: 'elements', method: 'update', merged: true });
    });

    const data = 'x'.repeat(2 * 1024 * 1024 - 100);

    it('reads a bounded amount of what was there before', async () => {
        const large = await ada.element(page, { attributes: { data }, styles: { data } });
        await ada.call('PATCH', large.url, { attributes: { theirs: 1 } });
        const action = (n: number): object => ({ type: 'elements', method: 'update', data: { id: large.id, attributes: { [`mine${n}`]: n }, revision: 1, merge: true } });
        const actions = Array.from({ length: 8 }, (_, n) => action(n));
        const { status, body } = await ada.bulk(actions);
        expect(status).to.equal(400);
        expect(body).to.include({ code: 'bulk_too_large', action: 7 });
        expect((await ada.bulk(actions.slice(1))).status).to.equal(200);
        expect(Object.keys((await read(large)).attributes)).to.equal(['theirs', ...Array.from({ length: 7 }, (_, n) => `mine${n + 1}`)]);
    });

    it('merges what was not loaded as the bulk touches too much', async () => {
        const pages = [page, await ada.page(project, { x: 3, y: 3 })];
        const others: Made[] = [];
        for (let n = 0; n < 16; ++n) {
            others.push(await ada.element(pages[n % 2] ?? page, { styles: { data } }));
        }

        const last = await ada.element(page, { styles: { data } });
        await ada.call('PATCH', last.url, { styles: { data, theirs: 1 } });
        const { status, body, text } = await ada.bulk([
            ...others.map(({ id }) => ({ type: 'elements', method: 'update', data: { id, attributes: { a: 1 } } })),
            { type: 'elements', method: 'update', data: { id: last.id, styles: { data, mine: 1 }, revision: 1, merge: true } }
        ]);
        expect(status, text.slice(0, 200)).to.equal(200);
        expect(body.results.at(-1)).to.include({ id: last.id, merged: true });
        expect((await read(last)).styles).to.equal({ data, theirs: 1, mine: 1 });
    });

    it('is refused if an object would be too large', async () => {
        const half = 'x'.repeat(1024 * 1024 + 100);
        await ada.call('PATCH', element.url, { attributes: { text: 'a', size: 1, theirs: half } });
        const { status, body } = await ada.bulk([update('elements', { attributes: { text: 'a', size: 1, mine: half }, revision: 1, merge: true })]);
        expect(status).to.equal(400);
        expect(body).to.include({ action: 0, details: [{ path: 'attributes', message: '"attributes" would be larger than 2 MiB after the merge' }] });
    });

    it('logs no error', () => {
        expect(server.faults).to.equal([]);
    });

    it('returns the revisions that the things have after it, which the next write can state', async () => {
        const { body: { results } } = await ada.bulk([
            { type: 'projects', method: 'create', data: { title: 'Made' } }, { type: 'pages', method: 'create', data: { projectId: '$0.id', x: 0, y: 0 } },
            { type: 'elements', method: 'create', data: { pageId: '$1.id', type: 'text', attributes: { text: 'a' } } }, { type: 'elements', method: 'update', data: { id: '$2.id', styles: { top: 1 } } }
        ]);
        const [made, first, inside, again] = results;
        const url = `/users/${ada.id}/projects/${made.id}`;
        const urls = [url, `${url}/pages/${first.id}`, `${url}/pages/${first.id}/elements/${inside.id}`];
        expect(results.map(({ revision }: Made & { revision: number }) => revision)).to.equal([4, 3, 2, 2]);
        expect([inside.styles, again.styles]).to.equal([{}, { top: 1 }]);
        for (const [n, { revision }] of [made, first, inside].entries()) {
            expect((await read({ ...project, url: String(urls[n]) })).revision).to.equal(revision);
        }

        for (const [n, fields] of [{ title: 'Mine' }, { x: 4, y: 4 }, { attributes: { text: 'b' } }].entries()) {
            const { status, body, text } = await ada.call('PATCH', String(urls[n]), { ...fields, revision: results[n].revision, merge: true });
            expect(status, text).to.equal(200);
            expect(body.merged).to.be.undefined();
        }
    });
});
