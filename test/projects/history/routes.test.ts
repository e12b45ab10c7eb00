import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { shown } from '../../support/mirror';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the history of a project', () => {
    let server: TestServer;
    let author: Author;
    let moderator: Author;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server);
        moderator = await openAuthor(server, undefined, { moderator: true });
    });

    after(() => server.stop());

    const changesOf = async (project: Made, query = '?count=100'): Promise<Answer['body']['changes']> => (await author.call('GET', `${project.url}/history${query}`)).body.changes;
    const latest = async (project: Made): Promise<Answer['body']> => (await changesOf(project, '?count=1'))[0];
    const post = (project: Made, rest: string, body: object = {}): Promise<Answer> => author.call('POST', `${project.url}/history/${rest}`, body);
    const revisionOf = async (project: Made): Promise<number> => (await shown(author, project.url)).revision;

    it('lists at most 10,000 removed elements', async () => {
        const project = await author.project();
        const pages = await Promise.all(Array.from({ length: 11 }, (_, n) => author.page(project, { x: n, y: 5 })));
        for (const page of pages) {
            await author.bulk(Array.from({ length: 1000 }, () => ({ type: 'elements', method: 'create', data: { pageId: page.id, type: 'a' } })));
        }

        const since = await revisionOf(project);
        const changes = (): Promise<Answer> => author.call('GET', `${project.url}/changes?since=${since}`);
        for (const page of pages.slice(1)) {
            await author.call('DELETE', page.url);
        }

        const { removed } = (await changes()).body;
        expect(removed.pages).to.only.include(pages.slice(1).map(({ id }) => id));
        expect(removed.elements.length).to.equal(10_000);
        await author.call('DELETE', `${pages[0]?.url}`);
        const { status, body } = await changes();
        expect([status, body.code, body.message]).to.equal([410, 'history_gone', 'More was removed since that revision than can be listed. Begin again with "since=0".']);
        expect((await author.call('GET', `${project.url}/changes?since=0`)).status).to.equal(200);
    });

    it('says who made each change, of what kind, and how much it did', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 0 });
        const first = await author.element(page);
        await author.call('PATCH', first.url, { styles: { left: 1 } });
        await author.call('PATCH', project.url, { title: 'Other' });
        await author.bulk([
            { type: 'elements', method: 'create', data: { pageId: page.id, type: 'a' } }, { type: 'elements', method: 'create', data: { pageId: page.id, type: 'b' } },
            { type: 'elements', method: 'update', data: { id: first.id, styles: {} } }, { type: 'elements', method: 'remove', data: { id: '$0.id' } },
            { type: 'pages', method: 'create', data: { projectId: project.id, x: 5, y: 5 } }, { type: 'pages', method: 'remove', data: { id: project.page.id } },
            { type: 'projects', method: 'update', data: { id: project.id, description: 'Said' } }
        ]);
        await moderator.call('PATCH', `${project.url}/feature`, { featured: true });
        await author.call('DELETE', page.url, {});

        const none = { created: 0, updated: 0, removed: 0 };
        const told = (await changesOf(project)).map(({ kind, counts, author: { username } }: Answer['body']) => [kind, username === author.username, counts]);
        expect(told).to.equal([
            ['edit', true, { project: false, pages: { ...none, removed: 1 }, elements: { ...none, removed: 2 } }],
            ['feature', false, { project: false, pages: none, elements: none }],
            ['bulk', true, { project: true, pages: { created: 1, updated: 0, removed: 1 }, elements: { created: 1, updated: 1, removed: 0 } }],
            ['edit', true, { project: true, pages: none, elements: none }],
            ['edit', true, { project: false, pages: none, elements: { ...none, updated: 1 } }],
            ['edit', true, { project: false, pages: none, elements: { ...none, created: 1 } }],
            ['edit', true, { project: false, pages: { ...none, created: 1 }, elements: none }],
            ['create', true, { project: true, pages: { ...none, created: 1 }, elements: none }]
        ]);
        const copy = await author.remix(project);
        expect((await latest(copy)).kind).to.equal('remix');
    });

    it('is listed in pages', async () => {
        const project = await author.project();
        for (const title of ['a', 'b', 'c']) {
            await author.call('PATCH', project.url, { title });
        }

        const { body: { changes, next } } = await author.call('GET', `${project.url}/history?count=3`);
        expect(changes.map(({ revision }: { revision: number }) => revision)).to.equal([4, 3, 2]);
        const { body } = await author.call('GET', `${project.url}/history?count=3&after=${next}`);
        expect(body.changes.map(({ revision, from }: { revision: number; from: number }) => [from, revision])).to.equal([[0, 1]]);
        expect(body.next).to.be.null();
        for (const query of ['?page=1', '?after=nonsense', '?count=0']) {
            expect((await author.call('GET', `${project.url}/history${query}`)).status).to.equal(400);
        }
    });

    it('has links to its next pages, and entity tags', async () => {
        const project = await author.project();
        const first = await author.element(project.page, { attributes: { text: 'Once' } });
        await author.call('PATCH', first.url, { attributes: { text: 'Twice' } });
        for (const list of [`${project.url}/history`, `/users/${author.id}/trash`]) {
            if (list.endsWith('trash')) {
                await author.call('DELETE', first.url, {});
                await author.call('DELETE', project.page.url, {});
            }

            const { headers, body } = await author.call('GET', `${list}?count=1`);
            expect(headers.link).to.equal(`<${list}?count=1&after=${body.next}>; rel="next"`);
            const next = await author.call('GET', String(/<(.*)>/.exec(String(headers.link))?.[1]));
            expect([next.status, next.headers.link === undefined]).to.equal([200, next.body.next === null]);
        }

        const revision = await revisionOf(project);
        for (const url of [`${project.url}/history/2`, `${project.url}/changes?since=1`]) {
            const { headers, text } = await author.call('GET', url);
            expect(headers.etag, url).to.match(/^"[\w-]{22}"$/);
            const held = { headers: { 'if-none-match': String(headers.etag) } };
            const again = await author.call('GET', url, undefined, held);
            expect([again.status, again.text, again.headers.etag]).to.equal([304, '', headers.etag]);
            // The name of the author is shown, too.
            await author.call('PATCH', `/users/${author.id}`, { username: `n${url.length}-${revision}` });
            const renamed = await author.call('GET', url, undefined, held);
            expect([renamed.status, renamed.headers.etag !== headers.etag, renamed.text !== text]).to.equal([200, true, true]);
        }

        const { headers } = await author.call('GET', `${project.url}/history/2`);
        const { body: { trash } } = await author.call('GET', `/users/${author.id}/trash?count=100`);
        const entry = trash.find(({ type, thing }: Answer['body']) => type === 'element' && thing.id === first.id);
        expect((await author.call('DELETE', `/users/${author.id}/trash/${entry.id}`)).status).to.equal(200);
        expect((await author.call('GET', `${project.url}/history/2`, undefined, { headers: { 'if-none-match': String(headers.etag) } })).status).to.equal(200);
    });

    it('names points, and only points', async () => {
        const project = await author.project();
        await author.bulk([1, 2, 3].map((n) => ({ type: 'projects', method: 'update', data: { id: project.id, title: `${n}` } })));
        const label = (revision: number | string, body: object): Promise<Answer> => author.call('PUT', `${project.url}/history/${revision}/label`, body);
        expect((await label(4, { label: 'Three at once' })).body.change).to.include({ revision: 4, from: 1, label: 'Three at once' });
        expect(await revisionOf(project)).to.equal(4);
        expect((await label(2, { label: 'x' })).body.code).to.equal('not_a_point');
        expect((await label(5, { label: 'x' })).status).to.equal(400);
        expect((await label('x', { label: 'x' })).status).to.equal(400);
        expect((await label(4, { label: '' })).status).to.equal(400);
        expect((await author.call('DELETE', `${project.url}/history/4/label`)).body.change.label).to.be.null();
        // What was no point shows the last one before it.
        expect((await author.call('GET', `${project.url}/history/3`)).body).to.include({ revision: 1 });
        expect((await author.call('GET', `${project.url}/history/0`)).body.code).to.equal('not_a_point');
    });

    it('is not found where there is no project, and says nothing of the future', async () => {
        const nowhere = `/users/${author.id}/projects/999999`;
        for (const [method, url] of [['GET', '/history'], ['GET', '/history/1'], ['POST', '/history/1/undo'], ['GET', '/changes?since=0']] as const) {
            expect((await author.call(method, nowhere + url, method === 'GET' ? undefined : {})).status).to.equal(404);
        }

        const project = await author.project();
        expect((await author.call('GET', `${project.url}/changes?since=2`)).body.details).to.equal([{ path: 'since', message: '"since" must be at most 1, the present revision' }]);
        expect((await author.call('GET', `${project.url}/changes`)).status).to.equal(400);
    });

    it('restores some pages only', async () => {
        const project = await author.project();
        const [one, two] = [await author.page(project, { x: 1, y: 0 }), await author.page(project, { x: 2, y: 0 })];
        const element = await author.element(one, { attributes: { text: 'Once' } });
        const then = await revisionOf(project);
        await author.call('PATCH', element.url, { attributes: { text: 'Now' } });
        await author.call('PATCH', two.url, { styles: { color: 'red' } });
        await author.call('PATCH', project.url, { title: 'Now' });
        const { body } = await post(project, `${then}/restore`, { pages: [one.id] });
        expect(body).to.include({ status: 'restored' });
        expect(body.project.title).to.equal('Now');
        expect(body.change).to.include({ kind: 'restore' });
        const { pages } = await shown(author, project.url);
        expect(pages.find(({ id }) => id === one.id)?.elements[0]?.attributes).to.equal({ text: 'Once' });
        expect(pages.find(({ id }) => id === two.id)?.styles).to.equal({ color: 'red' });
        expect((await post(project, `${then}/restore`, { pages: ['999999'] })).status).to.equal(404);
        expect((await post(project, `${then}/restore`, { pages: [one.id] })).body.change).to.be.null();
    });

    it('restores nothing if a place is taken', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 7, y: 7 });
        const then = await revisionOf(project);
        await author.call('DELETE', page.url, {});
        await author.page(project, { x: 7, y: 7 });
        const earlier = await shown(author, project.url);
        expect((await post(project, `${then}/restore`, { pages: [page.id] })).body.code).to.equal('coordinates_taken');
        expect(await shown(author, project.url)).to.equal(earlier);
        // All of it fits, as the newer page goes.
        expect((await post(project, `${then}/restore`)).status).to.equal(200);
    });

    it('leaves out what a moderator removed, and says so', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 1 });
        const [bad, fine] = [await author.element(page), await author.element(page)];
        const then = await revisionOf(project);
        await moderator.call('DELETE', bad.url, {});
        const removed = await revisionOf(project);
        await author.call('DELETE', fine.url, {});
        const { body } = await post(project, `${then}/restore`);
        expect(body.skipped).to.equal([{ type: 'element', id: bad.id }]);
        expect((await author.call('GET', `${page.url}/elements`)).body.elements.map(({ id }: { id: string }) => id)).to.equal([fine.id]);
        const undone = await post(project, `${removed}/undo`);
        expect([undone.status, undone.body.change, undone.body.skipped]).to.equal([200, null, [{ type: 'element', id: bad.id }]]);
        await moderator.call('DELETE', page.url, {});
        expect((await post(project, `${await revisionOf(project)}/undo`)).body.skipped).to.equal([{ type: 'page', id: page.id }]);
        expect((await post(project, `${then}/restore`)).body.skipped).to.equal([{ type: 'element', id: bad.id }, { type: 'page', id: page.id }]);
    });

    it('brings nothing back that another moderator removed, also for an owner who moderates', async () => {
        const project = await moderator.project();
        const page = await moderator.page(project, { x: 1, y: 1 });
        const another = await openAuthor(server, undefined, { moderator: true });
        await another.call('DELETE', page.url, {});
        for (const what of ['2/restore', '3/undo']) {
            const { status, body } = await moderator.call('POST', `${project.url}/history/${what}`, {});
            expect([what, status, body.code]).to.equal([what, 403, 'own_decision']);
            expect((await moderator.call('GET', page.url)).status).to.equal(404);
        }
    });

    describe('an undo', () => {
        let project: MadeProject;
        let element: Made;

        before(async () => {
            project = await author.project();
            element = await author.element(project.page, { attributes: { text: 'a', size: 1 } });
        });

        const edit = async (body: object, what: Made = element): Promise<number> => {
            expect((await author.call('PATCH', what.url, body)).status).to.equal(200);
            return revisionOf(project);
        };

        it('keeps what later changes did to other fields, and to other keys', async () => {
            const first = await edit({ attributes: { text: 'b', size: 1 } });
            await edit({ attributes: { text: 'b', size: 2 }, styles: { left: 1 } });
            const { body } = await post(project, `${first}/undo`);
            expect(body.status).to.equal('undone');
            expect(body.change).to.include({ kind: 'undo' });
            expect((await author.call('GET', element.url)).body.element).to.include({ attributes: { text: 'a', size: 2 }, styles: { left: 1 } });
        });

        it('of a move along one axis refuses where the page was moved along it again, and not where along the other', async () => {
            const own = await author.project();
            const page = await author.page(own, { x: 0, y: 1 });
            await author.call('PATCH', page.url, { y: 2 });
            const first = await revisionOf(own);
            await author.call('PATCH', page.url, { x: 5 });
            expect((await post(own, `${first}/undo`)).status).to.equal(200);
            expect((await author.call('GET', page.url)).body.page).to.include({ x: 5, y: 1 });
            await author.call('PATCH', page.url, { y: 3 });
            const second = await revisionOf(own);
            await author.call('PATCH', page.url, { y: 4 });
            const { status, body } = await post(own, `${second}/undo`);
            expect([status, body.code, body.conflicts]).to.equal([409, 'undo_conflict', [{ type: 'page', id: page.id, fields: ['/position'] }]]);
        });

        it('is refused with what was changed since', async () => {
            const first = await edit({ attributes: { text: 'c', size: 2 } });
            await edit({ attributes: { text: 'd', size: 2 } });
            const { status, body } = await post(project, `${first}/undo`);
            expect([status, body.code]).to.equal([409, 'undo_conflict']);
            expect(body.conflicts).to.equal([{ type: 'element', id: element.id, fields: ['/attributes/text'] }]);
        });

        it('takes the fields of the project back, with its tags', async () => {
            const first = await edit({ description: 'About #cats' }, project);
            await edit({ title: 'Later' }, project);
            await post(project, `${first}/undo`);
            expect((await author.call('GET', project.url)).body.project).to.include({ title: 'Later', description: '', tags: [] });
        });

        it('removes what a change made, unless it was edited since', async () => {
            const page = await author.page(project, { x: 3, y: 3 });
            const made = await revisionOf(project);
            const inside = await author.element(page);
            expect((await post(project, `${made}/undo`)).body.conflicts).to.equal([{ type: 'page', id: page.id, fields: [] }]);
            const { body: { change } } = await post(project, `${await revisionOf(project)}/undo`);
            expect(change.counts.elements).to.equal({ created: 0, updated: 0, removed: 1 });
            expect((await author.call('GET', inside.url)).status).to.equal(404);
        });

        it('brings back what a change removed, and takes a restore back', async () => {
            const page = await author.page(project, { x: 4, y: 4 });
            await author.element(page);
            await author.call('DELETE', page.url, {});
            const removal = await revisionOf(project);
            const { body: { change } } = await post(project, `${removal}/undo`);
            expect(change.counts).to.equal({ project: false, pages: { created: 1, updated: 0, removed: 0 }, elements: { created: 1, updated: 0, removed: 0 } });
            expect((await author.call('GET', page.url)).body.page.elements).to.have.length(1);
            // It is there again, so there is nothing to undo.
            expect((await post(project, `${removal}/undo`)).body.change).to.be.null();
            await post(project, `${change.revision}/undo`);
            expect((await author.call('GET', page.url)).status).to.equal(404);
            expect((await post(project, `${change.revision}/undo`)).body.change).to.be.null();
            // It is what it was after the removal, so that can be taken back again.
            expect((await post(project, `${removal}/undo`)).body.change.counts).to.equal(change.counts);
        });

        it('brings back a page together with an element that the same change removed from it', async () => {
            const page = await author.page(project, { x: 5, y: 4 });
            const [inside, other] = [await author.element(page), await author.element(page, { attributes: { text: 'a' } })];
            await author.bulk([
                { type: 'elements', method: 'update', data: { id: other.id, attributes: { text: 'b' } } }, { type: 'elements', method: 'remove', data: { id: other.id } },
                { type: 'elements', method: 'remove', data: { id: inside.id } }, { type: 'pages', method: 'remove', data: { id: page.id } }
            ]);
            await post(project, `${await revisionOf(project)}/undo`);
            const { body } = await author.call('GET', page.url);
            expect(body.page.elements.map(({ id, attributes }: Answer['body']) => [id, attributes])).to.equal([[inside.id, {}], [other.id, { text: 'a' }]]);
        });

        it('takes back what it did to the rest, if it touched a thing that is gone', async () => {
            const page = await author.page(project, { x: 7, y: 4 });
            const inside = await author.element(page);
            await author.bulk([{ type: 'elements', method: 'remove', data: { id: inside.id } }, { type: 'projects', method: 'update', data: { id: project.id, title: 'With a removal' } }]);
            const both = await revisionOf(project);
            await author.call('DELETE', page.url, {});
            expect((await post(project, `${both}/undo`)).body.conflicts).to.equal([{ type: 'element', id: inside.id, fields: [] }]);
            const moved = await author.page(project, { x: 8, y: 4 });
            const edited = await author.element(moved);
            const made = await revisionOf(project);
            await author.call('DELETE', edited.url, {});
            await author.call('DELETE', moved.url, {});
            // What it made is gone already.
            expect((await post(project, `${made}/undo`)).body.change).to.be.null();
        });

        it('is a conflict if what the thing was in is gone, or it is', async () => {
            const page = await author.page(project, { x: 6, y: 4 });
            const inside = await author.element(page);
            const edited = await edit({ styles: { top: 1 } }, inside);
            await author.call('DELETE', inside.url, {});
            const removal = await revisionOf(project);
            expect((await post(project, `${edited}/undo`)).body.conflicts).to.equal([{ type: 'element', id: inside.id, fields: ['/styles'] }]);
            await author.call('DELETE', page.url, {});
            expect((await post(project, `${removal}/undo`)).body.conflicts).to.equal([{ type: 'element', id: inside.id, fields: [] }]);
        });

        it('names a point exactly, and never the first change or a feature', async () => {
            expect((await post(project, '1/undo')).body.code).to.equal('not_undoable');
            await moderator.call('PATCH', `${project.url}/feature`, { featured: true });
            expect((await post(project, `${await revisionOf(project)}/undo`)).body.code).to.equal('not_undoable');
            expect((await moderator.call('POST', `${project.url}/history/1/undo`, {})).status).to.equal(403);
        });
    });
});
