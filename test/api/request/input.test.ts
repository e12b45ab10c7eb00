import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { version } from '../../../src/api/description/version';
import { namesIn, ownersStatus, pathWith, routes, typeOf, urlOf } from '../../routes/index';
import type { Ids } from '../../routes/route';
import { Cast, stored } from '../../support/cast';
import type { Target } from '../../support/cast';
import { drawing, hashOf } from '../../support/files';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

/** Invalid ids. */
const noIds = [
    'abc', '1.5', '-1', '0', '+1', '01', '1e3', '0x1', '1%20', '%201', '%00', '1%00', '9223372036854775808', '99999999999999999999', '1'.repeat(5000),
    'null', 'undefined', 'NaN', '__proto__', '%F0%9F%98%80', '%D9%A1', '1,2', '1;2', '1\'--', '{user}', '*', '1%2F2'
];

/** The parameters that are ids. */
const idNames = ['user', 'project', 'page', 'element', 'token', 'entry', 'invitation', 'collection', 'announcement', 'sign_up_code'];

const idsIn = (path: string): string[] => namesIn(path).filter((name) => idNames.includes(name));

/** Every path with ids, and its routes. */
const paths = [...new Set(routes.map(({ path }) => path))].filter((path) => idsIn(path).length > 0).map((path) => ({ path, own: routes.filter((row) => row.path === path) }));

lab.experiment('Input', () => {

    let server: TestServer;
    let cast: Cast;
    let target: Target;
    let ids: Ids;
    let token: string;
    /** of a moderator who is of the staff */
    let moderator: string;

    lab.before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        target = await cast.target();
        ids = { ...target, username: target.member, owner: target.username, sha256: hashOf(drawing()), language: 'en', tag: 'art', file: 'render.js', version, serial: '1' };
        token = await cast.token(target.user);
        const { id } = await cast.account('moderator');
        await server.database.db.raw('update users set staff = true where id = ?', [id]);
        moderator = await cast.token(id);
    });

    lab.after(() => server.stop());

    for (const { path, own } of paths) {
        lab.test(`${path} is 400 wherever it has no id, and 404 where there is no such thing`, async () => {
            const names = idsIn(path);
            const before = await stored(server);
            for (const row of own) {
                const body = row.body?.(ids);
                const send = (wrong: Ids): Promise<Answer> => server.call(row.method, urlOf(row, { ...ids, ...wrong }), body, { token: ownersStatus(row) === 403 ? moderator : token, headers: typeOf(path, body) });
                for (const name of names) {
                    for (const wrong of noIds) {
                        const answer = await send({ [name]: wrong });
                        expect(answer.status, `${row.key} with ${name} ${wrong.slice(0, 40)} ${answer.text}`).to.equal(400);
                        expect(answer.body.code).to.equal('validation_failed');
                        expect(answer.body.details).to.equal([{ path: name, message: `"${name}" must be an id: a decimal integer from 1 to 9223372036854775807${name === 'user' ? ', or "me"' : ''}` }]);
                    }

                    for (const missing of ['9223372036854775807', '9000000']) {
                        const answer = await send({ [name]: missing });
                        const status = name === 'user' ? row.absentUser ?? 404 : 404;
                        expect([answer.status, answer.body.code], `${row.key} with ${name} ${missing} ${answer.text}`).to.equal([status, status === 404 ? 'not_found' : 'forbidden']);
                    }
                }

                const all = await send(Object.fromEntries(names.map((name) => [name, 'x'])));
                expect(all.body.details.map((detail: { path: string }) => detail.path)).to.equal(names);
            }

            expect(await stored(server)).to.equal(before);
        });
    }

    lab.test('a path whose parts do not belong together is 404, whichever part is wrong', async () => {
        const { user, project, page, element } = await cast.target();
        for (const row of routes.filter(({ path }) => path.startsWith('/users/{user}/projects/{project}'))) {
            const body = row.body?.(ids);
            for (const [name, id] of Object.entries({ user, project, page, element }).filter(([each]) => row.path.includes(`{${each}}`))) {
                const answer = await server.call(row.method, urlOf(row, { ...ids, [name]: id }), body, { token, headers: typeOf(row.path, body) });
                expect(answer.status, `${row.key} with another ${name}`).to.equal(404);
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

    lab.test('two Host headers are 400', async () => {
        await server.server.start();
        const socket = connect(Number(server.server.info.port), '127.0.0.1');
        socket.write('GET /projects HTTP/1.1\r\nHost: place.example\r\nhost: other.example\r\nConnection: close\r\n\r\n');
        const answer = await textOf(socket);
        expect(answer).to.startWith('HTTP/1.1 400').and.to.contain('The request has more than one Host header');
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
                const { status, body, text } = await server.call('GET', `${pathWith(path, ids)}?${query}`);
                expect({ status, code: body.code }, `${query} ${text}`).to.equal({ status: 400, code: 'validation_failed' });
                expect([...new Set(body.details.map((detail: { path: string }) => detail.path))], text).to.only.include([...at]);
            }

            for (const query of ['', 'count=1', 'count=100', 'page=50', 'count=100&page=50', `after=${cursor('0.0.1')}`, `count=7&after=${cursor('2.253402300799999.9223372036854775807')}`]) {
                const { status, text } = await server.call('GET', `${pathWith(path, ids)}?${query}`);
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

    lab.test('an unknown parameter in the query string is 400 on every route', async () => {
        const before = await stored(server);
        for (const { key, method, path, body: valid } of routes) {
            const body = valid?.(ids);
            const { status, body: answer } = await server.call(method, `${pathWith(path, ids)}?revision=1&count=5`, body, { token, headers: typeOf(path, body) });
            expect({ status, code: answer?.code }, key).to.equal({ status: 400, code: 'validation_failed' });
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
