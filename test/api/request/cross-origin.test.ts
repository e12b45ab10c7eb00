import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { fixedCors } from '../../../src/api/request/cross-origin';
import { missingRows, ownersStatus, pathWith, routes } from '../../routes/index';
import { Cast } from '../../support/cast';
import type { Target } from '../../support/cast';
import { drawing, hashOf, storeAsset } from '../../support/files';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

const origin = 'https://editor.example';
const shown = drawing();
const fixed = 'WWW-Authenticate,Server-Authorization';
const shownToAll = `${fixed},ETag,Link,Location,Retry-After,RateLimit,RateLimit-Policy,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset,Deprecation,Sunset,X-Request-Id`;

const basic = 'Authorization,Content-Type,If-None-Match';
const later = `${basic},If-Match,Idempotency-Key,Last-Event-ID`;

/** The headers that a response exposes, and those that preflights allow, by the rules that a route follows. */
const rules = { fixed: [fixed, basic], later: [shownToAll, later] } as const;

interface Path {
    path: string;
    exposed: string;
    /** in preflights */
    methods: string;
    allowed: string;
    /** the status of a GET by the owner */
    status: number | undefined;
}

/** Every path, but those of the client, which any origin may load. */
const paths = [...new Set(routes.map(({ path }) => path))].flatMap((path): Path[] => {
    const own = routes.filter((row) => row.path === path);
    const get = own.find(({ method }) => method === 'GET');
    const rule = own[0]?.origin ?? 'any';
    if (rule === 'any') {
        return [];
    }

    const [exposed, allowed] = rules[rule];
    const methods = rule === 'fixed' ? ['GET', 'PATCH', 'DELETE'] : ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => own.some((row) => row.method === method));
    return [{ path, exposed, allowed, methods: ['OPTIONS', ...methods].join(', '), status: get && ownersStatus(get) }];
});

