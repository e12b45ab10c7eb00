import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { maintain } from '../../../src/operations/maintenance/jobs';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { shown } from '../../support/mirror';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const none = { created: 0, updated: 0, removed: 0 };

/** What authors see of a project: without what moves by itself. */
const authored = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (name, inner) => (name === 'revision' || name === 'updated_at' ? undefined : inner)));

describe('an undo', () => {
    let server: TestServer;
    let author: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server);
    });

    beforeEach(async () => {
        project = await author.project();
    });

    after(() => server.stop());

    const undo = (revision: number): Promise<Answer> => author.call('POST', `${project.url}/history/${revision}/undo`, {});
    const patch = async (thing: Made, body: object): Promise<number> => {
        expect((await author.call('PATCH', thing.url, body)).status).to.equal(200);
        return (await shown(author, project.url)).revision;
    };

    describe('of what was done to a page', () => {
        for (const [what, fields] of Object.entries({ place: { x: 4, y: 4 }, styles: { styles: { color: 'red' } } })) {
            it(`takes its ${what} back and leaves its elements alone`, async () => {
                const element = await author.element(project.page, { attributes: { text: 'a' } });
                const made = (await shown(author, project.url)).revision;
                const moved = await patch(project.page, fields);
                const { status, body, text } = await undo(moved);
                expect(status, text).to.equal(200);
                expect(body.change.counts).to.equal({ project: false, pages: { ...none, updated: 1 }, elements: none });
                expect((await author.call('GET', element.url)).body.element).to.equal(element.thing);
                expect((await author.call('PATCH', element.url, { attributes: { text: 'b' }, revision: 1 })).status).to.equal(200);

                // The creation can be undone as long as the element is what it was then.
                expect((await undo(made)).body.conflicts).to.equal([{ type: 'element', id: element.id, fields: [] }]);
                await undo((await shown(author, project.url)).revision);
                expect((await author.call('GET', element.url)).body.element.attributes).to.equal({ text: 'a' });
                expect((await undo(made)).body.change.counts.elements).to.equal({ ...none, removed: 1 });
                const other = await author.element(project.page);
                const otherMade = (await shown(author, project.url)).revision;
                await undo(await patch(project.page, { x: 9 }));
                expect((await undo(otherMade)).body.change.counts.elements).to.equal({ ...none, removed: 1 });
                expect((await author.call('GET', other.url)).status).to.equal(404);
            });
        }

        it('takes its creation back if all that was done to it since was taken back, and not else', async () => {
            const page = await author.page(project, { x: 5, y: 5 });
            const made = (await shown(author, project.url)).revision;
            const refused = async (): Promise<void> => {
                expect((await undo(made)).body.conflicts).to.equal([{ type: 'page', id: page.id, fields: [] }]);
            };

            const moved = await patch(page, { x: 6 });
            await refused();
            await undo(moved);
            const element = await author.element(page, { attributes: { text: 'a' } });
            const added = (await shown(author, project.url)).revision;
            await refused();
            const edited = await patch(element, { attributes: { text: 'b' } });
            await undo(edited);
            await refused();
            await undo(added);
            const { status, body, text } = await undo(made);
            expect(status, text).to.equal(200);
            expect(body.change.counts).to.equal({ project: false, pages: { ...none, removed: 1 }, elements: none });
            await undo(body.change.revision);
            expect((await author.call('GET', page.url)).body.page.x).to.equal(5);
        });

        it('takes a removal back, and its undo, unless it was edited in between', async () => {
            const element = await author.element(project.page, { attributes: { text: 'a' } });
            expect((await author.call('DELETE', element.url, {})).status).to.equal(200);
            const removed = (await shown(author, project.url)).revision;
            const { revision: back } = (await undo(removed)).body.change;
            const conflict = [{ type: 'element', id: element.id, fields: [] }];
            const edited = await patch(element, { attributes: { text: 'b' } });
            expect((await undo(back)).body.conflicts).to.equal(conflict);
            expect((await author.call('DELETE', element.url, {})).status).to.equal(200);
            expect((await undo(removed)).body.conflicts).to.equal(conflict);
            await undo((await shown(author, project.url)).revision);
            await undo(edited);
            expect((await undo(back)).body.change.counts.elements).to.equal({ ...none, removed: 1 });
            expect((await undo(removed)).body.change.counts.elements).to.equal({ ...none, created: 1 });
        });

        it('does not take back the creation of a page on which something that was there then is different or gone', async () => {
            const { results } = (await author.bulk([
                { type: 'pages', method: 'create', data: { projectId: project.id, x: 8, y: 8 } }, { type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text', attributes: { text: 'a' } } }
            ])).body;
            const [pageId, elementId]: string[] = results.map(({ id }: { id: string }) => id);
            const made = (await shown(author, project.url)).revision;
            const url = `${project.url}/pages/${pageId}/elements/${elementId}`;
            for (const [method, body] of [['PATCH', { attributes: { text: 'b' } }], ['DELETE', {}]] as const) {
                expect((await author.call(method, url, body)).status).to.equal(200);
                expect((await undo(made)).body.conflicts).to.equal([{ type: 'page', id: pageId, fields: [] }]);
                await undo((await shown(author, project.url)).revision);
            }

            expect((await undo(made)).body.change.counts).to.equal({ project: false, pages: { ...none, removed: 1 }, elements: { ...none, removed: 1 } });
        });

        it('counts an element that comes back with its page as created, also if the same change edited it', async () => {
            const page = await author.page(project, { x: 5, y: 5 });
            const [edited, other] = [await author.element(page, { attributes: { text: 'a' } }), await author.element(page)];
            await author.bulk([
                { type: 'elements', method: 'update', data: { id: edited.id, attributes: { text: 'b' } } }, { type: 'pages', method: 'remove', data: { id: page.id } }
            ]);
            const { body: { change } } = await undo((await shown(author, project.url)).revision);
            expect(change.counts).to.equal({ project: false, pages: { ...none, created: 1 }, elements: { ...none, created: 2 } });
            expect((await author.call('GET', edited.url)).body.element.attributes).to.equal({ text: 'a' });
            expect((await author.call('GET', other.url)).status).to.equal(200);
        });

        it('counts no element that was not shown before or after: it was deleted, and its page goes', async () => {
            const page = await author.page(project, { x: 5, y: 5 });
            const element = await author.element(page);
            await author.element(page);
            const then = (await shown(author, project.url)).revision;
            const late = await author.element(page);
            await author.call('DELETE', element.url, {});
            await author.call('DELETE', page.url, {});
            await author.call('POST', `${project.url}/history/${then}/restore`, {});
            const trashed = await author.element(page);
            await author.call('DELETE', trashed.url, {});
            expect((await author.call('GET', `${page.url}/elements`)).body.elements).to.have.length(2);
            await author.call('POST', `${project.url}/history/${then + 1}/restore`, {});
            expect((await author.call('GET', late.url)).status).to.equal(200);
            await author.call('DELETE', page.url, {});

            // This brings the page back without the late element, and the undo deletes it with both.
            const { body: { change: restored } } = await author.call('POST', `${project.url}/history/${then}/restore`, {});
            expect(restored.counts).to.equal({ project: false, pages: { ...none, created: 1 }, elements: { ...none, created: 2 } });
            const { body: { change } } = await undo(restored.revision);
            expect(change.counts).to.equal({ project: false, pages: { ...none, removed: 1 }, elements: { ...none, removed: 2 } });
            expect((await undo(change.revision)).body.change.counts).to.equal(restored.counts);
        });

        it('leaves alone what it made on a page that is gone since', async () => {
            const page = await author.page(project, { x: 3, y: 3 });
            await author.bulk([
                { type: 'elements', method: 'create', data: { pageId: page.id, type: 'text' } }, { type: 'pages', method: 'update', data: { id: project.page.id, styles: { color: 'red' } } }
            ]);
            const { revision } = await shown(author, project.url);
            await author.call('DELETE', page.url, {});
            const { body: { change } } = await undo(revision);
            expect(change.counts).to.equal({ project: false, pages: { ...none, updated: 1 }, elements: none });
        });

        it('writes nothing if the change has changed nothing', async () => {
            const { body } = await undo(await patch(project.page, { x: 0, y: 0 }));
            expect([body.status, body.change]).to.equal(['undone', null]);
        });
    });

    describe('of a change that was thinned', () => {
        /** Makes all changes of the project so old that one of them is kept. */
        const thin = async (): Promise<Answer['body']['changes']> => {
            await server.database.db.raw(`update project_changes set at = date_trunc('month', now()) - interval '2 years' where project_id = ?`, [project.id]);
            await server.database.db.raw('delete from maintenance');
            await maintain(server.database.db, { historyDays: 30, historyMaxBytes: 2 ** 28, trashDays: 30, assets: server.assets }, AbortSignal.any([]), true);
            return (await author.call('GET', `${project.url}/history?count=100`)).body.changes;
        };

        const label = async (): Promise<unknown> => {
            const now = await shown(author, project.url);
            expect((await author.call('PUT', `${project.url}/history/${now.revision}/label`, { label: 'Here' })).status).to.equal(200);
            return authored({ ...now, revision: 0 });
        };

        it('takes back all of what was merged, and the change says what it is', async () => {
            const [gone, emptied] = [await author.page(project, { x: 1, y: 0 }), await author.page(project, { x: 2, y: 0 })];
            const [edited, removed, within] = [await author.element(project.page, { attributes: { text: 'a' } }), await author.element(project.page), await author.element(gone)];
            await author.element(emptied);
            const then = await label();
            const { revision: from } = await shown(author, project.url);

            await patch(edited, { attributes: { text: 'b' } });
            await patch(edited, { styles: { left: 1 } });
            await patch(edited, { attributes: { text: 'c' } });
            await author.call('DELETE', removed.url, {});
            await patch(within, { attributes: { text: 'soon gone' } });
            await author.call('DELETE', gone.url, {});
            const page = await author.page(project, { x: 1, y: 0 });
            const made = await author.element(page);
            await patch(made, { attributes: { text: 'new' } });
            const brief = await author.element(page);
            await author.call('DELETE', brief.url, {});
            await patch(project.page, { x: 8 });
            await patch(project.page, { y: 8 });
            await patch(project, { title: 'B' });
            await author.bulk([{ type: 'projects', method: 'update', data: { id: project.id, description: 'b' } }]);
            const last = await patch(edited, { attributes: { text: 'd' } });
            const now = await shown(author, project.url);

            const [change, first] = await thin();
            expect(change).to.include({ from, revision: last, kind: 'edit' });
            expect(change.counts).to.equal({ project: true, pages: { created: 1, updated: 1, removed: 1 }, elements: { created: 1, updated: 1, removed: 2 } });
            expect(first).to.include({ from: 0, revision: from, kind: 'create' });
            expect(first.counts).to.equal({ project: true, pages: { ...none, created: 3 }, elements: { ...none, created: 4 } });

            const { status, body, text } = await undo(last);
            expect(status, text).to.equal(200);
            expect(authored({ ...await shown(author, project.url), revision: 0 })).to.equal(then);
            expect(body.change.counts).to.equal({ project: true, pages: { created: 1, updated: 1, removed: 1 }, elements: { created: 2, updated: 1, removed: 1 } });
            await undo(body.change.revision);
            expect(authored({ ...await shown(author, project.url), revision: 0 })).to.equal(authored({ ...now, revision: 0 }));
            expect((await undo(from)).body.code).to.equal('not_undoable');
        });

        it('is a conflict if any of it was changed again', async () => {
            const [first, second] = [await author.element(project.page, { attributes: { a: 1, b: 1 } }), await author.element(project.page)];
            await label();
            await patch(first, { attributes: { a: 2, b: 1 } });
            const made = await author.element(project.page);
            const last = await patch(second, { styles: { top: 1 } });
            await label();
            await patch(first, { attributes: { a: 3, b: 1 } });
            await patch(made, { styles: { top: 1 } });
            await thin();
            const { status, body } = await undo(last);
            expect([status, body.conflicts]).to.equal([409, [{ type: 'element', id: first.id, fields: ['/attributes/a'] }, { type: 'element', id: made.id, fields: [] }]]);
        });

        it('leaves alone what one of the merged changes made and another removed', async () => {
            await label();
            const made = await author.element(project.page);
            await author.call('DELETE', made.url, {});
            const last = await patch(project, { title: 'B' });
            await label();
            const { body: { trash } } = await author.call('GET', `/users/${author.id}/trash`);
            await author.call('POST', `/users/${author.id}/trash/${trash[0].id}/restore`, {});
            const [, change] = await thin();
            expect(change.counts).to.equal({ project: true, pages: none, elements: none });
            expect((await undo(last)).body.change.counts).to.equal({ project: true, pages: none, elements: none });
            expect((await author.call('GET', made.url)).status).to.equal(200);
        });

        it('brings a page back without what the merged changes made in it', async () => {
            const page = await author.page(project, { x: 1, y: 0 });
            const element = await author.element(page);
            await label();
            await author.element(page);
            await author.call('DELETE', page.url, {});
            const [change] = await thin();
            expect(change.counts).to.equal({ project: false, pages: { ...none, removed: 1 }, elements: { ...none, removed: 1 } });
            expect((await undo(change.revision)).body.change.counts).to.equal({ project: false, pages: { ...none, created: 1 }, elements: { ...none, created: 1 } });
            expect((await author.call('GET', `${page.url}/elements`)).body.elements.map(({ id }: Made) => id)).to.equal([element.id]);
        });

        it('counts what was removed before and restored as created', async () => {
            const page = await author.page(project, { x: 1, y: 0 });
            await author.element(page);
            const edited = await author.element(project.page);
            await author.call('DELETE', page.url, {});
            await label();
            const { body: { trash } } = await author.call('GET', `/users/${author.id}/trash`);
            await author.call('POST', `/users/${author.id}/trash/${trash[0].id}/restore`, {});
            await patch(edited, { styles: { top: 1 } });
            await author.call('DELETE', edited.url, {});
            const [change] = await thin();
            expect(change.counts).to.equal({ project: false, pages: { ...none, created: 1 }, elements: { created: 1, updated: 0, removed: 1 } });
            await undo(change.revision);
            expect((await author.call('GET', page.url)).status).to.equal(404);
            expect((await author.call('GET', edited.url)).body.element.styles).to.equal({});
        });

        it('takes back the edit of what was not there before and after it, and is now', async () => {
            const element = await author.element(project.page, { attributes: { text: 'a' } });
            const restore = async (): Promise<void> => {
                const { body: { trash } } = await author.call('GET', `/users/${author.id}/trash`);
                expect((await author.call('POST', `/users/${author.id}/trash/${trash[0].id}/restore`, {})).status).to.equal(200);
            };

            await author.call('DELETE', element.url, {});
            await label();
            await restore();
            await patch(element, { attributes: { text: 'b' } });
            await author.call('DELETE', element.url, {});
            const { revision } = await shown(author, project.url);
            await label();
            await thin();
            expect((await undo(revision)).body.change).to.be.null();
            await restore();
            expect((await undo(revision)).body.change.counts.elements).to.equal({ ...none, updated: 1 });
            expect((await author.call('GET', element.url)).body.element.attributes).to.equal({ text: 'a' });
        });

        it('says the kind of all that was merged, if it is one', async () => {
            await label();
            const first = await patch(project, { title: 'B' });
            await undo(first);
            await undo(first + 1);
            const [change] = await thin();
            expect(change).to.include({ from: 1, kind: 'edit' });
            await label();
            await author.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'C' } }]);
            await author.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'D' } }]);
            expect((await thin())[0]).to.include({ from: 4, kind: 'bulk' });
        });

        it('is refused if some of it was deleted for good', async () => {
            const [first, second] = [await author.element(project.page), await author.element(project.page)];
            await label();
            await author.call('DELETE', first.url, {});
            await author.call('DELETE', second.url, {});
            const { body: { trash } } = await author.call('GET', `/users/${author.id}/trash`);
            expect((await author.call('DELETE', `/users/${author.id}/trash/${trash[0].id}`)).status).to.equal(200);
            const [change] = await thin();
            const { status, body } = await undo(change.revision);
            expect([status, body.code, body.message]).to.equal([409, 'not_undoable', 'Some of what this change removed was deleted for good, so that all of it cannot be undone. Restore the point before it.']);
        });
    });
});
