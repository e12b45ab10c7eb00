import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Cast, stored } from '../../support/cast';
import type { Target } from '../../support/cast';
import { PASSWORD, startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

/** Invalid ids. */
const noIds = [
    'abc', '1.5', '-1', '0', '+1', '01', '1e3', '0x1', '1%20', '%201', '%00', '1%00', '9223372036854775808', '99999999999999999999', '1'.repeat(5000),
    'null', 'undefined', 'NaN', '__proto__', '%F0%9F%98%80', '%D9%A1', '1,2', '1;2', '1\'--', '{user}', '*', '1%2F2'
];

/** Every path with ids, and its methods. */
const paths: readonly (readonly [string, readonly string[]])[] = [
    ['/users/{user}', ['GET', 'PATCH', 'DELETE']],
    ['/users/{user}/password', ['PUT']],
    ['/users/{user}/bulk', ['POST']],
    ['/users/{user}/projects', ['GET', 'POST']],
    ['/users/{user}/projects/{project}', ['GET', 'PATCH', 'DELETE']],
    ['/users/{user}/projects/{project}/feature', ['PATCH']],
    ['/users/{user}/projects/{project}/remixes', ['GET', 'POST']],
    ['/users/{user}/projects/{project}/pages', ['GET', 'POST']],
    ['/users/{user}/projects/{project}/pages/{page}', ['GET', 'PATCH', 'DELETE']],
    ['/users/{user}/projects/{project}/pages/{page}/elements', ['GET', 'POST']],
    ['/users/{user}/projects/{project}/pages/{page}/elements/{element}', ['GET', 'PATCH', 'DELETE']],
    ['/projects/{project}', ['GET']],
    ['/view-project/{project}', ['POST']],
    ['/tokens/{token}', ['DELETE']]
];

/** A body that each write accepts, so that only its path is wrong. */
const bodies: Readonly<Record<string, object>> = {
    'PATCH /users/{user}': { language: 'en' },
    'PUT /users/{user}/password': { current_password: PASSWORD, password: PASSWORD },
    'POST /users/{user}/bulk': { actions: [{ type: 'projects', method: 'create', data: { title: 'A' } }] },
    'POST /users/{user}/projects': { title: 'A' },
    'PATCH /users/{user}/projects/{project}': { title: 'A' },
    'POST /users/{user}/projects/{project}/pages': { x: 7, y: 7 },
    'PATCH /users/{user}/projects/{project}/pages/{page}': { x: 8 },
    'POST /users/{user}/projects/{project}/pages/{page}/elements': { type: 'text' },
    'PATCH /users/{user}/projects/{project}/pages/{page}/elements/{element}': { styles: {} }
};

lab.experiment('Input', () => {

    let server: TestServer;
    let cast: Cast;
    let target: Target;
    let ids: Readonly<Record<string, string>>;
    let token: string;

    lab.before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        target = await cast.target();
        ids = { ...target };
        token = await cast.token(target.user);
    });

    lab.after(() => server.stop());

    const urlOf = (path: string, wrong: Readonly<Record<string, string>> = {}): string => {
        return path.replace(/\{(\w+)\}/g, (_match, name: string) => wrong[name] ?? ids[name] ?? '');
    };

    for (const [path, methods] of paths) {
        lab.test(`${path} is 400 wherever it has no id, and 404 where there is no such thing`, async () => {
            const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
            const before = await stored(server);
            for (const method of methods) {
                const body = bodies[`${method} ${path}`];
                for (const name of names) {
                    for (const wrong of noIds) {
                        const answer = await server.call(method, urlOf(path, { [name]: wrong }), body, { token });
                        expect(answer.status, `${method} ${urlOf(path, { [name]: wrong.slice(0, 40) })} ${answer.text}`).to.equal(400);
                        expect(answer.body.code).to.equal('validation_failed');
                        expect(answer.body.details).to.equal([{ path: name, message: `"${name}" must be an id: a decimal integer from 1 to 9223372036854775807${name === 'user' ? ', or "me"' : ''}` }]);
                    }

                    for (const missing of ['9223372036854775807', '9000000']) {
                        const answer = await server.call(method, urlOf(path, { [name]: missing }), body, { token });
                        expect(answer.status, `${method} ${urlOf(path, { [name]: missing })} ${answer.text}`).to.equal(404);
                        expect(answer.body.code).to.equal('not_found');
                    }
                }

                const all = await server.call(method, urlOf(path, Object.fromEntries(names.map((name) => [name, 'x']))), body, { token });
                expect(all.body.details.map((detail: { path: string }) => detail.path)).to.equal(names);
            }

            expect(await stored(server)).to.equal(before);
        });
    }

    lab.test('a path whose parts do not belong together is 404, whichever part is wrong', async () => {
        const other = await cast.target();
        for (const [path] of paths.filter(([each]) => each.startsWith('/users/{user}/projects/{project}'))) {
            const links = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
            for (const link of links) {
                const url = urlOf(path, { [link]: { user: other.user, project: other.project, page: other.page, element: other.element }[link] ?? '' });
                const answer = await server.call(path.endsWith('feature') ? 'PATCH' : 'GET', url, undefined, { token });
                expect(answer.status, url).to.equal(404);
            }
        }
    });

    lab.test('a path that is not percent-encoded UTF-8 is 400', async () => {
        for (const path of ['/users/%', '/users/%zz', '/users/%f', '/users/%ff', '/users/%c3%28', '/projects/tagged/%ED%A0%80', '/nowhere/%']) {
            const { status, body } = await server.call('GET', path, undefined, { token });
            expect({ status, code: body.code }, path).to.equal({ status: 400, code: 'malformed_path' });
        }
    });

    lab.test('a Host that names no server is 400 on each kind of route, and none at all is not', async () => {
        const places = ['/', '/projects', '/nowhere', `/users/${target.user}/assets`, `/oembed?url=x`];
        for (const host of ['a b', 'a/b', 'a?b', 'a#b', 'a\\b', '@', 'user@place.example', 'place.example:99999', 'place.example:x', '%', '[::1', '999.1.1.1']) {
            for (const path of places) {
                const { status, text } = await server.call('GET', path, undefined, { token, headers: { host, accept: 'text/html' } });
                expect({ status, text }, `${host} ${path}`).to.contain({ status: 400 });
                expect(text).to.contain(['"code":"bad_request"', 'The Host header is invalid']);
            }
        }

        for (const host of ['', 'place.example', 'PLACE.example:8080', '[::1]:3000', '127.0.0.1', 'b\u00fccher.example']) {
            expect((await server.call('GET', `/users/${target.user}/assets`, undefined, { token, headers: { host } })).status, host).to.equal(200);
        }
    });

    lab.test('a path may end with a slash, and an unknown path is 404', async () => {
        expect((await server.call('GET', '/projects/')).status).to.equal(200);
        for (const path of ['/Projects', '/project', '/users/1/2', `/projects/${target.project}/pages`, '/projects//', '/\u00e9']) {
            const { status, body } = await server.call('GET', path);
            expect({ status, code: body.code }, path).to.equal({ status: 404, code: 'not_found' });
        }
    });

    const lists = ['/discover', '/discover/en', '/projects', '/projects/tagged/art', '/users/{user}/projects', '/users/{user}/projects/{project}/remixes'];
    const cursor = (text: string): string => Buffer.from(text).toString('base64url');
    const queries: readonly (readonly [string, readonly string[]])[] = [
        ['count=0', ['count']], ['count=101', ['count']], ['count=-1', ['count']], ['count=1.5', ['count']], ['count=', ['count']], ['count=ten', ['count']], ['count=1e1', ['count']],
        ['count=010', ['count']], ['count=%00', ['count']], ['count=99999999999999999999', ['count']], ['count=1&count=2', ['count']], ['count[]=1', ['count[]']],
        ['page=0', ['page']], ['page=51', ['page']], ['page=x', ['page']], ['page=1&page=1', ['page']],
        ['after=', ['after']], ['after=x', ['after']], ['after=%00', ['after']], ['after=a&after=b', ['after']], [`after=${'A'.repeat(3000)}`, ['after']],
        [`after=${cursor('0.1.0')}`, ['after']], [`after=${cursor('4.1.1')}`, ['after']], [`after=${cursor('0.-1.1')}`, ['after']], [`after=${cursor('0.1.9223372036854775808')}`, ['after']],
        [`after=${cursor('0.999999999999999.1')}`, ['after']], [`after=${cursor('0.1.1; drop table projects')}`, ['after']], [`after=${cursor('0.1.1')}=`, ['after']], [`after=%20${cursor('0.1.1')}`, ['after']],
        [`page=1&after=${cursor('0.1.1')}`, ['']],
        ['limit=5', ['limit']], ['__proto__=1', ['__proto__']], ['constructor=1', ['constructor']], ['Count=5', ['Count']], ['%ff=1', ['\ufffd']],
        ['count=0&page=0&after=x&more=1', ['count', 'page', 'after', 'more', '']]
    ];
    for (const path of lists) {
        lab.test(`${path} rejects an invalid query string with all its errors`, async () => {
            for (const [query, at] of queries) {
                const { status, body, text } = await server.call('GET', `${urlOf(path)}?${query}`);
                expect({ status, code: body.code }, `${query} ${text}`).to.equal({ status: 400, code: 'validation_failed' });
                expect([...new Set(body.details.map((detail: { path: string }) => detail.path))], text).to.only.include([...at]);
            }

            for (const query of ['', 'count=1', 'count=100', 'page=50', 'count=100&page=50', `after=${cursor('0.0.1')}`, `count=7&after=${cursor('2.253402300799999.9223372036854775807')}`]) {
                const { status, text } = await server.call('GET', `${urlOf(path)}?${query}`);
                expect(status, `${query} ${text}`).to.equal(200);
            }
        });
    }

    lab.test('a message says how many more errors there are', async () => {
        for (const [body, message] of [
            [{ username: 'a b', password: 'long enough' }, /^The request does not validate: "username" [^(]*\.$/],
            [{ username: 'a b', password: 'x', language: '1x', more: true }, /^The request does not validate: "username" .* \(and 3 more: "details" lists all of them\)\.$/]
        ] as const) {
            const answer = await server.call('POST', '/users', body);
            expect(answer.status).to.equal(400);
            expect(answer.body.message).to.match(message);
        }
    });

    lab.test('a query string on a route without parameters is rejected', async () => {
        const before = await stored(server);
        for (const [path, methods] of [...paths.filter(([each]) => !lists.includes(each)), ['/featured-tags', ['GET']], ['/tokens', ['GET', 'POST', 'DELETE']], ['/users', ['POST']], ['/health', ['GET']]] as const) {
            for (const method of methods) {
                const { status, body } = await server.call(method, `${urlOf(path)}?revision=1&count=5`, bodies[`${method} ${path}`], { token });
                expect({ status, code: body.code }, `${method} ${path}`).to.equal({ status: 400, code: 'validation_failed' });
            }
        }

        expect(await stored(server)).to.equal(before);
    });

    lab.test('an invalid tag or language is 400', async () => {
        for (const path of ['/discover/e', '/discover/12', `/discover/${'x'.repeat(21)}`, '/discover/%00', '/projects/tagged/%00', `/projects/tagged/${'x'.repeat(1001)}`, '/projects/tagged/a%00b']) {
            expect((await server.call('GET', path)).status, path).to.equal(400);
        }
    });

    lab.test('no request here caused an internal error', () => {
        expect(server.faults).to.equal([]);
    });
});
