import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author, MadeProject } from '../support/authoring';
import { notOnCluster } from '../support/on-cluster';
import { queriesOf } from '../support/queries';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a change set', notOnCluster('a statement is several there'), () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer({ pool: 1 });
        ada = await openAuthor(server);
    });

    after(() => server.stop());

    const bulk = async (actions: readonly object[]): Promise<void> => {
        const { status, text } = await ada.bulk(actions);
        expect(status, text.slice(0, 300)).to.equal(200);
    };

    /** A project with so many pages, and elements on each. */
    const fill = async (pages: number, elements: number): Promise<MadeProject & { elements: string[] }> => {
        const project = await ada.project();
        const { text } = await ada.bulk(Array.from({ length: pages }, (_page, x) => [
            { type: 'pages', method: 'create', data: { projectId: project.id, x: x + 1, y: 0 } },
            ...Array.from({ length: elements }, () => ({ type: 'elements', method: 'create', data: { pageId: `$${x * (elements + 1)}.id`, type: 'x' } }))
        ]).flat());
        const made: { id: string; type: string }[] = JSON.parse(text).results;
        return { ...project, elements: made.filter(({ type }) => type === 'elements').map(({ id }) => id) };
    };

    const edit = (elements: readonly string[]): Promise<void> => bulk(elements.map((id, n) => ({ type: 'elements', method: n % 3 === 0 ? 'remove' : 'update', data: { id, ...n % 3 !== 0 && { styles: { n } } } })));

    const revisionOf = async (url: string): Promise<number> => (await ada.call('GET', url)).body.project.revision;

    it('is written in a number of round trips that does not grow: restoring, undoing and pulling', async () => {
        const counts: Record<string, number[]> = { restore: [], undo: [], pull: [] };
        for (const [pages, elements] of [[2, 2], [20, 20], [2, 2]] as const) {
            const source = await fill(pages, elements);
            const remix = await ada.remix(source);
            await edit(source.elements);
            const edited = await revisionOf(source.url);
            const requests: Record<string, [url: string, body: object]> = {
                pull: [`${remix.url}/upstream/pull`, { take: 'theirs' }], undo: [`${source.url}/history/${edited}/undo`, {}], restore: [`${source.url}/history/${edited}/restore`, {}]
            };
            for (const [name, [url, body]] of Object.entries(requests)) {
                const sent = await queriesOf(async () => {
                    const { status, text } = await ada.call('POST', url, body);
                    expect(status, text.slice(0, 300)).to.equal(200);
                });
                counts[name]?.push(sent.length);
            }
        }

        // Among these are `begin`, `commit` and the caller's account. One statement writes; the others read and lock.
        expect(counts).to.equal({ restore: [10, 10, 10], undo: [15, 15, 15], pull: [17, 17, 17] });
    });
});
