import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { Mirror, shown } from '../../support/mirror';
import { isCluster } from '../../support/on-cluster';
import { OlderRelease } from '../../support/release-0.2.0';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { wrongSizes } from '../../support/sizes';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

/** What authors see of a project: without what moves by itself. */
const authored = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (name, inner) => (name === 'revision' || name === 'updated_at' ? undefined : inner)));

// No older release runs on a cluster.
describe('what 0.2.0 creates during a rolling upgrade', { skip: isCluster }, () => {
    let server: TestServer;
    let author: Author;
    let older: OlderRelease;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server);
        older = new OlderRelease(server.database.url, author.id);
        await older.start();
    });

    beforeEach(async () => {
        project = await author.project();
    });

    after(async () => {
        await older.end();
        await server.stop();
    });

    const post = (rest: string, of: Made = project): Promise<Answer> => author.call('POST', `${of.url}/history/${rest}`, {});
    const pointAt = async (revision: number): Promise<unknown> => {
        const { body } = await author.call('GET', `${project.url}/history/${revision}`);
        return { revision: body.revision, project: body.project, pages: body.pages };
    };

    const ways: Record<string, () => Promise<unknown>> = {
        'a page': () => older.page(project.id, 7, 7),
        'an element': () => older.element(project.id, project.page.id),
        'a bulk of a page, an element and a title': () => older.bulk(project.id, 'Of the bulk')
    };
    for (const [what, write] of Object.entries(ways)) {
        it(`has its place in the history: ${what}`, async () => {
            const mirror = new Mirror(author, project.url);
            await mirror.update();
            await author.call('PATCH', project.url, { description: 'a' });
            const then = await shown(author, project.url);
            await mirror.update();
            await write();
            const now = await shown(author, project.url);
            expect(now.revision).to.be.above(then.revision);
            await mirror.update();
            expect(mirror.contents()).to.equal(now);
            await author.call('PATCH', project.url, { description: 'b' });
            expect([await pointAt(then.revision), await pointAt(now.revision)]).to.equal([then, now]);

            // It can be taken back, and back again, and so can all that was written since.
            const undone = await post(`${now.revision}/undo`);
            expect(undone.status, undone.text).to.equal(200);
            expect(authored((await shown(author, project.url)).pages)).to.equal(authored(then.pages));
            expect((await post(`${undone.body.change.revision}/undo`)).status).to.equal(200);
            expect(authored((await shown(author, project.url)).pages)).to.equal(authored(now.pages));
            expect((await post(`${then.revision}/restore`)).status).to.equal(200);
            expect(authored((await shown(author, project.url)).pages)).to.equal(authored(then.pages));
            await mirror.update();
            expect(mirror.contents()).to.equal(await shown(author, project.url));
            expect(await wrongSizes(server.database.db)).to.equal([]);
        });
    }

    it('and removes is in the trash', async () => {
        const page = await older.page(project.id, 7, 7);
        await older.element(project.id, page);
        const then = await shown(author, project.url);
        await older.removePage(project.id, page);
        const { body: { trash: [entry] } } = await author.call('GET', `/users/${author.id}/trash`);
        expect(entry).to.include({ type: 'page', deleted_by: { id: author.id, username: author.username } });
        expect((await author.call('POST', `/users/${author.id}/trash/${entry.id}/restore`, {})).status).to.equal(200);
        expect(authored(await shown(author, project.url))).to.equal(authored(then));
    });

    it('has the id of its project, where that is made in the same statement, as by a remix', async () => {
        const { rows: [row] } = await server.database.db.raw(`
            with p as (insert into projects (user_id, version, title, page_count, counted_revision, remixed_from, project_bytes) values (?, '1', 'x', 1, 1, ?, 8) returning id),
            g as (insert into pages (project_id, x, y, element_count, page_bytes) select id, 0, 0, 1, 6 from p returning id, project_id),
            e as (insert into elements (page_id, type) select id, 'text' from g returning id)
            select p.id::text as id, e.id as element from p, e`, [author.id, project.id]);
        const { rows } = await server.database.db.raw('select project_id::text as project, created_revision, project_revision from elements where id = ?', [row.element]);
        expect(rows).to.equal([{ project: row.id, created_revision: 1, project_revision: 1 }]);
        const url = `/users/${author.id}/projects/${row.id}`;
        expect((await author.call('GET', `${url}/history`)).body.changes.map(({ kind }: Answer['body']) => kind)).to.equal(['remix']);
        expect((await author.call('GET', `${url}/changes?since=0`)).body.elements).to.have.length(1);
    });

    it('begins with all that was, in a project of its own', async () => {
        const made = await older.project('Of 0.2.0');
        const url = `/users/${author.id}/projects/${made.id}`;
        await older.page(made.id, 1, 0);
        await older.element(made.id, made.page);
        const { body: { changes } } = await author.call('GET', `${url}/history`);
        expect(changes.map(({ from, revision, kind }: Answer['body']) => [from, revision, kind])).to.equal([[2, 3, 'edit'], [1, 2, 'edit'], [0, 1, 'create']]);
        const { body: first } = await author.call('GET', `${url}/history/1`);
        expect(first.pages.map(({ id }: Made) => id)).to.equal([made.page]);
        expect((await author.call('GET', `${url}/changes?since=2`)).body.elements).to.have.length(1);
    });
});
