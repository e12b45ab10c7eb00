import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { startProvider } from '../../support/provider';
import type { TestProvider } from '../../support/provider';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = script();

lab.experiment('`me` in a path', () => {

    let server: TestServer;
    let ada: Actor;
    let ben: Actor;

    lab.before(async () => {
        server = await startTestServer();
        ada = await server.open('ada');
        ben = await server.open('ben');
    });

    lab.after(() => server.stop());

    const as = ({ token }: Actor, method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
        return server.call(method, url, body, { token, headers });
    };

    lab.test('stands for the token\'s user, whose id is in the responses', async () => {
        const made = await as(ada, 'POST', '/users/me/projects', { title: 'Mine' });
        expect(made.body.project.user_id).to.equal(ada.id);
        const { project, page: { id: page } } = made.body;
        expect(made.headers.location).to.equal(`/users/${ada.id}/projects/${project.id}`);

        const pages = `/users/me/projects/${project.id}/pages`;
        const second = await as(ada, 'POST', pages, { x: 1, y: 1 });
        expect(second.headers.location).to.equal(`/users/${ada.id}/projects/${project.id}/pages/${second.body.page.id}`);
        const element = await as(ada, 'POST', `${pages}/${page}/elements`, { type: 'text' });
        expect(element.headers.location).to.equal(`/users/${ada.id}/projects/${project.id}/pages/${page}/elements/${element.body.element.id}`);

        await as(ada, 'POST', '/users/me/projects', { title: 'Another' });
        const list = await as(ada, 'GET', '/users/me/projects?count=1');
        expect(list.headers.link).to.equal(`</users/${ada.id}/projects?count=1&after=${list.body.next}>; rel="next"`);
        expect((await as(ada, 'GET', '/users/me')).body.user.id).to.equal(ada.id);
    });

    lab.test('says to a token of the scope `projects` whose it is, and nothing that is private', async () => {
        const tokenOf = async (scope: string[]): Promise<Actor> => {
            const { body } = await server.call('POST', '/tokens', { username: 'ada', password: PASSWORD, scope });
            return { ...ada, token: body.token.access_token };
        };

        const [writer, reader] = [await tokenOf(['projects']), await tokenOf(['read'])];
        const named = await as(writer, 'GET', '/users/me');
        expect([named.status, named.body]).to.equal([200, { status: 'success', user: { id: ada.id, username: 'ada' } }]);
        expect((await as(writer, 'GET', `/users/${ben.id}`)).body.code).to.equal('forbidden');
        expect((await as(writer, 'PATCH', '/users/me', { language: 'fr' })).body.code).to.equal('insufficient_scope');

        // Neither of the two forms stands for the other.
        const whole = await as(ada, 'GET', '/users/me');
        expect((await as(reader, 'GET', '/users/me')).body).to.equal(whole.body);
        const statusOf = async (actor: Actor, tag: unknown): Promise<number> => (await as(actor, 'GET', '/users/me', undefined, { 'if-none-match': String(tag) })).status;
        expect([await statusOf(writer, named.headers.etag), await statusOf(writer, whole.headers.etag), await statusOf(ada, named.headers.etag)]).to.equal([304, 200, 200]);
    });

    lab.test('shows each user their own, also if a page was cached for another', async () => {
        const { body: { project } } = await as(ada, 'POST', '/users/me/projects', { title: 'Of ada' });
        const pages = `/users/me/projects/${project.id}/pages`;
        const first = await as(ada, 'GET', pages);
        expect(first.status).to.equal(200);
        expect((await as(ben, 'GET', pages)).status).to.equal(404);
        expect((await as(ada, 'GET', pages, undefined, { 'if-none-match': String(first.headers.etag) })).status).to.equal(304);
        expect((await as(ben, 'GET', pages, undefined, { 'if-none-match': String(first.headers.etag) })).status).to.equal(404);

        await as(ben, 'POST', '/users/me/projects', { title: 'Of ben' });
        const titles = async (actor: Actor): Promise<string[]> => (await as(actor, 'GET', '/users/me/projects')).body.projects.map(({ title }: { title: string }) => title);
        expect(await titles(ben)).to.equal(['Of ben']);
        expect(await titles(ada)).to.include('Of ada').and.not.include('Of ben');
    });

    const headers: [what: string, authorization: string | undefined, challenge: string][] = [
        ['no token', undefined, 'Bearer realm="pagewright"'],
        ['a bad token', 'token garbage', 'Bearer realm="pagewright", error="invalid_token"'],
        ['a bad bearer token', 'Bearer garbage', 'Bearer realm="pagewright", error="invalid_token"'],
        ['another scheme', 'Basic YTpi', 'Bearer realm="pagewright", error="invalid_token"']
    ];
    for (const [what, authorization, challenge] of headers) {
        lab.test(`is 401 with ${what} on public routes, before all other checks, and readable by other origins`, async () => {
            for (const url of ['/users/me/projects', '/users/me/projects/abc', '/users/me/projects/1/pages/1?x=1']) {
                const { status, body, headers: answered } = await server.call('GET', url, undefined, { headers: { origin: 'http://a.example', ...authorization && { authorization } } });
                expect({ status, code: body.code }).to.equal({ status: 401, code: 'invalid_token' });
                expect(answered['www-authenticate']).to.equal(challenge);
                expect(answered['access-control-allow-origin']).to.equal('http://a.example');
            }
        });
    }

    lab.test('accepts a token of any scope and both schemes on public routes', async () => {
        const { body: { token } } = await server.call('POST', '/tokens', { username: 'ada', password: 'correct horse battery', scope: ['user'] });
        for (const scheme of ['token', 'Token', 'Bearer', 'bearer']) {
            expect((await server.call('GET', '/users/me/projects', undefined, { headers: { authorization: `${scheme} ${token.access_token}` } })).status).to.equal(200);
        }
    });

    lab.test('is the only case in which a public route reads the header', async () => {
        expect((await server.call('GET', `/users/${ada.id}/projects`, undefined, { token: 'garbage' })).status).to.equal(200);
    });

    lab.test('works like any path: percent-encoded, with HEAD, with a slash at the end, only in lower case', async () => {
        expect((await as(ada, 'GET', '/users/%6De/projects')).status).to.equal(200);
        expect((await as(ada, 'HEAD', '/users/me/projects')).status).to.equal(200);
        expect((await as(ada, 'GET', '/users/me/projects/')).status).to.equal(200);
        expect((await as(ada, 'GET', '/users/ME/projects')).status).to.equal(400);
        expect((await as(ada, 'GET', '/users/mee/projects')).status).to.equal(400);
        expect((await as(ada, 'GET', '/projects/me')).status).to.equal(400);
    });

    lab.test('needs no token for a preflight, an unknown method or an unknown path', async () => {
        const preflight = { 'origin': 'http://a.example', 'access-control-request-method': 'PATCH' };
        expect((await server.call('OPTIONS', '/users/me/projects/1', undefined, { headers: preflight })).status).to.equal(204);
        expect((await server.call('OPTIONS', '/users/me/projects/1')).status).to.equal(204);
        expect((await server.call('PUT', '/users/me/projects')).status).to.equal(405);
        expect((await server.call('GET', '/users/me/nothing')).status).to.equal(404);
    });

    lab.test('works with an Idempotency-Key, and is another request than one with the id', async () => {
        const key = { 'idempotency-key': 'a key of mine, no 1'.replaceAll(' ', '-') };
        const first = await as(ada, 'POST', '/users/me/projects', { title: 'Once' }, key);
        const again = await as(ada, 'POST', '/users/me/projects', { title: 'Once' }, key);
        expect([again.status, again.text, again.headers.location]).to.equal([201, first.text, first.headers.location]);
        expect((await as(ada, 'POST', `/users/${ada.id}/projects`, { title: 'Once' }, key)).body.code).to.equal('key_reused');
    });
});

