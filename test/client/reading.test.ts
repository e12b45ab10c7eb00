import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import type { ErrorCode } from '../../src/api/errors/registry';
import { openAuthor } from '../support/authoring';
import { hosts, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

describe('the client and requests', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    beforeEach(() => {
        on.requests.length = 0;
    });

    afterEach(() => {
        on.intercept = undefined;
    });

    after(() => on?.stop());

    /** Rejects a number of requests that match a pattern, and passes all others on. */
    const refuse = (times: number, pattern: RegExp, status: number, code: ErrorCode, retryAfter?: number): void => {
        let left = times;
        on.intercept = (request) => {
            if (left === 0 || !pattern.test(request)) {
                return undefined;
            }

            --left;
            return {
                status,
                // A proxy may say zero, which the service itself does not.
                headers: retryAfter === undefined ? undefined : { 'retry-after': `${retryAfter}` },
                body: { statusCode: status, error: 'Refused', message: 'Not now.', code }
            };
        };
    };

    for (const host of hosts) {
        describe(`in ${host}`, () => {
            it('reads lists by cursor, and no further than needed', async () => {
                const author = await openAuthor(on.test);
                for (let n = 1; n <= 5; ++n) {
                    await author.project({ title: `Project ${n}`, description: `#list${host}` });
                }

                const [first] = (await on.test.call('GET', `/projects/tagged/list${host}`)).body.projects;
                await author.remix({ url: `/users/${author.id}/projects/${first.id}`, id: first.id, thing: first });
                on.requests.length = 0;
                const told = await on.run(host, { user: author.id, tag: `list${host}`, source: { id: first.id, user_id: author.id } }, async ({ pagewright, url, given }) => {
                    const { projects } = pagewright.createClient(url);
                    const titles: string[] = [];
                    for await (const { title } of projects.tagged(given.tag, { count: 2 })) {
                        titles.push(title);
                    }

                    const some: string[] = [];
                    for await (const { title } of projects.of(given.user, { count: 2 })) {
                        some.push(title);
                        if (some.length === 3) {
                            break;
                        }
                    }

                    const stop = new AbortController();
                    const read: string[] = [];
                    let reason = '';
                    try {
                        for await (const { title } of projects.all({ count: 2, signal: stop.signal })) {
                            read.push(title);
                            stop.abort();
                        }
                    }
                    catch (error) {
                        reason = error instanceof Error ? error.name : '';
                    }

                    const counts: number[] = [];
                    for (const list of [projects.remixesOf(given.source), projects.featured(), projects.featured({ language: 'pt-BR' })]) {
                        let count = 0;
                        for await (const _project of list) {
                            ++count;
                        }

                        counts.push(count);
                    }

                    return { titles, some, read: read.length, reason, counts };
                });
                const featured: number = (await on.test.call('GET', '/discover?count=100')).body.projects.length;
                expect(featured).to.be.above(0);
                expect(told.titles).to.equal([5, 4, 3, 2, 1].map((n) => `Project ${n}`));
                expect(told.some).to.equal(['Project 5', 'Project 5', 'Project 4']);
                // Items that were read before the abort are kept.
                expect(told).to.include({ read: 2, reason: 'AbortError', counts: [1, featured, featured] });
                const asked = on.requests.map((request) => request.replace(/after=[^ &]+/, 'after=…'));
                const more = (path: string): string => `GET ${path}?count=2&after=… 200`;
                expect(asked).to.equal([
                    `GET /projects/tagged/list${host}?count=2 200`, more(`/projects/tagged/list${host}`), more(`/projects/tagged/list${host}`),
                    `GET /users/${author.id}/projects?count=2 200`, more(`/users/${author.id}/projects`),
                    'GET /projects?count=2 200',
                    `GET /users/${author.id}/projects/${first.id}/remixes?count=50 200`, 'GET /discover?count=50 200', 'GET /discover/pt-BR?count=50 200'
                ]);
            });

            it('reads unchanged things without their content', async () => {
                const author = await openAuthor(on.test);
                const { id, url } = await author.project();
                const place = { id, user_id: author.id };
                on.requests.length = 0;
                const told = await on.run(host, { place, token: author.token, rename: `${on.url}${url}` }, async ({ pagewright, url: service, given }) => {
                    const client = pagewright.createClient(service);
                    const path = { user: given.place.user_id, project: given.place.id };
                    const first = await client.projects.pages(given.place);
                    const text = JSON.stringify(first);
                    first.length = 0;
                    const second = await client.projects.pages(given.place);

                    // This row hides its tag from other origins.
                    const one = await client.api.GET('/users/{user}/projects/{project}', { params: { path } });
                    const same = await client.api.GET('/users/{user}/projects/{project}', { params: { path } });

                    client.signInWith({ token: given.token, tokenId: null, user: { id: given.place.user_id, username: 'x' } });
                    await client.api.PATCH('/users/{user}/projects/{project}', { params: { path }, body: { title: 'Renamed' } });
                    const renamed = await client.projects.get(given.place.id);
                    return { text, second: JSON.stringify(second), one: one.data?.project.title, same: same.data?.project.title, title: renamed.title };
                });
                expect(told.second).to.equal(told.text);
                expect(told).to.include({ one: 'A project', same: 'A project', title: 'Renamed' });
                expect(on.requests).to.equal([
                    `GET ${url}/pages 200`, `GET ${url}/pages 304`, `GET ${url} 200`, `GET ${url} 304`, `PATCH ${url} 200`, `GET /projects/${id} 200`
                ]);
            });

            it('repeats requests that were rejected without being done, and no others', async () => {
                const author = await openAuthor(on.test);
                const given = { token: author.token, user: author.id };
                on.requests.length = 0;
                const create = (): Promise<string> => on.run(host, given, async ({ pagewright, url, given: { token, user } }) => {
                    const client = pagewright.createClient(url);
                    client.signInWith({ token, tokenId: null, user: { id: user, username: 'x' } });
                    const made = await client.projects.create({ title: 'Once' }).catch((error: unknown) => error);
                    return made instanceof pagewright.PagewrightError ? `${made.status} ${made.code} ${made.retryAfter}` : 'made';
                });
                const path = 'POST /users/me/projects';

                refuse(2, /^POST /, 429, 'rate_limited', 0);
                expect(await create()).to.equal('made');
                for (const code of ['try_again', 'overloaded'] as const) {
                    refuse(1, /^POST /, 503, code, 0);
                    expect(await create()).to.equal('made');
                }

                // The connection to the database may have been lost after the write.
                refuse(1, /^POST /, 503, 'service_unavailable', 0);
                expect(await create()).to.equal('503 service_unavailable 0');
                // Longer than the client waits.
                refuse(1, /^POST /, 429, 'rate_limited', 900);
                expect(await create()).to.equal('429 rate_limited 900');
                refuse(9, /^POST /, 429, 'rate_limited', 0);
                expect(await create()).to.equal('429 rate_limited 0');
                expect(on.requests).to.equal([
                    `${path} 429`, `${path} 429`, `${path} 201`, `${path} 503`, `${path} 201`, `${path} 503`, `${path} 201`, `${path} 503`, `${path} 429`, ...Array.from({ length: 4 }, () => `${path} 429`)
                ]);
                expect((await on.test.call('GET', `/users/${author.id}/projects`)).body.projects.length).to.equal(3);
            });

            it('repeats reads after temporary errors, with its own pause if there is no Retry-After, and stops when aborted', async () => {
                const { id } = await (await openAuthor(on.test)).project();
                on.requests.length = 0;
                const read = (): Promise<string> => on.run(host, id, async ({ pagewright, url, given }) => (await pagewright.createClient(url).projects.get(given)).title);
                refuse(1, /^GET /, 503, 'service_unavailable');
                expect(await read()).to.equal('A project');
                refuse(9, /^GET /, 503, 'service_unavailable', 20);
                const reason = await on.run(host, id, async ({ pagewright, url, given }) => {
                    return await pagewright.createClient(url).projects.get(given, { signal: AbortSignal.timeout(300) }).catch((error: unknown) => (error instanceof Error ? error.name : ''));
                });
                expect(reason).to.equal('TimeoutError');
                expect(on.requests).to.equal([503, 200, 503].map((status) => `GET /projects/${id} ${status}`));
            });
        });
    }

    // A browser repeats a request by itself if a reused connection breaks.
    it('repeats reads if the network fails, but not writes', async () => {
        const author = await openAuthor(on.test);
        const { id } = await author.project();
        let arrived = 0;
        on.intercept = () => (++arrived % 2 === 0 ? undefined : 'break');

        const told = await on.run('Node', { id, token: author.token, user: author.id }, async ({ pagewright, url, given }) => {
            const client = pagewright.createClient(url);
            client.signInWith({ token: given.token, tokenId: null, user: { id: given.user, username: 'x' } });
            const { title } = await client.projects.get(given.id);
            const failure = await client.projects.create({ title: 'Once' }).catch((error: unknown) => error);
            const gone = await pagewright.createClient('http://127.0.0.1:1', { patience: { tries: 1 } }).projects.get(given.id).catch((error: unknown) => error);
            return { title, failed: failure instanceof TypeError, gone: gone instanceof TypeError };
        });
        expect(told).to.equal({ title: 'A project', failed: true, gone: true });
        expect(arrived).to.equal(3);
    });

    it('reports errors of proxies, reads dates in Retry-After, and remembers a limited number of responses', async () => {
        const told = await on.run('Node', null, async ({ pagewright, url }) => {
            const html = new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'Retry-After': new Date(Date.now() - 1000).toUTCString() } });
            const failed = await pagewright.createClient(url, { fetch: () => Promise.resolve(html.clone()), patience: { tries: 2 } }).projects.get('1').catch((error: unknown) => error);

            const held: (string | null)[] = [];
            const client = pagewright.createClient(url, {
                fetch: (request) => {
                    held.push(request.headers.get('If-None-Match'));
                    const size = Number(new URL(request.url).pathname.split('/').at(-1));
                    return Promise.resolve(new Response(JSON.stringify({ project: { title: 'x'.repeat(size) } }), { headers: { ETag: `"${size}"` } }));
                }
            });
            for (const size of [5_000_000, 5_000_000, 1, 4_000_001, 4_000_002, 4_000_003, 1, 4_000_004, 4_000_005, 4_000_001, 1]) {
                await client.projects.get(String(size));
            }

            return { failed: failed instanceof pagewright.PagewrightError ? { ...failed, message: failed.message } : failed, held };
        });
        expect(told.failed).to.include({ status: 502, code: 'error', message: 'The service answered 502', retryAfter: 0 });
        expect(told.held).to.equal([null, null, null, null, null, null, '"1"', null, null, null, '"1"']);
    });
});
