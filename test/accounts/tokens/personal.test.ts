import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { version } from '../../../src/api/description/version';
import { MAX_PERSONAL_TOKENS, MAX_TOKENS, MAX_TOKEN_PROJECTS } from '../../../src/limits';
import { byAction, ownersStatus, routes, typeOf, urlOf } from '../../routes/index';
import type { Row } from '../../routes/index';
import { startWhileLocked } from '../../support/authoring';
import { Cast, stored } from '../../support/cast';
import type { Target } from '../../support/cast';
import { drawing, hashOf, storeAsset } from '../../support/files';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const scope = ['user', 'projects'];
const shown = drawing('<g id="shown"/>');

describe('personal tokens', () => {
    let server: TestServer;
    let cast: Cast;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        await storeAsset(server, shown, 'image/svg+xml');
    });

    after(() => server.stop());

    const make = (token: string, fields: object = {}, user = 'me'): Promise<Answer> => server.call('POST', `/users/${user}/tokens`, { label: 'A script', scope, ...fields }, { token });
    const secretOf = async (token: string, fields: object = {}): Promise<string> => (await make(token, fields)).body.token.access_token;
    const account = async (): Promise<{ id: string; token: string }> => {
        const { id } = await cast.account();
        return { id, token: await cast.token(id) };
    };

    it('are made by somebody who signed in, shown once, listed, used and ended', async () => {
        const { id, token } = await account();
        const { status, body, headers } = await make(token, { scope: ['user'], expires_in: 60 }, id);
        expect(status).to.equal(201);
        expect(headers['cache-control']).to.equal('no-store');
        expect(body.token).to.include({ label: 'A script', scope: ['user'], origin: 'personal', projects: null, last_used_at: null });
        expect(Date.parse(body.token.expires_at) - Date.parse(body.token.created_at)).to.equal(60_000);
        const secret = body.token.access_token;
        expect((await server.call('GET', '/users/me', undefined, { token: secret })).body.user.id).to.equal(id);

        const list = await server.call('GET', '/tokens', undefined, { token });
        expect(list.text).to.not.include(secret);
        expect(list.body.tokens[0]).to.include({ id: body.token.id, origin: 'personal' });
        expect((await server.call('DELETE', `/tokens/${body.token.id}`, {}, { token })).status).to.equal(200);
        expect((await server.call('GET', '/users/me', undefined, { token: secret })).status).to.equal(401);
    });

    it('need a label and a scope; projects are some that exist and that one may read, each once', async () => {
        const { token } = await account();
        const other = await account();
        const { body: { project: hidden } } = await server.call('POST', '/users/me/projects', { title: 'Hidden', visibility: 'private' }, { token: other.token });
        const { body: { project: open } } = await server.call('POST', '/users/me/projects', { title: 'Open' }, { token: other.token });
        for (const wrong of [{ label: undefined }, { label: '' }, { scope: undefined }, { scope: [] }, { scope: ['all'] }, { expires_in: 0 }, { projects: [] }, { projects: ['x'] }, { projects: [open.id, open.id] }, { projects: Array.from({ length: MAX_TOKEN_PROJECTS + 1 }, (_, n) => String(n + 1)) }, { more: 1 }]) {
            expect((await make(token, wrong)).status, JSON.stringify(wrong)).to.equal(400);
        }

        // One that is not for the user is answered as one that does not exist.
        const answers = [];
        for (const id of [hidden.id, '999999999']) {
            const { status, body: { request_id: _id, ...body } } = await make(token, { projects: [open.id, id] });
            answers.push({ status, body });
        }

        expect(answers[0]).to.equal(answers[1]);
        expect(answers[0]?.status).to.equal(404);
        expect((await make(token, { projects: [open.id] })).body.token.projects).to.equal([open.id]);
    });

    it('can neither make nor list tokens, nor change the password, nor moderate', async () => {
        const { id, token } = await account();
        await server.database.db.raw('update users set moderator = true where id = ?', [id]);
        const other = await account();
        const { body: { project } } = await server.call('POST', '/users/me/projects', { title: 'Hidden', visibility: 'private' }, { token: other.token });
        const secret = await secretOf(token);
        const earlier = await stored(server);
        const asked: [string, string, object | undefined, string][] = [
            ['POST', '/users/me/tokens', { label: 'x', scope }, 'sign_in_needed'], ['GET', '/tokens', undefined, 'sign_in_needed'], ['DELETE', '/tokens', {}, 'sign_in_needed'],
            ['PUT', '/users/me/password', { current_password: PASSWORD, password: 'another one' }, 'sign_in_needed'], ['GET', '/moderation/reports', undefined, 'sign_in_needed'],
            ['GET', `/projects/${project.id}`, undefined, 'not_found'], ['GET', `/users/${other.id}/projects/${project.id}/history`, undefined, 'not_found'], ['POST', `/projects/${project.id}/reports`, { reason: 'spam', text: '' }, 'not_found']
        ];
        for (const [method, path, body, code] of asked) {
            expect((await server.call(method, path, body, { token: secret })).body.code, `${method} ${path}`).to.equal(code);
        }

        expect(await stored(server)).to.equal(earlier);
        expect((await server.call('GET', `/projects/${project.id}`, undefined, { token })).status).to.equal(200);
    });

    it('are at most 100, also if many are made at the same moment; a sign-in ends none of them', async () => {
        const { id, token } = await account();
        await server.database.db.raw(`insert into tokens (user_id, hash, scope, origin, expires_at) select ?, sha256(('p' || n)::bytea), '{user}', 'personal', now() + '1 day' from generate_series(1, ?) n`, [id, MAX_PERSONAL_TOKENS - 2]);
        const made = await Promise.all(Array.from({ length: 6 }, () => make(token)));
        expect(made.map(({ status }) => status).sort()).to.equal([201, 201, 409, 409, 409, 409]);
        expect(made.find(({ status }) => status === 409)?.body.code).to.equal('token_limit');

        await server.database.db.raw(`insert into tokens (user_id, hash, scope, expires_at) select ?, sha256(('s' || n)::bytea), '{user}', now() + '1 day' from generate_series(1, ?) n`, [id, MAX_TOKENS]);
        const { rows: [{ username }] } = await server.database.db.raw('select username from users where id = ?', [id]);
        expect((await server.call('POST', '/tokens', { username, password: PASSWORD })).status).to.equal(201);
        const { rows } = await server.database.db.raw('select origin, count(*)::int as n from tokens where user_id = ? group by 1 order by 1', [id]);
        expect(rows).to.equal([{ origin: 'personal', n: MAX_PERSONAL_TOKENS }, { origin: 'sign_in', n: MAX_TOKENS }]);
    });

    it('are not made for an account that is deleted meanwhile', async () => {
        const { id, token } = await account();
        const [answer] = await startWhileLocked(server, ['users', id], [() => make(token)], async (trx) => {
            await trx.raw('update users set deleted_at = now() where id = ?', [id]);
        });
        expect([answer?.status, answer?.body.code]).to.equal([404, 'not_found']);
        const { rows } = await server.database.db.raw(`select id from tokens where user_id = ? and origin = 'personal'`, [id]);
        expect(rows).to.equal([]);
    });

    it('are not made by a sign-in that another password ends meanwhile', async () => {
        const { id, token } = await account();
        const [answer] = await startWhileLocked(server, ['users', id], [() => make(token)], async (trx) => {
            await trx.raw('delete from tokens where user_id = ?', [id]);
        });
        expect([answer?.status, answer?.body.code]).to.equal([401, 'invalid_token']);
        const { rows } = await server.database.db.raw('select id from tokens where user_id = ?', [id]);
        expect(rows).to.equal([]);
    });

    it('for reading also ask for what is private by HEAD, and write nothing', async () => {
        const { token } = await account();
        const { body: { project } } = await server.call('POST', '/users/me/projects', { title: 'Hidden', visibility: 'private' }, { token });
        const secret = await secretOf(token, { scope: ['read'] });
        for (const [method, body, status] of [['GET', undefined, 200], ['HEAD', undefined, 200], ['PATCH', { title: 'Mine' }, 403]] as const) {
            expect((await server.call(method, `/users/me/projects/${project.id}`, body, { token: secret })).status, method).to.equal(status);
        }
    });

    it('are made by nobody for somebody else, and by no suspended account', async () => {
        const { id, token } = await account();
        const other = await account();
        expect((await make(other.token, {}, id)).body.code).to.equal('forbidden');
        await server.database.db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Spam' where id = ?`, [id]);
        expect((await make(token)).body.code).to.equal('suspended');
    });
});

