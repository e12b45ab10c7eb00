import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hashSecret } from '../../../src/api/auth/secrets';
import { resetPassword } from '../../../src/community/administration/people';
import { OPERATOR } from '../../../src/community/administration/staff';
import { MAX_AUTHORIZATIONS, MAX_AUTHORIZATIONS_OF_APP, MAX_TOKENS_OF_AUTHORIZATION } from '../../../src/limits';
import { count, waiting } from '../../support/authoring';
import { PASSWORD, authorizeUrl, Browser, pkce, post, registerApp, startAppsServer, tokensFor } from '../../support/apps';
import type { AppsServer, TestApp, TokenAnswer } from '../../support/apps';
import type { Actor, Answer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the apps that somebody has let in', () => {
    let server: AppsServer;
    let ada: Actor;
    let eve: Actor;
    let app: TestApp;
    let browser: Browser;

    before(async () => {
        server = await startAppsServer();
        ada = await server.open('ada');
        eve = await server.open('eve');
        app = await registerApp(server, eve);
        browser = new Browser(ada.token);
    });

    after(() => server.stop());

    const send = (method: string, path = '', token = ada.token): Promise<Answer> => server.call(method, `/users/me/authorizations${path}`, method === 'GET' ? undefined : {}, { token });

    it('are listed, each once, and ended at once', async () => {
        expect((await send('GET')).body.authorizations).to.equal([]);
        const first = await tokensFor(server, app, browser, 'projects');
        const second = await tokensFor(server, app, browser, 'user offline_access');
        await browser.letIn(authorizeUrl(server, app, pkce().challenge));
        const { body: { authorizations: [one, ...more] } } = await send('GET');
        expect(more).to.equal([]);
        expect(one).to.include({ scope: ['offline_access', 'projects', 'user'] });
        expect(one.app).to.include({ id: app.id, name: 'Kitchen editor', owner: { id: eve.id, username: 'eve' } });
        expect(one.last_used_at).to.match(/:00:00.000Z$/);
        const { body: { tokens } } = await server.call('GET', '/tokens', undefined, { token: ada.token });
        expect(tokens.filter(({ origin }: { origin: string }) => origin === 'app').map((token: { app: object }) => token.app)).to.equal([{ id: app.id, name: 'Kitchen editor' }, { id: app.id, name: 'Kitchen editor' }]);
        expect((await send('DELETE', `/${app.id}`, eve.token)).status).to.equal(404);
        expect((await send('DELETE', `/${app.id}`)).body.authorization.app.id).to.equal(app.id);
        for (const { access_token: token } of [first, second]) {
            expect((await server.call('GET', '/users/me', undefined, { token })).status).to.equal(401);
        }

        expect((await send('GET')).body.authorizations).to.equal([]);
        expect((await send('DELETE', `/${app.id}`)).status).to.equal(404);
        expect(await count(server, 'from authorization_states where authorization_id is not null')).to.equal(0);
    });

    it('are as many for one app as there may be: the oldest ends', async () => {
        const oldest = await tokensFor(server, app, browser);
        for (let n = 0; n < MAX_AUTHORIZATIONS_OF_APP; ++n) {
            await tokensFor(server, app, browser);
        }

        expect(await count(server, 'from authorizations where user_id = ? and app_id = ?', [ada.id, app.id])).to.equal(MAX_AUTHORIZATIONS_OF_APP);
        expect((await server.call('GET', '/users/me', undefined, { token: oldest.access_token })).status).to.equal(401);
    });

    it('are as many in all as there may be, and of each so many tokens work: the oldest end', async () => {
        const { db } = server.database;
        const mia = await server.open();
        await db.raw(`with a as (insert into apps (name, url, redirect_uris) select 'Of many', 'https://a.example', '{https://a.example/}' from generate_series(1, ?) returning id)
            insert into authorizations (id, user_id, app_id, scope, payload, created_at, expires_at) select 'many ' || id, ?, id, '{user}', '{}', now() - interval '1 hour' + id * interval '1 ms', now() + interval '1 day' from a`, [MAX_AUTHORIZATIONS, mia.id]);
        const oldest = `from authorizations where id = (select 'many ' || min(id) from apps where name = 'Of many')`;
        expect(await count(server, oldest)).to.equal(1);
        const given = await tokensFor(server, app, new Browser(mia.token));
        let refresh = given.refresh_token;
        expect(await count(server, 'from authorizations where user_id = ?', [mia.id])).to.equal(MAX_AUTHORIZATIONS);
        expect(await count(server, oldest)).to.equal(0);

        const works = async (token: string): Promise<boolean> => (await server.call('GET', '/users/me', undefined, { token })).status === 200;
        for (let n = 1; n <= MAX_TOKENS_OF_AUTHORIZATION; ++n) {
            expect(await works(given.access_token), String(n)).to.be.true();
            ({ body: { refresh_token: refresh } } = await post(`${server.url}/oauth/token`, { grant_type: 'refresh_token', client_id: app.id, refresh_token: refresh }));
        }

        expect(await works(given.access_token)).to.be.false();
        expect(await count(server, 'from tokens where user_id = ? and app_id = ?', [mia.id, app.id])).to.equal(MAX_TOKENS_OF_AUTHORIZATION);
    });

    const fresh = 'staple of another kind';
    const ends: Record<string, (user: Actor) => Promise<void>> = {
        'a change of the password': async ({ token }) => {
            expect((await server.call('PUT', '/users/me/password', { current_password: PASSWORD, password: fresh }, { token })).status).to.equal(200);
        },
        'a password that an operator sets': async ({ id }) => {
            await resetPassword(server.database.db, OPERATOR, id, 'a hash');
        },
        'signing out everywhere': async ({ token }) => {
            expect((await server.call('DELETE', '/tokens', {}, { token })).status).to.equal(200);
        },
        'the end of the account': async ({ token }) => {
            expect((await server.call('DELETE', '/users/me', {}, { token })).status).to.equal(200);
        }
    };
    for (const [what, end] of Object.entries(ends)) {
        it(`end with ${what}, with their refresh tokens and codes, and so do tokens of scripts`, async () => {
            const user = await server.open();
            const { token: { access_token: script } } = (await server.call('POST', '/users/me/tokens', { label: 'A script', scope: ['projects'] }, { token: user.token })).body;
            const given = await tokensFor(server, app, new Browser(user.token));
            const { verifier, challenge } = pkce();
            const code = String((await new Browser(user.token).letIn(authorizeUrl(server, app, challenge))).searchParams.get('code'));
            const others = await tokensFor(server, app, new Browser(eve.token));
            await end(user);
            for (const [token, status] of [[given.access_token, 401], [script, 401], [others.access_token, 200]]) {
                expect((await server.call('GET', '/users/me/projects', undefined, { token })).status).to.equal(status);
            }

            const renew = (refresh: string): Promise<TokenAnswer> => post(`${server.url}/oauth/token`, { grant_type: 'refresh_token', client_id: app.id, refresh_token: refresh });
            expect(await renew(given.refresh_token)).to.include({ status: 400 });
            expect(await post(`${server.url}/oauth/token`, { grant_type: 'authorization_code', client_id: app.id, code, redirect_uri: app.redirectUri, code_verifier: verifier })).to.include({ status: 400 });
            expect((await renew(others.refresh_token)).status).to.equal(200);
            expect(await count(server, 'from authorizations where user_id = ?', [user.id])).to.equal(0);
        });
    }

    it('do not begin with a sign-in that a change of the password has just ended', async () => {
        const user = await server.open();
        const deciding = new Browser(user.token);
        const page = await deciding.begin(authorizeUrl(server, app, pkce().challenge));
        const changing = await server.database.db.transaction();
        await changing.raw('update users set password_hash = ? where id = ?', ['a hash', user.id]);
        await changing.raw('delete from authorizations where user_id = ?', [user.id]);
        await changing.raw('delete from tokens where user_id = ?', [user.id]);
        const decided = deciding.open(page, { method: 'POST', token: user.token, body: { allow: true } });
        while (await waiting(server) === 0) {
            await sleep(5);
        }

        await changing.commit();
        expect((await decided).status).to.equal(401);
        expect(await count(server, 'from authorizations where user_id = ?', [user.id])).to.equal(0);
    });

    it('are not asked about again if an operator trusts the app, for the same scope or less, unless it is a program on their device', async () => {
        const web = await registerApp(server, eve, { redirect_uris: ['https://kitchen.example/done', 'http://127.0.0.1/done', 'org.kitchen.app:/done'] });
        const asks = async (scope: string, redirectUri = web.redirectUri): Promise<boolean> => {
            const page = await browser.begin(authorizeUrl(server, { ...web, redirectUri }, pkce().challenge, { scope }));
            const asked = await browser.open(`${page}/request`, { token: ada.token });
            return !Object(await asked.json()).skip;
        };

        await tokensFor(server, web, browser, 'user projects');
        expect(await asks('projects')).to.be.true();
        await server.database.db.raw('update apps set trusted = true where id = ?', [web.id]);
        expect(await asks('projects')).to.be.false();
        expect(await asks('projects read')).to.be.true();
        expect(await asks('projects', 'http://127.0.0.1:4321/done')).to.be.true();
        expect(await asks('projects', 'org.kitchen.app:/done')).to.be.true();
    });

    it('are only apps that an operator trusts where a class manages the account', async () => {
        const pupil = await server.open();
        const { db } = server.database;
        await db.raw(`with c as (insert into classes (title, publish, comments, code) values ('x', 'class', true, 'k7pm3xwrd9tz') returning id) update users set publish = 'class', managed_by = c.id from c where users.id = ?`, [pupil.id]);
        const own = new Browser(pupil.token);
        const page = await own.begin(authorizeUrl(server, app, pkce().challenge));
        const codeOf = async (answer: Response): Promise<unknown> => [answer.status, Object(await answer.json()).code];
        await db.raw('update apps set trusted = false where id = ?', [app.id]);
        expect(await codeOf(await own.open(`${page}/request`, { token: pupil.token }))).to.equal([403, 'managed_account']);
        expect(await codeOf(await own.open(page, { method: 'POST', token: pupil.token, body: { allow: true } }))).to.equal([403, 'managed_account']);
        expect(await count(server, 'from authorizations where user_id = ?', [pupil.id])).to.equal(0);
        await db.raw('update apps set trusted = true where id = ?', [app.id]);
        const onDevice = (await server.open()).token;
        await db.raw(`
            with d as (insert into class_devices (class_id, hash) select managed_by, sha256('device') from users where id = ? returning id)
            update tokens t set user_id = ?, class_device_id = d.id from d where t.hash = ?`, [pupil.id, pupil.id, hashSecret(onDevice)]);
        expect(await codeOf(await own.open(`${page}/request`, { token: onDevice }))).to.equal([403, 'managed_account']);
        expect(await codeOf(await own.open(page, { method: 'POST', token: onDevice, body: { allow: true } }))).to.equal([403, 'managed_account']);
        expect(await count(server, 'from authorizations where user_id = ?', [pupil.id])).to.equal(0);
        expect((await tokensFor(server, app, own, 'projects')).access_token).to.be.a.string();
        await db.raw('update apps set trusted = false where id = ?', [app.id]);
    });
});
