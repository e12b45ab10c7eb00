import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { sourceChanges } from '../../../src/projects/lineage/pull';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { wrongSizes } from '../../support/sizes';
import { expectSmallSteps } from '../../support/steps';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const MIB = 1024 * 1024;

/** Milliseconds of processor time of a step, with those of the collection of garbage. */
const MAX_OF_STEP = 50;

describe('a source that changed much', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let source: MadeProject;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server);
        eve = await openAuthor(server);
    });

    after(() => server.stop());

    beforeEach(async () => {
        source = await ada.project();
    });

    const upstream = (remix: Made): Promise<Answer> => server.call('GET', `${remix.url}/upstream`);
    const pull = (remix: Made, body: object = {}): Promise<Answer> => eve.call('POST', `${remix.url}/upstream/pull`, body);
    const bulk = async (author: Author, actions: object[]): Promise<void> => {
        const { status, text } = await author.bulk(actions);
        expect(status, text.slice(0, 300)).to.equal(200);
    };

    const times = <Thing>(count: number, make: (n: number) => Thing): Thing[] => Array.from({ length: count }, (_, n) => make(n));

    it('is pulled if all of it is new, and not if more than 10,000 elements that the remix has were changed', async () => {
        const remix = await eve.remix(source);
        for (let page = 1; page <= 11; ++page) {
            await bulk(ada, [
                { type: 'pages', method: 'create', data: { projectId: source.id, x: page, y: 0 } },
                ...times(999, (n) => ({ type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text', attributes: { n } } }))
            ]);
        }

        const { body: { change } } = await pull(remix);
        expect(change.counts).to.include({ pages: { created: 11, updated: 0, removed: 0 }, elements: { created: 11 * 999, updated: 0, removed: 0 } });
        expect((await eve.call('POST', `${remix.url}/history/${change.revision}/undo`, {})).status).to.equal(200);
        expect((await pull(remix)).body.change.counts.elements.created).to.equal(11 * 999);
        expect(await wrongSizes(server.database.db)).to.equal([]);

        const { rows } = await server.database.db.raw('select e.id from elements e join pages g on g.id = e.page_id where g.project_id = ? order by e.id', [source.id]);
        for (let page = 0; page < 11; ++page) {
            await bulk(ada, rows.slice(page * 999, page * 999 + 999).map(({ id }: { id: string }) => ({ type: 'elements', method: 'update', data: { id, attributes: { n: -1 } } })));
            // Up to the limit, and beyond it.
            if (page >= 9) {
                const { status, body } = await upstream(remix);
                expect([status, body.changes?.length ?? body.code]).to.equal(page < 10 ? [200, (page + 1) * 999] : [409, 'upstream_too_large']);
                if (page < 10) {
                    // Many small things are compared in small steps too.
                    const span = { remix: remix.id, source: source.id, since: body.since, revision: body.source.revision };
                    await expectSmallSteps(MAX_OF_STEP, () => server.database.db.transaction((trx) => sourceChanges(trx, span)));
                }
            }
        }

        const { status, body } = await pull(remix);
        expect([status, body.code]).to.equal([409, 'upstream_too_large']);
        expect(server.faults).to.equal([]);
    });

    it('is not looked into beyond 32 MiB, and not merged if both sides changed more', async () => {
        const large = (text: string): object => ({ text: text.repeat(1.9 * MIB), other: 1 });
        const other = await ada.page(source, { x: 1, y: 0 });
        const elements: Made[] = [];
        for (let n = 0; n < 14; ++n) {
            elements.push(await ada.element(n < 7 ? source.page : other, { attributes: large('a') }));
        }

        const remix = await eve.remix(source);
        for (const { url } of elements) {
            await ada.call('PATCH', url, { attributes: large('b') });
        }

        const { body: { changes } } = await upstream(remix);
        const fields = changes.map((change: { fields: string[] }) => change.fields.join());
        expect(new Set(fields)).to.equal(new Set(['/attributes/text', '/attributes']));
        expect(changes.some(({ conflict }: { conflict: boolean }) => conflict)).to.be.false();
        const { body: { pages } } = await eve.call('GET', `${remix.url}/pages`);
        const copies = pages.flatMap((page: { id: string; elements: { id: string }[] }) => page.elements.map(({ id }) => `${remix.url}/pages/${page.id}/elements/${id}`));
        for (const url of copies.slice(0, 6)) {
            await eve.call('PATCH', url, { attributes: { ...large('a'), other: 2 } });
        }

        for (const answer of [await upstream(remix), await pull(remix, { take: 'theirs' })]) {
            expect([answer.status, answer.body.code]).to.equal([409, 'upstream_too_large']);
        }

        for (const url of copies.slice(1, 6)) {
            await eve.call('PATCH', url, { attributes: large('a') });
        }

        expect((await pull(remix)).status).to.equal(200);
        const { body: { pages: [page] } } = await eve.call('GET', `${remix.url}/pages`);
        expect(page.elements.map(({ attributes: { text, other: own } }: { attributes: { text: string; other: number } }) => text.slice(0, 1) + String(own)).join()).to.equal('b2,b1,b1,b1,b1,b1,b1');
        expect(await wrongSizes(server.database.db)).to.equal([]);
        expect(server.faults).to.equal([]);
    });

    it('gives way as a whole if both sides together are too large', async () => {
        const half = 'x'.repeat(1.2 * MIB);
        const element = await ada.element(source.page, { attributes: { a: 1 } });
        const remix = await eve.remix(source);
        await ada.call('PATCH', element.url, { attributes: { a: 1, theirs: half } });
        const { body: { pages: [page] } } = await eve.call('GET', `${remix.url}/pages`);
        const copy = `${remix.url}/pages/${page.id}/elements/${page.elements[0].id}`;
        await eve.call('PATCH', copy, { attributes: { a: 1, ours: half } });
        expect((await pull(remix)).body.conflicts[0].fields).to.equal(['/attributes']);
        for (const take of ['ours', 'theirs']) {
            const { body: { change } } = await pull(remix, { take });
            expect(Object.keys((await eve.call('GET', copy)).body.element.attributes)).to.equal(['a', take]);
            expect((await eve.call('POST', `${remix.url}/history/${change.revision}/undo`, {})).status).to.equal(200);
        }
    });

    it('is not pulled beyond the limits', async () => {
        const remix = await eve.remix(source);
        const { body: { pages: [page] } } = await eve.call('GET', `${remix.url}/pages`);
        await bulk(ada, times(600, (n) => ({ type: 'elements', method: 'create', data: { pageId: source.page.id, type: 'text', attributes: { n } } })));
        await bulk(eve, times(600, (n) => ({ type: 'elements', method: 'create', data: { pageId: page.id, type: 'text', attributes: { n } } })));
        const earlier = (await eve.call('GET', remix.url)).body;
        const { status, body } = await pull(remix);
        expect([status, body.code]).to.equal([409, 'element_limit']);
        await ada.call('DELETE', `${source.page.url}`);
        for (const [author, project] of [[ada, source], [eve, remix]] as const) {
            await bulk(author, times(600, (n) => ({ type: 'pages', method: 'create', data: { projectId: project.id, x: n, y: author === ada ? 1 : 2 } })));
        }

        expect((await pull(remix, { take: 'ours' })).body.code).to.equal('page_limit');
        expect((await eve.call('GET', remix.url)).body.project.title).to.equal(earlier.project.title);
        expect(server.faults).to.equal([]);
    });
});
