import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { newSecret } from '../../src/api/auth/secrets';
import { openAuthor } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { notOnCluster } from '../support/on-cluster';
import { planOf } from '../support/plans';
import { startProvider } from '../support/provider';
import { queriesOf } from '../support/queries';
import { PASSWORD, startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the visibility of a project', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let mod: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        mod = await openAuthor(server, 'mod', { moderator: true });
    });

    after(() => server.stop());

    const idsIn = async (url: string, token?: string): Promise<string[]> => {
        const { status, body, text } = await server.call('GET', url, undefined, { token });
        expect(status, text).to.equal(200);
        return body.projects.map(({ id }: { id: string }) => id);
    };

    const hold = (project: Made, reason: string | null): Promise<unknown> => {
        return server.database.db.raw('update projects set held_at = case when ?::text is null then null else now() end, held_reason = ? where id = ?', [reason, reason, project.id]);
    };

    it('is public if nothing is said, and can be given when the project is made, by PATCH and in a bulk', async () => {
        const open = await ada.project();
        expect(open.thing.visibility).to.equal('public');
        const { thing, url } = await ada.project({ visibility: 'private' });
        expect(thing.visibility).to.equal('private');
        const patched = await ada.call('PATCH', url, { visibility: 'unlisted' });
        expect(patched.body.project).to.include({ visibility: 'unlisted', revision: 2 });
        const { body } = await ada.bulk([
            { type: 'projects', method: 'create', data: { title: 'x', visibility: 'private' } }, { type: 'projects', method: 'update', data: { id: '$0.id', visibility: 'unlisted' } }, { type: 'projects', method: 'create', data: { title: 'y' } }
        ]);
        expect(body.results.map(({ visibility }: { visibility: string }) => visibility)).to.equal(['private', 'unlisted', 'public']);
        expect((await ada.call('PATCH', url, { visibility: 'secret' })).status).to.equal(400);
    });

    it('decides which lists, tags and counters show it, at once and also when it changes', async () => {
        const source = await ada.project({ description: '#source' });
        const project = await eve.remix(source);
        const tag = `tag${project.id}`;
        await eve.call('PATCH', project.url, { description: `#${tag}` });
        await mod.call('PATCH', `${project.url}/feature`, { featured: true });
        const shown = async (): Promise<boolean[]> => {
            const lists = await Promise.all(['/projects', '/discover', '/discover/en', `/projects/tagged/${tag}`, `/users/${eve.id}/projects`, `${source.url}/remixes`].map((url) => idsIn(`${url}?count=100`)));
            const { body: { featured } } = await server.call('GET', '/featured-tags');
            const { body: { project: { stats } } } = await server.call('GET', `/projects/${source.id}`);
            return [...lists.map((list) => list.includes(project.id)), featured.includes(tag), stats.remixes === 1];
        };

        const [all, none] = [Array(8).fill(true), Array(8).fill(false)];
        expect(await shown()).to.equal(all);
        for (const visibility of ['unlisted', 'private', 'public'] as const) {
            await eve.call('PATCH', project.url, { visibility });
            expect(await shown(), visibility).to.equal(visibility === 'public' ? all : none);
        }

        await hold(project, 'not nice');
        expect(await shown()).to.equal(none);
        await eve.call('PATCH', project.url, { visibility: 'private' });
        await hold(project, null);
        expect(await shown()).to.equal(none);
        await eve.call('DELETE', project.url);
        expect(await shown()).to.equal(none);
    });

    it('lets a user list all of their own projects, or those of one kind', async () => {
        const ivy = await openAuthor(server, 'ivy');
        const ids = new Map<string, string>();
        for (const visibility of ['public', 'unlisted', 'private']) {
            ids.set(visibility, (await ivy.project({ visibility })).id);
        }

        const list = `/users/${ivy.id}/projects`;
        expect(await idsIn(list, eve.token)).to.equal([ids.get('public')]);
        expect(await idsIn(`${list}?visibility=all`, ivy.token)).to.equal([...ids.values()].reverse());
        for (const [visibility, id] of ids) {
            expect(await idsIn(`/users/me/projects?visibility=${visibility}`, ivy.token)).to.equal([id]);
        }

        const first = await ivy.call('GET', `${list}?visibility=all&count=2`);
        expect(first.headers).to.include({ 'cache-control': 'private, no-cache' });
        expect(first.headers.link).to.contain('visibility=all');
        expect(await idsIn(`${list}?visibility=all&after=${first.body.next}`, ivy.token)).to.equal([ids.get('public')]);
        const refused = async (token: string | undefined): Promise<unknown[]> => {
            const { status, body: { code }, headers } = await server.call('GET', `${list}?visibility=all`, undefined, { token });
            return [status, code, headers['www-authenticate']];
        };

        expect(await refused(undefined)).to.equal([401, 'invalid_token', 'Bearer realm="pagewright"']);
        expect(await refused('bad')).to.equal([401, 'invalid_token', 'Bearer realm="pagewright", error="invalid_token"']);
        expect(await refused(eve.token)).to.equal([403, 'forbidden', undefined]);
        expect(await refused(mod.token)).to.equal([403, 'forbidden', undefined]);
        const { body } = await server.call('POST', '/tokens', { username: 'ivy', password: 'correct horse battery', scope: ['user'] });
        expect(await refused(body.token.access_token)).to.equal([403, 'insufficient_scope', 'Bearer realm="pagewright", error="insufficient_scope", scope="projects"']);
    });

    it('is seen with either spelling of the header, and only with the scope for projects', async () => {
        const { url } = await ada.project({ visibility: 'private' });
        for (const authorization of [`token ${ada.token}`, `Bearer ${ada.token}`, `BEARER  ${ada.token}`]) {
            expect((await server.call('GET', url, undefined, { headers: { authorization } })).status, authorization).to.equal(200);
        }

        const { body } = await server.call('POST', '/tokens', { username: 'ada', password: 'correct horse battery', scope: ['user'] });
        expect((await server.call('GET', url, undefined, { token: body.token.access_token })).status).to.equal(404);
        await server.call('DELETE', '/tokens', undefined, { token: (await openAuthor(server)).token });
        for (const authorization of ['Basic YTpi', 'token', `token ${ada.token} x`]) {
            expect((await server.call('GET', url, undefined, { headers: { authorization } })).status, authorization).to.equal(401);
        }
    });

    it('is not seen with a token that has expired or was revoked', async () => {
        const { url } = await ada.project({ visibility: 'private' });
        for (const end of ['update tokens set expires_at = now() where id = ?', 'delete from tokens where id = ?']) {
            const { body: { token: { id, access_token: token } } } = await server.call('POST', '/tokens', { username: 'ada', password: PASSWORD });
            const asked = async (): Promise<number> => (await server.call('GET', url, undefined, { token })).status;
            expect(await asked()).to.equal(200);
            await server.database.db.raw(end, [id]);
            expect(await asked(), end).to.equal(401);
        }
    });

    it('is followed by entity tags: nobody else learns by one whether a project has changed', async () => {
        const project = await ada.project({ visibility: 'private' });
        for (const url of [project.url, `${project.url}/pages`, project.page.url, `/projects/${project.id}`]) {
            const tag = String((await ada.call('GET', url)).headers.etag);
            const asked = (token?: string): Promise<Answer> => server.call('GET', url, undefined, { token, headers: { 'if-none-match': tag } });
            const held = await asked(ada.token);
            expect([held.status, held.headers['cache-control'], String(held.headers.vary).includes('authorization')], url).to.equal([304, 'private, no-cache', true]);
            expect((await asked()).status).to.equal(404);
            expect((await asked(eve.token)).status).to.equal(404);
            // The cached body is there for those who may.
            expect((await ada.call('GET', url)).status).to.equal(200);
            expect((await server.call('GET', url)).status).to.equal(404);
        }
    });

    it('is no part of the history: restoring and undoing leave it as it is', async () => {
        const project = await ada.project();
        await ada.call('PATCH', project.url, { title: 'Second', visibility: 'private' });
        await ada.call('PATCH', project.url, { visibility: 'unlisted' });
        const first = await ada.call('GET', `${project.url}/history/1`);
        expect(first.body.project).to.include({ title: 'A project', visibility: 'unlisted' });
        const nothing = await ada.call('POST', `${project.url}/history/3/undo`, {});
        expect(nothing.body).to.include({ status: 'undone', change: null });
        const undone = await ada.call('POST', `${project.url}/history/2/undo`, {});
        expect(undone.body.project).to.include({ title: 'A project', visibility: 'unlisted' });
        const restored = await ada.call('POST', `${project.url}/history/2/restore`, {});
        expect(restored.body.project).to.include({ title: 'Second', visibility: 'unlisted' });
    });

    it('goes with a remix, unless that is given another, and a title', async () => {
        const project = await ada.project({ visibility: 'private', title: 'Mine' });
        const remix = async (body?: object): Promise<unknown[]> => {
            const { body: { project: made } } = await ada.call('POST', `${project.url}/remixes`, body);
            return [made.title, made.visibility, made.remixed_from];
        };

        expect(await remix()).to.equal(['Mine', 'private', project.id]);
        expect(await remix({ visibility: 'public', title: 'Ours' })).to.equal(['Ours', 'public', project.id]);
        expect((await ada.call('POST', `${project.url}/remixes`, { description: 'x' })).status).to.equal(400);
        const shown = await idsIn(`${project.url}/remixes`, ada.token);
        expect(shown.length).to.equal(2);
        expect((await server.call('GET', `${project.url}/remixes`)).status).to.equal(404);
        expect((await idsIn(`${project.url}/remixes`, mod.token)).length).to.equal(2);
    });

    it('does not let a bulk tell anything of what it names, not even its size', async () => {
        const large: MadeProject = await ada.project({ visibility: 'private' });
        await ada.element(large.page, { attributes: { text: 'x'.repeat(1_000_000) } });
        const own = await eve.project();
        const { body, status } = await eve.bulk([
            { type: 'pages', method: 'update', data: { id: own.page.id, x: 3 } }, { type: 'pages', method: 'update', data: { id: large.page.id, x: 4 } }
        ]);
        expect([status, body.code, body.action]).to.equal([404, 'not_found', 1]);
        const absent = await eve.bulk([{ type: 'pages', method: 'update', data: { id: own.page.id, x: 3 } }, { type: 'pages', method: 'update', data: { id: '999999', x: 4 } }]);
        expect({ ...absent.body, request_id: '' }).to.equal({ ...body, request_id: '' });
    });

    it('does not show by what is looked up: the statements are those for what does not exist, and look into the same tables', notOnCluster('the coordinator has no plans of what shards do'), async () => {
        const { id, page, url } = await ada.project({ visibility: 'private' });
        const element = await ada.element(page);
        const absent = (path: string): string => path.replaceAll(/(?<=(?:projects|pages|elements)\/)\d+/g, (one) => String(7_000_000_000 + Number(one)));
        for (const path of [url, `/projects/${id}`, `${url}/pages`, page.url, `${page.url}/elements`, element.url, `${url}/remixes`, `${url}/changes?since=0`, `${url}/lineage`, `${url}/upstream`, `${url}/events`, `${url}/export`]) {
            // What the service keeps of what its owner has read must not show either. Of one page and its elements, it takes as long to find no tag as no contents.
            if (path === `${url}/pages`) {
                expect((await ada.call('GET', path)).status).to.equal(200);
            }

            for (const [who, token] of [['a guest'], ['a stranger', eve.token], ['a bad token', newSecret()]] as const) {
                const lookedUp = async (at: string): Promise<unknown> => {
                    const sent = await queriesOf(async () => expect((await server.call('GET', at, undefined, { token })).status).to.equal(who === 'a bad token' ? 401 : 404));
                    return Promise.all(sent.filter(({ text }) => text.includes('select')).map(async (one) => ({ text: one.text, looked: (await planOf(server.database.db, one)).looked })));
                };

                expect(await lookedUp(path), `${path}, ${who}`).to.equal(await lookedUp(absent(path)));
            }
        }
    });

    it('takes one statement for whoever may see it, and the token is looked at once more for others', async () => {
        const { id, page, url } = await ada.project({ visibility: 'private' });
        await ada.call('PUT', `${url}/members/eve`, { role: 'viewer' });
        const statements = async (path: string, { token }: Author, status: number): Promise<number> => {
            const sent = await queriesOf(async () => expect((await server.call('GET', path, undefined, { token })).status).to.equal(status));
            return sent.filter(({ text }) => text.includes('select')).length;
        };

        const stranger = await openAuthor(server);
        for (const path of [url, `/projects/${id}`, page.url]) {
            expect([await statements(path, ada, 200), await statements(path, eve, 200), await statements(path, stranger, 404)], path).to.equal([1, 1, 2]);
        }
    });

    it('does not show by who waits while its author writes', async () => {
        const project = await ada.project({ visibility: 'private' });
        const trx = await server.database.db.transaction();
        await trx.raw('select from projects where id = ? for no key update', [project.id]);
        const answers = await Promise.all([
            eve.call('PATCH', project.url, { title: 'x' }), eve.call('PATCH', project.page.url, { x: 5 }), eve.call('DELETE', project.page.url), eve.call('POST', `${project.url}/pages`, { x: 1, y: 1 }), eve.call('POST', `${project.url}/remixes`, {}),
            eve.call('PUT', `${project.url}/members/eve`, { role: 'editor' }), eve.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'x' } }])
        ]);
        await trx.rollback();
        expect(answers.map(({ status }) => status)).to.equal(Array(answers.length).fill(404));
    });

    it('is changed by nobody but the author, on the single route and in a bulk, and merges with what others change', async () => {
        const { url, id } = await ada.project();
        await ada.call('PUT', `${url}/members/eve`, { role: 'editor' });
        expect((await eve.call('PATCH', url, { title: 'Ours' })).status).to.equal(200);
        expect((await eve.call('PATCH', url, { title: 'Ours', visibility: 'public' })).status).to.equal(403);
        expect((await eve.bulk([{ type: 'projects', method: 'update', data: { id, visibility: 'public' } }])).status).to.equal(403);
        const merged = await ada.call('PATCH', url, { visibility: 'private', revision: 1, merge: true });
        expect(merged.body).to.include({ status: 'updated', merged: true });
        expect(merged.body.project).to.include({ title: 'Ours', visibility: 'private' });
    });

    it('counts views of those who may see the project only', async () => {
        const project = await ada.project({ visibility: 'private' });
        await ada.call('PUT', `${project.url}/members/eve`, { role: 'viewer' });
        const viewed = async (token?: string): Promise<unknown[]> => {
            const { status, body } = await server.call('POST', `/view-project/${project.id}`, undefined, { token });
            return [status, body.counted];
        };

        expect(await Promise.all([viewed(), viewed(eve.token), viewed(ada.token)])).to.equal([[404, undefined], [200, true], [200, false]]);
    });

    it('keeps what is held from everybody but its author and moderators; nobody remixes it', async () => {
        const project = await ada.project();
        await ada.call('PUT', `${project.url}/members/eve`, { role: 'editor' });
        await hold(project, 'It shows an address.');
        expect((await eve.call('GET', project.url)).status).to.equal(404);
        expect((await eve.call('PATCH', project.url, { title: 'x' })).status).to.equal(404);
        expect((await eve.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'x' } }])).status).to.equal(404);
        const tag = (await ada.call('GET', project.url)).headers.etag;
        for (const who of [ada, mod]) {
            const { body } = await who.call('POST', `${project.url}/remixes`, {});
            expect([body.statusCode, body.code]).to.equal([403, 'held']);
        }

        const edited = await ada.call('PATCH', project.url, { title: 'Without the address' });
        expect(edited.body.project.held).to.include({ reason: 'It shows an address.' });
        await hold(project, null);
        expect((await ada.call('GET', project.url)).headers.etag).to.not.equal(tag);
        expect((await eve.call('GET', project.url)).body.project).to.include({ title: 'Without the address' }).and.to.not.include('held');
    });
});

