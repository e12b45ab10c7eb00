import { server as hapiServer } from '@hapi/hapi';
import type { Server } from '@hapi/hapi';
import { AggregatorRegistry, collectDefaultMetrics, prometheusContentType, Registry } from 'prom-client';

import type { Config } from '../config';

/** A registry that measures the process it is made in: its CPU time, its memory, the lag of its event loop. */
export function processRegistry(): Registry {
    const register = new Registry();
    collectDefaultMetrics({ register });
    return register;
}

/** Answers the registry to the process that started this worker, whenever that is asked for all of them. */
export function shareRegistry(registry: Registry): void {
    AggregatorRegistry.setRegistries(registry);
    // Made for its side alone: it listens to the other process.
    void new AggregatorRegistry();
}

/** Adds up what all workers of this process have measured; what cannot be added, as lags, is an average. */
export function workersMetrics(): () => Promise<string> {
    const workers = new AggregatorRegistry();
    return () => workers.clusterMetrics();
}

/** A server for Prometheus, not yet listening: at a port of its own, so that it need not be open to whom the API is. */
export function metricsServer({ metricsHost: host, metricsPort }: Config, read: () => Promise<string>): Server {
    const server = hapiServer({ host, port: Number(metricsPort), debug: false });
    server.route({ method: 'GET', path: '/metrics', handler: async (_request, h) => h.response(await read()).type(prometheusContentType) });
    return server;
}
