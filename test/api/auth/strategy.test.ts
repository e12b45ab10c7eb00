import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { currentUser } from '../../../src/api/request/caller';
import { newSecret } from '../../../src/api/auth/secrets';
import { Cast, stored } from '../../support/cast';
import type { Target } from '../../support/cast';
import { interrupted, queriesOf } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

lab.experiment('Authorization', () => {

    let server: TestServer;
    let cast: Cast;
    let target: Target;
    let token: string;
    let userOnly: string;
    let stranger: string;

    lab.before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        target = await cast.target();
        token = await cast.token(target.user);
        userOnly = await cast.token(target.user, ['user']);
        stranger = await cast.token((await cast.account()).id);
    });

    lab.after(() => server.stop());

    const good = ['token {}', 'Token {}', 'TOKEN {}', 'Bearer {}', 'bearer {}', 'BEARER {}', 'token   {}', 'Bearer {} '];
    const bad = [
        'token', 'token ', 'Bearer', '{}', 'Basic {}', 'Basic dXNlcjpwYXNzd29yZA==', 'Digest username="a"', 'tokens {}', 'token{}', 'token:{}', 'token={}',
        'token {} {}', 'token {} x', 'token {},', 'token {}, token {}', 'token "{}"', 'token x{}', 'token {}x', 'token {}=', 'token ..', 'token null', 'token %00',
        'token \u00e9', 'token {}\u00e9', 'token \'; drop table tokens; --', `token ${'x'.repeat(6000)}`, 'token\t{}', ',', '  '
    ];
    for (const form of [...good, ...bad]) {
        lab.test(`"${form.slice(0, 40)}" is ${good.includes(form) ? 'accepted' : '401'}`, async () => {
            const authorization = form.replaceAll('{}', token);
            for (const url of [`/users/${target.user}`, '/tokens']) {
                const { status, headers, body } = await server.call('GET', url, undefined, { headers: { authorization } });
                expect(status).to.equal(good.includes(form) ? 200 : 401);
                if (status === 401) {
                    expect(headers['www-authenticate']).to.equal('Bearer realm="pagewright", error="invalid_token"');
                    expect(body).to.only.include(['statusCode', 'error', 'message', 'code', 'request_id']);
                    expect(body).to.include({ statusCode: 401, error: 'Unauthorized', code: 'invalid_token' });
                    expect(body.message).to.not.include(token);
                }
            }

            // A public route ignores the header; one with an optional token reads it.
            const reading = await server.call('GET', `/users/${target.user}/projects/${target.project}`, undefined, { headers: { authorization } });
            expect(reading.status).to.equal(200);
            const viewing = await server.call('POST', `/view-project/${target.project}`, undefined, { headers: { authorization } });
            expect(viewing.status).to.equal(good.includes(form) ? 200 : 401);
        });
    }

    lab.test('where a token is optional, a request without one is accepted', async () => {
        expect((await server.call('POST', `/view-project/${target.project}`)).status).to.equal(200);
    });

    lab.test('what cannot be one of our tokens is not looked up', async () => {
        const asking = (secret: string): Promise<number> => queriesOf(() => server.call('GET', '/tokens', undefined, { token: secret })).then(({ length }) => length);
        expect(await asking(newSecret())).to.equal(1);
        for (const secret of [`x${token}`, `${token}x`, token.slice(1), `${token.slice(1)}.`]) {
            expect(await asking(secret), secret).to.equal(0);
        }
    });

    lab.test('a token in the query string or in a cookie is ignored', async () => {
        for (const name of ['access_token', 'token']) {
            const query = await server.call('GET', `/tokens?${name}=${token}`);
            expect(query.status).to.equal(401);
            const cookie = await server.call('GET', '/tokens', undefined, { headers: { cookie: `${name}=${token}` } });
            expect(cookie.status).to.equal(401);
        }
    });

    lab.test('cookies of other applications cause no errors, however odd', async () => {
        for (const cookie of ['a="', 'a=\u0001; =', '=====', 'a b=c', ';;;']) {
            expect((await server.call('GET', '/projects', undefined, { headers: { cookie } })).status).to.equal(200);
        }
    });

    lab.test('errors are reported in the order of the contract', async () => {
        const page = `/users/${target.user}/projects/${target.project}/pages/${target.page}`;
        const gone = `/users/${target.user}/projects/${target.project}/pages/9000000`;
        const { body: { page: other } } = await server.call('POST', page.replace(/\/\d+$/, ''), { x: 1, y: 1 }, { token });
        const taken = { x: other.x, y: other.y };
        const cases = [
            // First everything is wrong, and then one thing less each time.
            [undefined, '/users/x/projects/y/pages/z', '{"x":', {}, 401, 'invalid_token'],
            ['nonsense', '/users/x/projects/y/pages/z', '{"x":', {}, 401, 'invalid_token'],
            [userOnly, '/users/x/projects/y/pages/z', '{"x":', {}, 403, 'insufficient_scope'],
            [stranger, '/users/x/projects/y/pages/z', '{"x":', {}, 400, 'malformed_body'],
            [stranger, '/users/x/projects/y/pages/z', taken, {}, 400, 'validation_failed'],
            [stranger, gone, { x: 'one' }, {}, 400, 'validation_failed'],
            [stranger, gone, taken, {}, 404, 'not_found'],
            [stranger, page, taken, {}, 403, 'forbidden'],
            [stranger, page, { ...taken, revision: 99 }, { 'if-match': '"99"' }, 403, 'forbidden'],
            [token, page, { x: 1.5, revision: 99 }, {}, 400, 'validation_failed'],
            [token, page, taken, {}, 409, 'coordinates_taken'],
            [token, page, { x: 2, revision: 99 }, {}, 409, 'revision_conflict'],
            [token, page, { x: 2 }, { 'if-match': '"99"' }, 412, 'revision_conflict'],
            [token, page, { x: 2 }, {}, 200, undefined],
            // A body that is too large, or of a wrong type, is reported after the token too.
            [undefined, page, Buffer.alloc(10 * 1024 * 1024 + 1, 32), {}, 401, 'invalid_token'],
            [userOnly, page, '<x/>', { 'content-type': 'text/xml' }, 403, 'insufficient_scope'],
            [stranger, gone, '<x/>', { 'content-type': 'text/xml' }, 415, 'unsupported_media_type']
        ] as const;
        for (const [who, url, body, { ...headers }, status, code] of cases) {
            const before = await stored(server);
            const answer = await server.call('PATCH', url, body, { token: who, headers });
            expect({ status: answer.status, code: answer.body.code }, `${url} ${answer.text.slice(0, 200)}`).to.equal({ status, code });
            expect(await stored(server) === before).to.equal(status !== 200);
        }
    });

    lab.test('also for your own account', async () => {
        const taken = (await cast.account()).username;
        const cases = [
            [undefined, '/users/x', { username: '' }, 401],
            [await cast.token(target.user, ['projects']), '/users/x', { username: '' }, 403],
            [stranger, '/users/x', { username: taken }, 400],
            [stranger, '/users/9000000', { username: taken }, 404],
            [stranger, `/users/${target.user}`, { username: taken }, 403],
            [token, `/users/${target.user}`, { username: taken }, 409]
        ] as const;
        for (const [who, url, body, status] of cases) {
            expect((await server.call('PATCH', url, body, { token: who })).status).to.equal(status);
        }
    });

    lab.test('if the database cannot look a token up, the response is 503', async () => {
        const broken = (): Promise<never> => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
        const { status, body } = await interrupted(/from tokens t join/, broken, () => server.call('GET', '/tokens', undefined, { token }));
        expect({ status, code: body.code }).to.equal({ status: 503, code: 'service_unavailable' });
    });

    lab.test('a handler that needs the caller throws on a route without authentication', async () => {
        server.server.route({ method: 'GET', path: '/whoami', options: { app: { cost: 'cheap' } }, handler: (request) => currentUser(request) });
        const { status, body } = await server.call('GET', '/whoami', undefined, { token });
        expect(status).to.equal(401);
        expect(body.code).to.equal('invalid_token');
    });
});
