import { harmless, refused, request, write } from './input';
import type { Input, Kind, Subject } from './input';
import type { Random } from './random';

/** Bytes that are not valid HTTP. */
const noHttp: readonly Buffer[] = [
    Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'latin1'), Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from('EHLO localhost\r\n'), Buffer.from('SSH-2.0-x\r\n'),
    Buffer.from('\0\0\0\x08\x04\xd2\x16\x2f', 'latin1'), Buffer.from('\r\n\r\n\r\n\r\n'), Buffer.from('GET'), Buffer.from('GET /projects'), Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.from('PROXY TCP4 1.2.3.4 1.2.3.4 1 1\r\n')
];

const methods = ['GET', 'GETT', 'G ET', '', ' GET', 'GET\0', 'get', 'PRI', 'CONNECT', 'TRACE', 'QUERY', 'A'.repeat(9000), 'G\xc9T', 'GET/', '{}', 'M-SEARCH', 'SOURCE'] as const;
const targets = [
    '/projects', '*', '', 'projects', '/\0', '/\x7f', '/\xff\xfe', '/a b', '//', 'http://[/', 'http://a.example/projects', 'http://', 'https:///x', '/%', '/%00', '/..//../etc/passwd', '/projects?count=\xff', '/projects#x',
    `/${'a'.repeat(20_000)}`, `/projects?${'a=1&'.repeat(2000)}`, '\\', '/\t', 'localhost:80', '@', '/projects/tagged/\u00e9'
] as const;
/** Parts of URLs, in all combinations. */
const urlParts = [
    ['', 'http:', 'HTTPS:', 'foo:', 'x:', 'javascript:', 'file:', 'ws:', '1:', ':', 'a b:', '%66oo:'],
    ['', '/', '//', '///', '\\\\'],
    ['', 'x', 'localhost', 'user:password@x', '[::1]', '[', 'x:99999', '%', '\xff', '0x7f.1', 'a..b', '@', ':', '*'],
    ['', '/', '/projects', '//projects', '/./..', '\\', '/%', '/%ff', '/%2e%2e/', '/projects/', ';x'],
    ['', '?', '?count=1', '?%', '??', '?=', '?count[]=1', '?__proto__=1'],
    ['', '', '#', '#x', '#%']
] as const;

const versions = [' HTTP/1.1', '', ' HTTP/0.9', ' HTTP/1.0', ' HTTP/1.2', ' HTTP/2.0', ' HTTP/9.9', ' HTTP/1.1x', ' HTTPS/1.1', ' http/1.1', ' HTTP/11', ' HTTP/1.1\0', ' HTTP/-1.1', ' HTTP/1', '  HTTP/1.1', '\tHTTP/1.1', ' HTTP/1.1 more'] as const;
const lineEnds = ['\r\n', '\n', '\r', '\n\r', '\r\r\n', '\0\r\n'] as const;

/** Header lines that break the rules of RFC 9112 section 5. */
const brokenLines = [
    'X-Any: a\0b', ': none', 'X Any: a', 'X-Any : a', 'X-Any', ' folded: a', 'X-\xc9: a', 'X-Any: a\rb', 'X-Any\0: a', '{"json":1}', 'X-Any: \x01\x02', 'Content-Length: many', 'Content-Length: -1',
    'Content-Length: 1, 2', 'Content-Length: +5', 'Content-Length: 0x10', 'Content-Length: 99999999999999999999999', 'Content-Length: 5\r\nContent-Length: 6', 'Host: a\r\nHost: b\r\nContent-Length: x',
    `X-Any: ${'x'.repeat(20_000)}`, `${'X'.repeat(20_000)}: a`, 'Transfer-Encoding: chunked\r\nContent-Length: 5', 'Content-Length: 5\r\nTransfer-Encoding: chunked'
] as const;

