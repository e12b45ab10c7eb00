import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

interface Action {
    type: 'projects' | 'pages' | 'elements';
    method: 'create' | 'update' | 'remove';
    // Each test knows the fields of its actions.
    // eslint-disable-next-line no-restricted-syntax
    data: any;
}

interface Result {
    id: string;
    type: string;
    method: string;
    revision: number;
    element_type?: string;
}

type Script = (project: string, page: string) => Action[];

const element = (data: object, method: Action['method'] = 'create'): Action => ({ type: 'elements', method, data });
const page = (data: object, method: Action['method'] = 'create'): Action => ({ type: 'pages', method, data });
const project = (data: object, method: Action['method'] = 'update'): Action => ({ type: 'projects', method, data });

/** What an author does to a project and its first page; each is done by a bulk, and by the single routes. */
const scripts: { name: string; script: Script }[] = [
    {
        name: 'a page with elements, each changed',
        script: (p) => [
            page({ projectId: p, x: 1, y: 1, styles: { a: 1 } }), element({ pageId: '$0.id', type: 'text', attributes: { t: 'é\u2028"\\' } }),
            element({ pageId: '$0.id', type: 'image', styles: { w: 1.5, n: null, l: [[], {}] } }), element({ id: '$1.id', styles: { b: 2 } }, 'update'),
            element({ id: '$2.id', attributes: { c: 3 } }, 'update'), page({ id: '$0.id', x: 0, y: -1 }, 'update'), page({ id: '$0.id', styles: {} }, 'update')
        ]
    },
    {
        name: 'removals, of elements, pages and what was just made',
        script: (p, first) => [
            element({ pageId: first, type: 'a' }), element({ pageId: first, type: 'b' }), element({ id: '$0.id' }, 'remove'), page({ id: first, x: 9 }, 'update'),
            page({ projectId: p, x: 2, y: 2 }), element({ pageId: '$4.id', type: 'c' }), page({ id: '$4.id' }, 'remove'), page({ projectId: p, x: 2, y: 2 }),
            element({ id: '$1.id', attributes: { kept: true } }, 'update'), page({ id: first }, 'remove'), page({ projectId: p, x: 9, y: 0 })
        ]
    },
    {
        name: 'a project\'s own fields between its pages',
        script: (p, first) => [
            project({ id: p, title: '\u{1F3A8}' }), page({ id: first, x: 3 }, 'update'), project({ id: p, description: 'a #Tag, #ТЕГ and #हिन्दी' }),
            element({ pageId: first, type: 'x' }), project({ id: p, thumbnail: { 320: 'https://example.com/%20' } }), project({ id: p, title: 'y', description: '#z', thumbnail: {} }),
            page({ projectId: p, x: 0, y: 0 }), project({ id: p, title: 'again' })
        ]
    },
    {
        name: 'an exchange of places by way of a free one',
        script: (p, first) => [
            page({ projectId: p, x: 1, y: 0 }), page({ id: first, x: 7, y: 7 }, 'update'), page({ id: '$0.id', x: 0, y: 0 }, 'update'), page({ id: first, x: 1, y: 0 }, 'update')
        ]
    },
    {
        name: 'revisions stated on the way',
        script: (p, first) => [
            element({ pageId: first, type: 'x' }), element({ id: '$0.id', styles: { a: 1 }, revision: 1 }, 'update'), page({ id: first, x: 4, revision: 3 }, 'update'),
            project({ id: p, title: 'z', revision: 4 }), element({ id: '$0.id', revision: 2 }, 'remove'), page({ id: first, revision: 5 }, 'remove'), project({ id: p, revision: 7 }, 'remove')
        ]
    }
];

