import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { index } from '../../../src/community/search/jobs';
import { hashSecret, newSecret } from '../../../src/api/auth/secrets';
import { registerApp } from '../../support/apps';
import { startAssistants } from '../../support/assistants';
import type { Assistant, AssistantsServer } from '../../support/assistants';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('the tools at /mcp', () => {
    let server: AssistantsServer;
    let ada: Author;
    let assistant: Assistant;

    before(async () => {
        server = await startAssistants();
        ada = await openAuthor(server, 'ada');
        assistant = await server.assistant(ada.token);
    });

    afterEach(() => {
        expect(server.faults).to.equal([]);
    });

    after(() => server.stop());

    for (const mode of ['legacy', 'auto'] as const) {
        it(`are those of the list, for a client of ${mode === 'auto' ? 'the newest revision' : 'an older revision'} of the protocol`, async () => {
            const { client } = await server.assistant(ada.token, mode);
            expect(client.getProtocolEra()).to.equal(mode === 'auto' ? 'modern' : 'legacy');
            expect(client.getInstructions()).to.contain('undo_change');
            const { tools } = await client.listTools();
            expect(tools.map(({ name }) => name)).to.equal(['find_projects', 'read_project', 'read_page', 'read_format', 'create_project', 'change_project', 'list_changes', 'list_comments', 'undo_change']);
            expect(tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name)).to.equal(['find_projects', 'read_project', 'read_page', 'read_format', 'list_changes', 'list_comments']);
            // Whatever a model reads is in one piece, and does not fill its memory.
            expect(JSON.stringify(tools)).to.not.contain('$ref');
            expect(JSON.stringify(tools).length).to.be.below(20_000);
            const error: unknown = await client.callTool({ name: 'delete_everything', arguments: {} }).catch((caught: unknown) => caught);
            expect(error).to.be.an.error(/There is no tool "delete_everything"/);
        });
    }

    it('make a project, fill it, and take a change back: each call is one change, by the user', async () => {
        const { project, page } = await assistant.result('create_project', { title: 'Basil', visibility: 'private' });
        expect(project).to.include({ title: 'Basil', visibility: 'private' });
        const { results } = await assistant.result('change_project', { actions: [
            { type: 'projects', method: 'update', data: { id: project.id, title: 'Basil in five steps' } },
            { type: 'pages', method: 'create', data: { projectId: project.id, x: 1, y: 0 } },
            { type: 'elements', method: 'create', data: { pageId: '$1.id', type: 'text', attributes: { text: 'Sow' } } },
            { type: 'elements', method: 'create', data: { pageId: page.id, type: 'text', attributes: { text: 'Water' }, styles: { left: 20 } } },
            { type: 'pages', method: 'update', data: { id: page.id, styles: { backgroundColor: '#f4f8ec' } } }
        ] });
        const [, second, sown, watered] = results;
        expect(results).to.equal([
            { type: 'projects', method: 'update', id: project.id, revision: 2 },
            { type: 'pages', method: 'create', id: second.id, project_id: project.id, revision: 2 },
            { type: 'elements', method: 'create', id: sown.id, page_id: second.id, revision: 2 },
            { type: 'elements', method: 'create', id: watered.id, page_id: page.id, revision: 2 },
            { type: 'pages', method: 'update', id: page.id, project_id: project.id, revision: 2 }
        ].map((result, at) => ({ ...result, revision: results[at].revision })));

        const read = await assistant.result('read_project', { project: project.id });
        expect(read.project).to.include({ id: project.id, title: 'Basil in five steps' });
        expect(read.pages.map((one: { id: string; x: number; styles: object }) => [one.id, one.x, one.styles])).to.equal([[page.id, 0, { backgroundColor: '#f4f8ec' }], [second.id, 1, {}]]);
        expect(Object.keys(read.pages[0])).to.not.include('elements');
        const { elements } = await assistant.result('read_page', { project: project.id, page: page.id });
        expect(elements).to.have.length(1);
        expect(elements[0]).to.include({ id: watered.id, type: 'text', attributes: { text: 'Water' }, styles: { left: 20 } });

        const { changes } = await assistant.result('list_changes', { project: project.id });
        expect(changes.map(({ kind, author }: { kind: string; author: object }) => [kind, author])).to.equal([['bulk', { id: ada.id, username: 'ada' }], ['create', { id: ada.id, username: 'ada' }]]);
        const undone = await assistant.result('undo_change', { project: project.id, revision: changes[0].revision });
        expect(undone).to.include({ status: 'undone' });
        expect((await assistant.result('read_project', { project: project.id })).project.title).to.equal('Basil');
        expect((await assistant.result('read_page', { project: project.id, page: page.id })).elements).to.equal([]);
    });

    it('find what is one\'s own, shared with one, or public', async () => {
        const bob = await openAuthor(server, 'bob');
        const others = await server.assistant(bob.token);
        const [secret, shown] = [await bob.project({ title: 'A secret garden', visibility: 'private' }), await bob.project({ title: 'A wild garden' })];
        await bob.call('PUT', `${secret.url}/members/ada`, { role: 'editor' });
        const titles = async (one: Assistant, input: object): Promise<string[]> => (await one.result('find_projects', input)).projects.map(({ title }: { title: string }) => title);
        expect(await titles(others, {})).to.equal(['A wild garden', 'A secret garden']);
        const { projects, next } = await others.result('find_projects', { count: 1 });
        expect(projects).to.have.length(1);
        expect(Object.keys(projects[0])).to.not.include('thumbnail');
        expect(await titles(others, { count: 1, after: next })).to.equal(['A secret garden']);
        expect(await titles(assistant, { among: 'shared' })).to.equal(['A secret garden']);
        await index(server.database.db, new AbortController().signal);
        expect(await titles(assistant, { among: 'public', q: 'garden' })).to.equal(['A wild garden']);
        expect(await assistant.refusal('find_projects', { among: 'public' })).to.include({ code: 'validation_failed' });

        // An editor changes it, and its history says who.
        await assistant.result('change_project', { actions: [{ type: 'elements', method: 'create', data: { pageId: secret.page.id, type: 'text' } }] });
        expect((await others.result('list_changes', { project: secret.id, count: 1 })).changes[0].author.username).to.equal('ada');
        expect(await assistant.refusal('change_project', { actions: [{ type: 'elements', method: 'create', data: { pageId: shown.page.id, type: 'text' } }] })).to.include({ statusCode: 403, action: 0 });
    });

    it('say what the elements of a page look like', async () => {
        expect(JSON.stringify(await assistant.result('read_format'))).to.contain('fontSize');
    });

    it('return the errors of the routes, in their words', async () => {
        const { id } = await ada.project();
        expect(await assistant.refusal('read_project', { project: '999999' })).to.include({ statusCode: 404, message: 'There is no such project, or it has been deleted.' });
        expect((await assistant.refusal('create_project', { title: '' })).details).to.equal([{ path: 'title', message: '"title" is not allowed to be empty' }]);
        const twice = [0, 1].map(() => ({ type: 'pages', method: 'create', data: { projectId: id, x: 5, y: 5 } }));
        expect(await assistant.refusal('change_project', { actions: twice })).to.include({ code: 'coordinates_taken', action: 1 });
        expect(await assistant.refusal('undo_change', { project: id, revision: 1 })).to.include({ code: 'not_undoable' });
    });

    it('check what they take themselves, so that it cannot lead to another route', async () => {
        const { id } = await ada.project();
        expect(await assistant.refusal('read_project', { project: `${id}/../../tokens` })).to.include({ code: 'validation_failed' });
        expect((await assistant.refusal('read_page', { project: id, other: 1 })).details.map(({ path }: { path: string }) => path)).to.equal(['page', 'other']);
        expect((await assistant.refusal('list_changes', { project: id, count: 21 })).details).to.equal([{ path: 'count', message: '"count" must be less than or equal to 20' }]);
        for (const method of ['create', 'remove']) {
            expect(await assistant.refusal('change_project', { actions: [{ type: 'projects', method, data: { id, title: 'x' } }] })).to.include({ code: 'validation_failed' });
        }

        expect((await ada.call('GET', `/projects/${id}`)).status).to.equal(200);
    });

    it('do what the token may, and no more', async () => {
        const { id } = await registerApp(server, ada);
        const tokenFor = async (scope: readonly string[]): Promise<string> => {
            const secret = newSecret();
            await server.database.db.raw(`insert into tokens (user_id, app_id, origin, hash, scope, expires_at) values (?, ?, 'app', ?, ?, now() + interval '1 hour')`, [ada.id, id, hashSecret(secret), [...scope]]);
            return secret;
        };

        const hidden = await ada.project({ visibility: 'private' });
        const reader = await server.assistant(await tokenFor(['read']));
        expect((await reader.result('read_project', { project: hidden.id })).project.id).to.equal(hidden.id);
        expect(await reader.refusal('create_project', { title: 'x' })).to.include({ statusCode: 403, code: 'insufficient_scope' });

        const { body: { token: { access_token: ofOne } } } = await ada.call('POST', '/users/me/tokens', { label: 'A script', scope: ['projects'], projects: [hidden.id] });
        const limited = await server.assistant(ofOne);
        expect((await limited.result('read_project', { project: hidden.id })).project.id).to.equal(hidden.id);
        expect(await limited.refusal('create_project', { title: 'x' })).to.include({ code: 'outside_token' });

        const stranger = await server.assistant((await openAuthor(server)).token);
        expect(await stranger.refusal('read_project', { project: hidden.id })).to.include({ statusCode: 404 });
    });

    it('read for a suspended user, and do not write', async () => {
        const eve = await openAuthor(server, 'eve');
        const { id } = await eve.project();
        const hers = await server.assistant(eve.token);
        await server.database.db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'spam' where id = ?`, [eve.id]);
        expect((await hers.result('read_project', { project: id })).project.id).to.equal(id);
        expect(await hers.refusal('create_project', { title: 'x' })).to.include({ code: 'suspended' });
    });
});
