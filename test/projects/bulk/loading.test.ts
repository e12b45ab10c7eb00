import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { apply } from '../../../src/projects/bulk/apply';
import { addProject, newAllowance } from '../../../src/projects/bulk/load';
import { newPlan } from '../../../src/projects/bulk/plan';
import type { Run } from '../../../src/projects/bulk/plan';
import type { Kind } from '../../../src/projects/bulk/schema';
import type { Method } from '../../../src/api/representations/things';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { interrupted, queriesOf } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

interface Action {
    type: Kind;
    method: Method;
    data: object;
}

const action = (type: Kind, method: Method, data: object): Action => ({ type, method, data });

describe('what a bulk loads', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;

    before(async () => {
        server = await startTestServer({ pool: 2 });
        ada = await openAuthor(server, 'ada');
        moderator = await openAuthor(server, 'mod', { moderator: true });
    });

    after(() => server.stop());

    it('is loaded in at most two steps, whatever refers to what', async () => {
        const [one, two, far] = [await ada.project(), await ada.project(), await ada.project()];
        const distant = await ada.element(far.page);
        const first = await ada.element(one.page, { attributes: { page: far.page.id, element: distant.id } });
        const second = await ada.element(two.page);
        const actions = [
            action('elements', 'update', { id: first.id, styles: {} }), action('pages', 'update', { id: '$0.page_id', x: 1 }), action('elements', 'create', { pageId: two.page.id, type: 'x' }),
            action('pages', 'update', { id: '$2.page_id', styles: {} }), action('pages', 'create', { projectId: two.id, x: 5, y: 5 }), action('projects', 'update', { id: '$4.project_id', title: 'x' }),
            action('projects', 'update', { id: two.id, title: 'y' }), action('pages', 'create', { projectId: '$6.id', x: 6, y: 6 }), action('elements', 'update', { id: second.id, styles: {} }),
            action('pages', 'update', { id: '$8.page_id', x: 7 }), action('pages', 'update', { id: '$1.id', y: 1 }), action('elements', 'update', { id: '$10.elements.0.id', styles: {} }),
            action('projects', 'create', { title: 'z' }), action('pages', 'create', { projectId: '$12.id', x: 0, y: 0 }), action('pages', 'update', { id: '$13.id', x: 1 }),
            action('pages', 'update', { id: '$14.id', x: 2 }), action('elements', 'create', { pageId: '$9.id', type: 'y' }), action('elements', 'update', { id: '$0.attributes.element', styles: {} }),
            action('elements', 'create', { pageId: '$0.attributes.page', type: 'y' })
        ];
        const sent = await queriesOf(async () => {
            const { status, text } = await ada.bulk(actions);
            expect(status, text).to.equal(200);
        });
        expect(sent.filter(({ text }) => /from projects p where p\.id in/.test(text)).length).to.be.at.most(2);
    });

    /** The statements about projects, pages and elements that a bulk sends, in order, with their number of rows. */
    const statementsOf = async (actions: Action[]): Promise<[statement: string, rows: number | undefined][]> => {
        const sent = await queriesOf(async () => {
            const { status, text } = await ada.bulk(actions);
            expect(status, text).to.equal(200);
        });
        return sent.flatMap(({ text, rows }): [string, number | undefined][] => {
            const [, verb = '', table = ''] = /(insert into|update|from) (projects|pages|elements)\b/.exec(text) ?? [];
            if (/json_to_recordset/.test(text)) {
                return [['write', rows]];
            }

            const reads = /for no key update/.test(text) ? 'lock' : /x, y from pages where/.test(text) ? 'places' : /with wanted as/.test(text) ? 'elements' : table;
            return table === '' ? [] : [[verb === 'from' ? reads : `${verb} ${table}`, rows]];
        });
    };

    it('is what its actions need, and nothing twice', async () => {
        const { id, url, page } = await ada.project();
        const beside = await ada.page({ id, url, thing: undefined }, { x: 1, y: 0 });
        const element = await ada.element(page);
        const whole = ['lock', 'projects', 'pages', 'elements'];
        const onPage = [...whole, 'write'];
        const cases: [string, Action[], string[]][] = [
            ['a new project', [action('projects', 'create', { title: 'x' })], ['write']],
            ['a project', [action('projects', 'update', { id, title: 'x' })], ['lock', 'projects', 'write']],
            ['a new page', [action('pages', 'create', { projectId: id, x: 2, y: 0 })], ['lock', 'projects', 'places', 'write']],
            ['a page that stays', [action('pages', 'update', { id: page.id, styles: {} })], onPage],
            ['a page that moves', [action('pages', 'update', { id: page.id, y: 1 })], [...whole, 'places', 'write']],
            ['a new element', [action('elements', 'create', { pageId: page.id, type: 'x' })], ['lock', 'projects', 'pages', 'write']],
            ['an element', [action('elements', 'update', { id: element.id, styles: {} })], onPage],
            [
                'what is found by what is there', [
                    action('elements', 'update', { id: element.id, styles: {} }), action('elements', 'create', { pageId: '$0.page_id', type: 'x' }), action('elements', 'update', { id: '$1.id', styles: {} })
                ], onPage
            ],
            [
                'pages and places that are there', [
                    action('pages', 'update', { id: page.id, x: 5 }), action('pages', 'update', { id: '$0.id', x: 6 }), action('pages', 'create', { projectId: '$0.project_id', x: 5, y: 5 }),
                    action('pages', 'update', { id: '$2.id', x: 7 }), action('projects', 'update', { id: '$2.project_id', title: 'y' })
                ], [...whole, 'places', 'write']
            ],
            [
                'places that are not', [action('projects', 'update', { id, title: 'z' }), action('pages', 'create', { projectId: '$0.id', x: 8, y: 0 })],
                ['lock', 'projects', 'lock', 'projects', 'places', 'write']
            ],
            [
                'the places of a page that is there', [action('pages', 'update', { id: beside.id, styles: {} }), action('pages', 'update', { id: '$0.id', x: 9 })],
                [...whole, ...whole, 'places', 'write']
            ],
            [
                'elements that are not', [action('elements', 'update', { id: element.id, styles: {} }), action('pages', 'update', { id: '$0.page_id', styles: {} })],
                [...whole, ...onPage]
            ],
            ['a page that goes', [action('pages', 'remove', { id: beside.id })], ['lock', 'projects', 'pages', 'write']]
        ];
        for (const [what, actions, statements] of cases) {
            expect((await statementsOf(actions)).map(([statement]) => statement), what).to.equal(statements);
        }
    });

    it('is nothing else, however much there is', async () => {
        const { id, url, page } = await ada.project();
        const beside = await ada.page({ id, url, thing: undefined }, { x: 1, y: 0 });
        const element = await ada.element(page);
        await ada.element(page);
        await ada.element(beside);
        const cases: [Action, object][] = [
            [action('elements', 'update', { id: element.id, styles: {} }), { lock: 1, projects: 1, pages: 1, elements: 1 }],
            [action('pages', 'update', { id: page.id, x: 5 }), { lock: 1, projects: 1, pages: 1, elements: 2, places: 2 }]
        ];
        for (const [change, rows] of cases) {
            expect(Object.fromEntries(await statementsOf([change]))).to.include(rows);
        }
    });

    it('may be known only through an element', async () => {
        const far = await ada.project();
        const distant = await ada.element(far.page);
        const near = await ada.element((await ada.project()).page, { attributes: { page: far.page.id, element: distant.id } });
        const named = action('elements', 'update', { id: near.id, styles: {} });
        for (const reached of [action('elements', 'update', { id: '$0.attributes.element', styles: {} }), action('elements', 'create', { pageId: '$0.attributes.page', type: 'x' })]) {
            expect((await ada.bulk([named, reached])).body.results[1]).to.include({ page_id: far.page.id });
        }

        // Things that are loaded in advance may be missing; the error is reported for the action that needs them.
        const ahead = [action('projects', 'update', { id: '999999', title: 'x' }), action('pages', 'create', { projectId: '$2.id', x: 0, y: 0 })];
        expect((await ada.bulk([named, action('elements', 'update', { id: '$0.attributes.element', styles: {} }), ...ahead])).body).to.include({ statusCode: 404, action: 2 });
    });

    it('does not include a project of a deleted user', async () => {
        const leaver = await openAuthor(server);
        const { id, page } = await leaver.project();
        const element = await leaver.element(page);
        await server.database.db.raw('update users set deleted_at = now() where id = ?', [leaver.id]);
        for (const gone of [action('projects', 'remove', { id }), action('pages', 'remove', { id: page.id }), action('elements', 'remove', { id: element.id })]) {
            expect((await moderator.bulk([gone])).body).to.include({ statusCode: 404, action: 0 });
        }
    });

    it('and cannot load is reported, with nothing written', async () => {
        const { page } = await ada.project();
        const element = await ada.element(page);
        const lost = (): Promise<never> => Promise.reject(new Error('Connection terminated unexpectedly'));
        const answer = await interrupted(/select id, project_id, x, y from pages/, lost, () => ada.bulk([
            action('elements', 'update', { id: element.id, styles: { written: true } }), action('pages', 'update', { id: '$0.page_id', x: 1 })
        ]));
        expect(answer.body).to.include({ statusCode: 503, code: 'service_unavailable' });
        expect(answer.body.action).to.be.undefined();
        expect((await server.call('GET', element.url)).body.element).to.equal(element.thing);
    });

    it('too little of is an internal error', async () => {
        const author = (await ada.call('GET', `/users/${ada.id}`)).body.user;
        const { thing } = await ada.project();
        const plan = newPlan();
        addProject(plan, thing, { pageCount: 0, bytes: 0, role: null });
        const run = (ids: Partial<Run['ids']>): Run => ({
            actions: [], plan, allowance: newAllowance(), now: '', caller: { id: ada.id, moderator: false }, author, version: '1', results: [], parse: () => undefined, absent: new Set(), ids: { projects: [], pages: [], elements: [], ...ids }
        });
        expect(() => apply(run({}), { type: 'projects', method: 'create', data: { title: 'x' } })).to.throw('Fewer ids were drawn than actions make things');
        expect(() => apply(run({ pages: ['1'] }), { type: 'pages', method: 'create', data: { projectId: thing.id, x: 0, y: 0 } })).to.throw('The places of a project were not loaded');
    });
});
