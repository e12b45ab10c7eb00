import { availableParallelism } from 'node:os';

import { server as hapiServer } from '@hapi/hapi';
import type { Plugin, Server } from '@hapi/hapi';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import { scopeNames } from '../config/auth';
import { administration } from '../community/administration/routes';
import { strategy } from '../api/auth/strategy';
import { rememberReaders } from '../rules/project-turns';
import { writes } from '../rules/write';
import type { AuthoringServices } from '../rules/write';
import { apps } from '../accounts/apps/routes';
import { assistants } from '../site/assistants/routes';
import { authorization } from '../accounts/authorization/routes';
import { identities } from '../accounts/identities/routes';
import { mail } from '../accounts/mail/routes';
import { passkeys } from '../accounts/passkeys/routes';
import { tokens } from '../accounts/tokens/routes';
import { webhooks } from '../accounts/webhooks/routes';
import { assets } from '../files/assets/routes';
import { blockedPictures, pictures } from '../files/blocked/routes';
import { bulk } from '../projects/bulk/routes';
import { classes } from '../classes/routes';
import { classStreams } from '../classes/wall/routes';
import { blocks } from '../community/blocks/routes';
import { collections } from '../community/collections/routes';
import { follows } from '../community/follows/routes';
import { likes } from '../community/likes/routes';
import { comments } from '../community/comments';
import { clientFiles } from '../api/description/client-files';
import { description } from '../api/description/routes';
import { discovery } from '../community/discovery/routes';
import { docs } from '../api/description/viewer/routes';
import { elements } from '../projects/elements/routes';
import { history } from '../projects/history/routes';
import { exporting } from '../files/exports/routes';
import { lineage } from '../projects/lineage/routes';
import { health } from '../api/health/routes';
import { imports } from '../files/imports/routes';
import { importStory } from '../files/imports/sent-as-project';
import { payloadOptions } from '../api/request/read-body';
import { cors, otherMethods } from '../api/request/cross-origin';
import { errors } from '../api/request/error-response';
import { cost, costQueues } from '../api/protection/cost';
import { rateLimits } from '../api/protection/rate-limits';
import { byteBudgets } from '../api/protection/bytes';
import { clientLimits } from '../api/request/client-limits';
import type { ClientLimits } from '../api/request/client-limits';
import { httpListener } from '../api/protection/connections';
import { metrics } from '../api/request/metrics';
import { notices } from '../community/notices';
import { appeals } from '../community/moderation/appeal-routes';
import { readBlockedWords } from '../community/filters';
import { moderation } from '../community/moderation/routes';
import { statements } from '../community/statements/routes';
import { reports } from '../community/reports/routes';
import { overload } from '../api/protection/requests';
import { liveStreams } from '../projects/live/routes';
import { presence } from '../projects/live/presence-routes';
import { lifecycle } from '../api/request/lifecycle';
import { requestLog } from '../api/request/request-log';
import { noQuery } from '../api/request/schema';
import { schemas } from '../files/format/routes';
import { firstLook, validationFailed } from '../api/request/validation-errors';
import { pages } from '../projects/pages/routes';
import { projects } from '../projects/routes';
import { members } from '../projects/members/routes';
import { remixes } from '../projects/remixes/routes';
import type { AssetServices } from '../files/assets/services';
import { site } from '../site/routes';
import { trash } from '../projects/trash/routes';
import { users } from '../accounts/users/routes';
import { blockedTexts } from './blocked-texts';

type Options = AssetServices & AuthoringServices;

/** The routes that the contract had first, the description, and pages. */
const first: Plugin<Options> = {
    name: 'first',
    async register(server, services) {
        const { site: place } = services.config;
        const resources: Plugin<AuthoringServices>[] = [users, projects, pages, elements, remixes, discovery, bulk, tokens, health];
        await server.register([
            ...resources.map((plugin) => ({ plugin, options: services })), { plugin: schemas }, { plugin: description, options: services }, { plugin: docs, options: services }, { plugin: clientFiles },
            ...place === null ? [] : [{ plugin: site, options: { ...services, place } }]
        ]);
    }
};

/** Resources whose routes have the defaults of the server, as new ones do. */
const resources: readonly Plugin<AuthoringServices>[] = [
    history, trash, members, presence, lineage, collections, blocks, follows, likes, comments, moderation, statements, reports,
    apps, classes, webhooks, administration
];

interface ServerOptions {
    logger: Logger;
    registry?: Registry;
    limits?: ClientLimits;
}

/**
 * Builds the server: all routes, nothing listening. Tests build as many as they like; `main` alone starts one.
 * With a registry, what it does is counted there.
 */
export async function createServer({ logger, registry, limits = clientLimits, ...given }: AssetServices & ServerOptions): Promise<Server> {
    const { config } = given;
    const words = await readBlockedWords(config.filters.words);
    const services: Options = { ...given, write: writes(given.db), isBlocked: (text) => words.find(text) !== undefined };
    const server = hapiServer({
        listener: httpListener(limits, config.trustedProxies),
        host: config.host,
        port: config.port,
        // Faults are logged by `requestLog`, with their request id.
        debug: false,
        router: { stripTrailingSlash: true },
        // A compressor would hold back events until it has enough of them.
        // And a part of a compressed drawing is no part of the drawing.
        mime: { override: { 'text/event-stream': { compressible: false }, 'image/svg+xml': { compressible: false } } },
        routes: {
            cors,
            payload: payloadOptions,
            validate: { options: firstLook, failAction: validationFailed, query: noQuery },
            // Cookies mean nothing here, and another application's must not be in the way.
            state: { parse: false, failAction: 'ignore' },
            // A part of a JSON text is none. Answers are held to their schemas by the tests, not here.
            response: { ranges: false, sample: 0 }
        }
    });

    // Before all plugins, whose routes it checks.
    const queues = costQueues({ ...config, processors: availableParallelism() });
    await server.register([{ plugin: blockedTexts, options: services }, { plugin: cost, options: { queues } }]);
    rememberReaders(server, services.db);
    const budgets = byteBudgets(server, limits, config.trustedProxies);
    await server.register({ plugin: overload, options: { most: config.maxRequests, trustedProxies: config.trustedProxies, budgets, logger } });
    if (registry !== undefined) {
        await server.register({ plugin: metrics, options: { registry, db: services.db } });
    }

    await server.register([
        { plugin: errors, options: { scopeNames: scopeNames(config.auth), budgets, limits } },
        { plugin: rateLimits, options: services },
        { plugin: lifecycle, options: { budgets, limits, queues, arrivals: [importStory] } },
        { plugin: requestLog, options: { logger } },
        { plugin: strategy, options: services },
        { plugin: passkeys, options: services },
        { plugin: identities, options: services },
        { plugin: mail, options: services },
        ...resources.map((plugin) => ({ plugin, options: services })),
        { plugin: appeals, options: { ...services, pictures } },
        { plugin: exporting, options: services },
        { plugin: imports, options: { ...services, limits } },
        { plugin: liveStreams, options: { ...services, logger, limits } },
        { plugin: classStreams, options: { ...services, limits } },
        { plugin: notices, options: { ...services, limits } },
        { plugin: assets, options: { ...services, limits } },
        { plugin: blockedPictures, options: services }
    ]);
    await server.register([
        { plugin: first, options: services }, ...config.site !== null && config.auth.provider === 'local' ? [{ plugin: authorization, options: { ...services, limits } }, { plugin: assistants, options: services }] : [], { plugin: otherMethods }
    ]);
    return server;
}
