import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

/** Changes to a valid request, most of which make it invalid. */
export type Change =
    | { at: 'body'; nth: number; how: 'replace' | 'remove' | 'add'; key: string; value: unknown }
    | { at: 'text'; nth: number; how: keyof typeof textChanges }
    | { at: 'segment'; nth: number; text: string }
    | { at: 'query' | 'path'; text: string }
    | { at: 'header'; name: string; value: string }
    | { at: 'method'; method: string };

const LONG = 70_000;

/** An object of this nesting depth. */
const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: nest(levels - 1) });

/** Values that replace a field. */
const values: readonly unknown[] = [
    null, true, false, 0, -1, 1, 1.5, -1e-7, 5e-324, 1e21, 1.7976931348623157e308, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, Number.MAX_SAFE_INTEGER,
    '', ' ', '0', '1', '-1', '01', '1.5', 'NaN', 'null', '9223372036854775807', '9223372036854775808', '$0.id', '$0.author.id', '$0.tags.0', '$999.id', '$1000.id', '$0.__proto__.id',
    '$0.constructor', '$0.', '$', 'a\u0000b', '\u0000', '\ud800', '\udfff', 'a\ud800\ud800b', '\u202e\u05d0\u05d1', 'e\u0301', '\u00e9', '\u1e9b\u0323', '\ufffe', '\uffff', '\ufeff', '💻',
    '#tag #TAG #ta\u0301g', '#'.repeat(1000), '#a '.repeat(333), 'İ', '#İstanbul #STRASSE #ﬁ', 'javascript:alert(1)', 'http://a', 'http://\u0000', 'HTTP://[', '../..', '%00', '\'; drop table users; --', '\\',
    'x'.repeat(20), 'x'.repeat(21), 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(256), 'x'.repeat(257), '💻'.repeat(256), '💻'.repeat(257), 'x'.repeat(1000), '💻'.repeat(1001), 'x'.repeat(LONG),
    [], [[]], [null], ['user'], ['user', 'user'], {}, { '': '' }, { id: 1 }, { '\u0000': 1 }, { '\ud800': 1 }, { 320: 'http://a' }, { '01': 'http://a' }, { 4097: 'http://a' },
    { constructor: { prototype: 1 } }, { toString: 1, hasOwnProperty: 1, length: -1 }, nest(31), nest(32), nest(33), nest(500), Array.from({ length: 1001 }, () => 1)
];

const keys = ['id', 'revision', 'more', '', '\u0000', '\ud800', 'constructor', 'toString', 'hasOwnProperty', 'attributes', 'styles', 'elements', 'user_id', 'featured', 'moderator', '$ref', 'isBoom', 'x'.repeat(300)];

