import { createHash } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { server as hapiServer } from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import pino from 'pino';

import { run } from '../../../src/operations/main';
import { startTraces } from '../../../src/operations/process/traces';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { fakeHost, listen, until } from '../../support/host';
import type { FakeHost } from '../../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

interface Sent {
    name: string;
    traceId: string;
    spanId: string;
    parentSpanId?: string;
    kind: number;
    attributes: { key: string; value: Record<string, string | number> }[];
    status: { code?: number };
}

/** One pixel. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const hash = createHash('sha256').update(PNG).digest('hex');

/** A collector that keeps what it gets. */
async function collect(): Promise<{ url: string; texts: string[]; spans(): Sent[]; stop(): void }> {
    const texts: string[] = [];
    const collector = createServer(async (request, response) => {
        expect(request.url).to.equal('/v1/traces');
        let text = '';
        for await (const piece of request) {
            text += String(piece);
        }

        texts.push(text);
        response.setHeader('Content-Type', 'application/json').end('{}');
    });
    return {
        url: `http://127.0.0.1:${await listen(collector)}`, texts, stop: () => void collector.close(),
        spans: () => texts.flatMap((text) => JSON.parse(text).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Sent[] }[] }) => scopeSpans.flatMap((scope) => scope.spans)))
    };
}

const urlIn = ({ out, err }: FakeHost): string => /Pagewright is at (http:\S+)/.exec(out + err)?.[1] ?? '';

describe('traces', () => {
    let database: TestDatabase;
    let folder: string;

    before(async () => {
        database = await emptyDatabase();
        folder = mkdtempSync(join(tmpdir(), 'pagewright-traces-'));
    });

    after(async () => {
        await database.drop();
        rmSync(folder, { recursive: true });
    });

    const start = async (endpoint: string): Promise<FakeHost> => {
        const host = fakeHost({ DATABASE_URL: database.url, DATA_DIR: folder, PORT: '0', THUMBNAILS: 'off', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
        await run(host);
        return host;
    };

    const stop = async (host: FakeHost): Promise<void> => {
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
    };

    it('has a span for each request, in the trace of its client, and for what it waits for, with nothing of what was sent', async () => {
        const { url: endpoint, texts, spans, stop: stopCollector } = await collect();
        const host = await start(`${endpoint}/`);
        const url = urlIn(host);
        const call = async (path: string, { token = '', body, headers = {}, method = body === undefined ? 'GET' : 'POST' }: { method?: string;  token?: string; body?: string | Buffer; headers?: Record<string, string> } = {}): Promise<{ token?: { access_token: string } }> => {
            const type = typeof body === 'string' ? 'application/json' : 'image/png';
            const response = await fetch(url + path, {
                method, body: body === undefined ? null : new Uint8Array(Buffer.from(body)),
                headers: { ...body !== undefined && { 'Content-Type': type }, ...token !== '' && { Authorization: `token ${token}` }, ...headers }
            });
            return response.json();
        };

        const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
        const { token: { access_token: token } = { access_token: '' } } = await call('/users', { body: JSON.stringify({ username: 'traceable-name', password: 'a secret password' }) });
        await call('/search?q=private-words', { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
        await call('/users/me/bulk', { token, body: JSON.stringify({ actions: [{ type: 'projects', method: 'create', data: { title: 'secret title' } }] }) });
        await call(`/users/me/assets/${hash}`, { method: 'PUT', token, body: PNG });
        await call('/nowhere/secret-path');
        await stop(host);
        stopCollector();

        const sent = spans();
        const requests = sent.filter(({ kind }) => kind === 2);
        expect(requests.map(({ name }) => name)).to.equal(['POST /users', 'GET /search', 'POST /users/{user}/bulk', 'PUT /users/{user}/assets/{sha256}', '* /{path*}']);
        expect(requests.map(({ attributes }) => attributes.find(({ key }) => key === 'http.response.status_code')?.value.intValue)).to.equal([201, 200, 200, 201, 404]);
        const named = (name: string): Sent | undefined => requests.find((span) => span.name === name);
        expect(named('GET /search')).to.include({ traceId, parentSpanId: '00f067aa0ba902b7' });
        expect(named('POST /users')?.parentSpanId ?? '').to.equal('');

        const within = (name: string): string[] => [...new Set(sent.filter(({ parentSpanId, traceId: of }) => parentSpanId === named(name)?.spanId && of === named(name)?.traceId).map((span) => span.name))].sort();
        expect(within('POST /users')).to.equal(['queue', 'statement']);
        expect(within('GET /search')).to.equal(['queue', 'statement']);
        expect(within('POST /users/{user}/bulk')).to.equal(['queue', 'statement']);
        expect(within('PUT /users/{user}/assets/{sha256}')).to.equal(['statement', 'storage']);
        // Whatever no request waits for is not there.
        expect(sent.every(({ kind, parentSpanId = '' }) => kind === 2 || parentSpanId !== '')).to.be.true();

        const all = texts.join();
        expect(all).to.contain('"pagewright"').and.contain('insert into users');
        for (const secret of ['traceable-name', 'secret', 'private-words', token, hash, 'secret-path']) {
            expect(all, secret).not.to.contain(secret);
        }
    });

    it('says what failed, and nothing of what no request of the server waits for', async () => {
        const { url, spans, stop: stopCollector } = await collect();
        const work = tracingChannel('pagewright:statement');
        const fail = (): Promise<never> => work.tracePromise(() => Promise.reject(new Error('in vain')), { attributes: {} });
        const server = hapiServer({ host: '127.0.0.1', port: 0 });
        server.route({ method: 'GET', path: '/fails', handler: fail });
        await server.start();
        const traces = startTraces(server, url, pino({ level: 'silent' }));
        const other = createServer((_request, response) => void response.end('there'));
        for (const address of [`${server.info.uri}/fails`, `http://127.0.0.1:${await listen(other)}/`]) {
            await (await fetch(address)).text();
        }

        await server.inject('/fails');
        await expect(fail()).to.reject('in vain');
        await traces.end();
        await server.stop();
        other.close();
        stopCollector();
        expect(spans().map(({ name, status }) => [name, status.code])).to.equal([['statement', 2], ['GET /fails', 2]]);
    });

    it('does not keep anything waiting for a collector that is not there, and says so in the log', async () => {
        const host = await start('http://127.0.0.1:9');
        const response = await fetch(`${urlIn(host)}/health`);
        expect(response.status).to.equal(200);
        await response.text();
        const began = Date.now();
        await stop(host);
        expect(Date.now() - began).to.be.below(20_000);
        expect(host.out).to.contain('traces: ');
    });
});