for (const kind of ['jwt', 'introspection'] as const) {
    lab.experiment(`The first write by a token of ${kind}`, () => {

        let provider: TestProvider;
        let server: TestServer;

        lab.before(async () => {
            provider = await startProvider(kind);
            server = await startTestServer({ config: { auth: provider.settings() } });
        });

        lab.after(async () => {
            await server.stop();
            await provider.stop();
        });

        const token = (name: string): Promise<string> => provider.token({ subject: name, extra: { preferred_username: name, locale: 'pt-BR' } });
        const accounts = async (name: string): Promise<number> => {
            const { rows } = await server.database.db.raw('select count(*)::int as n from users where subject = ?', [name]);
            return rows[0].n;
        };

        const bulk = { actions: [{ type: 'projects', method: 'create', data: { title: 'Mine' } }, { type: 'pages', method: 'create', data: { projectId: '$0.id', x: 0, y: 0 } }] };

        lab.test('opens the account: a project', async () => {
            const { status, body, headers } = await server.call('POST', '/users/me/projects', { title: 'Mine' }, { token: await token('ada') });
            expect(status).to.equal(201);
            expect(body.project.author).to.include({ id: body.project.user_id, username: 'ada', locale: { language: 'pt-BR' } });
            expect(headers.location).to.equal(`/users/${body.project.user_id}/projects/${body.project.id}`);
            expect((await server.call('GET', '/users/me', undefined, { token: await token('ada') })).body.user.id).to.equal(body.project.user_id);
        });

        lab.test('opens the account: a bulk', async () => {
            const { status, body } = await server.call('POST', '/users/me/bulk', bulk, { token: await token('ben') });
            expect(status).to.equal(200);
            expect(body.results[0].author.username).to.equal('ben');
            expect(body.results[1].user_id).to.equal(body.results[0].user_id);
        });

        lab.test('opens one account if several come at once, and repeats the response of a repeated one', async () => {
            const cleo = await token('cleo');
            const answers = await Promise.all(Array.from({ length: 6 }, (_one, n) => (n % 2 === 0 ?
                server.call('POST', '/users/me/projects', { title: 'Mine' }, { token: cleo }) :
                server.call('POST', '/users/me/bulk', bulk, { token: cleo }))));
            expect(answers.map(({ status }) => status)).to.equal([201, 200, 201, 200, 201, 200]);
            expect(await accounts('cleo')).to.equal(1);

            for (const [url, body] of [['/users/me/projects', { title: 'Mine' }], ['/users/me/bulk', bulk]] as const) {
                const name = `dora of ${url}`.replaceAll(/[ /]/g, '-');
                const options = { token: await token(name), headers: { 'idempotency-key': '8e03978e-40d5-43e8-bc93-6894a57f9324' } };
                const first = await server.call('POST', url, body, options);
                const again = await server.call('POST', url, body, options);
                expect([first.status < 300, again.status, again.text]).to.equal([true, first.status, first.text]);
            }
        });

        lab.test('opens no account if the write fails', async () => {
            const failing: [url: string, body: object, status: number, code: string][] = [
                ['/users/me/projects', { title: '' }, 400, 'validation_failed'],
                ['/users/me/bulk', { actions: [] }, 400, 'validation_failed'],
                ['/users/me/bulk', { actions: [...bulk.actions, { type: 'projects', method: 'remove', data: { id: 1e15 } }] }, 404, 'not_found'],
                ['/users/1/projects', { title: 'Mine' }, 403, 'no_account'],
                ['/users/1/bulk', bulk, 403, 'no_account'],
                ['/users/me/projects/1/pages', { x: 0, y: 1 }, 403, 'no_account'],
                ['/users/me/projects/1/remixes', {}, 403, 'no_account']
            ];
            const eve = await token('eve');
            for (const [url, payload, expected, code] of failing) {
                const { status, body } = await server.call('POST', url, payload, { token: eve });
                expect({ url, status, code: body.code }).to.equal({ url, status: expected, code });
            }

            const small = await provider.token({ subject: 'eve', scope: 'user' });
            expect((await server.call('POST', '/users/me/projects', { title: 'Mine' }, { token: small })).body.code).to.equal('insufficient_scope');
            expect(await accounts('eve')).to.equal(0);
        });

        lab.test('is not a read, nor a change of something that cannot exist yet', async () => {
            const fay = await token('fay');
            for (const [method, url, body] of [
                ['GET', '/users/me/projects'], ['GET', '/users/me'], ['PATCH', '/users/me', { language: 'fr' }], ['DELETE', '/users/me'], ['PATCH', '/users/me/projects/1', { title: 'x' }]
            ] as const) {
                const answer = await server.call(method, url, body, { token: fay });
                expect({ url, status: answer.status, code: answer.body.code }).to.equal({ url, status: 403, code: 'no_account' });
            }

            expect(await accounts('fay')).to.equal(0);
        });

        lab.test('waits for the provider, also on public routes', async () => {
            if (kind === 'jwt') {
                return;
            }

            const gil = await token('gil');
            provider.instead = (_request, response) => void response.writeHead(500).end('{}');
            const { status, body } = await server.call('GET', '/users/me/projects', undefined, { token: gil });
            provider.instead = undefined;
            expect({ status, code: body.code }).to.equal({ status: 503, code: 'provider_unavailable' });
            server.faults.length = 0;
        });
    });
}
