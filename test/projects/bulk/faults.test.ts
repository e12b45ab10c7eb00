import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { count, nested, ofBytes, openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const action = (type: string, method: string, data: unknown): object => ({ type, method, data });

describe('a bulk that fails', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let moderator: Author;
    let mine: MadeProject;
    let theirs: MadeProject;
    let theirElement: Made;
    let myElement: Made;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        moderator = await openAuthor(server, 'mod', { moderator: true });
        mine = await ada.project();
        myElement = await ada.element(mine.page);
        theirs = await eve.project({ description: '#hers' });
        theirElement = await eve.element(theirs.page, { type: 'link' });
    });

    after(() => server.stop());

    /** Everything that is stored, to check that nothing was written. */
    const everything = async (): Promise<string> => {
        const { rows } = await server.database.db.raw(`select
            (select json_agg(p order by id) from projects p) as projects, (select json_agg(g order by id) from pages g) as pages,
            (select json_agg(e order by id) from elements e) as elements, (select json_agg(t order by project_id, tag) from project_tags t) as tags`);
        return JSON.stringify(rows);
    };

    const harmless = (): object[] => [
        action('projects', 'create', { title: 'never there', description: '#never' }), action('pages', 'create', { projectId: '$0.id', x: 0, y: 0 }),
        action('projects', 'update', { id: mine.id, title: 'never so' }), action('elements', 'remove', { id: myElement.id })
    ];

    interface Row {
        why: string;
        failing(): object;
        status: number;
        code: string;
    }
    const failing: Row[] = [
        { why: 'a project that is not there', failing: () => action('projects', 'update', { id: '999999', title: 'x' }), status: 404, code: 'not_found' },
        { why: 'a page that is not there', failing: () => action('pages', 'remove', { id: 999999 }), status: 404, code: 'not_found' },
        { why: 'an element that is not there', failing: () => action('elements', 'update', { id: '999999', styles: {} }), status: 404, code: 'not_found' },
        { why: 'an id past all ids', failing: () => action('elements', 'remove', { id: '9223372036854775807' }), status: 404, code: 'not_found' },
        { why: 'a page in no project', failing: () => action('pages', 'create', { projectId: '999999', x: 0, y: 0 }), status: 404, code: 'not_found' },
        { why: 'an element on no page', failing: () => action('elements', 'create', { pageId: '999999', type: 'x' }), status: 404, code: 'not_found' },
        { why: 'an element just removed', failing: () => action('elements', 'update', { id: '$3.id', styles: {} }), status: 404, code: 'not_found' },
        { why: 'another\'s project', failing: () => action('projects', 'update', { id: theirs.id, title: 'mine now' }), status: 403, code: 'forbidden' },
        { why: 'another\'s project, to remove', failing: () => action('projects', 'remove', { id: theirs.id }), status: 403, code: 'forbidden' },
        { why: 'another\'s page', failing: () => action('pages', 'update', { id: theirs.page.id, x: 7 }), status: 403, code: 'forbidden' },
        { why: 'another\'s page, to remove', failing: () => action('pages', 'remove', { id: theirs.page.id }), status: 403, code: 'forbidden' },
        { why: 'another\'s element', failing: () => action('elements', 'update', { id: theirElement.id, styles: {} }), status: 403, code: 'forbidden' },
        { why: 'another\'s element, to remove', failing: () => action('elements', 'remove', { id: theirElement.id }), status: 403, code: 'forbidden' },
        { why: 'a page in another\'s project', failing: () => action('pages', 'create', { projectId: theirs.id, x: 5, y: 5 }), status: 403, code: 'forbidden' },
        { why: 'an element on another\'s page', failing: () => action('elements', 'create', { pageId: theirs.page.id, type: 'x' }), status: 403, code: 'forbidden' },
        { why: 'a revision that has passed', failing: () => action('projects', 'update', { id: mine.id, title: 'x', revision: 1 }), status: 409, code: 'revision_conflict' },
        { why: 'a revision that has passed, to remove', failing: () => action('pages', 'remove', { id: mine.page.id, revision: 1 }), status: 409, code: 'revision_conflict' },
        { why: 'another\'s thing at a wrong revision', failing: () => action('projects', 'remove', { id: theirs.id, revision: 9 }), status: 403, code: 'forbidden' },
        { why: 'a place that is taken', failing: () => action('pages', 'create', { projectId: mine.id, x: 0, y: 0 }), status: 409, code: 'coordinates_taken' },
        { why: 'a place taken in the bulk', failing: () => action('pages', 'create', { projectId: '$0.id', x: 0, y: 0 }), status: 409, code: 'coordinates_taken' },
        { why: 'a reference to no id', failing: () => action('projects', 'update', { id: '$0.title', title: 'x' }), status: 400, code: 'bad_reference' },
        { why: 'a reference to nothing', failing: () => action('projects', 'update', { id: '$0.history.nothing', title: 'x' }), status: 400, code: 'bad_reference' },
        { why: 'a reference into null', failing: () => action('projects', 'update', { id: '$0.remixed_from.id', title: 'x' }), status: 400, code: 'bad_reference' },
        { why: 'a reference to the length of a list', failing: () => action('projects', 'update', { id: '$0.tags.length', title: 'x' }), status: 400, code: 'bad_reference' },
        { why: 'a reference past its end', failing: () => action('projects', 'update', { id: '$0.id.more', title: 'x' }), status: 400, code: 'bad_reference' },
        { why: 'a reference to what no result has', failing: () => action('projects', 'update', { id: '$0.constructor', title: 'x' }), status: 400, code: 'bad_reference' },
        { why: 'a link to nothing', failing: () => action('elements', 'create', { pageId: '$1.id', type: 'link', attributes: { targetPageId: '$0.nothing' } }), status: 400, code: 'bad_reference' },
        { why: 'a link to what comes later', failing: () => action('elements', 'create', { pageId: '$1.id', type: 'link', attributes: { targetPageId: '$5.id' } }), status: 400, code: 'bad_reference' }
    ];
    for (const { why, failing: last, status, code } of failing) {
        it(`by ${why} is ${status} ${code}, says which action it was, and writes nothing`, async () => {
            const earlier = await everything();
            const { body, text } = await ada.bulk([...harmless(), last(), action('projects', 'update', { id: '999999', title: 'not reached' })]);
            expect(body, text).to.include({ statusCode: status, code, action: 4 });
            expect(text).to.not.contain('never there');
            expect(await everything()).to.equal(earlier);
        });
    }

    it('because of a revision returns the current state, including changes of the same bulk', async () => {
        const { body } = await ada.bulk([
            action('elements', 'update', { id: myElement.id, styles: { a: 1 } }), action('pages', 'update', { id: mine.page.id, y: 3, revision: 2 })
        ]);
        expect(body).to.include({ statusCode: 409, code: 'revision_conflict', action: 1 });
        expect(body.current).to.include({ id: mine.page.id, y: 0, revision: 3 });
        expect(body.current.elements[0]).to.include({ id: myElement.id, styles: { a: 1 }, revision: 2 });
    });

    it('because of its first action says action 0', async () => {
        expect((await ada.bulk([action('projects', 'remove', { id: theirs.id })])).body).to.include({ statusCode: 403, action: 0 });
    });

    interface Invalid {
        why: string;
        data: object;
        path: string;
    }
    const id = '1';
    const invalid: Invalid[] = [
        ...['x', '$0', '$0.', '0', '-1', '1.5', '9223372036854775808', '$1000.id', '$00.id', '$-1.id', '$0.a b', ' $0.id', null, 0, -1, 1.5, 2 ** 53, true, [], {}].map((bad) => {
            return { why: `the id ${JSON.stringify(bad)}`, data: action('pages', 'remove', { id: bad }), path: 'actions.1.data.id' };
        }),
        { why: 'no id', data: action('pages', 'remove', {}), path: 'actions.1.data.id' },
        { why: 'a reference to itself', data: action('pages', 'remove', { id: '$1.id' }), path: 'actions.1.data.id' },
        { why: 'a reference to a later action', data: action('pages', 'create', { projectId: '$2.id', x: 0, y: 0 }), path: 'actions.1.data.projectId' },
        { why: 'a reference far away', data: action('elements', 'create', { pageId: '$999.id', type: 'x' }), path: 'actions.1.data.pageId' },
        { why: 'no title', data: action('projects', 'create', {}), path: 'actions.1.data.title' },
        { why: 'nothing to change', data: action('projects', 'update', { id }), path: 'actions.1.data' },
        { why: 'only a revision', data: action('pages', 'update', { id, revision: 1 }), path: 'actions.1.data' },
        { why: 'a fraction as place', data: action('pages', 'create', { projectId: id, x: 0.5, y: 0 }), path: 'actions.1.data.x' },
        { why: 'no place', data: action('pages', 'create', { projectId: id, x: 0 }), path: 'actions.1.data.y' },
        { why: 'no type', data: action('elements', 'create', { pageId: id }), path: 'actions.1.data.type' },
        { why: 'too deep attributes', data: action('elements', 'update', { id, attributes: nested(33) }), path: 'actions.1.data.attributes' },
        { why: 'too large styles', data: action('elements', 'update', { id, styles: ofBytes(2 * 1024 * 1024 + 1) }), path: 'actions.1.data.styles' },
        { why: 'a type that changes', data: action('elements', 'update', { id, type: 'x', styles: {} }), path: 'actions.1.data.type' },
        { why: 'a revision of what is new', data: action('projects', 'create', { title: 'x', revision: 1 }), path: 'actions.1.data.revision' },
        { why: 'null', data: action('projects', 'update', { id, title: null }), path: 'actions.1.data.title' },
        { why: 'U+0000', data: action('projects', 'update', { id, title: '\u0000' }), path: 'actions.1.data.title' },
        { why: 'an unknown field', data: action('projects', 'update', { id, title: 'x', featured: true }), path: 'actions.1.data.featured' },
        { why: 'a type of no thing', data: action('users', 'remove', { id }), path: 'actions.1.type' },
        { why: 'a method of no thing', data: action('pages', 'delete', { id }), path: 'actions.1.method' },
        { why: 'invalid data', data: action('pages', 'remove', [id]), path: 'actions.1.data' },
        { why: 'null as data', data: action('pages', 'remove', null), path: 'actions.1.data' },
        { why: 'no data', data: { type: 'pages', method: 'remove' }, path: 'actions.1.data' },
        { why: 'a field beside', data: { ...action('pages', 'remove', { id }), id }, path: 'actions.1.id' },
        { why: 'no object', data: [], path: 'actions.1' }
    ];
    it('validation is 400 and says where, before anything runs', async () => {
        const earlier = await everything();
        for (const { why, data, path } of invalid) {
            const { body, text } = await ada.bulk([action('projects', 'remove', { id: theirs.id }), data, action('projects', 'remove', { id: mine.id })]);
            expect(body, `${why}: ${text}`).to.include({ statusCode: 400, code: 'validation_failed' });
            expect(body.details.map((detail: { path: string }) => detail.path), why).to.include(path);
        }

        expect(await everything()).to.equal(earlier);
    });

    it('validation in several actions lists all errors of all of them', async () => {
        const { body } = await ada.bulk([
            action('pages', 'remove', { id: 'x' }), action('users', 'remove', { id }), action('projects', 'create', { title: '' }), [7], action('pages', 'delete', { id }),
            { ...action('elements', 'update', { id, attributes: [] }), more: 1 }, action('elements', 'remove', []), { type: 'pages' }, action('pages', 'remove', { id: '$8.id' })
        ]);
        expect(body.details.map(({ path }: { path: string }) => path)).to.equal([
            'actions.0.data.id', 'actions.1.type', 'actions.2.data.title', 'actions.3', 'actions.4.method', 'actions.5.more', 'actions.5.data.attributes', 'actions.6.data',
            'actions.7.method', 'actions.7.data', 'actions.8.data.id'
        ]);
        expect(body.message).to.contain('(and 10 more: "details" lists all of them)');
        expect(body.details[0].message).to.equal('"id" must be an id (a positive integer or a decimal string), or a reference as "$0.id"');
    });

    it('validation in more places than are listed says how many there are', async () => {
        const { body } = await ada.bulk(Array.from({ length: 1000 }, (_, n) => (n % 2 === 0 ? action('pages', 'remove', {}) : action('users', 'remove', {}))));
        expect(body.details).to.have.length(100);
        expect(body.details.at(-1).path).to.equal('actions.99.type');
        expect(body.message).to.equal('The request does not validate: "id" is required (and 999 more: "details" lists the first 100 of them).');
    });

    it('validation in very many places of one action reports the first of them, and those of other actions', async () => {
        const fields = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`f${n}`, 1]));
        const { body } = await ada.bulk([action('pages', 'remove', { id, ...fields }), action('pages', 'remove', {})]);
        expect(body.details.map(({ path }: { path: string }) => path)).to.equal(['actions.0.data.f0', 'actions.1.data.id']);
    });

    it('because it has no, too many or invalid actions', async () => {
        const url = `/users/${ada.id}/bulk`;
        const remove = action('projects', 'remove', { id: '999999' });
        const bodies = [{}, { actions: [] }, { actions: {} }, { actions: null }, { actions: Array.from({ length: 1001 }, () => remove) }, { actions: [remove], more: 1 }];
        for (const body of [undefined, ...bodies]) {
            expect((await ada.call('POST', url, body)).body).to.include({ statusCode: 400, code: 'validation_failed' });
        }

        expect((await ada.call('POST', url, { actions: Array.from({ length: 1000 }, () => remove) })).body).to.include({ statusCode: 404, action: 0 });
    });

    it('because it is under another user or an unknown one', async () => {
        const actions = [action('projects', 'create', { title: 'x' })];
        const projects = await count(server, 'from projects');
        expect((await ada.call('POST', `/users/${eve.id}/bulk`, { actions })).body).to.include({ statusCode: 403, code: 'forbidden' });
        expect((await moderator.call('POST', `/users/${eve.id}/bulk`, { actions })).body).to.include({ statusCode: 403, code: 'forbidden' });
        expect((await ada.call('POST', '/users/999999/bulk', { actions })).body).to.include({ statusCode: 404, code: 'not_found' });
        expect((await server.call('POST', `/users/${ada.id}/bulk`, { actions })).status).to.equal(401);
        expect(await count(server, 'from projects')).to.equal(projects);
    });

    it('where only the owner may write succeeds if a moderator removes', async () => {
        const project = await eve.project();
        const [page, other] = [await eve.page(project, { x: 1, y: 0 }), await eve.page(project, { x: 2, y: 0 })];
        const element = await eve.element(other);
        for (const denied of [action('projects', 'update', { id: project.id, title: 'x' }), action('pages', 'create', { projectId: project.id, x: 9, y: 9 }), action('elements', 'update', { id: element.id, styles: {} })]) {
            expect((await moderator.bulk([denied])).body).to.include({ statusCode: 403, action: 0 });
        }

        const { body } = await moderator.bulk([action('pages', 'remove', { id: page.id }), action('elements', 'remove', { id: element.id, revision: 1 }), action('projects', 'remove', { id: project.id, revision: 6 })]);
        expect(body.results).to.equal([
            { status: 'deleted', id: page.id, type: 'pages', method: 'remove' }, { status: 'deleted', id: element.id, type: 'elements', method: 'remove' },
            { status: 'deleted', id: project.id, type: 'projects', method: 'remove' }
        ]);
        expect((await server.call('GET', project.url)).status).to.equal(404);
    });

    it('logs no error', () => {
        expect(server.faults).to.equal([]);
    });
});
