import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { shown } from '../../support/mirror';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { wrongSizes } from '../../support/sizes';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('the trash', () => {
    let server: TestServer;
    let author: Author;
    let moderator: Author;

    before(async () => {
        server = await startTestServer();
        moderator = await openAuthor(server, undefined, { moderator: true });
    });

    beforeEach(async () => {
        author = await openAuthor(server);
    });

    after(async () => {
        expect(await wrongSizes(server.database.db)).to.equal([]);
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const entries = async (): Promise<Answer['body']> => (await author.call('GET', `/users/${author.id}/trash?count=100`)).body.trash;
    const restore = (entry: { id: string }, body: object = {}, by = author): Promise<Answer> => by.call('POST', `/users/${author.id}/trash/${entry.id}/restore`, body);
    const purge = (entry: { id: string }, by = author): Promise<Answer> => by.call('DELETE', `/users/${author.id}/trash/${entry.id}`);

    it('has an entry for each thing that a request removed, newest first', async () => {
        const project = await author.project({ title: 'Mine' });
        const page = await author.page(project, { x: 1, y: 1 });
        const [first, second] = [await author.element(page), await author.element(page)];
        await author.call('DELETE', first.url, {});
        await author.bulk([{ type: 'elements', method: 'remove', data: { id: second.id } }, { type: 'pages', method: 'remove', data: { id: page.id } }]);
        await moderator.call('DELETE', project.url, {});
        const all = await entries();
        expect(all.map(({ type, thing }: Answer['body']) => `${type} ${thing.id}`)).to.only.include([`project ${project.id}`, `page ${page.id}`, `element ${second.id}`, `element ${first.id}`]);
        expect(all[0]).to.include({ type: 'project', project: { id: project.id, title: 'Mine' }, deleted_by: { id: moderator.id, username: moderator.username } });
        expect(all.at(-1)).to.include({ type: 'element', deleted_by: { id: author.id, username: author.username } });
        expect(Date.parse(all[0].purge_at) - Date.parse(all[0].deleted_at)).to.equal(30 * 24 * 3600 * 1000);
        const { body: { trash, next } } = await author.call('GET', `/users/${author.id}/trash?count=3`);
        expect(trash.length).to.equal(3);
        expect((await author.call('GET', `/users/${author.id}/trash?after=${next}`)).body.trash.length).to.equal(1);
    });

    it('has no entry any more when its time is over, also before it is deleted for good', async () => {
        const project = await author.project();
        await author.call('DELETE', project.url, {});
        const [entry] = await entries();
        await server.database.db.raw(`update trash set deleted_at = now() - interval '30 days 1 minute' where id = ?`, [entry.id]);
        expect(await entries()).to.equal([]);
        for (const answer of [await restore(entry), await purge(entry)]) {
            expect([answer.status, answer.body.code]).to.equal([404, 'not_found']);
        }
    });

    it('restores an element, a page with its elements, and a project, with their ids', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 1 });
        const [kept, removed] = [await author.element(page), await author.element(page)];
        const earlier = (await shown(author, project.url)).pages.map(({ id, elements }) => [id, elements.map((one) => one.id)]);
        await author.call('DELETE', removed.url, {});
        await author.call('DELETE', page.url, {});
        await author.call('DELETE', project.url, {});
        const [whole, itsPage, itsElement] = await entries();
        expect((await restore(itsPage)).body.code).to.equal('parent_deleted');
        expect((await restore(whole)).body).to.include({ status: 'restored', type: 'project' });
        expect((await author.call('GET', kept.url)).status).to.equal(404);
        expect((await restore(itsElement)).body.code).to.equal('parent_deleted');
        expect((await restore(itsPage)).body).to.include({ status: 'restored', type: 'page' });
        expect((await author.call('GET', kept.url)).status).to.equal(200);
        expect((await restore(itsElement)).body).to.include({ status: 'restored', type: 'element' });
        expect((await shown(author, project.url)).pages.map(({ id, elements }) => [id, elements.map((one) => one.id)])).to.equal(earlier);
        expect(await entries()).to.equal([]);
        expect((await restore(whole)).status).to.equal(404);
        const { body: { changes } } = await author.call('GET', `${project.url}/history?count=3`);
        expect(changes.map(({ kind, counts }: Answer['body']) => [kind, counts.pages.created, counts.elements.created])).to.equal([['restore', 0, 1], ['restore', 1, 1], ['restore', 0, 0]]);
    });

    it('needs another place for a page if its own was taken', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 1 });
        await author.call('DELETE', page.url, {});
        await author.page(project, { x: 1, y: 1 });
        const [entry] = await entries();
        expect((await restore(entry)).body.code).to.equal('coordinates_taken');
        const { status, body } = await restore(entry, { x: 2, y: 1 });
        expect([status, body.thing.x, body.thing.y]).to.equal([200, 2, 1]);
    });

    it('leaves what a moderator removed to moderators', async () => {
        const project = await author.project();
        const element = await author.element(project.page);
        await moderator.call('DELETE', element.url, {});
        const [entry] = await entries();
        expect((await restore(entry)).body.code).to.equal('removed_by_moderator');
        expect((await purge(entry)).body.code).to.equal('removed_by_moderator');
        expect((await restore(entry, {}, moderator)).status).to.equal(200);
        expect((await author.call('GET', element.url)).status).to.equal(200);
    });

    it('is its owner\'s', async () => {
        await author.call('DELETE', (await author.project()).url, {});
        const [entry] = await entries();
        const stranger = await openAuthor(server);
        expect((await stranger.call('GET', `/users/${author.id}/trash`)).status).to.equal(403);
        expect((await restore(entry, {}, stranger)).status).to.equal(403);
        expect((await stranger.call('POST', `/users/${stranger.id}/trash/${entry.id}/restore`, {})).status).to.equal(404);
        expect((await stranger.call('DELETE', `/users/${stranger.id}/trash/${entry.id}`)).status).to.equal(404);
    });

    // Status of the list, with whether the entry is in it, then of restoring and of deleting for good. Nobody has a right over what the owner or an editor removed but the owner.
    const rights = {
        owner: { guest: [401, 401, 401], stranger: [403, 403, 403], viewer: [403, 403, 403], editor: [403, 403, 403], owner: ['shown', 200, 200], moderator: ['hidden', 403, 403] },
        editor: { guest: [401, 401, 401], stranger: [403, 403, 403], viewer: [403, 403, 403], editor: [403, 403, 403], owner: ['shown', 200, 200], moderator: ['hidden', 403, 403] },
        moderator: { guest: [401, 401, 401], stranger: [403, 403, 403], viewer: [403, 403, 403], editor: [403, 403, 403], owner: ['shown', 403, 403], moderator: ['shown', 200, 200] }
    } as const;

    for (const [remover, callers] of Object.entries(rights)) {
        it(`says who may list, restore and delete for good what ${remover === 'moderator' ? 'a moderator' : `its ${remover}`} removed`, async () => {
            const [stranger, viewer, editor] = [await openAuthor(server), await openAuthor(server), await openAuthor(server)];
            const people: Readonly<Record<string, Author>> = { stranger, viewer, editor, owner: author, moderator };
            const project = await author.project({ visibility: 'private' });
            for (const role of ['viewer', 'editor'] as const) {
                await author.call('PUT', `${project.url}/members/${people[role]?.username}`, { role });
            }

            const things = [['page', await author.page(project, { x: 1, y: 1 })], ['element', await author.element(project.page)], ['project', project]] as const;
            for (const [type, thing] of things.filter(([kind]) => kind !== 'project' || remover !== 'editor')) {
                const by = people[remover];
                const entry = async (): Promise<Answer['body']> => (await entries()).find((one: Answer['body']) => one.type === type && one.thing.id === thing.id);
                for (const [caller, [listed, ...writes]] of Object.entries(callers)) {
                    expect((await by?.call('DELETE', thing.url, {}))?.status).to.equal(200);
                    const removed = await entry();
                    const token = people[caller]?.token;
                    const list = await server.call('GET', `/users/${author.id}/trash?count=100`, undefined, { token });
                    const shows = list.status === 200 ? list.body.trash.some(({ id }: Answer['body']) => id === removed.id) ? 'shown' : 'hidden' : list.status;
                    expect(shows, `${type}, list, ${caller}`).to.equal(listed);
                    for (const [[method, rest], expected] of [[['DELETE', ''], writes[1]], [['POST', '/restore'], writes[0]]] as const) {
                        // What was deleted for good is gone, so of the two that are allowed only one is tried here.
                        if (expected !== 200 || method === 'POST') {
                            const { status } = await server.call(method, `/users/${author.id}/trash/${removed.id}${rest}`, {}, { token });
                            expect(status, `${type}, ${method}, ${caller}`).to.equal(expected);
                        }
                    }

                    if (writes[0] !== 200) {
                        expect((await author.call('GET', thing.url)).status, `${type}, after ${caller}`).to.equal(404);
                        expect((await restore(removed, {}, remover === 'moderator' ? moderator : author)).status).to.equal(200);
                    }
                }

                await by?.call('DELETE', thing.url, {});
                const last = await entry();
                expect((await purge(last, remover === 'moderator' ? moderator : author)).status).to.equal(200);
                expect(await entry()).to.be.undefined();
            }
        });
    }

    it('deletes for good, also from the history', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 1 });
        const inside = await author.element(page);
        const alone = await author.element(project.page, { attributes: { text: 'secret' } });
        await author.call('PATCH', alone.url, { attributes: { text: 'also secret' } });
        const then = (await shown(author, project.url)).revision;
        await author.call('DELETE', inside.url, {});
        for (const { url } of [alone, page]) {
            await author.call('DELETE', url, {});
        }

        const [itsPage, itsElement] = await entries();
        for (const entry of [itsPage, itsElement]) {
            expect((await purge(entry)).body).to.equal({ status: 'deleted' });
            expect((await purge(entry)).status).to.equal(404);
        }

        expect(await entries()).to.equal([]);
        const { text, body } = await author.call('GET', `${project.url}/history/${then}`);
        expect(body.incomplete).to.be.true();
        expect(body.pages.length).to.equal(1);
        expect(text).to.not.contain('secret');
        expect((await author.call('GET', `${project.url}/history/1`)).body.incomplete).to.be.undefined();
        expect((await author.call('GET', `${project.url}/changes?since=${then}`)).status).to.equal(410);

        await author.call('DELETE', project.url, {});
        const [last] = await entries();
        expect((await purge(last)).status).to.equal(200);
        expect((await author.call('GET', project.url)).status).to.equal(404);
    });

    it('has nothing of an account that was deleted and restored', async () => {
        const project = await author.project();
        await author.call('DELETE', (await author.project()).url, {});
        await server.call('DELETE', `/users/${author.id}`, {}, { token: author.token });
        const { rows } = await server.database.db.raw('select thing_id from trash where user_id = ?', [author.id]);
        expect(rows.length).to.equal(1);
        expect(rows[0].thing_id).to.not.equal(project.id);
    });
});
