import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import pino from 'pino';

import { version } from '../src/api/description/version';
import { pathWith, routes } from './routes/index';
import { Cast } from './support/cast';
import type { Target } from './support/cast';
import { drawing, hashOf, storeAsset } from './support/files';
import { build } from './support/program';
import { PASSWORD, startTestServer } from './support/server';
import type { TestServer } from './support/server';

export const lab = script();

lab.experiment('Headers', () => {

    let server: TestServer;
    let cast: Cast;
    let target: Target;
    let token: string;
    let log: string[] = [];

    lab.before(async () => {
        await build();
        server = await startTestServer({ logger: pino({ level: 'trace' }, { write: (line) => void log.push(line) }) });
        cast = new Cast(server);
        target = await cast.target();
        await storeAsset(server, drawing(), 'image/svg+xml');
    });

    // Some of the requests end tokens.
    lab.beforeEach(async () => {
        token = await cast.token(target.user);
        log = [];
    });

    lab.after(() => server.stop());

    lab.test('of every response, also of errors, prevent content sniffing, and do not name the server software', async () => {
        const ids = { ...target, username: target.member, language: 'en', tag: 'art', sha256: hashOf(drawing()), file: 'render.js', version };
        // What a later request names has not been removed yet.
        for (const { method, path } of routes.toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'))) {
            const at = pathWith(path, ids);
            for (const [verb, own, url] of [[method, token, at], [method, undefined, at], ['HEAD', token, at], ['OPTIONS', undefined, at], ['LOCK', token, at], [method, token, `${at}/%00/nowhere`]] as const) {
                const { headers, status } = await server.call(verb, url, undefined, { token: own });
                const what = `${verb} ${url} ${status}`;
                expect(headers['x-content-type-options'], what).to.equal('nosniff');
                expect(Object.keys(headers), what).to.not.include(['server', 'x-powered-by', 'via', 'set-cookie']);
                // A route that looks at a token answers its caller alone, and so does a public one about what is perhaps private.
                const answering = url.endsWith('nowhere') ? undefined : routes.find((row) => row.path === path && row.method === (verb === 'HEAD' ? 'GET' : verb));
                const isPerhapsPrivate = /\{(?:project|collection)\}/.test(path) && [401, 404].includes(status);
                const isOwn = answering !== undefined && (answering.scope !== '' || isPerhapsPrivate || (answering.cache === 'by reader' && own !== undefined));
                const usual = isOwn ? 'private, no-cache' : 'no-cache';
                const isUsual = answering === undefined || ['usual', 'by reader'].includes(answering.cache) || (method === 'GET' && status !== 200 && !((answering.scope !== '' || path === '/letters/off') && answering.cache === 'no-store'));
                expect(headers['cache-control'], what).to.equal(isUsual ? usual : answering.cache);
                expect(String(headers.vary).includes('authorization'), what).to.equal(isOwn);
            }
        }
    });

    lab.test('forbid caching of responses with a secret, also of repeated ones', async () => {
        const key = { headers: { 'idempotency-key': 'a-key-of-headers-test' } };
        const account = { username: 'secretive', password: PASSWORD };
        for (const [path, options] of [['/users', key], ['/users', key], ['/tokens', {}]] as const) {
            const { status, headers, text } = await server.call('POST', path, account, options);
            expect({ status, cache: headers['cache-control'] }).to.equal({ status: 201, cache: 'no-store' });
            expect(text).to.include('access_token');
        }
    });

    const lineEnds = ['\r\nX-Made: 1', '%0d%0aX-Made:%201', '\u560d\u560aX-Made: 1', '%E5%98%8D%E5%98%8AX-Made', '\u2028X-Made: 1', '\u0085X-Made: 1'];

    lab.test('cannot be added by names, titles, tags or cursors', async () => {
        const own = `/users/${target.user}`;
        for (const text of lineEnds) {
            const sent = encodeURIComponent(text);
            const tries = [
                ['POST', '/users', { username: `a${text}`, password: PASSWORD }], ['PATCH', own, { username: `a${text}` }], ['PATCH', own, { language: `en${text}` }], ['POST', '/tokens', { username: `a${text}`, password: PASSWORD }],
                ['POST', `${own}/projects`, { title: text, description: `#a${text}` }], ['GET', `/projects/tagged/${sent}`, undefined], ['GET', `/discover/${sent}`, undefined], ['GET', `/projects?after=${sent}`, undefined],
                ['GET', `/projects?count=1&after=${Buffer.from(`0.1.1${text}`).toString('base64url')}`, undefined], ['GET', `/users/1${sent}/projects`, undefined], ['GET', `/${sent}`, undefined], ['GET', `/projects/tagged/a?${sent}=1`, undefined]
            ] as const;
            for (const [method, url, body] of tries) {
                const { headers, status } = await server.call(method, url, body, { token, headers: { 'idempotency-key': 'a-key-of-other-test' } });
                expect(status, url).to.be.below(500);
                expect(Object.keys(headers), `${method} ${url}`).to.not.include('x-made');
                expect(JSON.stringify(headers), `${method} ${url}`).to.not.include('X-Made: 1');
            }
        }
    });

    lab.test('with links to the next page are ASCII for any tag, and the links work', async () => {
        for (const title of ['One', 'Two']) {
            expect((await server.call('POST', `/users/${target.user}/projects`, { title, description: '#сад\u0301 #a"b' }, { token })).status).to.equal(201);
        }

        const { headers, body } = await server.call('GET', `/projects/tagged/${encodeURIComponent('сад\u0301')}?count=1`);
        expect(headers.link).to.match(/^<[!-;=?-~]+>; rel="next"$/);
        const next = await server.call('GET', String(/<(.*)>/.exec(String(headers.link))?.[1]));
        expect([body, next.body].map(({ projects: [{ title }] }) => title)).to.equal(['Two', 'One']);
    });

    lab.test('from the cursor of one list do not open another list', async () => {
        const other = await server.open('other');
        const made = await server.call('POST', `/users/${other.id}/projects`, { title: 'Theirs' }, { token: other.token });
        await server.database.db.raw(`update projects set created_at = '2020-01-01' where id = ?`, [made.body.project.id]);
        const { body: { next } } = await server.call('GET', '/projects?count=1');
        const { status, body } = await server.call('GET', `/users/${other.id}/projects?after=${next}`);
        expect(status).to.equal(200);
        expect(body.projects.map(({ title }: { title: string }) => title)).to.equal(['Theirs']);
    });

    lab.test('and paths cannot add lines or fields to the log', async () => {
        let sent = 0;
        for (const text of [...lineEnds, '\n{"level":60,"msg":"made"}', '\u001b[2J', '"},"level":60,"x":{"', '${jndi:ldap://a.example}']) {
            for (const url of [`/users/${encodeURIComponent(text)}`, `/${encodeURIComponent(text)}`, `/projects?after=${encodeURIComponent(text)}`]) {
                const headers = { 'x-request-id': text, 'traceparent': text, 'user-agent': text, 'x-forwarded-for': text, 'authorization': `token ${text}`, 'idempotency-key': text };
                await server.call('POST', url, { username: text, password: text }, { headers });
                ++sent;
            }
        }

        const lines = log.join('').trimEnd().split('\n');
        expect(lines).to.have.length(sent);
        for (const line of lines) {
            const { level, msg, ...fields } = JSON.parse(line);
            expect({ level, msg }).to.equal({ level: 30, msg: 'response' });
            expect(['time', 'pid', 'hostname', 'method', 'route', 'status', 'ms', 'request_id', 'trace_id', 'code', 'user_id']).to.include(Object.keys(fields));
            expect(line).to.not.include(['made', 'jndi', '[2J', 'X-Made']);
        }
    });
});