/** Changes to the bytes of a body, at a place in it. */
export const textChanges = {
    cut: (text: Buffer, at: number) => text.subarray(0, at),
    more: (text: Buffer) => Buffer.concat([text, Buffer.from('}')]),
    mark: (text: Buffer) => Buffer.concat([Buffer.from('\ufeff'), text]),
    blanks: (text: Buffer) => Buffer.concat([Buffer.from(' \t\r\n'), text, Buffer.from('\n'.repeat(1000))]),
    nul: (text: Buffer, at: number) => insert(text, at, [0]),
    broken: (text: Buffer, at: number) => insert(text, at, [0xC3, 0x28]),
    overlong: (text: Buffer, at: number) => insert(text, at, [0xC0, 0x80]),
    surrogate: (text: Buffer, at: number) => insert(text, at, [0xED, 0xA0, 0x80]),
    digit: (text: Buffer, at: number) => insert(text, at, [...Buffer.from('1e400')]),
    zero: (text: Buffer, at: number) => Buffer.from(nthNumber(text.toString(), at, () => '-0')),
    point: (text: Buffer, at: number) => Buffer.from(nthNumber(text.toString(), at, (number) => `${number}.0`)),
    huge: (text: Buffer, at: number) => Buffer.from(nthNumber(text.toString(), at, () => '1e400')),
    long: (text: Buffer, at: number) => Buffer.from(nthNumber(text.toString(), at, () => '9'.repeat(400))),
    proto: (text: Buffer) => Buffer.from(text.toString().replace('{', '{"__proto__":{"a":1},')),
    twice: (text: Buffer) => Buffer.from(text.toString().replace(/\{("[a-zA-Z]+":)/, '{$1null,$1')),
    escaped: (text: Buffer) => Buffer.from(text.toString().replace(/"([a-z])([a-zA-Z]*)":/, (_all, first: string, rest: string) => `"\\u00${first.charCodeAt(0).toString(16)}${rest}":`)),
    deep: () => Buffer.from(`${'['.repeat(LONG)}${']'.repeat(LONG)}`),
    deepField: () => Buffer.from(`{"attributes":${'{"a":'.repeat(LONG)}1${'}'.repeat(LONG)}}`),
    wide: () => Buffer.from(`{"actions":[${'{},'.repeat(LONG)}{}]}`),
    large: (text: Buffer) => Buffer.from(text.toString().replace('{', `{"styles":{"a":"${'x'.repeat(3 * 2 ** 20)}"},`)),
    pieces: (text: Buffer) => Buffer.from(text.toString().replace('{', `{"styles":{"a":"${'é'.repeat(2 ** 18)}\\"}"},`)),
    bare: () => Buffer.from('null'),
    text: () => Buffer.from('"text"'),
    list: () => Buffer.from('[]'),
    none: () => Buffer.alloc(0),
    blank: () => Buffer.from(' '),
    form: () => Buffer.from('title=1&x=2'),
    inflated: (text: Buffer) => gzipSync(text)
} satisfies Record<string, (text: Buffer, at: number) => Buffer>;

const insert = (text: Buffer, at: number, bytes: readonly number[]): Buffer => Buffer.concat([text.subarray(0, at), Buffer.from(bytes), text.subarray(at)]);

/** Replaces one of the numbers in a text. */
function nthNumber(text: string, nth: number, by: (number: string) => string): string {
    const numbers = [...text.matchAll(/(?<=[:[,])-?\d+(?=[,}\]])/g)];
    const one = numbers[nth % Math.max(1, numbers.length)];
    return one === undefined ? text : `${text.slice(0, one.index)}${by(one[0])}${text.slice(one.index + one[0].length)}`;
}

const segments = [
    '0', '-1', '1.5', 'abc', '01', '+1', '1e3', '%31', '9223372036854775807', '9223372036854775808', '99999999999999999999', '', '.', '..', '%2e%2e', '%2F', '%00', '%', '%ZZ', '%C0%80', '%FF',
    '%ED%A0%80', '%F0%9F%92%BB', '%E2%80%AE', 'e%CC%81', '%23', '%3F', '*', '{user}', 'a%20b', 'x'.repeat(2000), '%F0%9F%92%BB'.repeat(1001), 'pages', 'tagged', '__proto__', 'constructor', '1;x=1', '1%0A'
];

const queries = [
    'count=0', 'count=101', 'count=01', 'count=1e1', 'count=1.0', 'count=%2B1', 'count=', 'count=1&count=2', 'count[]=1', 'count=99999999999999999999', 'count=%00', 'page=51', 'page=0', 'page=50', 'page=1&after=MA',
    'after=', 'after=MA', 'after=____', 'after=MC4xNzY3MjYxNjAwMDAwLjQy', 'after=MC4yNTM0MDIzMDA3OTk5OTkuOTIyMzM3MjAzNjg1NDc3NTgwNw', 'after=%C3%28', `after=${'A'.repeat(65)}`, 'more=1', '__proto__=1',
    'constructor=1', 'toString=1', '%00=1', '%=1', '=', '&', '&&&', '?', 'access_token=abc', 'count=10&', '%63ount=1', 'count', 'count=1;page=2', 'c\u0301=1', 'hasOwnProperty=1'
];