lab.experiment('Cross-origin rules', () => {

    let server: TestServer;
    let ids: Readonly<Record<string, string>>;
    let target: Target;
    let token: string;

    const urlOf = (path: string): string => pathWith(path, ids) + (routes.find((row) => row.path === path && row.method === 'GET')?.query ?? '');

    lab.before(async () => {
        server = await startTestServer();
        const cast = new Cast(server);
        target = await cast.target();
        token = await cast.token(target.user);
        ids = { ...target, language: 'pt-BR', tag: 'art', revision: '1', entry: '1', sha256: hashOf(shown) };
        await storeAsset(server, shown, 'image/svg+xml');
        // For the rules about handlers: one that sets its own headers, and one that fails.
        server.server.route([
            {
                method: 'GET',
                path: '/wilful',
                handler: (_request, h) => h.response('x')
                    .header('access-control-allow-origin', 'https://other.example').header('access-control-expose-headers', 'X-Secret')
                    .header('access-control-allow-credentials', 'true').header('access-control-allow-methods', 'PUT'),
                options: { app: { cost: 'cheap' }, cors: fixedCors }
            },
            { method: 'GET', path: '/failing', options: { app: { cost: 'cheap' } }, handler: () => Promise.reject(new Error('the inside')) }
        ]);
    });

    lab.after(() => server.stop());

    /** The cross-origin headers of a response. */
    const corsOf = ({ headers }: Answer): object => Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
    const varies = ({ headers }: Answer): boolean => String(headers.vary).split(/, ?/).includes('origin');

    lab.test('are in the table for every route, and the same for all of a path', () => {
        expect(missingRows({ table: () => server.server.table().filter(({ path }) => !['/wilful', '/failing'].includes(path)) })).to.equal([]);
        expect(routes.filter(({ path, origin: rule }) => routes.some((row) => row.path === path && row.origin !== rule)).map(({ key }) => key)).to.equal([]);
    });

    lab.test('are fixed for twelve rows of the contract, and one policy for every other operation of the description', () => {
        const fixedPaths = ['/users/{user}', ...['', '/pages/{page}', '/pages/{page}/elements/{element}'].map((rest) => `/users/{user}/projects/{project}${rest}`)];
        const fixedRows = fixedPaths.flatMap((path) => ['GET', 'PATCH', 'DELETE'].map((method) => `${method} ${path}`));
        expect(routes.filter(({ origin: rule }) => rule === 'fixed').map(({ key }) => key).sort()).to.equal(fixedRows.sort());
        const described = server.server.table().filter(({ settings }) => settings.plugins?.description !== undefined).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
        const others = described.filter((key) => !fixedRows.includes(key) && key !== 'GET /assets/{sha256}');
        expect(others.filter((key) => routes.find((row) => row.key === key)?.origin !== 'later')).to.equal([]);
    });

    for (const { path, exposed, methods, allowed, status } of paths) {
        lab.test(`${path} allows ${methods}`, async () => {
            const url = urlOf(path);
            const names = methods.split(', ');
            for (const asked of [...names, 'PUT']) {
                // A preflight has no token.
                const preflight = await server.call('OPTIONS', url, undefined, {
                    headers: { origin, 'access-control-request-method': asked, 'access-control-request-headers': 'authorization, content-type, if-none-match' }
                });
                expect(preflight.status).to.equal(204);
                expect(preflight.text).to.equal('');
                expect(corsOf(preflight)).to.equal({
                    'access-control-allow-origin': origin,
                    'access-control-allow-methods': methods,
                    'access-control-allow-headers': allowed,
                    'access-control-max-age': 86_400,
                    'access-control-expose-headers': exposed
                });
                expect(varies(preflight)).to.be.true();
                expect(preflight.headers['x-request-id']).to.be.a.string();
            }

            const allow = methods.replace('GET', 'GET, HEAD');
            for (const headers of [undefined, { origin }]) {
                const plain = await server.call('OPTIONS', url, undefined, { headers });
                expect(plain.status).to.equal(204);
                expect(plain.headers.allow).to.equal(allow);
                expect(plain.headers['x-request-id']).to.be.a.string();
                expect(corsOf(plain)).to.equal(headers === undefined ? {} : { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed });
                expect(varies(plain)).to.be.true();
            }

            for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
                // A PUT of `missing` is one of an asset, with a name that is none.
                const isOther = method === 'PUT' && path.endsWith('/assets/missing');
                if (!names.includes(method) && !(method === 'HEAD' && names.includes('GET')) && !isOther) {
                    const lacking = await server.call(method, `${url}?any=thing`, undefined, { headers: { origin } });
                    expect(lacking.status, `${method} ${url}`).to.equal(405);
                    expect(lacking.headers.allow).to.equal(allow);
                    expect(corsOf(lacking)).to.equal({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed });
                    expect(varies(lacking)).to.be.true();
                    expect(method === 'HEAD' || lacking.body.code === 'method_not_allowed').to.be.true();
                }
            }

            if (names.includes('GET')) {
                const get = await server.call('GET', url, undefined, { token, headers: { origin } });
                const head = await server.call('HEAD', url, undefined, { token, headers: { origin } });
                expect([get.status, head.status, head.text]).to.equal([status, status, '']);
                expect(corsOf(get)).to.equal({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed });
                expect(corsOf(head)).to.equal(corsOf(get));
                // A point has a tag of its contents, which HEAD does not read.
                const isPoint = path.endsWith('/history/{revision}');
                expect(head.headers.etag).to.equal(isPoint ? undefined : get.headers.etag);
                expect(head.headers['content-length']).to.equal(isPoint ? undefined : get.headers['content-length']);
                expect(varies(get)).to.be.true();
            }
        });
    }

    lab.test('any origin is echoed, and nothing if there is no origin', async () => {
        for (const other of ['null', 'http://localhost:8080', 'https://xn--80ak6aa92e.example']) {
            const answer = await server.call('GET', '/projects', undefined, { headers: { origin: other } });
            expect(answer.headers['access-control-allow-origin']).to.equal(other);
        }

        const plain = await server.call('GET', '/projects');
        expect(plain.headers['access-control-allow-origin']).to.be.undefined();
        expect(varies(plain)).to.be.true();
    });

    lab.test('a preflight for a forbidden header fails', async () => {
        const preflight = await server.call('OPTIONS', urlOf('/users/{user}'), undefined, {
            headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'if-match' }
        });
        expect(corsOf(preflight)).to.equal({});
        expect(varies(preflight)).to.be.true();
    });

    lab.test('the rules override headers of a handler', async () => {
        const answer = await server.call('GET', '/wilful', undefined, { headers: { origin } });
        expect(corsOf(answer)).to.equal({ 'access-control-allow-origin': origin, 'access-control-expose-headers': fixed });
    });

    // method, path, body, headers, status, exposed headers
    const errors = [
        ['GET', '/users/{user}', undefined, {}, 401, fixed],
        ['GET', '/users/{user}', undefined, { authorization: 'token x' }, 401, fixed],
        ['PATCH', '/users/{user}/projects/{project}', {}, {}, 401, fixed],
        ['GET', '/users/9000000', undefined, { own: '' }, 404, fixed],
        ['GET', '/users/nobody', undefined, { own: '' }, 400, fixed],
        ['PATCH', '/users/{user}', {}, { own: '' }, 400, fixed],
        ['PATCH', '/users/{user}', { language: 'en', revision: 77 }, { own: '' }, 409, fixed],
        ['PATCH', '/users/{user}', { language: 'en' }, { own: '', 'if-match': '"77"' }, 412, fixed],
        ['PATCH', '/users/{user}', '{}', { own: '', 'content-type': 'text/plain' }, 415, fixed],
        ['PATCH', '/users/{user}', Buffer.alloc(10 * 1024 * 1024 + 1, 32), { own: '' }, 413, fixed],
        ['POST', '/users/{user}/bulk', {}, {}, 401, shownToAll],
        ['PATCH', '/users/{user}/projects/{project}/feature', {}, { own: '' }, 403, shownToAll],
        ['GET', '/projects/9000000', undefined, {}, 404, shownToAll],
        ['GET', '/nowhere/at/all', undefined, {}, 404, shownToAll],
        ['POST', '/nowhere?a=b', '{', {}, 404, shownToAll],
        ['GET', '/users/%zz', undefined, {}, 400, shownToAll],
        ['GET', '/failing', undefined, {}, 500, shownToAll]
    ] as const;
    for (const [method, path, body, { ...headers }, status, exposed] of errors) {
        lab.test(`a browser can read the ${status} of ${method} ${path}`, async () => {
            const { own, ...sent } = { own: undefined, ...headers };
            const answer = await server.call(method, urlOf(path), body, { token: own === undefined ? undefined : token, headers: { origin, ...sent } });
            expect(answer.status, answer.text.slice(0, 300)).to.equal(status);
            expect(corsOf(answer)).to.equal({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed });
            expect(varies(answer)).to.be.true();
            expect(answer.body.statusCode).to.equal(status);
        });
    }

    lab.test('a preflight passes for an unknown path, so that the 404 can be read, and reports a malformed path', async () => {
        const asked = { origin, 'access-control-request-method': 'GET' };
        const nowhere = await server.call('OPTIONS', '/nowhere', undefined, { headers: asked });
        expect(nowhere.status).to.equal(204);
        expect(nowhere.headers['access-control-allow-origin']).to.equal(origin);
        expect(varies(nowhere)).to.be.true();

        const malformed = await server.call('OPTIONS', '/users/%zz', undefined, { headers: asked });
        expect(malformed.status).to.equal(400);
        expect(malformed.body.code).to.equal('malformed_path');

        const plain = await server.call('OPTIONS', '/nowhere');
        expect(plain.status).to.equal(404);
        expect(plain.body.code).to.equal('not_found');
    });
});
