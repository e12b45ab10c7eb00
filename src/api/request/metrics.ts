import type { Plugin } from '@hapi/hapi';
import type { Knex } from 'knex';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

import { errorDefinitions } from '../errors/registry';
import { keepFormerName } from './former-metrics';
import { statusOf } from './responses';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** when it came, in milliseconds of `performance.now()`; set where durations are measured */
        began?: number;
    }
}

/** The counts that are read from Knex's pool. */
interface Pool {
    numUsed(): number;
    numFree(): number;
    numPendingAcquires(): number;
}

/** Seconds: most answers take about a millisecond, and bulks may take one second. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests and the pool, as Prometheus counts them. No label is taken from what a client sent: their values are bounded. */
export const metrics: Plugin<{ registry: Registry; db: Knex }> = {
    name: 'metrics',
    dependencies: ['overload'],
    register(server, { registry, db }) {
        const registers = [registry];
        const durations = new Histogram({
            name: 'pagewright_http_request_duration_seconds', help: 'From the first line of a request to the end of its answer.',
            labelNames: ['method', 'route', 'status'], buckets, registers
        });
        const responses = new Counter({
            name: 'pagewright_http_responses_total', help: 'Responses, by the class of their status.',
            labelNames: ['class'], registers
        });
        const errors = new Counter({
            name: 'pagewright_http_request_errors_total', help: 'Requests answered with an error, by its code.',
            labelNames: ['code'], registers
        });

        // An increase is only seen of what was there before.
        [2, 3, 4, 5].forEach((first) => responses.inc({ class: `${first}xx` }, 0));
        Object.keys(errorDefinitions).forEach((code) => errors.inc({ code }, 0));

        server.ext('onRequest', (request, h) => {
            request.app.began = performance.now();
            return h.continue;
        });

        server.events.on('response', (request) => {
            const { route, app: { began, errorCode: code } } = request;
            // Of the route, not of the request: a client may send any method to any path. HEAD counts as the GET that answers it.
            const labels = { method: route.method.toUpperCase(), route: route.path, status: statusOf(request.response) };
            durations.observe(labels, (performance.now() - Number(began)) / 1000);
            responses.inc({ class: `${String(labels.status).slice(0, 1)}xx` });
            if (code !== undefined) {
                errors.inc({ code });
            }
        });

        const failures = new Counter({ name: 'pagewright_storage_failures_total', help: 'Requests that failed because the place for pictures and sounds did.', registers });
        server.events.on({ name: 'request', channels: 'app' }, (_request, { tags }) => failures.inc(Number(tags.includes('storage'))));

        const inHand = server.plugins.overload.requests;
        const working = new Gauge({
            name: 'pagewright_http_requests_in_hand', help: 'Requests that are being worked on.', registers,
            collect() {
                this.set(inHand.count());
            }
        });
        const refused = new Counter({
            name: 'pagewright_http_requests_refused_total', help: 'Requests refused, as there were too many in hand. They are counted here alone.', registers,
            collect() {
                this.reset();
                this.inc(inHand.refused());
            }
        });

        const streams = new Gauge({
            name: 'pagewright_live_streams', help: 'Event streams that are open.', registers,
            collect() {
                this.set(server.plugins.live.places.count());
            }
        });

        const pool: Pool = db.client.pool;
        const connections = new Gauge({
            name: 'pagewright_database_pool_connections', help: 'Connections to the database, by whether they are in use.', labelNames: ['state'], registers,
            collect() {
                this.set({ state: 'used' }, pool.numUsed());
                this.set({ state: 'free' }, pool.numFree());
            }
        });
        const waiting = new Gauge({
            name: 'pagewright_database_pool_waiting', help: 'Requests that wait for a connection.', registers,
            collect() {
                this.set(pool.numPendingAcquires());
            }
        });
        Object.entries({
            http_request_duration_seconds: durations, http_request_errors_total: errors, storage_failures_total: failures, http_requests_in_hand: working, http_requests_refused_total: refused,
            live_streams: streams, database_pool_connections: connections, database_pool_waiting: waiting
        }).forEach(([former, metric]) => keepFormerName(former, metric, registry));
    }
};
