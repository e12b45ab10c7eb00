import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { startWhileLocked } from '../support/authoring';
import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

type Level = 'nobody' | 'class' | 'everybody';

describe('what a class lets its accounts make visible', () => {
    let server: TestServer;
    let cast: Cast;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const call = (who: Pick<Actor, 'token'>, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, { token: who.token });

    /** A class with its teacher and a managed pupil. */
    const classOf = async (publish: Level): Promise<{ url: string; id: string; code: string; ada: Actor; ana: Actor }> => {
        const [ada, ana] = [await cast.teacher(), await cast.actor()];
        const { body } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5', publish });
        const { id } = body.class;
        await manage(ana, id, publish);
        return { url: `/classes/${id}`, id, code: body.code, ada, ana };
    };

    // As a list of names does, without hashing a pass-phrase.
    const manage = async ({ id }: Actor, classId: string, publish: Level): Promise<void> => {
        await server.database.db.raw('update users set managed_by = ?, publish = ? where id = ?', [classId, publish, id]);
        await server.database.db.raw(`insert into class_people (class_id, user_id, role, name) values (?, ?, 'pupil', 'Ana')`, [classId, id]);
    };

    const projectOf = async (who: Actor, fields: object = {}): Promise<{ id: string; url: string; visibility: string }> => {
        const { body, text } = await call(who, 'POST', '/users/me/projects', { title: 'Mine', ...fields });
        expect(body.status, text).to.equal('created');
        return { ...body.project, url: `/users/${who.id}/projects/${body.project.id}` };
    };

    const seenBy = async (who: Actor | undefined, { url }: { url: string }): Promise<number> => (await server.call('GET', url, undefined, who && { token: who.token })).status;

    /** Every way to make something visible, each with `visibility` in what it sends. The description names them: a new one fails the first test. */
    const ways: Record<string, (ana: Actor, visibility: string) => Promise<Answer>> = {
        'POST /users/{user}/projects': (ana, visibility) => call(ana, 'POST', '/users/me/projects', { title: 'Mine', visibility }),
        'PATCH /users/{user}/projects/{project}': async (ana, visibility) => call(ana, 'PATCH', (await projectOf(ana, { visibility: 'private' })).url, { visibility }),
        'POST /users/{user}/projects/{project}/remixes': async (ana, visibility) => call(ana, 'POST', `${(await projectOf(await cast.actor())).url}/remixes`, { visibility }),
        'POST /users/{user}/imports': async (ana, visibility) => {
            const { url } = await projectOf(await cast.actor());
            const zip = await server.server.inject({ url: `${url}/export` });
            return server.call('POST', `/users/me/imports?visibility=${visibility}`, zip.rawPayload, { token: ana.token, headers: { 'content-type': 'application/zip' } });
        },
        'POST /users/{user}/bulk': async (ana, visibility) => {
            const { id } = await projectOf(ana, { visibility: 'private' });
            const made = await call(ana, 'POST', '/users/me/bulk', { actions: [{ type: 'projects', method: 'create', data: { title: 'Mine', visibility } }] });
            return made.status < 300 ? call(ana, 'POST', '/users/me/bulk', { actions: [{ type: 'projects', method: 'update', data: { id, visibility } }] }) : made;
        },
        'POST /users/{user}/collections': (ana, visibility) => call(ana, 'POST', '/users/me/collections', { title: 'Mine', visibility }),
        'PATCH /users/{user}/collections/{collection}': async (ana, visibility) => {
            const { body } = await call(ana, 'POST', '/users/me/collections', { title: 'Mine', visibility: 'private' });
            return call(ana, 'PATCH', `/users/me/collections/${body.collection.id}`, { visibility });
        }
    };

    it('is tried for every route that the description lets set a visibility', () => {
        const described = JSON.parse(readFileSync('openapi.json', 'utf8'));
        const resolve = (schema: unknown): string => JSON.stringify(schema, (_key, value) => (typeof value?.$ref === 'string' ? value.$ref.split('/').slice(1).reduce((part: Record<string, unknown>, name: string) => part[name], described) : value));
        const found = Object.entries<Record<string, { requestBody?: object; parameters?: { name: string }[] }>>(described.paths).flatMap(([path, operations]) => Object.entries(operations)
            .filter(([method, { requestBody = {}, parameters = [] }]) => method !== 'get' && (resolve(requestBody).includes('"visibility":{') || resolve(parameters).includes('"name":"visibility"')))
            .map(([method]) => `${method.toUpperCase()} ${path}`));
        expect(found.sort()).to.equal(Object.keys(ways).sort());
    });

    for (const [key, way] of Object.entries(ways)) {
        it(`bounds ${key}`, async () => {
            for (const publish of ['nobody', 'class', 'everybody'] as const) {
                const { ana } = await classOf(publish);
                for (const visibility of ['private', 'unlisted', 'public']) {
                    const { status, body, text } = await way(ana, visibility);
                    const allowed = publish === 'everybody' || visibility === 'private';
                    expect(status, `${publish} ${visibility}: ${text}`).to.equal(allowed ? key.startsWith('POST') && !key.endsWith('bulk') ? 201 : 200 : 403);
                    expect(body.code).to.equal(allowed ? undefined : 'publish_bound');
                }
            }
        });
    }

    it('makes private what nobody says a visibility of: new projects, remixes and imports', async () => {
        const { ana } = await classOf('nobody');
        const source = await projectOf(await cast.actor());
        expect((await projectOf(ana)).visibility).to.equal('private');
        expect((await call(ana, 'POST', `${source.url}/remixes`, {})).body.project.visibility).to.equal('private');
        const zip = await server.server.inject({ url: `${source.url}/export` });
        expect((await server.call('POST', '/users/me/imports', zip.rawPayload, { token: ana.token, headers: { 'content-type': 'application/zip' } })).body.project.visibility).to.equal('private');
        expect((await call(ana, 'POST', '/users/me/bulk', { actions: [{ type: 'projects', method: 'create', data: { title: 'Mine' } }] })).body.results[0].visibility).to.equal('private');
        // A collection is public if nobody says otherwise.
        expect((await call(ana, 'POST', '/users/me/collections', { title: 'Mine' })).body.code).to.equal('publish_bound');
        const free = await classOf('everybody');
        expect((await projectOf(free.ana)).visibility).to.equal('public');
    });

    it('makes private at once what is beyond it when it is tightened, in the trash too, and leaves it so when it is loosened', async () => {
        const { ada, ana, url } = await classOf('everybody');
        const [shown, hidden, removed] = [await projectOf(ana), await projectOf(ana, { visibility: 'unlisted' }), await projectOf(ana)];
        const { body: { collection } } = await call(ana, 'POST', '/users/me/collections', { title: 'Mine' });
        await call(ana, 'PATCH', '/users/me', { about: 'Plants' });
        await call(ana, 'DELETE', removed.url, {});
        const { body: { user: { revision } } } = await call(ana, 'GET', '/users/me');
        expect(revision).to.equal(2);
        expect((await call(ada, 'PATCH', url, { publish: 'class' })).body.class.publish).to.equal('class');

        for (const one of [shown, hidden]) {
            expect(await seenBy(undefined, one)).to.equal(404);
            const { body } = await call(ana, 'GET', one.url);
            expect(body.project).to.include({ visibility: 'private', revision: 2 });
            const [change] = (await call(ana, 'GET', `${one.url}/history`)).body.changes;
            expect(change).to.include({ kind: 'edit', revision: 2, author: { id: ana.id, username: ana.username } });
        }

        expect((await call(ana, 'GET', `/users/${ana.id}/projects`)).body.projects).to.equal([]);
        expect((await server.call('GET', `/collections/${collection.id}`)).status).to.equal(404);
        expect((await call(ana, 'GET', '/users/me')).body.user).to.include({ about: '', managed: { class: url.slice('/classes/'.length), publish: 'class' } });
        expect((await call(ana, 'PATCH', '/users/me', { about: 'Plants' })).body.code).to.equal('managed_account');

        const { body: { trash: [entry] } } = await call(ana, 'GET', '/users/me/trash');
        expect((await call(ana, 'POST', `/users/me/trash/${entry.id}/restore`, {})).body.thing.visibility).to.equal('private');
        await call(ada, 'PATCH', url, { publish: 'everybody' });
        expect(await seenBy(undefined, shown)).to.equal(404);
        expect((await call(ana, 'PATCH', shown.url, { visibility: 'public' })).status).to.equal(200);
    });

    it('is not undone by going back in the history', async () => {
        const { ada, ana, url } = await classOf('everybody');
        const shown = await projectOf(ana);
        await call(ana, 'PATCH', shown.url, { title: 'Changed' });
        await call(ada, 'PATCH', url, { publish: 'nobody' });
        expect((await call(ana, 'POST', `${shown.url}/history/1/restore`, {})).status).to.equal(200);
        expect((await call(ana, 'POST', `${shown.url}/history/2/undo`, {})).status).to.be.within(200, 409);
        expect((await call(ana, 'GET', shown.url)).body.project.visibility).to.equal('private');
    });

    it('never loses to a write at the same time', async () => {
        for (let round = 0; round < 10; ++round) {
            const { ada, ana, url } = await classOf('everybody');
            const own = await projectOf(ana, { visibility: 'private' });
            await Promise.all([
                call(ana, 'PATCH', own.url, { visibility: 'public' }), call(ana, 'POST', '/users/me/projects', { title: 'New', visibility: 'public' }),
                call(ada, 'PATCH', url, { publish: 'nobody' }), call(ana, 'POST', '/users/me/projects', { title: 'New', visibility: 'unlisted' }),
                call(ana, 'POST', '/users/me/collections', { title: 'New', visibility: 'public' })
            ]);
            const { rows } = await server.database.db.raw(`select id from projects where user_id = ? and visibility <> 'private'`, [ana.id]);
            expect(rows).to.equal([]);
            expect((await server.call('GET', `/users/${ana.id}/collections`)).body.collections).to.equal([]);
        }
    });

    it('also says with whom they share projects: with the class, or its teachers alone', async () => {
        for (const publish of ['nobody', 'class', 'everybody'] as const) {
            const { ada, ana, code, id } = await classOf(publish);
            const [ben, eve] = [await cast.actor(), await cast.actor()];
            await call(ben, 'POST', '/classes', { code });
            const own = await projectOf(ana, { visibility: 'private' });
            const put = async (who: Actor): Promise<string | number> => {
                const { status, body } = await call(ana, 'PUT', `${own.url}/members/${who.username}`, { role: 'viewer' });
                return body.code ?? status;
            };

            expect([await put(ada), await put(ben), await put(eve)], publish).to.equal([201, publish === 'nobody' ? 'not_in_class' : 201, publish === 'everybody' ? 201 : 'not_in_class']);
            const { body: { invitation } } = await call(ana, 'POST', `${own.url}/invitations`, { role: 'viewer' });
            expect((await call(await cast.actor(), 'POST', '/invitations', { code: invitation.code })).body.code).to.equal(publish === 'everybody' ? undefined : 'not_in_class');

            // And who invites them.
            const bens = await projectOf(ben, { visibility: 'private' });
            const eves = await projectOf(eve, { visibility: 'private' });
            expect((await call(ben, 'PUT', `${bens.url}/members/${ana.username}`, { role: 'editor' })).status).to.equal(201);
            // To strangers her name is that of nobody.
            const refused = (await call(eve, 'PUT', `${eves.url}/members/${ana.username}`, { role: 'editor' })).body;
            expect(refused).to.equal({ ...(await call(eve, 'PUT', `${eves.url}/members/nobody-at-all`, { role: 'editor' })).body, request_id: refused.request_id });
            expect(refused.code).to.equal('not_found');
            const offered = (await call(eve, 'POST', `${eves.url}/invitations`, { role: 'viewer' })).body.invitation;
            expect((await call(ana, 'POST', '/invitations', { code: offered.code })).body.code).to.equal('not_in_class');
            expect(id).to.be.a.string();
        }
    });

    it('ends memberships when it is tightened, and when somebody leaves the class', async () => {
        const { ada, ana, code, url } = await classOf('everybody');
        const [ben, eve, fay] = [await cast.actor(), await cast.actor(), await cast.teacher()];
        await call(ben, 'POST', '/classes', { code });
        await call(ada, 'PUT', `${url}/teachers/${fay.username}`, {});
        const own = await projectOf(ana, { visibility: 'private' });
        const seers = async (): Promise<number[]> => [await seenBy(ben, own), await seenBy(eve, own), await seenBy(fay, own)];
        for (const who of [ben, eve, fay]) {
            expect((await call(ana, 'PUT', `${own.url}/members/${who.username}`, { role: 'viewer' })).status).to.equal(201);
        }

        expect(await seers()).to.equal([200, 200, 200]);
        await call(ada, 'PATCH', url, { publish: 'class' });
        expect(await seers()).to.equal([200, 404, 200]);
        await call(ada, 'DELETE', `${url}/teachers/${fay.username}`, {});
        expect(await seers()).to.equal([200, 404, 404]);
        await call(ben, 'DELETE', `${url}/pupils/${ben.id}`, {});
        expect(await seers()).to.equal([404, 404, 404]);
    });

    it('makes private what is deleted at the same time', async () => {
        const { url, ada, ana } = await classOf('everybody');
        const { id, url: project } = await projectOf(ana, { visibility: 'public' });
        const { db } = server.database;
        const [answer] = await startWhileLocked(server, ['projects', id], [() => call(ada, 'PATCH', url, { publish: 'nobody' })], async (trx) => {
            await trx.raw(`update projects set deleted_at = now(), deletion_id = nextval('deletions_id_seq') where id = ?`, [id]);
        });
        expect(answer?.status).to.equal(200);
        const { rows } = await db.raw('select visibility from projects where id = ?', [id]);
        expect(rows).to.equal([{ visibility: 'private' }]);
        expect(await seenBy(undefined, { url: project })).to.equal(404);
    });
});