/** The ids of a target, and all else that the table's bodies name. */
const idsOf = (target: Target, serial: number, method: string): Readonly<Record<string, string>> => ({
    ...target, username: target.member, owner: target.username, sha256: hashOf(method === 'GET' ? shown : drawing()), file: 'render.js', version, language: 'pt-BR', tag: 'art', serial: String(serial)
});

describe('a token for some projects', () => {
    let server: TestServer;
    let cast: Cast;
    let serial = 0;

    before(async () => {
        server = await startTestServer({ fresh: true });
        // Other ids than those of the examples in the description.
        await server.database.db.raw(`select setval(pg_get_serial_sequence('projects', 'id'), 1000000)`);
        cast = new Cast(server);
        await storeAsset(server, shown, 'image/svg+xml');
    });

    after(() => server.stop());

    /** Two private projects of one owner, and a token for the first of them. */
    interface World {
        inside: Target;
        outside: Target;
        token: string;
        whole: string;
    }

    async function world(): Promise<World> {
        await server.database.db.raw('delete from users');
        const [inside, other] = [await cast.target(), await cast.target()];
        const { db } = server.database;
        await db.raw('update projects set user_id = ? where id = ?', [inside.user, other.project]);
        await db.raw('update trash set user_id = ? where id = ?', [inside.user, other.entry]);
        await db.raw(`update projects set visibility = 'private'`);
        const whole = await cast.token(inside.user);
        const { body } = await server.call('POST', '/users/me/tokens', { label: 'A script', scope, projects: [inside.project] }, { token: whole });
        return { inside, outside: { ...other, user: inside.user, username: inside.username }, token: body.token.access_token, whole };
    }

    let unchanged: World | undefined;

    /** Rows that only read share one, as to make it takes longer. */
    async function worldFor({ method }: Row): Promise<World> {
        const made = unchanged ?? await world();
        unchanged = method === 'GET' ? made : undefined;
        return made;
    }

    const ask = (row: Row, target: Target, token: string | undefined): Promise<Answer> => {
        const ids = idsOf(target, ++serial, row.method);
        const body = row.body?.(ids);
        return server.call(row.method, urlOf(row, ids), body, { headers: { ...typeOf(row.path, body), ...token !== undefined && { authorization: `token ${token}` } } });
    };

    const isIn = ({ path }: Row): boolean => /^\/users\/\{user\}\/projects\/\{project\}|^\/projects\/\{project\}$/.test(path) || path.endsWith('/bulk');
    /** what is in a project by its path, and writes elsewhere */
    const elsewhere = ['POST /users/{user}/projects/{project}/remixes'];
    const creates = (row: Row): boolean => row.action.startsWith('projects create');

    for (const row of byAction(routes)) {
        it(`${row.method} ${row.path} ${row.action}`, async () => {
            const { inside, outside, token } = await worldFor(row);
            const earlier = await stored(server);
            const answer = await ask(row, outside, token);
            const what = `${row.method} ${row.path} ${row.action}: ${answer.text.slice(0, 300)}`;
            // A public route either answers everybody, or says that this token does not reach so far.
            if ((row.scope === '' || (row.scope === 'optional' && row.method === 'GET')) && answer.body?.code !== 'outside_token') {
                const guest = await ask(row, outside, undefined);
                // A code that prepares a device is used up.
                expect(guest.status, what).to.equal(row.key === 'POST /class-devices' ? 404 : answer.status);
                // A guest's report is taken of what is public alone, whatever token is sent.
                if (row.scope === '' && row.callers !== String(answer.status) && !row.path.endsWith('/guest-reports')) {
                    expect(answer.status, what).to.be.below(400);
                }

                if (row.method === 'GET') {
                    expect(answer.text, what).to.not.include(`"id":"${outside.project}"`);
                }
            }
            else {
                expect(answer.status, what).to.equal(403);
                expect(answer.body.code, what).to.equal('outside_token');
                expect(await stored(server), `${what}; stored something`).to.equal(earlier);
            }

            const own = await ask(row, inside, token);
            const reaches = isIn(row) && !elsewhere.includes(row.key) && !creates(row);
            if (reaches) {
                expect(own.status, `in it: ${row.method} ${row.path} ${row.action}: ${own.text.slice(0, 300)}`).to.equal(ownersStatus(row));
            }
            else if (row.scope !== '') {
                expect(own.body.code, `in it: ${own.text.slice(0, 300)}`).to.equal('outside_token');
            }
        });
    }

    it('shows no remix, source or link that is private and not among them', async () => {
        const { inside, outside, token, whole } = await world();
        const { db } = server.database;
        await db.raw('update projects set remixed_from = ?, remixed_revision = 1 where id = ?', [inside.project, outside.project]);
        const path = `/users/${inside.user}/projects/${inside.project}`;
        const seen = async (by: string): Promise<string[]> => (await server.call('GET', `${path}/remixes`, undefined, { token: by })).body.projects.map(({ id }: { id: string }) => id);
        expect(await seen(whole)).to.equal([outside.project]);
        expect(await seen(token)).to.equal([]);

        await db.raw('update projects set remixed_from = null where id = ?', [outside.project]);
        await db.raw('update projects set remixed_from = ?, remixed_revision = 1 where id = ?', [outside.project, inside.project]);
        for (const [by, status] of [[whole, 200], [token, 404]] as const) {
            expect((await server.call('GET', `${path}/upstream`, undefined, { token: by })).status).to.equal(status);
        }

        expect((await server.call('POST', `${path}/upstream/pull`, {}, { token })).body.code).to.equal('source_unavailable');
        expect((await server.call('GET', `${path}/lineage`, undefined, { token })).text).to.not.include('"Mine"},{');
    });

    it('writes in a bulk to its own projects alone, all or nothing', async () => {
        const { inside, outside, token } = await world();
        const update = (id: string): object => ({ type: 'elements', method: 'update', data: { id, attributes: { text: 'New' } } });
        const bulk = (...actions: object[]): Promise<Answer> => server.call('POST', '/users/me/bulk', { actions }, { token });
        expect((await bulk(update(inside.element))).status).to.equal(200);
        expect((await bulk(update(inside.element), update(outside.element))).body.code).to.equal('outside_token');
        await server.database.db.raw(`update projects set visibility = 'public' where id = ?`, [outside.project]);
        const earlier = await stored(server);
        for (const id of [outside.element, '999999999']) {
            const { status, body } = await bulk(update(inside.element), update(id));
            expect([status, body.code, body.action]).to.equal([403, 'outside_token', 1]);
        }

        expect(await stored(server)).to.equal(earlier);
    });

    it('is not told again what another token of its user wrote elsewhere under the same key', async () => {
        const { inside, outside, token, whole } = await world();
        const send = (by: string, id: string, key: string): Promise<Answer> => {
            const actions = [{ type: 'elements', method: 'update', data: { id, attributes: { text: 'New' } } }];
            return server.call('POST', '/users/me/bulk', { actions }, { headers: { 'authorization': `token ${by}`, 'idempotency-key': key } });
        };

        for (const [{ element }, key, again] of [[inside, 'written-inside-once', 200], [outside, 'written-outside-once', 404]] as const) {
            expect((await send(whole, element, key)).status).to.equal(200);
            const { status, text } = await send(token, element, key);
            expect([status, status === 200 || !text.includes('New')]).to.equal([again, true]);
        }
    });
});
