import type { Plugin } from '@hapi/hapi';

import { needs, notCached } from '../../api/auth/strategy';
import { currentUser } from '../../api/request/caller';
import { EventStream } from '../../api/request/event-stream';
import { ids } from '../../api/request/schema';
import type { LiveOptions } from '../../projects/live/routes';
import { sendStream } from '../../projects/live/send-stream';
import { checkPerson } from '../access';
import { classOperation } from '../docs';
import { wallHub } from './hub';
import { seenWalls } from './queries';

/** The stream of a class: it tells its people when what they see of it has changed. */
export const classStreams: Plugin<Pick<LiveOptions, 'config' | 'db' | 'limits'>> = {
    name: 'class-streams',
    dependencies: ['live', 'token-strategy', 'overload'],
    register(server, { config, db, limits }) {
        const everybody = config.teachers === 'open';
        const { places, failing } = server.plugins.live;
        const hub = wallHub({ places, failing, read: (walls) => seenWalls(db, walls, everybody) });

        server.route<{ Params: { class_id: string } }>({
            method: 'GET',
            path: '/classes/{class_id}/events',
            options: { ...classOperation('watchClass'), auth: needs('projects'), app: { cost: 'cheap' }, ...notCached, validate: { params: ids('class_id') } },
            handler: async (request, h) => {
                const { class_id: classId } = request.params;
                const { id: reader } = currentUser(request);
                await checkPerson(db, classId, { id: reader, everybody });
                return sendStream(request, h, config, (caller) => {
                    const stream = new EventStream(limits.streamBytes);
                    return hub.add(stream, { classId, reader, token: request.app.tokenHash ?? null }, caller) ? stream : undefined;
                });
            }
        });
    }
};
