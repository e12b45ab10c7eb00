import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { writes } from '../../src/rules/write';
import { ofBytes, openAuthor } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a PATCH with merge', () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let page: Made;
    let element: Made;

    before(async () => {
        server = await startTestServer({ pool: 16 });
        ada = await openAuthor(server);
    });

    beforeEach(async () => {
        project = await ada.project({ title: 'one', description: '#one', thumbnail: { 320: 'https://a.example/1' } });
        page = await ada.page(project, { x: 1, y: 1, styles: { color: 'red' } });
        element = await ada.element(page, { attributes: { text: 'a', size: 1 }, styles: { top: 1, left: 1 } });
    });

    after(() => server.stop());

    const read = async (url: string): Promise<Answer['body']> => {
        const { body } = await server.call('GET', url);
        return body.element ?? body.page ?? body.project;
    };

    const cases: { of: string; url: () => string; theirs: object[]; mine: object; gives: object }[] = [
        { of: 'a project', url: () => project.url, theirs: [{ title: 'two' }, { title: 'three' }], mine: { description: '#mine' }, gives: { title: 'three', description: '#mine', tags: ['mine'] } },
        {
            of: 'a project with what I did not change', url: () => project.url, theirs: [{ title: 'two', thumbnail: { 640: 'https://a.example/2' } }],
            mine: { title: 'one', description: '#mine', thumbnail: { 320: 'https://a.example/1' } }, gives: { title: 'two', description: '#mine', thumbnail: { 640: 'https://a.example/2' } }
        },
        { of: 'a project after a change inside', url: () => project.url, theirs: [{ title: 'one' }], mine: { title: 'two' }, gives: { title: 'two' } },
        { of: 'a page', url: () => page.url, theirs: [{ x: 5 }, { styles: { color: 'red', size: 1 } }], mine: { styles: { color: 'blue' } }, gives: { x: 5, y: 1, styles: { size: 1, color: 'blue' } } },
        { of: 'a page\'s position', url: () => page.url, theirs: [{ styles: {} }], mine: { y: 7, styles: { color: 'red' } }, gives: { x: 1, y: 7, styles: {} } },
        { of: 'a page that I did not move', url: () => page.url, theirs: [{ x: 5, y: 6 }], mine: { x: 1, y: 1, styles: { color: 'blue' } }, gives: { x: 5, y: 6, styles: { color: 'blue' } } },
        {
            of: 'an element', url: () => element.url, theirs: [{ attributes: { text: 'b', size: 1 } }, { styles: { left: 1 } }], mine: { attributes: { text: 'a', size: 2 }, styles: { top: 1, left: 2 } },
            gives: { attributes: { text: 'b', size: 2 }, styles: { left: 2 } }
        },
        { of: 'an element with what both changed alike', url: () => element.url, theirs: [{ attributes: { text: 'b' } }], mine: { attributes: { text: 'b' } }, gives: { attributes: { text: 'b' } } }
    ];
    for (const { of, url, theirs, mine, gives } of cases) {
        it(`of ${of} keeps what both sides changed`, async () => {
            const { revision } = await read(url());
            for (const change of theirs) {
                expect((await ada.call('PATCH', url(), change)).status).to.equal(200);
            }

            const { status, body, text } = await ada.call('PATCH', url(), { ...mine, revision, merge: true });
            expect(status, text).to.equal(200);
            expect(body).to.include({ status: 'updated', merged: true });
            const thing = await read(url());
            expect(thing).to.include({ ...gives, revision: revision + theirs.length + 1 });
            expect(body.element ?? body.page ?? body.project).to.equal(thing);
        });
    }

    const conflicts: { of: string; url: () => string; theirs: object; mine: object; pointers: string[] }[] = [
        { of: 'a project', url: () => project.url, theirs: { title: 'two' }, mine: { title: 'three', description: 'x' }, pointers: ['/title'] },
        { of: 'a page', url: () => page.url, theirs: { x: 5 }, mine: { y: 5, styles: {} }, pointers: ['/position'] },
        { of: 'an element', url: () => element.url, theirs: { attributes: { size: 2 }, styles: {} }, mine: { attributes: { text: 'b' }, styles: { top: 3 } }, pointers: ['/attributes/size', '/attributes/text', '/styles/top'] }
    ];
    for (const { of, url, theirs, mine, pointers } of conflicts) {
        it(`of ${of} writes nothing if both sides changed something`, async () => {
            const base = await read(url());
            await ada.call('PATCH', url(), theirs);
            const current = await read(url());
            const { status, body } = await ada.call('PATCH', url(), { ...mine, revision: base.revision, merge: true });
            expect(status).to.equal(409);
            expect(body).to.include({ code: 'revision_conflict', current, base, conflicts: pointers, changed_by: { id: ada.id, username: ada.username } });
            expect(await read(url())).to.equal(current);
        });

        it(`of ${of} writes nothing if what was there at its revision is not known`, async () => {
            const current = await read(url());
            const { status, body } = await ada.call('PATCH', url(), { ...mine, revision: current.revision + 1, merge: true });
            expect(status).to.equal(409);
            expect(body).to.include({ current, base: null });
            expect(await read(url())).to.equal(current);
        });

        it(`of ${of} is an ordinary write if nobody was in between`, async () => {
            const { revision } = await read(url());
            const { status, body } = await ada.call('PATCH', url(), { ...mine, revision, merge: true });
            expect(status).to.equal(200);
            expect(body.merged).to.be.undefined();
            expect(await read(url())).to.include({ ...mine, revision: revision + 1 });
        });

        it(`of ${of} needs a revision`, async () => {
            for (const merge of [true, false]) {
                const { status, body } = await ada.call('PATCH', url(), { ...mine, merge });
                expect(status).to.equal(400);
                expect(body.details[0].message).to.equal('"merge" needs the "revision" that the changes were made against');
            }
        });

        it(`of ${of} is not merged with merge: false, nor with If-Match`, async () => {
            const { revision } = await read(url());
            await ada.call('PATCH', url(), theirs);
            expect((await ada.call('PATCH', url(), { ...theirs, revision, merge: false })).status).to.equal(409);
            expect((await ada.call('PATCH', url(), { ...theirs, revision, merge: true }, { headers: { 'if-match': `"${revision}"` } })).status).to.equal(409);
        });

        it(`of ${of} is for those who may write to it`, async () => {
            const eve = await openAuthor(server);
            expect((await eve.call('PATCH', url(), { ...mine, revision: 99, merge: true })).status).to.equal(403);
            await ada.call('DELETE', url());
            expect((await ada.call('PATCH', url(), { ...mine, revision: 99, merge: true })).status).to.equal(404);
        });
    }

    it('finds nothing if the thing was deleted after the first attempt', async () => {
        await ada.call('DELETE', element.url);
        const writer = { id: ada.id, moderator: false, roles: ['owner'], revision: 1, tags: null };
        const settled = writes(server.database.db).change({ active: () => true, app: {}, auth: Object({}), params: { project: project.id }, raw: Object({}), maySee: () => Promise.resolve(true), checkStillAllowed: () => Promise.resolve(), route: { settings: { app: { cost: 'cheap' } } } }, Object({}), 'updated', {
            kind: 'element', chain: [ada.id, project.id, page.id, element.id], writer, fields: {}, merge: true,
            statement: () => Promise.reject(new Error('nothing is written')), batch: () => Promise.resolve({ allowed: true, written: null })
        });
        await expect(settled).to.reject('There is no such element, or it has been deleted.');
    });

    it('is refused if an object would be too large', async () => {
        const { revision } = await read(element.url);
        const half = ofBytes(1024 * 1024 + 100);
        expect((await ada.call('PATCH', element.url, { attributes: { text: 'a', size: 1, theirs: half } })).status).to.equal(200);
        const { status, body } = await ada.call('PATCH', element.url, { attributes: { text: 'a', size: 1, mine: half }, revision, merge: true });
        expect(status).to.equal(400);
        expect(body.details).to.equal([{ path: 'attributes', message: '"attributes" would be larger than 2 MiB after the merge' }]);
        expect((await ada.call('PATCH', element.url, { attributes: { text: 'a', size: 1, mine: half }, revision })).body.conflicts).to.equal([]);
    });

    const rivals: { of: string; url: () => string; field: 'attributes' | 'styles'; first: object }[] = [
        { of: 'a page', url: () => page.url, field: 'styles', first: { color: 'red' } }, { of: 'an element', url: () => element.url, field: 'attributes', first: { text: 'a', size: 1 } }
    ];
    for (const { of, url, field, first } of rivals) {
        it(`of ${of}: twenty that each add a key at once all succeed`, async () => {
            const { revision } = await read(url());
            const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ada.call('PATCH', url(), { [field]: { ...first, [`k${n}`]: n }, revision, merge: true })));
            expect(answers.map(({ status }) => status)).to.equal(Array.from({ length: 20 }, () => 200));
            expect(answers.filter(({ body }) => body.merged === true)).to.have.length(19);
            expect(await read(url())).to.include({ revision: revision + 20, [field]: { ...first, ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, n])) } });
        });
    }

    it('of a project: editors of its fields and writers below it all succeed', async () => {
        const { revision } = await read(project.url);
        const answers = await Promise.all([
            ada.call('PATCH', project.url, { title: 'x', revision, merge: true }), ada.call('PATCH', project.url, { description: '#x', revision, merge: true }),
            ada.call('PATCH', project.url, { thumbnail: {}, revision, merge: true }), ada.call('POST', `${page.url}/elements`, { type: 'x' }), ada.call('PATCH', page.url, { x: 9 })
        ]);
        expect(answers.map(({ status }) => status)).to.equal([200, 200, 200, 201, 200]);
        expect(await read(project.url)).to.include({ title: 'x', description: '#x', tags: ['x'], thumbnail: {} });
    });

    it('logs no error', () => {
        expect(server.faults).to.equal([]);
    });
});