/** Odd headers that are allowed or ignored. */
const oddHeaders: Readonly<Record<string, readonly string[]>> = {
    'Host': ['', 'a b', '[::1', '\xff', 'a,b', '1:99999', '@', 'a/b', '"', 'x'.repeat(5000)],
    'Origin': ['null', '', '*', 'a b', '\xff', 'http://' + 'a'.repeat(5000), 'javascript:alert(1)', 'http://a\tb', 'http://a.example, http://b.example'],
    'Authorization': ['', 'token', 'token a b', 'Basic YTpi', 'token \xff', 'x'.repeat(9000), 'Bearer eyJhbGciOiJub25lIn0.e30.', ',', 'token ' + 'A'.repeat(43)],
    'traceparent': ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-' + '0'.repeat(32), '\xff', '', 'ff-'.repeat(1000), '00-\'; drop table users; ---x-01'],
    'X-Request-Id': ['', 'a b', '\xff', 'x'.repeat(65), '{"level":60}', 'a\tb', '../../x'],
    'X-Forwarded-For': ['x', ',,', '::1', 'a'.repeat(8000), '\xff', '1.2.3.4, '.repeat(500)],
    'X-HTTP-Method-Override': ['DELETE', 'PATCH', '\xff'],
    'X-HTTP-Method': ['DELETE'],
    'X-Original-URL': ['/users/1', '/metrics'],
    'If-None-Match': ['*', '"', '"x'.repeat(3000), 'W/', '\xff', ',,,', '"\\"', '1', '""""'],
    'If-Match': ['*', '"', '\xff'],
    'If-Modified-Since': ['x', '\xff'],
    'Range': ['bytes=0-', 'bytes=5-1', 'x=-', 'bytes=' + '0-1,'.repeat(1000)],
    'Accept-Encoding': ['gzip;q=abc', ';;;', '\xff', '*;q=0', 'gzip, '.repeat(1000), 'identity;q=0'],
    'Accept': ['\xff', 'a'.repeat(8000), '*/*;q=-1'],
    'Expect': ['100-continue', 'x'],
    'Upgrade': ['websocket', 'h2c'],
    'TE': ['trailers', 'chunked'],
    'Cookie': ['a="', ';;;', '\xff', 'a=b; '.repeat(1000)],
    'User-Agent': ['', '\xff', 'a'.repeat(8000), '\t', '${jndi:ldap://a.example/x}', '\x1b[31m'],
    'Idempotency-Key': ['', '"', 'x'.repeat(5000), '\xff']
};
const oddNames = Object.keys(oddHeaders);

const reads = ['/projects', '/discover', '/discover/pt-BR', '/featured-tags', '/health', '/openapi.json', '/docs', '/nowhere'] as const;

/** A body that every write rejects. */
const wrong = '{"x":"no","more":1}';

/** A valid body: if the write is done although it must not be, what is stored changes. */
const right = '{"x":77,"y":77}';

const chunkedHead = ({ project, token }: Subject): Buffer => request(`POST ${project}/pages HTTP/1.1`, {
    'Authorization': `token ${token}`, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked'
});

function flipped(random: Random, bytes: Buffer): Buffer {
    const [at, length] = [random.below(bytes.length), 1 + random.below(8)];
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + length)];
    switch (random.below(4)) {
        case 0:
            return Buffer.concat([before, after]);
        case 1:
            return Buffer.concat([before, random.bytes(length), bytes.subarray(at)]);
        case 2:
            return Buffer.concat([before, bytes.subarray(at, at + length), bytes.subarray(at)]);
        default:
            return Buffer.concat([before, random.bytes(1), bytes.subarray(at + 1)]);
    }
}

const broken = (bytes: Buffer, ending: Input['ending'] = 'end'): Omit<Input, 'kind'> => ({ bytes, ending, answer: 'broken' });

