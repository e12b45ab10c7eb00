import { deflateSync, gzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { MAX_BODY_BYTES } from '../../../src/limits';
import { Cast, stored } from '../../support/cast';
import type { Target } from '../../support/cast';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

const deep = (open: string, inner: string, close: string): string => open.repeat(100_000) + inner + close.repeat(100_000);
const unit = { x: 1, y: 0 };
const json = JSON.stringify(unit);
const type = 'application/json';

/** From this length on, a body is read in steps. */
const LARGE = 64 * 1024;

/** Rejected bodies: a name, the body, its headers, the status and the code. */
const refused: readonly (readonly [string, string | Buffer, Record<string, string>, number, string])[] = [
    ['truncated', '{"x": 1, "y"', {}, 400, 'malformed_body'],
    ['truncated in a string', '{"x": "', {}, 400, 'malformed_body'],
    ['truncated in an escape', '{"x": "\\u00', {}, 400, 'malformed_body'],
    ['truncated within styles', '{"x": 1, "y": 0, "styles": {"a": {"b": 1', {}, 400, 'malformed_body'],
    ['truncated behind the key of styles', `${' '.repeat(LARGE)}{"x": 1, "y": 0, "styles"`, {}, 400, 'malformed_body'],
    ['only white space', '  \n', {}, 400, 'malformed_body'],
    ['not JSON', 'x=1&y=0', {}, 400, 'malformed_body'],
    ['NaN', '{"x": NaN, "y": 0}', {}, 400, 'malformed_body'],
    ['Infinity', '{"x": -Infinity, "y": 0}', {}, 400, 'malformed_body'],
    ['hexadecimal', '{"x": 0x10, "y": 0}', {}, 400, 'malformed_body'],
    ['a comment', '{"x": 1, /* y */ "y": 0}', {}, 400, 'malformed_body'],
    ['a trailing comma', '{"x": 1, "y": 0,}', {}, 400, 'malformed_body'],
    ['two values', '{"x": 1}{"y": 0}', {}, 400, 'malformed_body'],
    ['a raw NUL', '{"x": 1, "y": 0, "styles": {"a": "\u0000"}}', {}, 400, 'malformed_body'],
    ['two byte order marks', `\ufeff\ufeff${json}`, {}, 400, 'malformed_body'],
    ['broken UTF-8', Buffer.concat([Buffer.from('{"x": 1, "y": 0, "styles": {"a": "'), Buffer.from([0xC3, 0x28]), Buffer.from('"}}')]), {}, 400, 'malformed_body'],
    ['a surrogate in UTF-8', Buffer.concat([Buffer.from('{"x": 1, "y": 0, "styles": {"a": "'), Buffer.from([0xED, 0xA0, 0x80]), Buffer.from('"}}')]), {}, 400, 'malformed_body'],
    ['UTF-16', Buffer.from(json, 'utf16le'), {}, 400, 'malformed_body'],
    ['cut within a character', Buffer.from('{"x": "é').subarray(0, -1), {}, 400, 'malformed_body'],
    ['__proto__', '{"x": 1, "y": 0, "__proto__": {"admin": true}}', {}, 400, 'malformed_body'],
    ['__proto__ inside', '{"x": 1, "y": 0, "styles": {"a": [{"__proto__": 1}]}}', {}, 400, 'malformed_body'],
    ['__proto__, escaped', '{"x": 1, "y": 0, "styles": {"\\u005f_proto__": 1}}', {}, 400, 'malformed_body'],
    ['escaped U+0000', '{"x": 1, "y": 0, "styles": {"a": "b\\u0000"}}', {}, 400, 'validation_failed'],
    ['U+0000 in a key', '{"x": 1, "y": 0, "styles": {"a\\u0000": 1}}', {}, 400, 'validation_failed'],
    ['U+0000 deep inside', '{"x": 1, "y": 0, "styles": {"a": [[{"b": ["\\u0000"]}]]}}', {}, 400, 'validation_failed'],
    ['the first half of a surrogate pair', '{"x": 1, "y": 0, "styles": {"a": "\\ud83d"}}', {}, 400, 'validation_failed'],
    ['the second half', '{"x": 1, "y": 0, "styles": {"a": "\\uDE00"}}', {}, 400, 'validation_failed'],
    ['halves in the wrong order', '{"x": 1, "y": 0, "styles": {"a": "\\ude00\\ud83d"}}', {}, 400, 'validation_failed'],
    ['half a pair in a key', '{"x": 1, "y": 0, "styles": {"\\ud83d": 1}}', {}, 400, 'validation_failed'],
    ['1e400', '{"x": 1e400, "y": 0}', {}, 400, 'validation_failed'],
    ['-1E400 inside', '{"x": 1, "y": 0, "styles": {"a": [-1E400]}}', {}, 400, 'validation_failed'],
    ['four hundred digits', `{"x": 1, "y": 0, "styles": {"a": ${'9'.repeat(400)}}}`, {}, 400, 'validation_failed'],
    ['deep arrays', deep('[', '', ']'), {}, 400, 'validation_failed'],
    ['deep objects', deep('{"a":', '1', '}'), {}, 400, 'validation_failed'],
    ['deep arrays, unclosed', '['.repeat(40_000), {}, 400, 'malformed_body'],
    ['deep arrays in a number', `{"x": ${deep('[', '', ']')}, "y": 0}`, {}, 400, 'validation_failed'],
    ['deep arrays in styles', `{"x": 1, "y": 0, "styles": {"a": ${deep('[', '', ']')}}}`, {}, 400, 'validation_failed'],
    ['deep objects in styles', `{"x": 1, "y": 0, "styles": ${deep('{"a":', '{}', '}')}}`, {}, 400, 'validation_failed'],
    ['deep styles with U+0000 at their end', `{"x": 1, "y": 0, "styles": ${deep('{"a":', '"\\u0000"', '}')}}`, {}, 400, 'validation_failed'],
    ['more faults than anybody wants to read', `{"x": 1, "y": 0, "styles": [${'"\\u0000",'.repeat(1000)}1]}`, {}, 400, 'validation_failed'],
    ['a hundred thousand fields', `{${Array.from({ length: 100_000 }, (_value, index) => `"k${index}":1`).join()}}`, {}, 400, 'validation_failed'],
    ['a hundred thousand values inside', `{"x": [{"a": [${'null,'.repeat(100_000)}1]}]}`, {}, 400, 'validation_failed'],
    ['thirty thousand nulls', `{"x": [${'null,'.repeat(30_000)}1], "y": 0}`, {}, 400, 'validation_failed'],
    ['U+0000 after null', '{"x": 1, "y": 0, "styles": {"a": [null, "\\u0000", null]}}', {}, 400, 'validation_failed'],
    ['styles of one byte too many', `{"x": 1, "y": 0, "styles": {"a": "${'x'.repeat(2 * 1024 * 1024 - 7)}"}}`, {}, 400, 'validation_failed'],
    ['styles too large in UTF-8', `{"x": 1, "y": 0, "styles": {"a": "${'é'.repeat(1024 * 1024 - 3)}"}}`, {}, 400, 'validation_failed'],
    ['styles of 33 levels', `{"x": 1, "y": 0, "styles": ${'{"a":'.repeat(32)}{}${'}'.repeat(32)}}`, {}, 400, 'validation_failed'],
    ['styles that are no object', '{"x": 1, "y": 0, "styles": "{}"}', {}, 400, 'validation_failed'],
    ['null', 'null', {}, 400, 'validation_failed'],
    ['a number', '1', {}, 400, 'validation_failed'],
    ['a text', '"x"', {}, 400, 'validation_failed'],
    ['an array', '[]', {}, 400, 'validation_failed'],

    ['no type', json, { 'content-type': '' }, 415, 'unsupported_media_type'],
    ['text', json, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['a form', 'x=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['a multipart form', json, { 'content-type': 'multipart/form-data' }, 415, 'unsupported_media_type'],
    ['no media type', json, { 'content-type': 'json' }, 415, 'unsupported_media_type'],
    ['almost JSON', json, { 'content-type': 'application/jsonx' }, 415, 'unsupported_media_type'],
    ['JSON in Latin-1', json, { 'content-type': 'application/json; charset=iso-8859-1' }, 415, 'unsupported_media_type'],
    ['JSON in UTF-16', json, { 'content-type': 'application/json;charset="UTF-16"' }, 415, 'unsupported_media_type'],
    ['Brotli', json, { 'content-encoding': 'br' }, 415, 'unsupported_encoding'],
    ['zstd', json, { 'content-encoding': 'zstd' }, 415, 'unsupported_encoding'],
    ['gzip twice', gzipSync(gzipSync(json)), { 'content-encoding': 'gzip, gzip' }, 415, 'unsupported_encoding'],
    ['an encoding in capitals', gzipSync(json), { 'content-encoding': 'GZIP' }, 415, 'unsupported_encoding'],
    ['no gzip', json, { 'content-encoding': 'gzip' }, 400, 'malformed_body'],
    ['no deflate', json, { 'content-encoding': 'deflate' }, 400, 'malformed_body'],
    ['half a gzip', gzipSync(Buffer.alloc(100_000, json)).subarray(0, 60), { 'content-encoding': 'gzip' }, 400, 'malformed_body'],
    ['gzip of no JSON', gzipSync('{'), { 'content-encoding': 'gzip' }, 400, 'malformed_body'],
    ['gzip that nobody announced', gzipSync(json), {}, 400, 'malformed_body'],
    ['a decompression bomb', gzipSync(Buffer.alloc(200 * 1024 * 1024)), { 'content-encoding': 'gzip' }, 413, 'payload_too_large'],
    ['one byte too many', Buffer.alloc(MAX_BODY_BYTES + 1, 32), {}, 413, 'payload_too_large'],
    ['a large body of another type', Buffer.alloc(MAX_BODY_BYTES + 1, 32), { 'content-type': 'image/png' }, 413, 'payload_too_large'],
    ['as many bytes as are allowed, of nothing', Buffer.alloc(MAX_BODY_BYTES, 32), {}, 400, 'malformed_body']
];

/** Accepted bodies. */
const accepted: readonly (readonly [string, string | Buffer, Record<string, string>])[] = [
    ['plain', json, {}],
    ['a byte order mark', `\ufeff${json}`, {}],
    ['a charset', json, { 'content-type': 'application/json; charset=UTF-8' }],
    ['a quoted charset', json, { 'content-type': 'Application/JSON;charset="utf-8"' }],
    ['utf8 without a hyphen', json, { 'content-type': 'application/json; charset=utf8; version=1' }],
    ['a JSON of some kind', json, { 'content-type': 'application/vnd.example+json' }],
    ['identity', json, { 'content-encoding': 'identity' }],
    ['gzip', gzipSync(json), { 'content-encoding': 'gzip' }],
    ['deflate', deflateSync(json), { 'content-encoding': 'deflate' }],
    ['one key twice, the last of which counts', '{"x": "no", "y": 0, "x": 1}', {}],
    ['1.0 and -0', '{"x": 1.0, "y": -0}', {}],
    ['1e0', '{"x": 1e0, "y": 0E400}', {}],
    ['escapes that are whole', '{"x": 1, "y": 0, "styles": {"\\ud83d\\ude00": "\\ud83d\\ude00 \\u0001 \\\\u0000", "constructor": {"prototype": 1}}}', {}],
    ['styles as large as they may be', `{"x": 1, "y": 0, "styles": {"a": "${'x'.repeat(2 * 1024 * 1024 - 8)}"}}`, {}],
    ['styles of 32 levels, with null', `{"x": 1, "y": 0, "styles": ${'{"a":'.repeat(31)}{"b": null}${'}'.repeat(31)}}`, {}],
    ['sixty thousand values in styles', `{"x": 1, "y": 0, "styles": {"a": [${'1,'.repeat(60_000)}1]}}`, {}],
    ['white space to the limit', json + ' '.repeat(MAX_BODY_BYTES - json.length), {}]
];

/** The same with spaces at the end, if it is text and not large already. */
function asLarge<Row extends readonly [string, string | Buffer, ...unknown[]]>(row: Row): Row[] {
    const [name, body] = row;
    return typeof body === 'string' && body.length < LARGE ? [Object.assign([...row], { 0: `${name}, in a large body`, 1: body.padEnd(LARGE) }) as unknown as Row] : [];
}

lab.experiment('A request body', () => {

    let server: TestServer;
    let target: Target;
    let token: string;
    let pages: string;

    lab.before(async () => {
        server = await startTestServer();
        const cast = new Cast(server);
        target = await cast.target();
        token = await cast.token(target.user);
        pages = `/users/${target.user}/projects/${target.project}/pages`;
    });

    lab.after(() => server.stop());

    const send = (body: string | Buffer, headers: Record<string, string>): Promise<Answer> => {
        return server.call('POST', pages, body, { token, headers: { 'content-type': type, ...headers } });
    };

    for (const [name, body, headers, status, code] of [...refused, ...refused.flatMap(asLarge)]) {
        lab.test(`${status} ${code}: ${name}`, async () => {
            const before = await stored(server);
            const answer = await send(body, headers);
            expect({ status: answer.status, code: answer.body.code }, answer.text.slice(0, 500)).to.equal({ status, code });
            expect(answer.body).to.include({ statusCode: status, request_id: answer.headers['x-request-id'] });
            expect(answer.body.error).to.be.a.string();
            expect(answer.body.message).to.be.a.string().and.not.match(/call stack|is not a function|Unexpected token/);
            expect(answer.text.length).to.be.below(30_000);
            expect(answer.body.details === undefined).to.equal(code !== 'validation_failed');
            for (const detail of answer.body.details ?? []) {
                expect(detail).to.only.include(['path', 'message']);
            }

            expect(await stored(server)).to.equal(before);
            expect(server.faults).to.equal([]);
        });
    }

    lab.test('415 unsupported_media_type: without a type', async () => {
        const answer = await server.server.inject({ method: 'POST', url: pages, payload: Buffer.from(json), headers: { authorization: `Bearer ${token}` } });
        expect(answer.statusCode).to.equal(415);
    });

    for (const [name, body, headers] of [...accepted, ...accepted.flatMap(asLarge)]) {
        lab.test(`accepted: ${name}`, async () => {
            const answer = await send(body, headers);
            expect(answer.status, answer.text).to.equal(201);
            expect(answer.body.page).to.include(unit);
            await server.database.db.raw('delete from pages where id = ?', [answer.body.page.id]);
        });
    }

    lab.test('errors in text say where they are', async () => {
        const { body } = await send('{"x": 1e999, "y": 0, "styles": {"a": ["ok", "\\u0000"], "b\\u0000": {"c": "\\udfff"}}}', {});
        expect(body.details).to.only.include([
            { path: 'x', message: '"x" is a number that is too large' },
            { path: 'styles.a.1', message: '"styles.a.1" contains the character U+0000, which cannot be stored' },
            { path: 'styles.b\u0000', message: 'a key of "styles" contains the character U+0000, which cannot be stored' },
            { path: 'styles.b\u0000.c', message: '"styles.b\u0000.c" contains half of a surrogate pair, which is not a character' }
        ]);
    });

    lab.test('is read the same, at once or in steps', async () => {
        const page = await server.call('POST', pages, { x: 70, y: 70 }, { token });
        const free = [
            '{}', '{ }', '{"attributes": {"styles": {"attributes": 1}}}', '{"a": "}", "b": "{\\"", "c": "\\\\", "}{": ["{", "\\u007d"]}', '{"a": "\\\\\\"}"}',
            '{"a": [{"b": {"c": "attributes"}}, "styles", {}]}', '{"ж": "😀 \\ud83d\\ude00 é"}', '{"a": 1.50, "b": -0, "c": 1e3}', '{"constructor": {"prototype": 1}}'
        ];
        const actions = free.flatMap((one) => [
            `"data": {"pageId": "${page.body.page.id}", "type": "styles", "attributes": ${one}}`,
            `"data": {"attributes"\n:\t\r ${one}, "pageId": "${page.body.page.id}", "styles" :${one},"type": "attributes"}`,
            `"data": {"pageId": "${page.body.page.id}", "type": "x", "\\u0061ttributes": ${one}, "styles": {"a": 1}, "styles": ${one}}`
        ]).map((data) => `{"type": "elements", "method": "create", ${data}}`);
        const url = `/users/${target.user}/bulk`;
        const body = `{"actions": [${actions.join()}]}`;

        const [small, large] = [await server.call('POST', url, body, { token }), await server.call('POST', url, body.padEnd(LARGE), { token })];

        expect([small.status, large.status], small.text.slice(0, 500) + large.text.slice(0, 500)).to.equal([200, 200]);
        // Compared as text, because an object with a field `constructor` equals nothing.
        const contents = (things: Record<string, unknown>[]): string[] => things.map(({ attributes, styles }) => JSON.stringify({ attributes, styles }));
        const written = free.map((one) => JSON.stringify(JSON.parse(one)))
            .flatMap((one) => [`{"attributes":${one},"styles":{}}`, `{"attributes":${one},"styles":${one}}`, `{"attributes":${one},"styles":${one}}`]);
        expect(contents(small.body.results)).to.equal(written);
        expect(contents(large.body.results)).to.equal(written);
        const { body: { elements } } = await server.call('GET', `${pages}/${page.body.page.id}/elements`);
        expect(contents(elements)).to.equal([...written, ...written]);
    });

    lab.test('gets errors with their paths, also if it is large', async () => {
        const tooDeep = `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`;
        const tooLarge = `{"a": "${'x'.repeat(2 * 1024 * 1024)}"}`;
        const create = `"type": "elements", "method": "create", "data": {"pageId": "${target.page}", "type": "text"`;
        const { status, body } = await server.call('POST', `/users/${target.user}/bulk`, `{"actions": [
            {${create}, "attributes": {"a": 1}}}, {${create}, "attributes": ${tooDeep}}}, {${create}, "styles": ${tooLarge}}}, {${create}, "styles": [1]}}
        ]}`, { token });
        expect(status).to.equal(400);
        expect(body.details).to.equal([
            { path: 'actions.1.data.attributes', message: '"attributes" must nest at most 32 levels deep' },
            { path: 'actions.2.data.styles', message: '"styles" must be at most 2 MiB as JSON text' },
            { path: 'actions.3.data.styles', message: '"styles" must be of type object' }
        ]);
    });

    lab.test('gets a limited number of errors, and only the first for a huge one', async () => {
        const many = (count: number): string => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_none, nth) => [`k${nth}`, 1])));
        for (const [count, told] of [[50, 50], [9_990, 100], [10_001, 1], [49_990, 1]] as const) {
            const { status, body } = await server.call('POST', `/users/${target.user}/projects`, `{"title":"x",${many(count).slice(1)}`, { token });
            expect({ status, told: body.details.length }, `${count}`).to.equal({ status: 400, told });
            expect(body.details[0]).to.equal({ path: 'k0', message: '"k0" is not allowed' });

            const long = await server.call('POST', `/users/${target.user}/projects`, `{"title":"${'x'.repeat(257)}",${many(count).slice(1)}`, { token });
            expect(long.body.details[0]).to.equal({ path: 'title', message: '"title" must be at most 256 characters long' });
        }

        const { status, body } = await server.call('POST', `/users/${target.user}/bulk`, { actions: Array.from({ length: 12_000 }, () => ({ a: 1, b: 2 })) }, { token });
        expect({ status, told: body.details.length }).to.equal({ status: 400, told: 1 });
    });

    lab.test('if a request needs no body, none and {} are the same, and anything else is rejected', async () => {
        const element = `${pages}/${target.page}/elements/${target.element}`;
        const routes = [['DELETE', element], ['POST', `/users/${target.user}/projects/${target.project}/remixes`], ['POST', `/view-project/${target.project}`]] as const;
        for (const [method, url] of routes) {
            for (const body of ['{"a": 1}', '[]', 'null', '{', '\u0000']) {
                expect((await server.call(method, url, body, { token })).status, `${method} ${url} ${body}`).to.equal(400);
            }

            for (const body of [undefined, '', '{}']) {
                const { status } = await server.call(method, url, body, { token });
                expect([200, 201, 404], `${method} ${url}`).to.include(status);
            }

            // A type without a body is ignored.
            const { status } = await server.call(method, url, '', { token, headers: { 'content-type': 'text/plain' } });
            expect(status).to.not.equal(415);
        }
    });

    lab.test('that nobody reads does not end the process if it is not in its encoding', async () => {
        for (const encoding of ['gzip', 'deflate']) {
            const headers = { 'content-encoding': encoding, 'content-type': 'application/json', 'content-length': '0', authorization: `token ${token}` };
            expect((await server.server.inject({ method: 'DELETE', url: '/tokens/99999', headers })).statusCode).to.equal(404);
            expect((await server.call('PUT', '/discover', Buffer.from('{}'), { headers: { ...headers, 'content-length': '2' } })).status).to.equal(405);
        }

        // An error that nobody listens to would end the process a moment later.
        await new Promise((resolve) => void setTimeout(resolve, 50));
        expect(server.faults).to.equal([]);
    });

    lab.test('a GET has none: it is not read', async () => {
        const answer = await server.call('GET', `${pages}/${target.page}`, '{"x":', { headers: { 'content-encoding': 'br', 'content-type': 'x' } });
        expect(answer.status).to.equal(200);
    });
});
