import { setTimeout as sleep } from 'node:timers/promises';

import type { Server } from '@hapi/hapi';
import type { Logger } from 'pino';

import { openOwnStorage } from '../../files/assets/own-storage';
import type { FilePool } from '../../files/assets/file-work';
import type { AssetStorage } from '../../files/assets/storage';
import { clusterOf } from '../../database/citus/cluster';
import type { Config } from '../../config';
import { WrongSettings } from '../../config/wrong-settings';
import { openDatabase } from '../../database/statements/connection';
import { migrate } from '../../database/statements/migrate';
import type { OpenDatabase } from '../../database/statements/open';
import { followReplica } from '../../database/statements/replica';
import type { Replica } from '../../database/statements/replica';
import { moderator as demoModerator } from '../../../seeds';
import { watchDatabase } from './database-watch';
import { seedDemo } from './demo';
import type { DemoServices } from './demo';
import { announceShutdown } from '../../api/health/routes';
import { keepGauges } from '../maintenance/metrics';
import { maintainHourly } from '../maintenance/jobs';
import { keepNotifying, keepSendingLetters } from '../../community/notices';
import { keepChecking, readBlockedWords, storeLookDays } from '../../community/filters';
import { holdForLook } from '../../community/moderation/automatic';
import { keepIndexed } from '../../community/search/jobs';
import { keepScanning } from '../../files/scans/jobs';
import { keepThumbnails } from '../../files/thumbnails/jobs';
import { storeOrigin } from '../../files/thumbnails/queries';
import { createServer } from '../server';
import { keepMailing } from '../../accounts/mail/jobs';
import { keepSending } from '../../accounts/webhooks/jobs';
import { hasModerator, setPermission } from '../../accounts/users/permissions';
import type { Host } from './host';
import { metricsServer, processRegistry, shareRegistry, workersMetrics } from './metrics-server';
import { listening } from './ports';
import { addressOf } from './welcome';
import type { Traces } from './traces';
import { databaseRefused } from './refused';
import { untilUsable } from './until-usable';
import type { Waiting } from './until-usable';
import { waitingServer } from './waiting-server';
import type { WaitingServer } from './waiting-server';
import { startWorkers } from './workers';
import type { Workers } from './workers';

// OpenTelemetry takes a second to load, and 18 MiB.
// eslint-disable-next-line no-restricted-syntax
const traces = (): typeof import('./traces') => require('./traces');

/** The resources that have been opened so far and have to be closed. */
export interface OpenedService {
    store?: OpenDatabase;
    replica?: Replica;
    assets?: AssetStorage;
    files?: FilePool;
    server?: Server;
    /** answers until `server` or `workers` do */
    waiting?: WaitingServer | undefined;
    workers?: Workers;
    /** end what runs in the background */
    endJobs?: (() => Promise<void>)[];
    metrics?: Server;
    /** loaded only where traces are sent */
    traces?: Traces;
}

/** Milliseconds that requests in progress have to end. Container engines kill a process ten seconds after SIGTERM. */
const DRAIN = 5000;

/**
 * Applies migrations to the database that was opened, creates the demo community in a new embedded one, and listens.
 * Opened resources are in `opened`, also if a later step fails or the signal ends the start between two steps.
 * @returns the address of the service
 * @throws Error with a message for an operator
 */
