import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Registry } from 'prom-client';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('metrics', () => {
    const registry = new Registry();
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer({ registry, pool: 2 });
        server.server.route({ method: 'GET', path: '/slow', options: { app: { cost: 'cheap' } }, handler: () => new Promise((resolve) => setTimeout(resolve, 30, 'slow')) });
        server.server.route({ method: 'GET', path: '/throwing', options: { app: { cost: 'cheap' } }, handler: () => Promise.reject(new Error('inside')) });
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
    });

    after(() => server.stop());

    beforeEach(() => registry.resetMetrics());

    /** The lines of one name, without it. */
    const lines = async (name: string): Promise<string[]> => {
        const text = await registry.metrics();
        return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)).map((line) => line.slice(name.length));
    };

    it('count requests by route, method and status', async () => {
        await server.call('GET', project.url);
        await server.call('HEAD', project.url);
        await server.call('GET', `/users/${ada.id}/projects/1000000`);
        await ada.call('PATCH', project.url, { title: 'New' });
        await server.call('PATCH', project.url, { title: 'New' });
        expect((await lines('http_request_duration_seconds_count')).sort()).to.equal([
            '{method="GET",route="/users/{user}/projects/{project}",status="200"} 2',
            '{method="GET",route="/users/{user}/projects/{project}",status="404"} 1',
            '{method="PATCH",route="/users/{user}/projects/{project}",status="200"} 1',
            '{method="PATCH",route="/users/{user}/projects/{project}",status="401"} 1'
        ]);
    });

    it('count the streams that are open', async () => {
        expect(await lines('live_streams')).to.equal([' 0']);
        const stream = server.call('GET', `${project.url}/events`);
        await until(() => server.server.plugins.live.places.count() === 1);
        expect(await lines('live_streams')).to.equal([' 1']);
        await stream;
        expect(await lines('live_streams')).to.equal([' 0']);
    });

    it('count errors by code', async () => {
        await server.call('GET', '/users/1/projects/1000000');
        await server.call('GET', '/users/1/projects/1000001');
        await server.call('GET', '/users/x/projects/1');
        await server.call('GET', '/throwing');
        await ada.call('POST', `${project.url}/pages`, { x: 0, y: 0 });
        await server.call('GET', '/health');
        server.faults.length = 0;
        expect((await lines('http_request_errors_total')).sort()).to.equal([
            '{code="coordinates_taken"} 1', '{code="internal_error"} 1', '{code="not_found"} 2', '{code="validation_failed"} 1'
        ]);
    });

    it('begin at 0, so that the first error is an increase', async () => {
        const fresh = new Registry();
        const other = await startTestServer({ registry: fresh, pool: 1 });
        const text = await fresh.metrics();
        await other.stop();
        const begun = ['internal_error', 'service_unavailable', 'database_read_only', 'storage_full'].map((code) => `http_request_errors_total{code="${code}"} 0`);
        for (const line of [...begun, ...['2xx', '3xx', '4xx', '5xx'].map((of) => `http_responses_total{class="${of}"} 0`), 'storage_failures_total 0', 'http_requests_refused_total 0']) {
            expect(text).to.contain(`\npagewright_${line}\n`);
        }
    });

    it('have the names before 0.4, too', async () => {
        await server.call('GET', project.url);
        const names = [...(await registry.metrics()).matchAll(/^# TYPE ((?:http|storage|live|database)_\w+)/gm)].map(([, name = '']) => name);
        expect(names).to.have.length(8);
        for (const name of ['http_request_duration_seconds_sum', 'http_request_duration_seconds_bucket', 'http_request_duration_seconds_count', ...names.slice(1)]) {
            expect(await lines(name)).to.equal(await lines(`pagewright_${name}`));
        }
    });

    it('count responses by the class of their status', async () => {
        await server.call('GET', project.url);
        await server.call('GET', '/throwing');
        server.faults.length = 0;
        expect((await lines('pagewright_http_responses_total')).sort()).to.equal(['{class="2xx"} 1', '{class="5xx"} 1']);
    });

    it('measure durations in seconds', async () => {
        await server.call('GET', '/slow');
        const [sum = ''] = await lines('http_request_duration_seconds_sum');
        expect(Number(sum.split(' ').at(-1))).to.be.within(0.029, 10);
        const counts = new Map((await lines('http_request_duration_seconds_bucket')).map((line) => [/le="([^"]+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))]));
        expect([counts.get('0.001'), counts.get('0.025'), counts.get('10'), counts.get('+Inf')]).to.equal([0, 0, 1, 1]);
    });

    it('have labels that clients cannot add to', async () => {
        const requests: [string, string][] = [
            ...[1, 2, 3].map((n): [string, string] => ['GET', `/nowhere-${n}`]), ...['PUT', 'PROPFIND', 'REPORT'].map((method): [string, string] => [method, `${project.url}?a=1`]), ['GET', '/%'], ['OPTIONS', '/nowhere']
        ];
        for (const [method, url] of requests) {
            await server.call(method, url);
        }

        expect((await lines('http_request_duration_seconds_count')).sort()).to.equal([
            '{method="*",route="/users/{user}/projects/{project}",status="405"} 3', '{method="*",route="/{path*}",status="404"} 3',
            '{method="_SPECIAL",route="/{p*}",status="400"} 1', '{method="_SPECIAL",route="/{p*}",status="404"} 1'
        ]);
    });

    it('show the state of the pool', async () => {
        const { db } = server.database;
        expect(await lines('database_pool_waiting')).to.equal([' 0']);
        const held = [await db.transaction(), await db.transaction()];
        const waiting = server.call('GET', '/projects');
        try {
            await until(async () => (await lines('database_pool_waiting'))[0] === ' 1');
            expect(await lines('database_pool_connections')).to.equal(['{state="used"} 2', '{state="free"} 0']);
        }
        finally {
            // Otherwise what stops the server waits for them.
            await Promise.all(held.map((trx) => trx.rollback()));
        }

        await waiting;
        // What a request notes after its response takes a connection, too.
        await until(async () => String(await lines('database_pool_connections')) === '{state="used"} 0,{state="free"} 2');
        expect(await lines('database_pool_waiting')).to.equal([' 0']);
    });
});