/** Errors in the HTTP itself. No request here that could change something is complete, or allowed. */
export const httpKinds: Readonly<Record<string, readonly [weight: number, kind: Kind]>> = {
    'no HTTP': [2, (random) => ({ bytes: Buffer.concat([random.pick(noHttp), random.bytes(random.below(60)), Buffer.from('\r\n\r\n')]), ending: 'end', answer: 'harmless' })],

    'request line': [8, (random) => {
        const target = random.pick([() => random.pick<string>(targets), () => urlParts.map((some) => random.pick<string>(some)).join('')])();
        const line = `${random.pick(['GET', random.pick<string>(methods)])} ${target}${random.pick([' HTTP/1.1', random.pick<string>(versions)])}`;
        return { bytes: Buffer.from(`${line}${random.pick(['\r\n', random.pick<string>(lineEnds)])}Host: localhost\r\nConnection: close\r\n\r\n`, 'latin1'), ending: 'end', answer: 'harmless' };
    }],

    'broken header': [6, (random, subject) => {
        const [line, ...more] = write('POST', `${subject.project}/pages`, subject, right).toString('latin1').split('\r\n');
        return broken(Buffer.from([line, random.pick(brokenLines), ...more].join('\r\n'), 'latin1'));
    }],

    'odd headers': [8, (random) => {
        const some = Array.from({ length: 1 + random.below(4) }, () => random.pick(oddNames));
        const headers = Object.fromEntries(some.map((name) => [name, random.pick(oddHeaders[name] ?? [''])]));
        return { bytes: request(`${random.pick(['GET', 'HEAD', 'OPTIONS'])} ${random.pick(reads)} HTTP/1.1`, headers), ending: 'wait', answer: 'harmless' };
    }],

    'many headers': [1, (random) => harmless(request('GET /projects HTTP/1.1', Object.fromEntries(Array.from({ length: random.below(3000) }, (_none, nth) => [`X-${nth}`, '1']))))],

    'framing': [4, (random, subject) => {
        const conflicts = random.pick([
            'Content-Length: 6\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked\r\nContent-Length: 6', 'Content-Length: 6\r\nContent-Length: 7', 'Content-Length: 6, 7',
            'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: identity\r\nTransfer-Encoding: x', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked, x', 'Transfer-Encoding: "chunked"'
        ]);
        // A server that reads the length wrongly would execute the request behind it.
        const smuggled = request(`DELETE ${subject.project} HTTP/1.1`, { Authorization: `token ${subject.token}` });
        const head = `POST ${subject.project}/pages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${conflicts}\r\n\r\n`;
        return broken(Buffer.concat([Buffer.from(`${head}0\r\n\r\n`), smuggled]));
    }],

    'chunks': [4, (random, subject) => {
        const chunks = random.pick([
            'zz\r\n{"x":\r\n0\r\n\r\n', `2\r\n${right}\r\n0\r\n\r\n`, `-1\r\n${right}\r\n0\r\n\r\n`, `fffffffffffffffffff\r\n${right}\r\n`, `f ${right}`, `f;${'x'.repeat(20_000)}\r\n${right}\r\n0\r\n\r\n`, `0x0f\r\n${right}\r\n0\r\n\r\n`,
            `f\r\n${right}`, `f\r\n${right}\r\n`, `f\r\n${right}\r\n0`, `f\n${right}\n0\n\n`, `f\r\n${right}\r\n0\r\nX-Trailer\0: 1\r\n\r\n`, `${wrong.length.toString(16)}\r\n${wrong}\r\n0\r\n\r\n`, '\r\n'
        ]);
        return broken(Buffer.concat([chunkedHead(subject), Buffer.from(chunks)]), random.pick(['end', 'reset']));
    }],

    'cut short': [6, (random, subject) => {
        const whole = write('POST', `${subject.project}/pages`, subject, right);
        return broken(whole.subarray(0, 1 + random.below(whole.length - 1)), random.pick(['end', 'end', 'reset']));
    }],

    'pipeline': [3, (random, subject) => {
        const parts = Array.from({ length: 2 + random.below(20) }, () => random.pick([
            request(`GET ${random.pick(reads)} HTTP/1.1`, { Connection: 'keep-alive' }),
            write('POST', `${subject.project}/pages`, subject, wrong, { Connection: 'keep-alive' }),
            request('GET /users/%ff HTTP/1.1', { Connection: 'keep-alive' })
        ]));
        return { bytes: Buffer.concat([...parts, random.pick([Buffer.from('\0\r\n\r\n'), request('GET /health HTTP/1.1', {}), random.bytes(20)])]), ending: 'end', answer: 'harmless' };
    }],

    // A change of a few bytes cannot make this the revision of an existing thing.
    'changed bytes': [12, (random, subject) => ({
        bytes: flipped(random, random.pick([
            write('PATCH', subject.page, subject, '{"styles":{},"revision":2147483647}'),
            write('PATCH', subject.element, subject, '{"styles":{"top":1},"revision":2147483647}'),
            request(`GET ${subject.project}/pages HTTP/1.1`, { 'If-None-Match': '"1"' }),
            request('GET /projects?count=10&page=1 HTTP/1.1', { Origin: 'http://a.example' })
        ])),
        ending: 'end', answer: 'harmless'
    })],

    'method': [2, (random, { project, page, token }) => refused(request(
        `${random.pick(['PUT', 'TRACE', 'PROPFIND', 'POST', 'LOCK', 'MERGE'])} ${random.pick([page, project])} HTTP/1.1`, { 'Authorization': `token ${token}`, 'Content-Length': '0', 'X-HTTP-Method-Override': 'DELETE' }
    ))]
};
