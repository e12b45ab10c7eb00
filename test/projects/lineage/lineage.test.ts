import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { maintain } from '../../../src/operations/maintenance/jobs';
import { openAuthor } from '../../support/authoring';
import type { Author, Made } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the lineage of a project', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
    });

    after(() => server.stop());

    const lineage = async (project: Pick<Made, 'url'>, token?: string): Promise<Answer['body']> => {
        const { status, body, text } = await server.call('GET', `${project.url}/lineage`, undefined, { token });
        expect(status, text).to.equal(200);
        return body;
    };

    const purge = async (): Promise<void> => {
        await server.database.db.raw(`update projects set deleted_at = deleted_at - interval '40 days'; update users set deleted_at = deleted_at - interval '40 days'; update trash set deleted_at = deleted_at - interval '40 days'`);
        await maintain(server.database.db, { trashDays: 30, historyDays: 30, historyMaxBytes: 1e9, assets: server.assets }, new AbortController().signal, true);
    };

    it('lists ancestors, nearest first, and counts remixes', async () => {
        const first = await ada.project({ title: 'First' });
        expect(await lineage(first)).to.equal({ status: 'success', ancestors: [], remixes: 0 });
        const second = await eve.remix(first);
        await eve.call('PATCH', second.url, { title: 'Second' });
        const third = await ada.remix(second);
        await eve.remix(second);
        expect(await lineage(third)).to.equal({ status: 'success', remixes: 0, ancestors: [
            { id: second.id, title: 'Second', author: { id: eve.id, username: 'eve' }, available: true },
            { id: first.id, title: 'First', author: { id: ada.id, username: 'ada' }, available: true }
        ] });
        expect((await lineage(second)).remixes).to.equal(2);
        expect((await server.call('GET', `/users/${eve.id}/projects/${third.id}/lineage`)).status).to.equal(404);
    });

    it('keeps credit as it was when the remix was made', async () => {
        const source = await ada.project({ title: 'Then' });
        const middle = await eve.remix(source);
        const remix = await ada.remix(middle);
        await ada.call('PATCH', source.url, { title: 'Later', visibility: 'private' });
        await eve.call('DELETE', middle.url);
        const then = { id: source.id, title: 'Then', author: { id: ada.id, username: 'ada' }, available: false };
        const deleted = { id: middle.id, title: 'Then', author: { id: eve.id, username: 'eve' }, available: false };
        expect((await lineage(remix)).ancestors).to.equal([deleted, then]);
        expect((await lineage(remix, ada.token)).ancestors).to.equal([deleted, { ...then, title: 'Later', available: true }]);
        expect((await lineage(remix, eve.token)).ancestors).to.equal([deleted, then]);
        await purge();
        expect((await lineage(remix)).ancestors).to.equal([deleted, then]);
    });

    it('names nothing that was not public then', async () => {
        const source = await ada.project({ title: 'Secret', visibility: 'private' });
        await ada.call('PUT', `${source.url}/members/eve`, { role: 'viewer' });
        const remix = await eve.remix(source);
        await eve.call('PATCH', remix.url, { visibility: 'public', title: 'Open' });
        const guest = await server.call('GET', `${remix.url}/lineage`);
        expect(guest.body.ancestors).to.equal([{ id: source.id, available: false }]);
        expect(guest.headers['cache-control']).to.not.equal('private, no-cache');
        const member = await server.call('GET', `${remix.url}/lineage`, undefined, { token: eve.token });
        expect(member.body.ancestors).to.equal([{ id: source.id, title: 'Secret', author: { id: ada.id, username: 'ada' }, available: true }]);
        expect(member.headers['cache-control']).to.equal('private, no-cache');
        await ada.call('PATCH', source.url, { visibility: 'public' });
        await ada.call('PATCH', source.url, { visibility: 'private' });
        expect((await lineage(remix)).ancestors).to.equal([{ id: source.id, available: false }]);
    });

    it('shows the present name of an author, and none after their account was purged', async () => {
        const bea = await openAuthor(server);
        const source = await bea.project({ title: 'Bea\'s' });
        const remix = await eve.remix(source);
        const copy = await ada.remix(remix);
        await bea.call('PATCH', `/users/${bea.id}`, { username: 'beatrix' });
        await bea.call('DELETE', `/users/${bea.id}`);
        const credit = { id: source.id, title: 'Bea\'s', author: { id: bea.id, username: 'beatrix' }, available: false };
        expect((await lineage(remix)).ancestors).to.equal([credit]);
        await purge();
        expect((await lineage(remix)).ancestors).to.equal([{ ...credit, author: null }]);
        expect((await lineage(copy)).ancestors[1]).to.equal({ ...credit, author: null });
        const { rows } = await server.database.db.raw(`select count(*)::int as n from projects where credits::text like '%beatrix%'`);
        expect(rows[0].n).to.equal(0);
    });

    it('puts the lineage of an older remix together, and keeps it when its source is deleted for good', async () => {
        const first = await ada.project({ title: 'Old' });
        const second = await ada.remix(first);
        const third = await eve.remix(second);
        await server.database.db.raw('update projects set credits = null');
        const ids = (body: Answer['body']): string[] => body.ancestors.map(({ id, title, available }: Record<string, unknown>) => `${String(id)} ${String(title)} ${String(available)}`);
        expect(ids(await lineage(third))).to.equal([`${second.id} Old true`, `${first.id} Old true`]);
        const fourth = await ada.remix(third);
        expect(ids(await lineage(fourth))).to.equal([`${third.id} Old true`, `${second.id} Old true`, `${first.id} Old true`]);
        await ada.call('PATCH', first.url, { title: 'Hidden', visibility: 'private' });
        await ada.call('DELETE', second.url);
        expect(ids(await lineage(third))).to.equal([`${second.id} Old false`, `${first.id} undefined false`]);
        const { body: { trash: [entry] } } = await ada.call('GET', '/users/me/trash');
        expect((await ada.call('DELETE', `/users/${ada.id}/trash/${entry.id}`)).status).to.equal(200);
        expect(ids(await lineage(third))).to.equal([`${second.id} Old false`, `${first.id} undefined false`]);
        await ada.call('DELETE', first.url);
        await purge();
        expect(ids(await lineage(third))).to.equal([`${second.id} Old false`, `${first.id} undefined false`]);
        expect(ids(await lineage(fourth))).to.equal([`${third.id} Old true`, `${second.id} Old false`, `${first.id} Old false`]);
        expect(server.faults).to.equal([]);
    });

    it('has at most 100 ancestors', async () => {
        let project: Made = await ada.project({ title: '0' });
        for (let n = 1; n <= 102; ++n) {
            project = await ada.remix(project);
            await ada.call('PATCH', project.url, { title: String(n) });
        }

        const { ancestors } = await lineage(project);
        expect(ancestors.map(({ title }: { title: string }) => Number(title))).to.equal(Array.from({ length: 100 }, (_, n) => 101 - n));
        await server.database.db.raw('update projects set credits = null');
        expect((await lineage(project)).ancestors).to.equal(ancestors);
        expect(server.faults).to.equal([]);
    });
});
