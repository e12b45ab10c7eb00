import { Readable } from 'node:stream';

import type { Plugin, Request } from '@hapi/hapi';
import type { Logger } from 'pino';

import type { ProjectIds } from '../../rules/chain';
import { readAs } from '../../rules/read';
import { notFound } from '../../api/errors/errors';
import { clientAddress, originOf } from '../../api/request/client-address';
import type { ClientLimits } from '../../api/request/client-limits';
import { overloadedError } from '../../api/protection/refusals';
import { statusOf } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { EVENT_STREAM } from '../../api/description/operation';
import type { Services } from '../../api/services';
import { liveOperation } from './docs';
import { liveHub } from './hub';
import type { LiveHub } from './hub';
import { ProjectStream } from './project-stream';
import type { StreamReader } from './project-stream';
import { movedProjects, presentRevision } from './queries';
import { eventsQuery, sinceOf } from './schema';

declare module '@hapi/hapi' {
    interface PluginProperties {
        live: { hub: LiveHub };
    }
}

interface LiveOptions extends Pick<Services, 'config' | 'db'> {
    logger: Logger;
    limits: ClientLimits;
}

export const liveStreams: Plugin<LiveOptions> = {
    name: 'live',
    dependencies: ['token-strategy', 'overload'],
    register(server, { config, db, logger, limits }) {
        const hub = liveHub({
            most: config.maxStreams,
            commentEvery: limits.streamComment,
            life: limits.streamLife,
            read: (seen) => movedProjects(db, seen, config.teachers === 'open'),
            failing: (error) => logger.warn({ err: error }, error === undefined ? 'event streams are told of changes again' : 'event streams cannot be told of changes just now')
        });

        server.expose('hub', hub);
        // Streams in the process that makes the change need not wait for the next read.
        server.events.on('response', (request) => {
            if (hub.count() > 0 && hasChanged(request)) {
                const { project }: Partial<ProjectIds> = request.params;
                // The path of a bulk, for example, has no project.
                if (project === undefined || hub.watches(project)) {
                    hub.look();
                }
            }
        });
        server.ext('onPreStop', () => hub.close());

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path: '/users/{user}/projects/{project}/events',
            options: { ...liveOperation('watchProject'), app: { cost: 'cheap' }, validate: { params: ids('user', 'project'), query: eventsQuery } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const since = sinceOf(request);
                const hasToken = request.headers.authorization !== undefined;
                const read = async (): Promise<{ present: number; as: StreamReader } | undefined> => {
                    const found = await readAs(request, (reader) => presentRevision(db, user, project, reader));
                    return found && { present: found.revision, as: found.open ? {} : { reader: (await request.callerOfHeader()).user?.id, token: request.app.tokenHash } };
                };

                const found = await read();
                if (found === undefined) {
                    throw notFound('project');
                }

                const { present, as } = found;

                const respond = (body: Readable): ReturnType<typeof h.response> => h.response(body).type(EVENT_STREAM)
                    // Its connection is not used again, so that none is open when the server stops.
                    .header('cache-control', 'no-store').header('x-accel-buffering', 'no').header('connection', 'close');
                // For a client that has already disconnected there will be no event.
                if (request.method === 'head' || !request.active()) {
                    return respond(Readable.from([], { objectMode: false }));
                }

                // A client with a revision that is too high gets the current one.
                const readAgain = async (): Promise<StreamReader | undefined> => (await read())?.as;
                const stream = new ProjectStream(since === undefined ? present : since > present ? present - 1 : since, limits.streamBytes, as, hasToken ? readAgain : undefined);
                const { address, network = address } = originOf(clientAddress(request.raw.req, config.trustedProxies));
                if (!hub.add(stream, project, network)) {
                    throw overloadedError();
                }

                const leave = (): unknown => stream.destroy();
                request.raw.res.once('close', leave);
                // If the response waits for an earlier one on the same connection, only the request emits 'close'.
                request.raw.req.once('aborted', leave);
                server.plugins.overload.requests.release(request.raw.res);
                return respond(stream);
            }
        });
    }
};

/** Whether a request may have changed a project. */
const hasChanged = ({ response, route }: Request): boolean => route.settings.app?.limit === 'writes' && statusOf(response) < 300;