export async function serve(store: OpenDatabase, opened: OpenedService, config: Config, logger: Logger, signal: AbortSignal, { isWorker, filePool }: Pick<Host, 'isWorker' | 'filePool'>): Promise<string> {
    const wait: Waiting = {
        logger, signal,
        onWait: async (cause) => {
            // Where the system chooses the port, nobody knows it yet.
            opened.waiting ??= isWorker || config.port === 0 ? undefined : await waitingServer(config);
            opened.waiting?.setCause(cause);
        }
    };
    const files = filePool();
    opened.files = files;
    const applied = await untilUsable(() => migrateAt(store, { config, logger, files }), wait).catch((error: unknown) => {
        throw databaseRefused(error, config);
    });
    logger.info({ applied }, applied.length > 0 ? 'the schema is up to date now' : 'the schema is up to date');
    signal.throwIfAborted();
    const cluster = await clusterOf(store.db);
    if (cluster !== undefined) {
        logger.info(cluster, `the database is distributed: ${cluster.shards} shards on ${cluster.nodes.join(', ')}. This is experimental (docs/citus.md)`);
        if (cluster.reached < cluster.shards) {
            throw new Error('A shard of the cluster was split. Lists would leave out what is in the new one (docs/citus.md).');
        }

        if (config.databaseReplicaUrl !== null) {
            throw new WrongSettings('DATABASE_REPLICA_URL cannot be used with a database that is distributed (docs/citus.md).');
        }
    }

    if (!isWorker && !await hasModerator(store.db)) {
        logger.info(`there is no moderator yet. To make one: npm run admin -- grant NAME moderator${config.site === null ? '' : ' (the page /welcome says more)'}`);
    }

    const assets = await untilUsable(() => openOwnStorage(store.db, config), wait);
    opened.assets = assets;
    if (config.workers > 1) {
        await opened.waiting?.close();
        opened.workers = await startWorkers({ count: config.workers, env: { DATABASE_URL: store.url, WEB_CONCURRENCY: '1' }, logger });
        if (config.metricsPort !== null) {
            opened.metrics = await startMetrics(config, logger, workersMetrics());
        }

        return addressOf(config.host, opened.workers.port);
    }

    const registry = config.metricsPort === null ? undefined : processRegistry(config);
    if (config.databaseReplicaUrl !== null) {
        opened.replica = followReplica({ primary: store.db, url: config.databaseReplicaUrl, pool: config.databasePool, maxAge: config.listMaxAge, logger });
    }

    // So no request waits for the first connection, and operators' commands see that an instance is running.
    await store.db.raw('select 1');
    const words = await readBlockedWords(config.filters.words);
    opened.server = await createServer({ config, db: store.db, assets, files, replica: opened.replica, now: Date.now, logger, registry });
    const { server } = opened;
    if (config.tracesUrl !== null) {
        opened.traces = traces().startTraces(server, config.tracesUrl, logger);
    }

    await opened.waiting?.close();
    await listening({ variable: 'PORT', host: config.host, port: config.port }, () => server.start());
    await storeLookDays(store.db, config.filters.lookDays);
    await storeOrigin(store.db, config.publicUrl ?? addressOf(config.host, server.info.port));
    opened.endJobs = [
        watchDatabase(store.db, logger, registry),
        maintainHourly(store.db, { ...config, assets }, logger),
        ...registry === undefined ? [] : [keepGauges(registry, store.db, logger)],
        keepIndexed(store.db, logger),
        keepNotifying(store.db, config.teachers === 'open', logger),
        ...words.isEmpty ? [] : [keepChecking({ db: store.db, words, holdForLook }, logger)],
        ...config.scanUrl === null ? [] : [keepScanning({ db: store.db, assets, url: config.scanUrl, logger })],
        ...config.thumbnails ? [keepThumbnails({ db: store.db, assets, files }, logger)] : [],
        keepSending({ db: store.db, logger, to: config.webhooksTo, teachersOpen: config.teachers === 'open' }),
        ...config.mail === null ? [] : [
            keepMailing({ db: store.db, logger, mail: config.mail }),
            keepSendingLetters({ db: store.db, logger, mail: config.mail, everybody: config.teachers === 'open' })
        ]
    ];
    if (registry !== undefined && isWorker) {
        shareRegistry(registry);
    }
    else if (registry !== undefined) {
        opened.metrics = await startMetrics(config, logger, () => registry.metrics());
    }

    return addressOf(config.host, opened.server.info.port);
}

/**
 * Applies migrations, and creates the demo community in a new embedded database. Both are one transaction: if this process is
 * killed meanwhile, the next start begins again. Its connection has no statement timeout, because a migration may take long, or
 * wait for the one of another instance.
 * @returns the names of the migrations that were applied
 */
async function migrateAt({ url, embedded }: OpenDatabase, { config, logger, files }: Omit<DemoServices, 'db'>): Promise<string[]> {
    const db = openDatabase({ url, pool: 1 });
    try {
        return await migrate(db, embedded ? async (trx) => {
            const { users, projects } = await seedDemo({ config, db: trx, logger, files });
            // Nobody knows its password.
            await setPermission(trx, demoModerator, 'moderator', false);
            logger.info(`made the demo community: ${users.length} people, ${projects} projects`);
        } : undefined);
    }
    finally {
        await db.destroy();
    }
}

async function startMetrics(config: Config, logger: Logger, read: () => Promise<string>): Promise<Server> {
    const server = metricsServer(config, read);
    await listening({ variable: 'METRICS_PORT', host: config.metricsHost, port: Number(config.metricsPort) }, () => server.start());
    logger.info({ url: `${addressOf(config.metricsHost, server.info.port)}/metrics` }, 'metrics');
    return server;
}

/**
 * Waits for requests in progress, then closes the database. Before that it goes on serving for the given milliseconds, so that
 * load balancers notice in time that this instance stops.
 */
export async function close({ waiting, server, store, assets, files, replica, workers, metrics, traces: sent, endJobs = [] }: OpenedService, delay: number): Promise<void> {
    await waiting?.close();
    await workers?.end();
    if (server?.info.started && delay > 0) {
        announceShutdown(server);
        await sleep(delay);
    }

    await Promise.all(endJobs.map((end) => end()));
    await server?.stop({ timeout: DRAIN });
    await metrics?.stop({ timeout: DRAIN });
    await sent?.end();
    await replica?.close();
    await files?.close();
    assets?.close();
    await store?.close();
}
