import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a revision conflict', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;
    let project: MadeProject;
    let page: Made;
    let element: Made;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        moderator = await openAuthor(server, 'mod', { moderator: true });
    });

    beforeEach(async () => {
        project = await ada.project({ title: 'one', description: '#one', thumbnail: { 320: 'https://a.example/1' } });
        page = await ada.page(project, { x: 1, y: 1, styles: { color: 'red' } });
        element = await ada.element(page, { attributes: { text: 'a', size: 1 }, styles: { top: 1 } });
    });

    after(() => server.stop());

    const read = async (url: string): Promise<Answer['body']> => {
        const { body } = await server.call('GET', url);
        return body.element ?? body.page ?? body.project;
    };

    const write = async (url: string, body: object): Promise<Answer['body']> => {
        const answer = await ada.call('PATCH', url, body);
        expect(answer.status, answer.text).to.equal(200);
        return answer.body;
    };

    /** Things, and changes of them: by the others, mine, and what both changed. */
    const cases: { of: string; url: () => string; theirs: object[]; mine: object; conflicts: string[] }[] = [
        { of: 'a project', url: () => project.url, theirs: [{ title: 'two' }, { description: '#two' }], mine: { title: 'three' }, conflicts: ['/title'] },
        { of: 'a project\'s thumbnail', url: () => project.url, theirs: [{ thumbnail: { 640: 'https://a.example/2', 320: 'https://a.example/1' } }], mine: { thumbnail: {}, title: 'three' }, conflicts: ['/thumbnail'] },
        { of: 'a page', url: () => page.url, theirs: [{ x: 2 }, { styles: { color: 'blue' } }], mine: { y: 5, styles: { color: 'red', size: 1 } }, conflicts: ['/position'] },
        { of: 'a page\'s styles', url: () => page.url, theirs: [{ styles: { color: 'blue', 'a/b': 1 } }], mine: { styles: { 'a/b': 2 } }, conflicts: ['/styles/color', '/styles/a~1b'] },
        { of: 'an element', url: () => element.url, theirs: [{ styles: { top: 2 } }, { attributes: { text: 'b', size: 1 } }], mine: { attributes: { text: 'c', size: 2 } }, conflicts: ['/attributes/text'] },
        { of: 'an element with disjoint changes', url: () => element.url, theirs: [{ attributes: { text: 'b', size: 1 } }], mine: { attributes: { text: 'a', size: 2 } }, conflicts: [] }
    ];
    for (const { of, url, theirs, mine, conflicts } of cases) {
        it(`of ${of} has what it takes to merge`, async () => {
            const base = await read(url());
            for (const change of theirs) {
                await write(url(), change);
            }

            const current = await read(url());
            const byBody = await ada.call('PATCH', url(), { ...mine, revision: base.revision });
            expect(byBody.status).to.equal(409);
            expect(byBody.body).to.include({ code: 'revision_conflict', current, base, conflicts, changed_by: { id: ada.id, username: 'ada' } });

            const tag = of.startsWith('a project') ? `${base.revision}.${base.author.revision}` : `${base.revision}`;
            const byTag = await ada.call('PATCH', url(), mine, { headers: { 'if-match': `"${tag}"` } });
            expect(byTag.status).to.equal(412);
            expect(byTag.body).to.include({ current, base, conflicts, changed_by: { id: ada.id, username: 'ada' } });

            const deletion = await moderator.call('DELETE', url(), { revision: base.revision });
            expect(deletion.status).to.equal(409);
            expect(deletion.body).to.include({ current, base, conflicts: [], changed_by: { id: ada.id, username: 'ada' } });
            expect(await read(url())).to.equal(current);
        });

        for (const [kind, stated] of [['body', { revision: 99 }], ['tag', '"99"'], ['tags', '"98", "99"'], ['weak tag', 'W/"1"'], ['tag of another kind', '"x"'], ['tag that is too large', '"2147483648"']] as const) {
            it(`of ${of} has no base if it never had the revision of the ${kind}`, async () => {
                const current = await read(url());
                const headers: Record<string, string> = typeof stated === 'string' ? { 'if-match': stated } : {};
                const { status, body } = await ada.call('PATCH', url(), { ...mine, ...typeof stated === 'string' ? {} : stated }, { headers });
                expect(status).to.equal(typeof stated === 'string' ? 412 : 409);
                expect(body).to.include({ current, base: null });
                expect(body.conflicts).to.not.be.empty();
            });
        }
    }

    it('of being featured has them too', async () => {
        const base = await read(project.url);
        await write(project.url, { title: 'two' });
        const { status, body } = await moderator.call('PATCH', `${project.url}/feature`, { featured: true, revision: base.revision });
        expect(status).to.equal(409);
        expect(body).to.include({ base, conflicts: [], changed_by: { id: ada.id, username: 'ada' } });
    });

    it('because of the author\'s name alone has the present state as its base', async () => {
        const { headers } = await server.call('GET', project.url);
        await ada.call('PATCH', `/users/${ada.id}`, { language: 'de' });
        const current = await read(project.url);
        const { status, body } = await ada.call('PATCH', project.url, { title: 'two' }, { headers: { 'if-match': String(headers.etag) } });
        expect(status).to.equal(412);
        expect(body).to.include({ current, base: current, conflicts: [] });
    });

    it('of a page shows the elements that it had', async () => {
        const gone = await ada.element(page, { type: 'gone' });
        const base = await read(page.url);
        await write(element.url, { attributes: { text: 'b' } });
        await ada.call('DELETE', gone.url);
        await ada.element(page, { type: 'new' });
        const { body } = await ada.call('PATCH', page.url, { x: 9, revision: base.revision });
        expect(body).to.include({ current: await read(page.url), base, conflicts: [] });
        expect(base.elements.map(({ type }: { type: string }) => type)).to.equal(['text', 'gone']);
    });

    it('names the moderator who changed it last', async () => {
        const other = await ada.element(page);
        const base = await read(page.url);
        await moderator.call('DELETE', other.url);
        const { body } = await ada.call('DELETE', page.url, { revision: base.revision });
        expect(body.changed_by).to.equal({ id: moderator.id, username: 'mod' });
        expect((await ada.call('DELETE', element.url, { revision: 9 })).body.changed_by).to.equal({ id: ada.id, username: 'ada' });
    });

    it('after a bulk has as its base what was there before all of it', async () => {
        const base = await read(element.url);
        const update = (top: number): object => ({ type: 'elements', method: 'update', data: { id: element.id, styles: { top } } });
        expect((await ada.bulk([update(2), update(3)])).status).to.equal(200);
        expect((await ada.call('PATCH', element.url, { styles: {}, revision: base.revision })).body.base).to.equal(base);
        expect((await ada.call('PATCH', element.url, { styles: {}, revision: base.revision + 1 })).body.base).to.be.null();
        expect((await ada.call('PATCH', project.url, { title: 'x', revision: 4 })).body.base).to.be.null();
    });

    it('of what was restored knows what was there before it was removed', async () => {
        const base = await read(element.url);
        expect((await ada.call('DELETE', element.url)).status).to.equal(200);
        const { body: { trash: [entry] } } = await ada.call('GET', `/users/${ada.id}/trash`);
        expect((await ada.call('POST', `/users/${ada.id}/trash/${entry.id}/restore`)).status).to.equal(200);
        const current = await read(element.url);
        const { body } = await ada.call('PATCH', element.url, { styles: { top: 2 }, revision: base.revision });
        expect(body).to.include({ base, current, conflicts: [] });
        expect((await ada.call('PATCH', element.url, { styles: {}, revision: current.revision - 1 })).body.base).to.be.null();
        expect((await ada.call('PATCH', element.url, { styles: { top: 2 }, revision: base.revision, merge: true })).body).to.include({ merged: true });
    });

    it('has no base where the history of that time is gone', async () => {
        const { revision } = await read(element.url);
        await write(element.url, { styles: { top: 2 } });
        await write(element.url, { styles: { top: 3 } });
        await server.database.db.raw('delete from versions where id = ? and revision = ?', [element.id, revision]);
        const { body } = await ada.call('PATCH', element.url, { styles: { top: 1 }, revision });
        expect(body).to.include({ base: null, conflicts: ['/styles/top'] });
    });

    it('has the state at the closest point where points between are gone', async () => {
        const base = await read(element.url);
        await write(element.url, { styles: { top: 2 } });
        const between = await read(element.url);
        await write(element.url, { styles: { top: 3 } });
        // As thinning leaves it: of the versions between two points that are kept, the first of each field.
        const { rows: [last] } = await server.database.db.raw('select max(to_revision) as to from versions where id = ?', [element.id]);
        await server.database.db.raw('delete from versions where type = \'element\' and id = ? and to_revision = ?', [element.id, last.to]);
        await server.database.db.raw('delete from project_changes where project_id = ? and revision = ?', [project.id, last.to - 1]);
        await server.database.db.raw('update project_changes set from_revision = revision - 2, merged = true where project_id = ? and revision = ?', [project.id, last.to]);
        expect((await ada.call('PATCH', element.url, { styles: {}, revision: base.revision })).body.base).to.equal(base);
        expect((await ada.call('PATCH', element.url, { styles: {}, revision: between.revision })).body.base).to.be.null();
    });

    it('does not know who changed what is older than the history', async () => {
        await server.database.db.raw('delete from project_changes where project_id = ?', [project.id]);
        for (const { url } of [project, page, element]) {
            expect((await ada.call('DELETE', url, { revision: 99 })).body).to.include({ base: null, conflicts: [], changed_by: null });
        }
    });

    it('of an account has no base', async () => {
        const { body } = await ada.call('PATCH', `/users/${ada.id}`, { language: 'fr', revision: 99 });
        expect(body).to.include({ code: 'revision_conflict', base: null, changed_by: null });
        expect(body.current.username).to.equal('ada');
    });

    it('logs no error', () => {
        expect(server.faults).to.equal([]);
    });
});
