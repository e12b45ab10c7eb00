import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { limits } from '../../../src/api/protection/rate-limits';
import { LARGE, MAX_MESSAGE_BYTES, MAX_MESSAGE_KEYS, MAX_MESSAGE_NESTING, MAX_NESTING, MAX_OBJECT_BYTES, MAX_TOOL_BYTES, MAX_TOOL_READ } from '../../../src/limits';
import { until } from '../../support/host';
import { startAssistants } from '../../support/assistants';
import type { Assistant, AssistantsServer } from '../../support/assistants';
import { nested, ofBytes, openAuthor, waiting } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { PASSWORD } from '../../support/passwords';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const KIB = 1024;

describe('bounds of /mcp', () => {
    let server: AssistantsServer;
    let ada: Author;
    let assistant: Assistant;

    before(async () => {
        server = await startAssistants();
        ada = await openAuthor(server, 'ada');
        assistant = await server.assistant(ada.token);
    });

    afterEach(() => {
        expect(server.faults.splice(0)).to.equal([]);
    });

    after(() => server.stop());

    /** Makes as many elements of this size. */
    const fill = async (page: string, count: number, bytes: number): Promise<void> => {
        for (let made = 0; made < count; made += 4) {
            const actions = Array.from({ length: Math.min(4, count - made) }, () => ({ type: 'elements', method: 'create', data: { pageId: page, type: 'text', attributes: ofBytes(bytes) } }));
            expect((await ada.bulk(actions)).status).to.equal(200);
        }
    };

    /** The ids that a tool shows in all its answers, and how many those were. */
    const readAll = async (name: string, input: object, list: string): Promise<{ ids: string[]; answers: number; more: unknown }> => {
        const ids: string[] = [];
        let [answers, last, more]: [number, string | undefined, unknown] = [0, undefined, undefined];
        do {
            const answer = await assistant.result(name, { ...input, after: last });
            expect(Buffer.byteLength(JSON.stringify(answer))).to.be.below(MAX_TOOL_BYTES + 8 * KIB);
            ids.push(...answer[list].map(({ id }: { id: string }) => id));
            ({ more } = answer);
            last = /after=(\d+)/.exec(String(more))?.[1];
            ++answers;
        } while (last !== undefined);

        return { ids, answers, more };
    };

    const idsOf = async ({ page }: MadeProject): Promise<string[]> => (await ada.call('GET', `${page.url}/elements`)).body.elements.map(({ id }: { id: string }) => id);

    it('a page with many elements is shown in parts, and each part says how to go on', async () => {
        const project = await ada.project();
        await fill(project.page.id, 12, 20 * KIB);
        const { ids, answers, more } = await readAll('read_page', { project: project.id, page: project.page.id }, 'elements');
        expect(ids).to.equal(await idsOf(project));
        expect(answers).to.equal(3);
        expect(more).to.be.undefined();
        const refused = await assistant.refusal('read_page', { project: project.id, page: project.page.id, after: '1000000' });
        expect(refused).to.include({ code: 'validation_failed' });
        expect(refused.message).to.contain('Begin again without "after"');
    });

    it('an element that is too large is named, and the others are shown', async () => {
        const project = await ada.project();
        await fill(project.page.id, 1, 100 * KIB);
        await fill(project.page.id, 1, 100);
        const { elements } = await assistant.result('read_page', { project: project.id, page: project.page.id });
        expect(elements[0].left_out).to.match(/^It has 10\d{4} bytes, more than is shown here\.$/);
        expect(elements[1].type).to.equal('text');
    });

    it('a project with many pages is shown in parts', async () => {
        const project = await ada.project();
        await ada.bulk(Array.from({ length: 10 }, (_, n) => ({ type: 'pages', method: 'create', data: { projectId: project.id, x: n + 1, y: 0, styles: ofBytes(20 * KIB) } })));
        const { ids, answers } = await readAll('read_project', { project: project.id }, 'pages');
        expect(ids).to.have.length(11);
        expect(answers).to.equal(3);
    });

    it('of what is too large for one text, no more is read than the beginning', async () => {
        const project = await ada.project();
        await fill(project.page.id, 10, MAX_OBJECT_BYTES / 2);
        expect(10 * MAX_OBJECT_BYTES / 2).to.be.above(MAX_TOOL_READ).and.above(LARGE);
        const { body: { elements: [first] } } = await ada.call('GET', `${project.page.url}/elements`);
        await ada.call('PATCH', `${project.page.url}/elements/${first.id}`, { attributes: {} });
        const { ids, more } = await readAll('read_page', { project: project.id, page: project.page.id }, 'elements');
        expect(ids).to.equal((await idsOf(project)).slice(0, ids.length));
        expect(ids.length).to.be.within(8, 9);
        expect(more).to.equal('There are more, beyond the first 8 MiB, which is all that is read here. The editor shows them.');
        // Its pages are all there: they come before the elements.
        expect((await assistant.result('read_project', { project: project.id })).pages.map(({ id }: { id: string }) => id)).to.equal([project.page.id]);
        const absent = await assistant.result('read_page', { project: project.id, page: project.page.id, after: '1000000' });
        expect(absent).to.include({ elements: [] });
    });

    it('a conflict does not show the newer state if that is large', async () => {
        const project = await ada.project();
        await fill(project.page.id, 1, 100 * KIB);
        const [element = ''] = await idsOf(project);
        await ada.call('PATCH', `${project.page.url}/elements/${element}`, { styles: { left: 1 } });
        const refused = await assistant.refusal('change_project', { actions: [{ type: 'elements', method: 'update', data: { id: element, revision: 1, styles: { left: 2 } } }] });
        expect(Object.keys(refused)).to.equal(['message', 'code', 'action']);
        expect(refused).to.include({ code: 'revision_conflict', action: 0 });
    });

    const send = (body: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${server.url}/mcp`, { method: 'POST', body, headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } });
    const message = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });
    const wide = (keys: number): object => Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, n]));
    const padded = (bytes: number): string => JSON.stringify(message('ping')).padEnd(bytes);

    it('a message has a largest size', async () => {
        expect((await send(padded(MAX_MESSAGE_BYTES))).status).to.equal(200);
        const refused = await send(padded(MAX_MESSAGE_BYTES + 1));
        expect([refused.status, Object(await refused.json()).code]).to.equal([413, 'payload_too_large']);
    });

    it('a message nests only so deep, and its objects have only so many keys, but for what is stored as it is', async () => {
        const refused = async (body: string): Promise<void> => {
            const answer = await send(body);
            expect([answer.status, Object(await answer.json()).message]).to.equal([400, `A message nests at most ${MAX_MESSAGE_NESTING} levels deep, and its objects have at most ${MAX_MESSAGE_KEYS} keys.`]);
        };

        const attributes = { nested: nested(MAX_NESTING - 1), ...wide(MAX_MESSAGE_KEYS) };
        const project = await ada.project();
        const action = (given: object): object => ({ actions: [{ type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text', attributes: given } }] });
        await assistant.result('change_project', action(attributes));
        expect(await assistant.refusal('change_project', action(nested(MAX_NESTING + 1)))).to.include({ code: 'validation_failed' });
        for (const levels of [MAX_MESSAGE_NESTING, 30_000]) {
            await refused(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(levels)}${']'.repeat(levels)}}`);
        }

        expect((await send(JSON.stringify(message('ping', wide(MAX_MESSAGE_KEYS))))).status).to.equal(200);
        await refused(JSON.stringify(message('ping', wide(MAX_MESSAGE_KEYS + 1))));
    });

    it('an element that fills a message arrives as it was sent', async () => {
        const project = await ada.project();
        const attributes = ofBytes(MAX_MESSAGE_BYTES - 2 * KIB);
        const { results: [made] } = await assistant.result('change_project', { actions: [{ type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text', attributes } }] });
        expect((await ada.call('GET', `${project.page.url}/elements/${made.id}`)).body.element.attributes).to.equal(attributes);
    });

    it('there is one message in a request, and nothing to wait for', async () => {
        expect((await send(JSON.stringify([message('ping'), message('ping')]))).status).to.equal(400);
        for (const method of ['GET', 'DELETE']) {
            const refused = await fetch(`${server.url}/mcp`, { method, headers: { authorization: `Bearer ${ada.token}` } });
            expect([refused.status, refused.headers.get('allow')]).to.equal([405, 'OPTIONS, POST']);
        }

        const notified = await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
        expect([notified.status, await notified.text()]).to.equal([202, '']);
        const error: unknown = await assistant.client.listen({ toolsListChanged: true }).catch((caught: unknown) => caught);
        expect(error).to.be.an.error(/Subscription limit reached/);
    });

    it('many wrong actions are refused without a list of all', async () => {
        const actions = Array.from({ length: 20_000 }, () => ({ type: 1 }));
        const { details } = await assistant.refusal('change_project', { actions });
        expect(details).to.have.length(1);
    });

    /** Calls a tool, over a connection of its own. @returns what closes that, and waits until the service has noticed */
    const callAlone = (name: string, input: object): () => Promise<void> => {
        const closed = new Promise((resolve) => {
            server.server.listener.once('request', (_request, response) => response.once('close', resolve));
        });
        const client = httpRequest(`${server.url}/mcp`, { method: 'POST', agent: false, headers: { 'authorization': `Bearer ${ada.token}`, 'content-type': 'application/json', 'accept': 'application/json, text/event-stream' } });
        client.on('error', () => undefined);
        client.end(JSON.stringify(message('tools/call', { name, arguments: input })));
        return async () => {
            client.destroy();
            await closed;
        };
    };

    it('when the client leaves, the work ends with nothing done', async () => {
        const { id, url, page } = await ada.project();
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for update', [id]);
        const leave = callAlone('change_project', { actions: [{ type: 'pages', method: 'update', data: { id: page.id, y: 7 } }] });
        while (await waiting(server) === 0) {
            await sleep(5);
        }

        await leave();
        await lock.rollback();
        // A second bulk waits for the first.
        expect((await ada.bulk([{ type: 'projects', method: 'update', data: { id, description: 'after' } }])).status).to.equal(200);
        expect((await server.call('GET', url)).body.project.revision).to.equal(2);
    });

    it('when the client leaves between two routes, the second is not called', async () => {
        const { id } = await ada.project();
        const called: string[] = [];
        server.server.events.on('response', ({ path }) => void called.push(path));
        const leaving: (() => Promise<void>)[] = [];
        server.server.ext('onPreResponse', async (request, h) => {
            if (request.path === `/projects/${id}`) {
                await leaving[0]?.();
            }

            return h.continue;
        });
        leaving.push(callAlone('read_project', { project: id }));
        while (called.length < 2) {
            await sleep(5);
        }

        await sleep(50);
        expect(called.sort()).to.equal(['/mcp', `/projects/${id}`]);
    });

    it('when the client leaves while a large page is read, or the page changes, that is no error', async () => {
        const { id, page } = await ada.project();
        await fill(page.id, 10, MAX_OBJECT_BYTES / 2);
        // Before the body is read.
        const meanwhile: (() => Promise<unknown>)[] = [];
        let read = 0;
        server.server.ext('onPreResponse', async (request, h) => {
            if (request.path === `${page.url}/elements` && request.method === 'get') {
                await meanwhile.pop()?.();
                ++read;
            }

            return h.continue;
        });
        meanwhile.push(() => ada.element(page));
        expect(await assistant.refusal('read_page', { project: id, page: page.id })).to.include({ code: 'try_again' });
        meanwhile.push(callAlone('read_page', { project: id, page: page.id }));
        while (read < 2) {
            await sleep(5);
        }

        await sleep(200);
    });

    it('of one caller, two things are read whole at a time, and others need not wait for them', async () => {
        const { id, page } = await ada.project();
        const bob = await openAuthor(server, 'bob');
        const others = await server.assistant(bob.token);
        const open: (() => void)[] = [];
        server.server.ext('onPreHandler', async (request, h) => {
            if (request.path === `${page.url}/elements` && String(request.headers.authorization).includes(ada.token)) {
                await new Promise<void>((resolve) => void open.push(resolve));
            }

            return h.continue;
        });
        const reading = Array.from({ length: 5 }, () => assistant.result('read_page', { project: id, page: page.id }));
        while (open.length < 2) {
            await sleep(5);
        }

        expect((await others.result('read_page', { project: id, page: page.id })).elements).to.equal([]);
        expect(open).to.have.length(2);
        for (let n = 0; n < reading.length; ++n) {
            while (open.length <= n) {
                await sleep(5);
            }

            open[n]?.();
        }

        expect(await Promise.all(reading)).to.equal(Array(5).fill({ elements: [] }));
    });

    it('an error of ours is logged, and not shown', async () => {
        const { id } = await ada.project();
        const { server: hapi } = server;
        hapi.ext('onPreResponse', (request, h) => {
            if (request.path !== `/projects/${id}`) {
                return h.continue;
            }

            request.app.planted = true;
            return h.response('{"a secret').type('application/json');
        });
        const error: unknown = await assistant.client.callTool({ name: 'read_project', arguments: { project: id } }).catch((caught: unknown) => caught);
        expect(error).to.be.an.error(/Something went wrong on the server\.$/);
        expect(server.faults.splice(0)).to.have.length(1);
    });

    it('what tools do is counted as what the routes do', async () => {
        const limited = await startAssistants({ config: { rateLimit: true } });
        try {
            const eve = await limited.open('eve');
            const hers = await limited.assistant(eve.token);
            const key = `writes:user ${eve.id}`;
            const counted = async (): Promise<unknown> => (await limited.database.db('rate_limits').where({ key }).first('points'))?.points;
            await hers.client.listTools();
            await hers.result('find_projects');
            expect(await counted()).to.be.undefined();
            await hers.result('create_project', { title: 'One' });
            await until(async () => await counted() === 1);
            const zoe = await limited.open('zoe');
            await limited.database.db('rate_limits').insert({ key: `writes:user ${zoe.id}`, points: limits.writes.points, expire: Date.now() + 60_000 });
            const refused = await (await limited.assistant(zoe.token)).refusal('create_project', { title: 'Two' });
            expect(refused).to.include({ code: 'rate_limited' });
            expect(refused.message).to.match(/\d+ second/);
        }
        finally {
            await limited.stop();
        }
    });
});

describe('who is at /mcp', () => {
    it('is told where tokens come from', async () => {
        const server = await startAssistants();
        const metadata = '/.well-known/oauth-protected-resource';
        try {
            const ask = (headers: Record<string, string>) => server.call('POST', `${server.url}/mcp`, {}, { headers });
            const challenge = `resource_metadata="${server.url}${metadata}/mcp"`;
            const nobody = await ask({});
            expect([nobody.status, nobody.headers['www-authenticate']]).to.equal([401, `Bearer realm="pagewright", ${challenge}`]);
            expect(nobody.headers['cache-control']).to.equal('no-store');
            const wrong = await ask({ authorization: 'Bearer wrong' });
            expect([wrong.status, wrong.headers['www-authenticate']]).to.equal([401, `Bearer realm="pagewright", error="invalid_token", ${challenge}`]);
            const ada = await server.open('ada');
            const { body: { token: { access_token: token } } } = await server.call('POST', '/tokens', { username: 'ada', password: PASSWORD, scope: ['user'] });
            const { headers, status } = await ask({ authorization: `token ${token}` });
            expect([status, headers['www-authenticate']]).to.equal([403, `Bearer realm="pagewright", error="insufficient_scope", scope="projects read", ${challenge}`]);
            // Without PUBLIC_URL nobody elsewhere is told an address that their own request names.
            expect((await server.call('POST', 'http://elsewhere.example/mcp', {})).headers['www-authenticate']).to.equal('Bearer realm="pagewright"');
            expect((await server.call('GET', `http://elsewhere.example${metadata}`)).body.code).to.equal('no_public_url');
            for (const path of ['', '/mcp']) {
                const { body } = await server.call('GET', `${server.url}${metadata}${path}`);
                expect(body).to.include({ resource: `${server.url}${path}`, authorization_servers: [server.url], scopes_supported: ['projects', 'read'], bearer_methods_supported: ['header'] });
            }

            // A page of another origin may ask, too.
            const preflight = await fetch(`${server.url}/mcp`, { method: 'OPTIONS', headers: { 'origin': 'https://assistant.example', 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name' } });
            expect(preflight.status).to.equal(204);
            expect(String(preflight.headers.get('access-control-allow-headers')).toLowerCase()).to.contain('mcp-protocol-version');
            expect(ada.id).to.be.a.string();
        }
        finally {
            await server.stop();
        }
    });
});
