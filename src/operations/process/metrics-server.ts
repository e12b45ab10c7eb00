import { server as hapiServer } from '@hapi/hapi';
import type { Server } from '@hapi/hapi';
import { AggregatorRegistry, collectDefaultMetrics, prometheusContentType, Registry } from 'prom-client';

import type { Config } from '../../config';

/** A registry with the default metrics of this process: CPU time, memory, event loop lag. */
export function processRegistry(): Registry {
    const register = new Registry();
    collectDefaultMetrics({ register });
    return register;
}

/** Sends the metrics of this worker to the main process whenever that needs them. */
export function shareRegistry(registry: Registry): void {
    AggregatorRegistry.setRegistries(registry);
    // Its constructor starts to listen to the main process.
    void new AggregatorRegistry();
}

/** Aggregates the metrics of all workers: sums, or averages of what cannot be added, such as lags. */
export function workersMetrics(): () => Promise<string> {
    const workers = new AggregatorRegistry();
    return () => workers.clusterMetrics();
}

/** A server for Prometheus, not yet listening. It has a port of its own, so that it can be closed to users of the API. */
export function metricsServer({ metricsHost: host, metricsPort }: Config, read: () => Promise<string>): Server {
    const server = hapiServer({ host, port: Number(metricsPort), debug: false });
    server.route({ method: 'GET', path: '/metrics', handler: async (_request, h) => h.response(await read()).type(prometheusContentType) });
    return server;
}
