import type { Plugin, Request } from '@hapi/hapi';
import type { Logger } from 'pino';

import type { ProjectIds } from '../../rules/chain';
import { readAs } from '../../rules/read';
import { notFound } from '../../api/errors/errors';
import type { ClientLimits } from '../../api/request/client-limits';
import { statusOf } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { Services } from '../../api/services';
import { liveOperation } from './docs';
import { liveHub } from './hub';
import type { LiveHub } from './hub';
import { streamPlaces } from './places';
import type { StreamPlaces } from './places';
import { ProjectStream } from './project-stream';
import type { StreamReader } from './project-stream';
import { movedProjects, presentRevision } from './queries';
import { eventsQuery, sinceOf } from './schema';
import { sendStream } from './send-stream';

declare module '@hapi/hapi' {
    interface PluginProperties {
        live: {
            hub: LiveHub;
            /** of all streams, whatever they tell of */
            places: StreamPlaces;
            failing(error: unknown): void;
        };
    }
}

export interface LiveOptions extends Pick<Services, 'config' | 'db'> {
    logger: Logger;
    limits: ClientLimits;
}

export const liveStreams: Plugin<LiveOptions> = {
    name: 'live',
    dependencies: ['token-strategy', 'overload'],
    register(server, { config, db, logger, limits }) {
        const failing = (error: unknown): void => logger.warn({ err: error }, error === undefined ? 'event streams are told of changes again' : 'event streams cannot be told of changes just now');
        const places = streamPlaces({ most: config.maxStreams, commentEvery: limits.streamComment, life: limits.streamLife });
        const hub = liveHub({ places, read: (seen) => movedProjects(db, seen, config.teachers === 'open'), failing });

        server.expose('hub', hub);
        server.expose('places', places);
        server.expose('failing', failing);
        // Streams in the process that makes the change need not wait for the next read.
        server.events.on('response', (request) => {
            if (places.count() > 0 && hasChanged(request)) {
                const { project }: Partial<ProjectIds> = request.params;
                // The path of a bulk, for example, has no project.
                if (project === undefined || hub.watches(project)) {
                    hub.look();
                }
            }
        });
        server.ext('onPreStop', () => places.close());

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path: '/users/{user}/projects/{project}/events',
            options: { ...liveOperation('watchProject'), app: { cost: 'cheap' }, validate: { params: ids('user', 'project'), query: eventsQuery } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const since = sinceOf(request);
                const hasToken = request.headers.authorization !== undefined;
                const read = async (): Promise<{ present: number; comments: number; as: StreamReader } | undefined> => {
                    const found = await readAs(request, (reader) => presentRevision(db, user, project, reader));
                    return found && {
                        present: found.revision, comments: found.comments,
                        as: found.open ? {} : { reader: (await request.callerOfHeader()).user?.id, token: request.app.tokenHash }
                    };
                };

                const found = await read();
                if (found === undefined) {
                    throw notFound('project');
                }

                const { present, comments, as } = found;
                const readAgain = async (): Promise<StreamReader | undefined> => (await read())?.as;
                return sendStream(request, h, config, (caller) => {
                    // A client with a revision that is too high gets the current one.
                    const stream = new ProjectStream(
                        since === undefined ? present : since > present ? present - 1 : since, limits.streamBytes, as,
                        hasToken ? readAgain : undefined, comments
                    );
                    return hub.add(stream, project, caller) ? stream : undefined;
                });
            }
        });
    }
};

/** Whether a request may have changed a project. */
const hasChanged = ({ response, route }: Request): boolean =>
    ['writes', 'comments'].includes(route.settings.app?.limit ?? '') && statusOf(response) < 300;