// Wrong lengths need a real connection; npm run fuzz:wire sends them.
const headerValues: Readonly<Record<string, readonly string[]>> = {
    'content-type': [
        'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/merge-patch+json', 'APPLICATION/JSON', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a',
        'multipart/form-data', '', ';', 'application/json; charset=latin1', 'application/json; charset=', 'json', 'application/json, text/plain', '\xff', 'a'.repeat(8000)
    ],
    'content-encoding': ['gzip', 'deflate', 'br', 'identity', 'GZIP', 'gzip, gzip', '', 'x', 'constructor', '__proto__'],
    'transfer-encoding': ['chunked', 'gzip, chunked', 'x'],
    'authorization': ['', 'token', 'token ', 'Bearer', 'Basic YTpi', 'token a b', 'token \xff', 'TOKEN abc', 'token ' + 'x'.repeat(8000), 'Hawk', 'bearer undefined', 'Bearer null', ','],
    'if-match': ['*', '"*"', '"1"', 'W/"1"', '""', '"1', '"1", "2"', '1', '', ',', '"\xff"', '"9999999999999999999"', '"1-gzip"', '"x"'.repeat(1000)],
    'if-none-match': ['*', '"*"', '"1"', 'W/"1"', '""', '"1.1"', '1', '', ',', '"\xff"', '"x"'.repeat(1000)],
    'idempotency-key': ['', '""', 'too-short', '"', 'x'.repeat(255), 'x'.repeat(256), `"${'x'.repeat(16)}`, 'a key of some words', '\xff'.repeat(20)],
    'accept': ['text/html', 'application/xml', '*/*;q=0', '', '\xff', 'a'.repeat(8000)],
    'accept-encoding': ['gzip', 'deflate', 'br', 'gzip;q=0', '*', '*;q=0', 'identity;q=0', '', ';;;', 'gzip;q=abc', '\xff'],
    'accept-language': ['pt-BR', '*', '\xff'],
    'accept-charset': ['utf-16', ';'],
    'origin': ['http://a.example', 'null', '', '*', 'a b', '\xff', 'http://' + 'a'.repeat(5000)],
    'access-control-request-method': ['PATCH', 'GET', 'OPTIONS', '', 'X Y', '__proto__'],
    'access-control-request-headers': ['authorization', 'X-More', ',', '\xff'],
    'cookie': ['a=b', ';;;', '=', 'a="', '\xff'],
    'range': ['bytes=0-1', 'bytes=-', 'bytes=5-1', 'x'],
    'if-modified-since': ['Thu, 01 Jan 2037 00:00:00 GMT', 'x'],
    'if-unmodified-since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'x'],
    'expect': ['100-continue', 'x'],
    'host': ['', 'a.example', 'a b', '[::1]:80', '\xff', '1:99999', '@', 'a/b'],
    'user-agent': ['', '\xff', 'a'.repeat(8000), '\t'],
    'x-forwarded-for': ['1.2.3.4', 'x', ',,', '::1', 'a'.repeat(8000)],
    'x-request-id': ['abc', '', 'a b', '\xff', 'x'.repeat(65)],
    'x-http-method-override': ['DELETE'],
    'traceparent': ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', '\xff', ''],
    'upgrade': ['websocket', 'h2c'],
    'connection': ['close', 'upgrade']
};

const nth = fc.nat(1000);
const headers = Object.entries(headerValues).map(([name, some]) => fc.record({ at: fc.constant('header' as const), name: fc.constant(name), value: fc.constantFrom(...some) }));

function isTextChange(name: string): name is keyof typeof textChanges {
    return name in textChanges;
}

export const changes: fc.Arbitrary<Change> = fc.oneof(
    {
        weight: 6, arbitrary: fc.record({
            at: fc.constant('body' as const), nth, how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add'), key: fc.constantFrom(...keys),
            value: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: fc.jsonValue() })
        })
    },
    { weight: 3, arbitrary: fc.record({ at: fc.constant('text' as const), nth, how: fc.constantFrom(...Object.keys(textChanges).filter(isTextChange)) }) },
    { weight: 2, arbitrary: fc.record({ at: fc.constant('segment' as const), nth, text: fc.constantFrom(...segments) }) },
    { weight: 2, arbitrary: fc.record({ at: fc.constant('query' as const), text: fc.constantFrom(...queries) }) },
    { weight: 1, arbitrary: fc.record({ at: fc.constant('path' as const), text: fc.constantFrom('/', '//', '/more', '%2F', '/..', '#', '\\', '/%00') }) },
    { weight: 4, arbitrary: fc.oneof(...headers) },
    { weight: 1, arbitrary: fc.record({ at: fc.constant('method' as const), method: fc.constantFrom('HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'get', 'PROPFIND') }) }
);
