import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { hosts, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { until } from '../support/host';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

describe('the client and live changes', () => {
    let on: ClientTest;
    let author: Author;

    before(async () => {
        on = await startClientTest();
    });

    beforeEach(async () => {
        author = await openAuthor(on.test);
        on.requests.length = 0;
    });

    afterEach(() => {
        on.intercept = undefined;
    });

    after(() => on?.stop());

    const streams = (): string[] => on.requests.filter((request) => request.includes('/events'));

    for (const host of hosts) {
        it(`is told of each change once, across lost connections, until the project is gone, in ${host}`, async () => {
            const project = await author.project();
            const given = { id: project.id, user_id: author.id };
            const told = on.run(host, given, async ({ pagewright, url, given: place }) => {
                const seen: number[] = [];
                for await (const { revision, from } of pagewright.createClient(url).watch(place)) {
                    seen.push(from, revision);
                    if (revision === 5) {
                        await fetch(`${url}/health?seen=5`);
                    }
                }

                return seen;
            });
            await until(() => streams().length === 1);
            await author.call('PATCH', project.url, { title: 'Two' });
            await author.call('PATCH', project.url, { title: 'Three' });

            // While there is no connection, and a proxy answers for the service, changes go on.
            let refused = 0;
            on.intercept = () => (++refused < 2 ? 'break' : { status: 502, body: {} });
            on.cut();
            await author.call('PATCH', project.url, { title: 'Four' });
            await author.call('PATCH', project.url, { title: 'Five' });
            await until(() => refused >= 2, 30_000);
            on.intercept = undefined;
            // A stream of a deleted project only says that it is gone.
            await until(() => on.requests.some((request) => request.includes('seen=5')), 30_000);
            await author.call('DELETE', project.url);
            const seen = await told;
            expect(seen).to.equal([1, 2, 2, 3, 3, 4, 4, 5]);
        });

        it(`ends when it is aborted, in ${host}`, async () => {
            const project = await author.project();
            await author.call('PATCH', project.url, { title: 'Two' });
            const told = await on.run(host, { id: project.id, user_id: author.id }, async ({ pagewright, url, given }) => {
                const client = pagewright.createClient(url);
                const stop = new AbortController();
                const seen: number[] = [];
                for await (const { revision } of client.watch(given, { since: 1, signal: stop.signal })) {
                    seen.push(revision);
                    setTimeout(() => stop.abort(), 50);
                }

                for await (const { revision } of client.watch(given, { since: 1 })) {
                    seen.push(revision);
                    break;
                }

                for await (const { revision } of client.watch(given, { since: 1, signal: AbortSignal.abort() })) {
                    seen.push(revision);
                }

                const wrong = await client.watch(given, { since: -1 }).next().catch((error: unknown) => error instanceof pagewright.PagewrightError && error.status);
                return { seen, wrong };
            });
            expect(told).to.equal({ seen: [2, 2], wrong: 400 });
        });
    }

    it('reads a stream in whatever pieces and line ends it comes', async () => {
        const told = await on.run('Node', {}, async ({ pagewright }) => {
            const text = ['\uFEFFretry: 1', '', ': a comment', 'event: change', 'id: 2', 'data: {"revision":2,', 'data: "from":1}', '', 'event: other', 'data: {}', '', 'event: change', '', 'data', '', 'event:change', 'data:{"revision":3,"from":2}', '', 'event: change', 'data: {"revision":3,"from":2}', '', 'event: change', 'data: {"revision":4'];
            const results: string[] = [];
            for (const end of ['\n', '\r', '\r\n']) {
                for (const size of [1, 2, 7, 1000]) {
                    const asked: string[] = [];
                    const fetch = ({ url }: Request): Promise<Response> => {
                        asked.push(url.split('?')[1] ?? '');
                        const bytes = new TextEncoder().encode(asked.length === 1 ? text.join(end) : `event: gone${end}data: {}${end}${end}`);
                        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_piece, index) => bytes.slice(index * size, (index + 1) * size));
                        return Promise.resolve(new Response(new ReadableStream({
                            start: (controller) => {
                                pieces.forEach((piece) => controller.enqueue(piece));
                                controller.close();
                            }
                        })));
                    };

                    const seen: number[] = [];
                    for await (const { revision, from } of pagewright.createClient('http://service', { fetch }).watch({ id: '1', user_id: '2' }, { since: 1 })) {
                        seen.push(from, revision);
                    }

                    results.push([...seen, ...asked].join());
                }
            }

            return [...new Set(results)];
        });
        expect(told).to.equal(['1,2,2,3,since=1,since=3']);
    });
});
