import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import pino from 'pino';
import { Registry } from 'prom-client';

import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Received {
    status: number;
    body: string;
    headers: Record<string, unknown>;
}

describe('a list that was sent before', () => {
    const registry = new Registry();
    let t: TestServer;
    let ada: Actor;
    let agent: Agent;
    let log: string[] = [];

    before(async () => {
        const logger = pino({ level: 'info' }, { write: (line) => void log.push(line) });
        t = await startTestServer({ config: { listMaxAge: 60_000 }, logger, registry });
        ada = await t.open();
        for (const title of ['One', 'Two']) {
            await t.call('POST', `/users/${ada.id}/projects`, { title, description: 'x'.repeat(500) }, ada);
        }

        await t.server.start();
        agent = new Agent({ keepAlive: true, maxSockets: 1 });
    });
    after(async () => {
        agent.destroy();
        await t.stop();
    });

    /** A request over a real connection, and its response without the date. */
    const ask = async (path: string, headers: Record<string, string> = {}, { method = 'GET', body = '' } = {}): Promise<Received> => {
        const { port } = t.server.info;
        const message = await new Promise<IncomingMessage>((resolve, reject) => {
            httpRequest({ host: '127.0.0.1', port, path, method, headers, agent }, resolve).once('error', reject).end(body);
        });
        const { date, ...others } = message.headers;
        expect(date).to.be.a.string();
        return { status: Number(message.statusCode), body: await text(message), headers: others };
    };

    const sentAs = (id: string, { headers, ...others }: Received): Received => ({ ...others, headers: { ...headers, 'x-request-id': id } });

    it('is sent with the same body and headers, but for the request\'s id', async () => {
        const path = '/projects?count=1';
        const first = await ask(path, { 'x-request-id': 'first' });
        expect(first.headers).to.include({ 'x-request-id': 'first', 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' });
        expect(first.headers.link).to.match(/rel="next"/);
        for (const id of ['second', 'third', 'fourth']) {
            expect(await ask(path, { 'x-request-id': id })).to.equal(sentAs(id, first));
        }

        const { headers: { 'x-request-id': made } } = await ask(path);
        expect(made).to.match(/^[0-9a-f-]{36}$/);
    });

    const others: Record<string, { headers?: Record<string, string>; method?: string; status: number; has: object }> = {
        'of another origin': { headers: { origin: 'https://editor.example' }, status: 200, has: { 'access-control-allow-origin': 'https://editor.example' } },
        'that takes gzip': { headers: { 'accept-encoding': 'gzip' }, status: 200, has: { 'content-encoding': 'gzip' } },
        'of a client that has it': { headers: { 'if-none-match': '*' }, status: 304, has: {} },
        'for the headers alone': { method: 'HEAD', status: 200, has: {} }
    };
    for (const [name, { headers, method, status, has }] of Object.entries(others)) {
        it(`is not sent for a request ${name}, which gets what it would have got without it`, async () => {
            const path = `/projects?count=${Object.keys(others).indexOf(name) + 2}`;
            const special = { ...headers, 'x-request-id': 'special' };
            await ask(path);
            const earlier = await ask(path, special, { method });
            expect(earlier.status).to.equal(status);
            expect(earlier.headers).to.include(has);
            const plain = await ask(path, { 'x-request-id': 'plain' });
            expect(plain.status).to.equal(200);
            expect(await ask(path, special, { method })).to.equal(earlier);
            expect(await ask(path, { 'x-request-id': 'plain' })).to.equal(plain);
        });
    }

    it('is made anew each time if it is large, as its bytes count against the limits of responses', async () => {
        for (let n = 0; n < 24; ++n) {
            await t.call('POST', `/users/${ada.id}/projects`, { title: `Long ${n}`, description: `#large ${'x'.repeat(900)}` }, ada);
        }

        const counted: (number | undefined)[] = [];
        t.server.events.on('response', ({ app }) => void counted.push(app.responseBytes));
        const path = '/projects/tagged/large?count=24';
        const first = await ask(path, { 'x-request-id': 'first' });
        const bytes = Number(first.headers['content-length']);
        expect(bytes).to.be.above(16 * 1024);
        for (const id of ['second', 'third']) {
            expect(await ask(path, { 'x-request-id': id })).to.equal(sentAs(id, first));
        }

        await until(() => counted.length === 3);
        expect(counted).to.equal([bytes, bytes, bytes]);
    });

    it('is one line in the log, one request in the metrics, and none in hand', async () => {
        const path = '/discover?count=9';
        await ask(path);
        await ask(path);
        log = [];
        registry.resetMetrics();
        for (const id of ['a', 'b', 'c']) {
            await ask(path, { 'x-request-id': id });
        }

        const lines = log.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ msg }) => msg === 'response');
        expect(lines.map(({ request_id: id, route, status }) => [id, route, status])).to.equal([['a', '/discover', 200], ['b', '/discover', 200], ['c', '/discover', 200]]);
        for (const { ms } of lines) {
            expect(Number(ms)).to.be.at.least(0).and.to.be.below(60_000);
        }

        const metrics = await registry.metrics();
        expect(metrics).to.include('http_request_duration_seconds_count{method="GET",route="/discover",status="200"} 3');
        expect(metrics).to.include('http_requests_in_hand 0');
    });
});
