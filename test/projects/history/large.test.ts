import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import type { Read } from '../../../src/database/statements/snapshot';
import { run } from '../../../src/database/statements/statement';
import { changedElementsOf, findDifferences } from '../../../src/projects/history/differences';
import { ChangedWhileSent } from '../../../src/api/request/streamed-body';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { shown } from '../../support/mirror';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { wrongSizes } from '../../support/sizes';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;

describe('the history of a large project', () => {
    let server: TestServer;
    let author: Author;
    let project: MadeProject;
    let made: Made[];
    let empty: Made;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server);
        project = await author.project();
        const text = 'x'.repeat(1.9 * MIB);
        // One page of more than 4 MiB, and two small ones.
        made = [];
        for (let n = 0; n < 3; ++n) {
            made.push(await author.element(project.page, { attributes: { n, text }, styles: { n } }));
        }

        made.push(await author.element(await author.page(project, { x: 1, y: 1 }), { attributes: { small: true } }));
        empty = await author.page(project, { x: 2, y: 2 });
    });

    after(() => server.stop());

    it('is read in pieces', async () => {
        const expected = await shown(author, project.url);
        await author.call('PATCH', project.page.url, { styles: { changed: true } });
        await author.call('PATCH', String(made[0]?.url), { attributes: { changed: true } });
        const { status, body } = await author.call('GET', `${project.url}/history/${expected.revision}`);
        expect(status).to.equal(200);
        expect({ revision: body.revision, project: body.project, pages: body.pages }).to.equal(expected);
    });

    it('tells what is different in pieces', async () => {
        // The test before has made one element small.
        await author.call('PATCH', String(made[0]?.url), { attributes: { text: 'y'.repeat(1.9 * MIB) } });
        const { body } = await author.call('GET', `${project.url}/changes?since=0`);
        expect(body.elements.map(({ id }: { id: string }) => id)).to.equal(made.map(({ id }) => id));
        expect(body.pages.every((page: object) => !('elements' in page))).to.be.true();
    });

    it('tells of pages that are different, and whose elements are not', async () => {
        const { revision } = await shown(author, project.url);
        const moved = [project.page, empty];
        for (const { url } of moved) {
            await author.call('PATCH', url, { styles: { moved: true } });
        }

        const { body } = await author.call('GET', `${project.url}/changes?since=${revision}`);
        expect(body.pages.map(({ id }: { id: string }) => id)).to.equal(moved.map(({ id }) => id));
        expect(body.elements).to.equal([]);
    });

    it('does not tell what is different of two states', async () => {
        const { db } = server.database;
        const read: Read = (sql, values) => run(db, sql, values);
        const reader = { id: author.id, moderator: false, token: null };
        const chain = [author.id, project.id];
        const found = await findDifferences(db, chain, '0', reader, new AbortController().signal);
        await author.call('PATCH', empty.url, { styles: { again: true } });
        const small = { ...found!, sizes: [{ id: empty.id, weight: 1 }] };
        await expect(changedElementsOf(read, chain, '0', small, reader).next()).to.reject(ChangedWhileSent);
    });

    it('is restored and undone with its sizes', async () => {
        const { revision } = await shown(author, project.url);
        await author.bulk(made.slice(0, 3).map(({ id }) => ({ type: 'elements', method: 'update', data: { id, attributes: {} } })));
        const { body: { change } } = await author.call('POST', `${project.url}/history/${revision}/restore`, {});
        expect(change.counts.elements.updated).to.equal(2 + 1);
        await author.call('POST', `${project.url}/history/${change.revision}/undo`, {});
        expect(await wrongSizes(server.database.db)).to.equal([]);
    });

    it('refuses to undo what replaced more than 32 MiB', async () => {
        const all: string[] = [];
        // A page holds 32 MiB, so it takes two.
        for (let n = 0; n < 13; ++n) {
            all.push((await author.element(project.page, { attributes: { text: 'x'.repeat(1.9 * MIB) } })).id);
        }

        const other = await author.page(project, { x: 9, y: 9 });
        for (let n = 0; n < 6; ++n) {
            all.push((await author.element(other, { attributes: { text: 'x'.repeat(1.9 * MIB) } })).id);
        }

        expect((await author.bulk(all.map((id) => ({ type: 'elements', method: 'update', data: { id, attributes: {} } })))).status).to.equal(200);
        const { revision } = await shown(author, project.url);
        const { body } = await author.call('POST', `${project.url}/history/${revision}/undo`, {});
        expect(body.code).to.equal('not_undoable');
        expect(body.message).to.contain('32 MiB');
        expect((await author.call('POST', `${project.url}/history/${revision - all.length}/restore`, {})).status).to.equal(200);
        expect(await wrongSizes(server.database.db)).to.equal([]);
        expect(server.faults).to.equal([]);
    });

    it('is not restored beyond the limit of a project', async () => {
        const then = await shown(author, project.url);
        const elements = then.pages.find(({ id }) => id === project.page.id)?.elements ?? [];
        await author.bulk(elements.map(({ id }) => ({ type: 'elements', method: 'update', data: { id, attributes: {} } })));
        for (let n = 0; n < 5; ++n) {
            await author.page(project, { x: 20 + n, y: 20 });
        }

        // As if the new pages held 50 MB each.
        await server.database.db.raw('update pages set page_bytes = 50000000 where project_id = ? and y = 20', [project.id]);
        await server.database.db.raw('update projects set project_bytes = project_bytes + 250000000 where id = ?', [project.id]);
        const { body: earlier } = await author.call('GET', project.url);
        const { status, body } = await author.call('POST', `${project.url}/history/${then.revision}/restore`, { pages: [project.page.id] });
        expect([status, body.code]).to.equal([409, 'project_size_limit']);
        expect((await author.call('GET', project.url)).body).to.equal(earlier);
        expect(server.faults).to.equal([]);
    });
});