describe('a bulk', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer({ fresh: true });
        // Things of different kinds never share an id here, so that ids can be replaced by their order.
        await server.database.db.raw(`select setval('pages_id_seq', 1000000), setval('elements_id_seq', 2000000), setval('projects_id_seq', 3000000)`);
        ada = await openAuthor(server, 'ada');
    });

    after(() => server.stop());

    /** Runs actions one by one through the single routes, and returns what a bulk would return. */
    const oneByOne = async (start: MadeProject, actions: Action[]): Promise<object[]> => {
        const urls = new Map([[start.id, start.url], [start.page.id, start.page.url]]);
        const results: { id: string }[] = [];
        for (const { type, method, data: { id, projectId, pageId, ...data } } of actions) {
            const target = String(id ?? projectId ?? pageId);
            const [, n] = /^\$(\d+)\.id$/.exec(target) ?? [];
            const url = urls.get(n === undefined ? target : results[Number(n)]?.id ?? '') ?? '';
            const verb = { create: 'POST', update: 'PATCH', remove: 'DELETE' }[method];
            const { body, headers, text } = await ada.call(verb, method === 'create' ? `${url}/${type}` : url, data);
            const name = type.slice(0, -1);
            expect(body[name], text).to.be.an.object();
            const { type: elementType, ...thing } = body[name];
            if (method === 'create') {
                urls.set(thing.id, String(headers.location));
            }

            results.push(method === 'remove' ? { status: 'deleted', id: thing.id, type, method } : { ...thing, ...elementType !== undefined && { element_type: elementType }, type, method });
        }

        return results;
    };

    /** JSON text with ids replaced by the order of their first appearance, and without times and some other fields. */
    const plain = (value: unknown, without: readonly string[] = []): unknown => {
        const order: string[] = [];
        return JSON.parse(JSON.stringify(value, (key, inner) => {
            if (without.includes(key)) {
                return undefined;
            }

            if (!['id', 'project_id', 'page_id'].includes(key)) {
                return key === 'history' ? Object.keys(inner) : key === 'request_id' ? '' : inner;
            }

            order.push(...order.includes(inner) ? [] : [inner]);
            return `#${order.indexOf(inner)}`;
        }));
    };

    for (const { name, script } of scripts) {
        it(`does the same as the single routes: ${name}`, async () => {
            const [one, other] = [await ada.project({ title: 'Twin', description: '#twin' }), await ada.project({ title: 'Twin', description: '#twin' })];
            const { body, text } = await ada.bulk(script(one.id, one.page.id));
            expect(body.status, text).to.equal('success');
            const singles = await oneByOne(other, script(other.id, other.page.id));
            expect(plain(body.results, ['revision'])).to.equal(plain(singles, ['revision']));

            const stored = async ({ url }: MadeProject): Promise<unknown> => {
                return plain([(await server.call('GET', url)).body, (await server.call('GET', `${url}/pages`)).body]);
            };

            expect(await stored(one)).to.equal(await stored(other));
        });

        it(`returns what is stored, including times: ${name}`, async () => {
            const start = await ada.project();
            const { body: { results } } = await ada.bulk(script(start.id, start.page.id));
            const { body: { pages = [] } } = await server.call('GET', `${start.url}/pages`);
            const { body: { project: shown } } = await server.call('GET', start.url);
            const elements = pages.flatMap((shownPage: { elements: object[] }) => shownPage.elements);
            const stored = new Map<string, { revision: number }>();
            for (const [type, things] of Object.entries({ projects: shown ? [shown] : [], pages, elements })) {
                for (const thing of things) {
                    stored.set(`${type} ${thing.id}`, thing);
                }
            }

            for (const { type, method, id, revision } of results) {
                const now = stored.get(`${type} ${id}`);
                expect(now === undefined || method === 'remove' || now.revision === revision, `${type} ${id}`).to.be.true();
            }

            const last = new Map<string, Result>(results.map((result: Result) => [`${result.type} ${result.id}`, result]));
            for (const [key, { type: _type, method, element_type, ...thing }] of last) {
                const now = stored.get(key);
                if (method === 'remove') {
                    expect(now).to.be.undefined();
                }
                else if (now !== undefined) {
                    // Later actions may have added elements to a page.
                    const own = element_type === undefined ? thing : { ...thing, type: element_type };
                    expect(now).to.include(Object.fromEntries(Object.entries(own).filter(([field]) => field !== 'elements')));
                }
            }
        });
    }

    it('creates projects without a page, which are then read as they were returned', async () => {
        const fields = { title: 'Made', description: 'in #bulk', thumbnail: { 1: 'http://a' } };
        const { body } = await ada.bulk([
            project(fields, 'create'), project({ title: 'Bare' }, 'create'), page({ projectId: '$1.id', x: 0, y: 0 }), project({ id: '$1.id', title: 'Last' })
        ]);
        const [first, , , { type, method, ...last }] = body.results;
        expect([type, method]).to.equal(['projects', 'update']);
        for (const { type: _type, method: _method, ...made } of [first, last]) {
            const url = `/users/${ada.id}/projects/${made.id}`;
            expect((await server.call('GET', url)).body.project).to.equal(made);
            expect((await server.call('GET', `/projects/${made.id}`)).body.project).to.equal({ ...made, stats: { views: 0, remixes: 0 } });
        }

        expect((await server.call('GET', `/users/${ada.id}/projects/${first.id}/pages`)).body.pages).to.equal([]);
        expect((await server.call('GET', '/projects/tagged/bulk')).body.projects.map(({ id }: { id: string }) => id)).to.equal([first.id]);
        // Of two with the same time, the later one is newer.
        expect((await server.call('GET', `/users/${ada.id}/projects?count=2`)).body.projects.map(({ id }: { id: string }) => id)).to.equal([last.id, first.id]);
    });
});