describe('the visibility of a project, with tokens of another provider', () => {
    for (const kind of ['jwt', 'introspection'] as const) {
        it(`is decided by ${kind}`, async () => {
            const provider = await startProvider(kind);
            const server = await startTestServer({ config: { auth: provider.settings() } });
            const [ann, bob] = [await provider.token({ subject: 'ann' }), await provider.token({ subject: 'bob' })];
            const { body: { project }, headers: { location } } = await server.call('POST', '/users/me/projects', { title: 'Mine', visibility: 'private' }, { token: ann });
            const url = String(location);
            const statuses = (): Promise<number[]> => Promise.all([ann, bob, undefined, 'garbage'].map(async (token) => (await server.call('GET', url, undefined, { token })).status));
            expect(await statuses()).to.equal([200, 404, 404, 401]);
            const own = await server.call('GET', `${url.replace(/\/\d+$/, '')}?visibility=all`, undefined, { token: bob });
            expect([own.status, own.body.code]).to.equal([403, 'forbidden']);
            // Joining opens an account, as any first write does.
            const { body: { invitation } } = await server.call('POST', `${url}/invitations`, { role: 'viewer' }, { token: ann });
            const joined = await server.call('POST', '/invitations', { code: invitation.code }, { token: bob });
            expect([joined.status, joined.body.project.id]).to.equal([200, project.id]);
            expect(await statuses()).to.equal([200, 200, 404, 401]);
            await server.stop();
            await provider.stop();
        });
    }
});
