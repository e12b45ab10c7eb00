import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { queriesOf } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const action = (type: string, method: string, data: object): object => ({ type, method, data });
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

describe('the number of round trips to the database', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer({ pool: 1 });
        ada = await openAuthor(server);
    });

    after(() => server.stop());

    /** A project with a number of pages besides the first, each with a number of elements; returns their ids. */
    const fill = async (pages: number, elements: number): Promise<MadeProject & { pages: string[]; elements: string[] }> => {
        const project = await ada.project();
        const { db } = server.database;
        const made = await db.raw('insert into pages (project_id, x, y, element_count) select ?, n, 1, ? from generate_series(1, ?::int) n returning id', [project.id, elements, pages]);
        const ids: string[] = made.rows.map(({ id }: { id: string }) => id);
        const inside = await db.raw(`
            insert into elements (page_id, project_id, type, attributes) select g.id, g.project_id, 'link', json_build_object('targetPageId', g.id::text) from pages g, generate_series(1, ?::int) where g.id = any(?::bigint[]) returning id`, [elements, ids]);
        await db.raw('update projects set page_count = ? where id = ?', [pages + 1, project.id]);
        return { ...project, pages: ids, elements: inside.rows.map(({ id }: { id: string }) => id) };
    };

    type Make = (n: number) => Promise<object[]>;

    // Each makes 5n actions.
    const bulks: { name: string; make: Make }[] = [
        {
            name: 'actions that make',
            make: async (n) => {
                const project = await ada.project();
                return times(n, (i) => [
                    action('projects', 'create', { title: 'x', description: '#x' }), action('pages', 'create', { projectId: project.id, x: i + 1, y: 0 }), action('pages', 'create', { projectId: `$${5 * i}.id`, x: i, y: 0 }),
                    action('elements', 'create', { pageId: `$${5 * i + 1}.id`, type: 'x' }), action('elements', 'create', { pageId: project.page.id, type: 'x' })
                ]).flat();
            }
        },
        {
            name: 'actions of every kind',
            make: async (n) => {
                const { id, pages, elements } = await fill(3 * n, 1);
                return times(n, (i) => [
                    action('projects', 'update', { id, title: `${i}` }), action('pages', 'update', { id: pages[i], x: -i }), action('pages', 'remove', { id: pages[n + i] }),
                    action('elements', 'update', { id: elements[i], styles: { i } }), action('elements', 'remove', { id: elements[2 * n + i] })
                ]).flat();
            }
        },
        {
            name: 'actions on projects apart from each other',
            make: async (n) => {
                const projects = await Promise.all(times(n, () => fill(1, 1)));
                return projects.flatMap(({ id, pages, elements }) => [
                    action('elements', 'update', { id: elements[0], styles: {} }), action('pages', 'update', { id: pages[0], x: 5 }), action('pages', 'create', { projectId: id, x: 9, y: 9 }),
                    action('projects', 'update', { id, title: 'x' }), action('projects', 'remove', { id })
                ]);
            }
        },
        {
            name: 'actions that refer to the page and the project of what came before',
            make: async (n) => {
                const projects = await Promise.all(times(n, () => fill(1, 1)));
                return projects.flatMap(({ elements }, i) => [
                    action('elements', 'update', { id: elements[0], styles: {} }), action('elements', 'create', { pageId: `$${5 * i}.page_id`, type: 'x' }), action('pages', 'update', { id: `$${5 * i + 1}.page_id`, x: 5 }),
                    action('projects', 'update', { id: `$${5 * i + 2}.project_id`, title: 'x' }), action('pages', 'create', { projectId: `$${5 * i + 3}.id`, x: 9, y: 9 })
                ]);
            }
        },
        {
            name: 'actions that refer to what is only named in results',
            make: async (n) => {
                const { elements } = await fill(n, 1);
                return [
                    ...times(3 * n, (i) => action('elements', 'update', { id: elements[i % n], styles: {} })), ...times(2 * n, (i) => action('pages', 'update', { id: `$${i}.attributes.targetPageId`, x: i + 1000 }))
                ];
            }
        }
    ];
    for (const { name, make } of bulks) {
        it(`is the same for a bulk of 10 and of 1,000 ${name}`, async () => {
            const [few, many] = [await make(2), await make(200)];
            expect([few.length, many.length]).to.equal([10, 1000]);
            const counts: number[] = [];
            for (const actions of [few, many, few, many]) {
                const sent = await queriesOf(async () => {
                    const { status, text } = await ada.bulk(actions);
                    // The second time some things are gone, which costs no more.
                    expect([200, 404, 409], text.slice(0, 300)).to.include(status);
                });
                counts.push(sent.length);
            }

            expect(counts[1]).to.equal(counts[0]);
            expect(counts[1] ?? Infinity).to.be.at.most(25);
        });
    }

    it('is the same for a remix of 2 × 2 and of 100 × 50', async () => {
        const counts: number[] = [];
        for (const [pages, elements] of [[2, 2], [100, 50], [2, 2]] as const) {
            const source = await fill(pages, elements);
            const sent = await queriesOf(() => ada.remix(source));
            counts.push(sent.length);
        }

        expect(counts[1]).to.equal(counts[0]);
        expect(counts[2]).to.equal(counts[0]);
        expect(counts[0] ?? Infinity).to.be.at.most(8);
    });

    it('is the same for reading a project of 1 page and of 100 × 10', async () => {
        const counts: number[] = [];
        for (const [pages, elements] of [[1, 1], [100, 10]] as const) {
            const { url, id, page } = await fill(pages, elements);
            for (const path of [`${url}/pages`, page.url, `${page.url}/elements`, url, `/projects/${id}`]) {
                counts.push((await queriesOf(() => server.call('GET', path))).length);
            }
        }

        expect(counts.slice(5)).to.equal(counts.slice(0, 5));
        expect(Math.max(...counts)).to.be.at.most(2);
    });
});
