import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import Joi from 'joi';

import { version } from '../../../src/api/description/version';
import { hashSecret, newSecret } from '../../../src/api/auth/secrets';
import { needs } from '../../../src/api/auth/strategy';
import { bodyOf, record } from '../../../src/api/representations/shapes';
import { Cast } from '../../support/cast';
import { drawing, hashOf } from '../../support/files';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { routes, typeOf, urlOf } from '../../routes/index';
import type { Row } from '../../routes/index';

export const lab = script();

/** What no app may do, whatever its scope. A new route with the scope `user` belongs here or below, or the first test fails. */
const never = [
    'GET /tokens', 'DELETE /tokens', 'DELETE /tokens/{token}', 'POST /users/{user}/tokens', 'PUT /users/{user}/password', 'DELETE /users/{user}', 'GET /users/{user}/apps', 'POST /users/{user}/apps',
    'PATCH /users/{user}/apps/{app}', 'DELETE /users/{user}/apps/{app}', 'GET /users/{user}/authorizations', 'DELETE /users/{user}/authorizations/{app}',
    // Other ways in.
    'GET /users/{user}/identities', 'DELETE /users/{user}/identities/{identity}', 'GET /users/{user}/passkeys', 'POST /users/{user}/passkeys', 'DELETE /users/{user}/passkeys/{passkey}', 'POST /users/{user}/recovery-codes',
    'GET /users/{user}/recovery-codes', 'POST /passkeys/options', 'POST /users/{user}/identities', 'POST /users/{user}/apps/{app}/secret',
    'GET /users/{user}/address', 'PUT /users/{user}/address', 'POST /users/{user}/address/confirmations', 'DELETE /users/{user}/address',
    // What outlives the token.
    'GET /users/{user}/webhooks', 'POST /users/{user}/webhooks', 'PATCH /users/{user}/webhooks/{webhook}', 'DELETE /users/{user}/webhooks/{webhook}', 'POST /users/{user}/webhooks/{webhook}/test',
    'GET /users/{user}/webhooks/{webhook}/deliveries', 'POST /users/{user}/webhooks/{webhook}/deliveries/{delivery}',
    // Rights over others: running the place, moderating, and teaching.
    ...routes.map(({ key }) => key).filter((key) => / \/(?:admin|moderation)\//.test(key)),
    'POST /users/{user}/classes', 'PATCH /classes/{class_id}', 'DELETE /classes/{class_id}', 'POST /classes/{class_id}/pupils', 'PATCH /classes/{class_id}/pupils/{pupil}', 'DELETE /classes/{class_id}/pupils/{pupil}',
    'PUT /classes/{class_id}/teachers/{username}', 'DELETE /classes/{class_id}/teachers/{username}', 'GET /classes/{class_id}/takeout',
    'PATCH /classes/{class_id}/projects/{project}', 'PUT /classes/{class_id}/pupils/{pupil}/pause', 'DELETE /classes/{class_id}/pupils/{pupil}/pause',
    'POST /classes/{class_id}/devices', 'GET /classes/{class_id}/devices', 'DELETE /classes/{class_id}/devices/{device}'
];

/** What an app may do with the scope `user`, or with `read` where it is a GET. */
const withUser = [
    'GET /users/{user}', 'PATCH /users/{user}', 'GET /users/{user}/takeout',
    'GET /users/{user}/notices', 'PUT /users/{user}/notices/read', 'GET /users/{user}/notices/events', 'GET /users/{user}/notices/letter', 'PUT /users/{user}/notices/letter',
    'GET /users/{user}/statements', 'POST /users/{user}/statements/{statement}/appeal',
    'GET /users/{user}/blocks', 'PUT /users/{user}/blocks/{username}', 'DELETE /users/{user}/blocks/{username}',
    'GET /users/{user}/following', 'PUT /users/{user}/following/{username}', 'DELETE /users/{user}/following/{username}', 'GET /users/{user}/feed'
];

/** It says whose it is with any other scope, too. */
const saysWho = 'GET /users/{user}';

const grants = [['user'], ['projects'], ['read'], ['user', 'projects', 'read']] as const;

/** The error before anything is done; undefined if the token may. */
function refusal({ key, method, scope }: Row, has: readonly string[]): string | undefined {
    if (never.includes(key)) {
        return 'sign_in_needed';
    }

    // Of a class, it reads what its people see of projects.
    const isRead = method === 'GET' && has.includes('read') && !['GET /users/{user}/classes', 'GET /classes/{class_id}', 'GET /classes/{class_id}/assignments', 'GET /classes/{class_id}/assignments/{assignment}', 'GET /classes/{class_id}/assignments/{assignment}/work'].includes(key);
    return scope === '' || scope === 'optional' || key === saysWho || has.includes(scope) || isRead ? undefined : 'insufficient_scope';
}

lab.experiment('A token of an app', () => {
    let server: TestServer;
    let cast: Cast;

    lab.before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
    });

    lab.after(() => server.stop());

    lab.test('has a line in a table for every route that is about the account', () => {
        const about = routes.filter(({ scope }) => scope === 'user').map(({ key }) => key);
        expect(about.filter((key) => !never.includes(key) && !withUser.includes(key))).to.equal([]);
        const marked = server.server.table().filter(({ settings }) => settings.app?.signedIn === true).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
        expect(marked.filter((key) => !never.includes(key))).to.equal([]);
    });

    lab.test('is looked at by every route that shows a secret, or changes accounts or people: the server refuses one that does not say how', () => {
        const add = (path: string, method: 'GET' | 'POST' | 'DELETE', answer: Record<string, Joi.Schema>, more: object = {}): void => server.server.route({
            method, path, handler: () => '', options: {
                auth: needs('projects'), app: { cost: 'cheap', ...more },
                plugins: { description: () => ({ operationId: path, answers: { 200: bodyOf('success', { thing: Joi.array().items(record(answer)), ...answer }) }, type: undefined, takes: undefined, headers: [], errors: [], current: undefined, body: undefined, deprecated: undefined }) }
            }
        });
        expect(() => add('/rule/code', 'GET', { code: Joi.string() })).to.throw(/GET \/rule\/code shows a secret: say in options\.app\.signedIn/);
        expect(() => add('/rule/deep', 'POST', { deep: Joi.alternatives(Joi.valid(null), record({ passphrase: Joi.string() })) })).to.throw(/shows a secret/);
        expect(() => add('/rule/pupil', 'DELETE', { pupil: Joi.object() })).to.throw(/changes an account, the people of a class/);
        expect(() => add('/moderation/rule', 'GET', { reports: Joi.array() })).to.throw(/is for rights over others/);
        expect(() => add('/moderation/other', 'GET', { reports: Joi.array() }, { signedIn: false })).to.throw(/is for rights over others/);
        add('/rule/read', 'GET', { pupil: Joi.object() });
        add('/rule/said', 'GET', { code: Joi.string() }, { signedIn: false });
        add('/moderation/said', 'GET', { reports: Joi.array() }, { signedIn: true });
    });

    lab.test('does not show the code of a class to a teacher, which a sign-in does', async () => {
        const { user, class_id: id, pupil } = await cast.target();
        const secret = newSecret();
        await server.database.db.raw(`insert into tokens (user_id, hash, scope, origin, expires_at) values (?, ?, '{read,projects}', 'app', now() + interval '1 hour')`, [user, hashSecret(secret)]);
        const { body: byApp } = await server.call('GET', `/classes/${id}`, undefined, { token: secret });
        const { body: signedIn } = await server.call('GET', `/classes/${id}`, undefined, { token: await cast.token(user) });
        expect([byApp.role, byApp.code, typeof signedIn.code]).to.equal(['teacher', undefined, 'string']);
        expect([byApp.pupils, byApp.teachers]).to.equal([signedIn.pupils, signedIn.teachers]);
        expect(signedIn.pupils.map((one: { user: { id: string } }) => one.user.id)).to.include(pupil);
    });

    const tokenOf = async (userId: string, appId: string, scope: readonly string[]): Promise<string> => {
        const secret = newSecret();
        await server.database.db.raw(`insert into tokens (user_id, app_id, origin, hash, scope, expires_at) values (?, ?, 'app', ?, ?, now() + interval '1 hour')`, [userId, appId, hashSecret(secret), [...scope]]);
        return secret;
    };

    for (const row of routes.filter(({ scope }) => scope !== '' && scope !== 'optional')) {
        lab.test(`can do what its scope says: ${row.key}`, async () => {
            for (const has of grants) {
                const target = await cast.target();
                const token = await tokenOf(target.user, target.app, has);
                const ids = { ...target, username: target.member, owner: target.username, sha256: hashOf(drawing()), file: 'render.js', version, language: 'pt-BR', tag: 'art', serial: `9${target.user}` };
                const body = row.body?.(ids);
                const answer: Answer = await server.call(row.method, urlOf(row, ids), body, { headers: { authorization: `Bearer ${token}`, ...typeOf(row.path, body) } });
                const expected = refusal(row, has);
                const what = `with ${has.join(' ')}: ${answer.text.slice(0, 200)}`;
                if (expected === undefined) {
                    expect(['insufficient_scope', 'sign_in_needed', 'invalid_token'], what).to.not.include(answer.body?.code ?? 'none');
                }
                else {
                    expect([answer.status, answer.body.code], what).to.equal([403, expected]);
                }
            }
        });
    }

    lab.test('has no rights of a moderator, and does not change the username', async () => {
        const { id } = await cast.account('moderator');
        const { project, app } = await cast.target();
        const token = await tokenOf(id, app, ['user', 'projects', 'read']);
        const send = (method: string, url: string, body?: object): Promise<Answer> => server.call(method, url, body, { token });
        expect((await send('GET', '/moderation/reports')).body.code).to.equal('sign_in_needed');
        expect((await send('PATCH', '/users/me', { username: 'renamed' })).body.code).to.equal('sign_in_needed');
        expect((await send('PATCH', '/users/me', { language: 'es' })).status).to.equal(200);
        await server.database.db.raw(`update projects set visibility = 'private' where id = ?`, [project]);
        expect((await send('GET', `/projects/${project}`)).status).to.equal(404);
    });

    lab.test('counts no view with the scope read, and tells of no project that its user may not see', async () => {
        const { app, project } = await cast.target();
        const { id } = await cast.account();
        const view = async (scope: string[]): Promise<unknown> => {
            const { status, body } = await server.call('POST', `/view-project/${project}`, {}, { token: await tokenOf(id, app, scope) });
            return body.counted ?? status;
        };

        expect([await view(['read']), await view(['read', 'projects']), await view(['projects'])]).to.equal([false, true, false]);
        await server.database.db.raw(`update projects set visibility = 'private' where id = ?`, [project]);
        expect(await view(['read'])).to.equal(404);
    });

    lab.test('reads with the scope read what is private to its user, and nothing else that is private', async () => {
        const mine = await cast.target();
        const others = await cast.target();
        await server.database.db.raw(`update projects set visibility = 'private'`);
        const token = await tokenOf(mine.user, mine.app, ['read']);
        const status = async (method: string, url: string, body?: object): Promise<number> => (await server.call(method, url, body, { token })).status;
        expect(await status('GET', `/projects/${mine.project}`)).to.equal(200);
        expect(await status('GET', `/users/me/projects/${mine.project}/pages`)).to.equal(200);
        expect(await status('GET', '/users/me')).to.equal(200);
        expect(await status('GET', `/projects/${others.project}`)).to.equal(404);
        expect(await status('PATCH', `/users/me/projects/${mine.project}`, { title: 'x' })).to.equal(403);
    });
});
