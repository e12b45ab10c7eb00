import { server as hapiServer } from '@hapi/hapi';
import type { Plugin, Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import { strategy } from './auth/strategy';
import { tokens } from './auth/tokens';
import { bulk } from './bulk';
import { description } from './description';
import { discovery } from './discovery';
import { docs } from './docs';
import { elements } from './elements';
import { health } from './health';
import { body, payloadOptions } from './http/body';
import { methods, openCors } from './http/cors';
import { errors } from './http/errors';
import { rateLimits } from './http/limits';
import { httpListener, patience } from './http/listener';
import type { Patience } from './http/listener';
import { metrics } from './http/metrics';
import { overload } from './http/overload';
import { requests } from './http/requests';
import { firstLook, validationFailed } from './http/validation';
import { pages } from './pages';
import { projects } from './projects';
import { remixes } from './remixes';
import type { Services } from './services';
import { users } from './users';

const resources: readonly Plugin<Services>[] = [users, projects, pages, elements, remixes, discovery, bulk, tokens, health];

interface ServerOptions {
    logger: Logger;
    registry?: Registry;
    waits?: Patience;
}

/**
 * Builds the server: all routes, nothing listening. Tests build as many as they like; `main` alone starts one.
 * With a registry, what it does is counted there.
 */
export async function createServer({ logger, registry, waits = patience, ...services }: Services & ServerOptions): Promise<Server> {
    const { config } = services;
    const server = hapiServer({
        listener: httpListener(waits),
        host: config.host,
        port: config.port,
        // Faults are logged by `requests`, with their request id.
        debug: false,
        router: { stripTrailingSlash: true },
        routes: {
            cors: openCors,
            payload: payloadOptions,
            validate: { options: firstLook, failAction: validationFailed, query: Joi.object({}) },
            // Cookies mean nothing here, and another application's must not be in the way.
            state: { parse: false, failAction: 'ignore' },
            // A part of a JSON text is none. Answers are held to their schemas by the tests, not here.
            response: { ranges: false, sample: 0 }
        }
    });

    await server.register({ plugin: overload, options: { most: config.maxRequests, logger } });
    if (registry !== undefined) {
        await server.register({ plugin: metrics, options: { registry, db: services.db } });
    }

    await server.register([
        { plugin: errors, options: services },
        { plugin: rateLimits, options: services },
        { plugin: requests, options: { logger } },
        { plugin: body },
        { plugin: strategy, options: services },
        ...resources.map((plugin) => ({ plugin, options: services }))
    ]);
    await server.register([{ plugin: description }, { plugin: docs, options: services }, { plugin: methods }]);
    return server;
}
