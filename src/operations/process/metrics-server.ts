import { readFileSync } from 'node:fs';
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';

import { server as hapiServer } from '@hapi/hapi';
import type { Server } from '@hapi/hapi';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, prometheusContentType, Registry } from 'prom-client';

import type { Config } from '../../config';

/** A registry with the default metrics of this process (CPU time, memory, event loop lag), what it is, and the room on its disk. */
export function processRegistry({ dataDir }: Pick<Config, 'dataDir'>): Registry {
    const register = new Registry();
    collectDefaultMetrics({ register });
    const registers = [register];
    new Gauge({ name: 'pagewright_build_info', help: '1, with the version of the service and of Node.', labelNames: ['version', 'node'], registers, aggregator: 'max' })
        .set({ version: JSON.parse(readFileSync(require.resolve('#package'), 'utf8')).version, node: process.versions.node }, 1);
    const disk = (name: string, help: string, blocksOf: (disk: StatsFs) => number): Gauge => new Gauge({
        name, help, registers, aggregator: 'min', async collect() {
            const found = await statfs(dataDir);
            this.set(found.bsize * blocksOf(found));
        }
    });
    disk('pagewright_disk_size_bytes', 'Size of the disk of DATA_DIR.', ({ blocks }) => blocks);
    disk('pagewright_disk_free_bytes', 'Room that is left on the disk of DATA_DIR.', ({ bavail }) => bavail);
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
