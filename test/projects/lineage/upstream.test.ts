import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { maintain } from '../../../src/operations/maintenance/jobs';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { wrongSizes } from '../../support/sizes';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('what the source of a remix changed', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let moderator: Author;
    let source: MadeProject;
    let text: Made;
    let remix: Made;
    /** the copies of the first page and its element */
    let page: string;
    let copy: string;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        moderator = await openAuthor(server, 'mod', { moderator: true });
    });

    after(() => server.stop());

    const pagesOf = async (project: Pick<Made, 'url'>): Promise<Answer['body']> => (await eve.call('GET', `${project.url}/pages`)).body.pages;
    const upstream = (token?: string): Promise<Answer> => server.call('GET', `${remix.url}/upstream`, undefined, { token });
    const pull = (body: object = {}, by = eve): Promise<Answer> => by.call('POST', `${remix.url}/upstream/pull`, body);
    const undo = (revision: number): Promise<Answer> => eve.call('POST', `${remix.url}/history/${revision}/undo`, {});
    const told = (answer: Answer): unknown[] => [answer.status, answer.body.code];

    beforeEach(async () => {
        source = await ada.project({ title: 'Source' });
        text = await ada.element(source.page, { attributes: { text: 'one', size: 1 }, styles: { left: 1 } });
        remix = await eve.remix(source);
        const [first] = await pagesOf(remix);
        page = `${remix.url}/pages/${first.id}`;
        copy = `${page}/elements/${first.elements[0].id}`;
    });

    it('is listed, and pulled as one change', async () => {
        await ada.call('PATCH', text.url, { attributes: { text: 'two', size: 1 } });
        await ada.call('PATCH', source.url, { title: 'New', description: '#not-copied' });
        const second = await ada.page(source, { x: 1, y: 0, styles: { a: 1 } });
        await ada.element(second, { type: 'link', attributes: { targetPageId: source.page.id } });
        await ada.element(source.page, { type: 'link', attributes: { targetPageId: second.id } });
        const { body: { source: from, since, changes } } = await upstream();
        expect(from).to.equal({ id: source.id, revision: (await ada.call('GET', source.url)).body.project.revision });
        expect(since).to.equal(2);
        expect(changes.map(({ type, method, fields, conflict }: Record<string, unknown>) => [type, method, fields, conflict])).to.equal([
            ['project', 'update', ['/title'], false], ['page', 'create', [], false], ['element', 'update', ['/attributes/text'], false], ['element', 'create', [], false]
        ]);
        expect(changes[2]).to.include({ id: copy.split('/').at(-1), source_id: text.id });

        const { body } = await pull();
        expect(body.status).to.equal('pulled');
        expect(body.project).to.include({ title: 'New', description: '', revision: 2 });
        expect(body.change).to.include({ kind: 'pull', from: 1, revision: 2 });
        expect(body.change.counts).to.equal({ project: true, pages: { created: 1, updated: 0, removed: 0 }, elements: { created: 2, updated: 1, removed: 0 } });
        const [first, other] = await pagesOf(remix);
        expect(first.elements[0].attributes).to.equal({ text: 'two', size: 1 });
        expect(first.elements[1].attributes).to.equal({ targetProjectId: remix.id, targetUserId: eve.id, targetPageId: other.id });
        expect(other.elements[0].attributes).to.equal({ targetProjectId: remix.id, targetUserId: eve.id, targetPageId: first.id });
        expect((await upstream()).body).to.include({ since: from.revision, changes: [] });
        expect((await pull()).body).to.include({ status: 'pulled', change: null });
        expect(await wrongSizes(server.database.db)).to.equal([]);
    });

    it('writes nothing for what a remix does not copy', async () => {
        await ada.call('PATCH', source.url, { description: 'Other' });
        expect((await upstream()).body.changes).to.equal([]);
        expect((await pull()).body.change).to.be.null();
        expect((await upstream()).body.since).to.equal(2);
    });

    it('merges by fields, and lists what both changed', async () => {
        await ada.call('PATCH', text.url, { attributes: { text: 'theirs', size: 2 }, styles: { left: 1, top: 1 } });
        await eve.call('PATCH', copy, { attributes: { text: 'ours', size: 1, own: true }, styles: { left: 5 } });
        expect((await upstream()).body.changes[0]).to.include({ fields: ['/attributes/text', '/attributes/size', '/styles/top'], conflict: true });
        const answer = await pull();
        expect(told(answer)).to.equal([409, 'merge_conflict']);
        expect(answer.body.conflicts).to.equal([{ type: 'element', id: copy.split('/').at(-1), source_id: text.id, fields: ['/attributes/text'] }]);
        expect((await pagesOf(remix))[0].elements[0].attributes.text).to.equal('ours');

        const { body: { change } } = await pull({ take: 'ours' });
        expect((await pagesOf(remix))[0].elements[0]).to.include({ attributes: { text: 'ours', size: 2, own: true }, styles: { left: 5, top: 1 } });
        await undo(change.revision);
        await pull({ take: 'theirs' });
        expect((await pagesOf(remix))[0].elements[0].attributes).to.equal({ text: 'theirs', size: 2, own: true });
        expect((await pull({ take: 'both' })).status).to.equal(400);
    });

    it('moves on if everything stays as it is in the remix', async () => {
        await ada.call('PATCH', source.url, { title: 'Theirs' });
        await eve.call('PATCH', remix.url, { title: 'Ours' });
        expect((await pull({ take: 'ours' })).body).to.include({ status: 'pulled' });
        expect((await eve.call('GET', remix.url)).body.project.title).to.equal('Ours');
        expect((await upstream()).body.changes).to.equal([]);
    });

    it('brings back what the remix removed, if the source changed it and is taken', async () => {
        const second = await ada.page(source, { x: 1, y: 0 });
        const on = await ada.element(second, { attributes: { n: 1 } });
        await pull();
        const [, other] = await pagesOf(remix);
        await eve.element({ url: `${remix.url}/pages/${other.id}`, id: other.id, thing: other }, { attributes: { own: true } });
        await eve.call('DELETE', `${remix.url}/pages/${other.id}`);
        await eve.call('DELETE', copy);
        await ada.call('PATCH', on.url, { attributes: { n: 2 } });
        await ada.call('PATCH', text.url, { attributes: { text: 'two' } });
        const { body: { conflicts } } = await pull();
        expect(conflicts.map(({ source_id: id, fields }: Record<string, unknown>) => [id, fields])).to.equal([[text.id, []], [on.id, []]]);
        const { body: { change } } = await pull({ take: 'theirs' });
        const [first, back] = await pagesOf(remix);
        expect(first.elements[0].attributes).to.equal({ text: 'two' });
        expect(back.id).to.equal(other.id);
        expect(back.elements.map(({ attributes }: { attributes: object }) => attributes)).to.equal([{ n: 2 }, { own: true }]);
        await undo(change.revision);
        await pull({ take: 'ours' });
        const now = await pagesOf(remix);
        expect(now).to.have.length(1);
        expect(now[0].elements).to.equal([]);
    });

    it('makes what was deleted for good in the remix again, if the source is taken', async () => {
        await ada.page(source, { x: 1, y: 0 });
        await ada.page(source, { x: 2, y: 0 });
        await pull();
        const [, two, three] = await pagesOf(remix);
        await eve.call('DELETE', copy);
        await eve.call('DELETE', `${remix.url}/pages/${two.id}`);
        await eve.call('DELETE', `${remix.url}/pages/${three.id}`);
        const { body: { trash } } = await eve.call('GET', '/users/me/trash');
        for (const { id } of trash) {
            await eve.call('DELETE', `/users/${eve.id}/trash/${id}`);
        }

        const pages = (await server.call('GET', `${source.url}/pages`)).body.pages;
        await ada.call('PATCH', text.url, { attributes: { text: 'two' } });
        await ada.call('PATCH', `${source.url}/pages/${pages[1].id}`, { styles: { s: 1 } });
        expect((await upstream()).body.changes.map(({ id, fields, conflict }: Record<string, unknown>) => [id, fields, conflict]))
            .to.equal([[null, ['/styles/s'], true], [null, ['/attributes/text', '/attributes/size'], true]]);
        await pull({ take: 'theirs' });
        const now = await pagesOf(remix);
        expect(now.map(({ x, styles }: Record<string, unknown>) => [x, styles])).to.equal([[0, {}], [1, { s: 1 }]]);
        expect(now[0].elements[0].attributes).to.equal({ text: 'two' });
    });

    it('finds a place for each page', async () => {
        await ada.page(source, { x: 1, y: 0, styles: { whose: 'theirs' } });
        await eve.page(remix, { x: 1, y: 0, styles: { whose: 'ours' } });
        await eve.page(remix, { x: 2, y: 0 });
        const { body: { conflicts } } = await pull();
        expect(conflicts).to.have.length(1);
        expect(conflicts[0]).to.include({ type: 'page', id: null, fields: ['/position'] });
        const places = async (): Promise<unknown> => (await pagesOf(remix)).filter(({ styles }: { styles: object }) => 'whose' in styles).map(({ x, styles: { whose } }: { x: number; styles: { whose: string } }) => `${whose} ${x}`).sort();
        const { body: { change } } = await pull({ take: 'ours' });
        expect(await places()).to.equal(['ours 1', 'theirs 3']);
        await undo(change.revision);
        await pull({ take: 'theirs' });
        expect(await places()).to.equal(['ours 3', 'theirs 1']);
    });

    it('goes on from the last column to the first', async () => {
        const x = 2 ** 31 - 1;
        await ada.page(source, { x, y: 0, styles: { whose: 'theirs' } });
        await eve.page(remix, { x, y: 0 });
        await pull({ take: 'ours' });
        expect((await pagesOf(remix)).map((one: { x: number }) => one.x)).to.equal([0, x, -x - 1]);
    });

    it('removes what the source removed, unless the remix made something of it', async () => {
        await ada.page(source, { x: 1, y: 0 });
        await pull();
        const [, other] = await pagesOf(remix);
        await ada.call('DELETE', source.page.url);
        await eve.call('PATCH', copy, { styles: { left: 9 } });
        const first = await pull();
        expect(first.body.conflicts).to.equal([{ type: 'page', id: page.split('/').at(-1), source_id: source.page.id, fields: [] }]);
        const { body: { change } } = await pull({ take: 'ours' });
        expect(await pagesOf(remix)).to.have.length(2);
        await undo(change.revision);
        const { body } = await pull({ take: 'theirs' });
        expect(body.change.counts).to.include({ pages: { created: 0, updated: 0, removed: 1 }, elements: { created: 0, updated: 0, removed: 1 } });
        expect((await pagesOf(remix)).map(({ id }: { id: string }) => id)).to.equal([other.id]);
        expect((await eve.call('GET', '/users/me/trash')).body.trash[0]).to.include({ type: 'page' });
    });

    it('brings a page back that the remix removed and the source changed, if its side is taken', async () => {
        await eve.call('DELETE', page);
        await ada.call('PATCH', source.page.url, { styles: { background: 'red' } });
        const { body: { conflicts } } = await pull();
        expect(conflicts).to.equal([{ type: 'page', id: page.split('/').at(-1), source_id: source.page.id, fields: [] }]);
        const { body: { change } } = await pull({ take: 'ours' });
        expect(await pagesOf(remix)).to.equal([]);
        await undo(change.revision);
        expect((await pull({ take: 'theirs' })).body.change.counts).to.include({ pages: { created: 1, updated: 0, removed: 0 }, elements: { created: 1, updated: 0, removed: 0 } });
        const [{ id, styles, elements }] = await pagesOf(remix);
        expect([id, styles, elements.length]).to.equal([page.split('/').at(-1), { background: 'red' }, 1]);
        expect(await wrongSizes(server.database.db)).to.equal([]);
    });

    it('tells nothing of what both sides removed', async () => {
        await ada.call('DELETE', text.url);
        await eve.call('DELETE', copy);
        expect((await upstream()).body.changes).to.equal([]);
        await ada.call('DELETE', source.page.url);
        await eve.call('DELETE', page);
        expect((await upstream()).body.changes).to.equal([]);
        expect((await pull()).body).to.include({ status: 'pulled' });
        expect(await pagesOf(remix)).to.equal([]);
    });

    it('leaves alone what a moderator removed', async () => {
        await moderator.call('DELETE', copy);
        await ada.call('PATCH', text.url, { attributes: { text: 'two' } });
        expect((await upstream()).body.changes).to.equal([]);
        await ada.call('PATCH', source.url, { title: 'New' });
        const { body } = await pull({ take: 'theirs' });
        expect(body.skipped).to.equal([{ type: 'element', id: copy.split('/').at(-1) }]);
        expect((await pagesOf(remix))[0].elements).to.equal([]);
    });

    it('is for whoever may read both, and pulled by who may write', async () => {
        const editor = await openAuthor(server);
        await eve.call('PUT', `${remix.url}/members/${editor.username}`, { role: 'editor' });
        await ada.call('PATCH', source.url, { title: 'New', visibility: 'private' });
        expect(told(await upstream())).to.equal([404, 'source_unavailable']);
        expect(told(await upstream(eve.token))).to.equal([404, 'source_unavailable']);
        expect(told(await upstream('wrong'))).to.equal([401, 'invalid_token']);
        expect(told(await pull())).to.equal([404, 'source_unavailable']);
        expect(told(await pull({}, ada))).to.equal([403, 'forbidden']);
        const { headers, body } = await upstream(ada.token);
        expect(body.changes).to.have.length(1);
        expect(headers['cache-control']).to.equal('private, no-cache');
        await ada.call('PUT', `${source.url}/members/${editor.username}`, { role: 'viewer' });
        expect((await upstream(editor.token)).status).to.equal(200);
        expect((await pull({}, editor)).body.change.author.id).to.equal(editor.id);
        expect((await eve.call('GET', remix.url)).body.project.title).to.equal('New');
        await eve.call('PATCH', remix.url, { visibility: 'private' });
        expect(told(await upstream(ada.token))).to.equal([404, 'not_found']);
        expect(told(await pull({}, ada))).to.equal([404, 'not_found']);
        await ada.call('DELETE', source.url);
        expect(told(await pull({}, eve))).to.equal([404, 'source_unavailable']);
        expect(told(await ada.call('GET', `${(await ada.project()).url}/upstream`))).to.equal([404, 'source_unavailable']);
    });

    it('is not known for remixes of older releases', async () => {
        await ada.call('PATCH', source.url, { title: 'New' });
        await server.database.db.raw('update projects set remixed_revision = null where id = ?', [remix.id]);
        expect(told(await upstream())).to.equal([410, 'history_gone']);
        expect(told(await pull())).to.equal([410, 'history_gone']);
    });

    it('is known as long as there is a remix, whatever the age of the history, unless that grew too large', async () => {
        for (const title of ['A', 'B', 'C']) {
            await ada.call('PATCH', source.url, { title });
        }

        await server.database.db.raw(`update project_changes set at = at - interval '400 days' where project_id = ?`, [source.id]);
        const thinned = (historyMaxBytes: number): Promise<boolean> => maintain(server.database.db, { trashDays: 30, historyDays: 30, historyMaxBytes, assets: server.assets }, new AbortController().signal, true);
        await thinned(1e9);
        const { rows } = await server.database.db.raw('select revision from project_changes where project_id = ? order by revision', [source.id]);
        expect(rows.map(({ revision }: { revision: number }) => revision)).to.equal([2, 5]);
        expect((await upstream()).body.changes).to.have.length(1);
        await server.database.db.raw('update project_changes set at = now() where project_id = ?', [source.id]);
        await thinned(1);
        expect(told(await upstream())).to.equal([410, 'history_gone']);
    });

    it('stays where a later pull has come to when an earlier one is undone', async () => {
        await ada.call('PATCH', source.url, { title: 'A' });
        const first = await pull();
        await ada.call('PATCH', text.url, { attributes: { text: 'two', size: 1 } });
        const second = await pull();
        expect((await undo(first.body.change.revision)).body.project.title).to.equal('Source');
        expect((await upstream()).body.changes).to.equal([]);
        await undo(second.body.change.revision);
        expect((await upstream()).body.changes.map(({ fields }: { fields: string[] }) => fields)).to.equal([['/attributes/text']]);
        expect((await eve.call('POST', `${remix.url}/history/1/restore`, {})).status).to.equal(200);
        expect((await upstream()).body.changes.map(({ fields }: { fields: string[] }) => fields)).to.equal([['/title'], ['/attributes/text']]);
    });

    it('is one change for pulls at the same time, and of one state of the source', async () => {
        for (let n = 0; n < 5; ++n) {
            await ada.element(source.page, { attributes: { n } });
        }

        let writing = true;
        const writer = (async (): Promise<void> => {
            for (let n = 0; writing; ++n) {
                await ada.bulk([{ type: 'elements', method: 'update', data: { id: text.id, attributes: { n } } }, { type: 'pages', method: 'update', data: { id: source.page.id, styles: { n } } }]);
            }
        })();
        for (let n = 0; n < 10; ++n) {
            const answers = await Promise.all([pull(), pull(), pull()]);
            expect(answers.map(({ status }) => status), answers.map((answer) => answer.text).join()).to.equal([200, 200, 200]);
            const [first] = await pagesOf(remix);
            expect(first.elements[0].attributes.n).to.equal(first.styles.n);
            expect(first.elements).to.have.length(6);
        }

        writing = false;
        await writer;
        expect(await wrongSizes(server.database.db)).to.equal([]);
        expect(server.faults).to.equal([]);
    });
});
