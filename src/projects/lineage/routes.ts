import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { writerOf } from '../../rules/access';
import type { ProjectIds } from '../../rules/chain';
import { readAs, readOrError } from '../../rules/read';
import type { Reader } from '../../rules/visibility';
import type { AuthoringServices } from '../../rules/write';
import { inSnapshot } from '../../database/statements/snapshot';
import { fault, notFound } from '../../api/errors/errors';
import { answerRewrite } from '../history/restore';
import { signalOf } from '../../api/request/client-gone';
import { reply } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { jsonArray } from '../../api/json/json-text';
import { lineageOperation } from './docs';
import type { Take } from './merge-thing';
import { sourceChanges, pull } from './pull';
import { findLineage } from './queries';
import { pulled } from './schema';
import { findSource, spanOf } from './source';
import type { Found } from './source';
import type { SourceChange } from './targets';

interface Upstream extends Found {
    changes: SourceChange[];
}

/** The source of a project, its changes since the remix, and the pull that brings them in. */
export const lineage: Plugin<AuthoringServices> = {
    name: 'lineage',
    dependencies: ['token-strategy'],
    register(server, services) {
        const { db } = services;
        const path = '/users/{user}/projects/{project}';
        const params = ids('user', 'project');

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path: `${path}/lineage`,
            options: { ...lineageOperation('getLineage'), app: { cost: 'heavy' }, validate: { params } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const found = await readOrError(request, 'project', (reader) => findLineage(db, [user, project], reader));
                return reply(h, `{"status":"success","ancestors":[${found.ancestors}],"remixes":${found.remixes}}`);
            }
        });

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path: `${path}/upstream`,
            options: { ...lineageOperation('getUpstream'), app: { cost: 'heavy' }, validate: { params } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const seen: { remix?: Found } = {};
                // The remix may be edited meanwhile.
                const read = (reader: Reader): Promise<Upstream | undefined> => inSnapshot(db, async (trx) => {
                    const remix = await findSource(trx, [user, project], reader);
                    Object.assign(seen, { remix });
                    return remix === undefined || remix.source === null ? undefined : { ...remix, changes: await sourceChanges(trx, spanOf(remix)) };
                }, signalOf(request));
                const found = await readAs(request, read);
                if (found === undefined) {
                    throw seen.remix === undefined ? notFound('project') : fault('source_unavailable');
                }

                const { source: id, revision, since, changes } = found;
                const shown = changes.map(({ conflicts, ...change }) => ({ ...change, conflict: conflicts !== null }));
                return reply(h, await jsonArray(shown, `{"status":"success","source":{"id":"${id}","revision":${revision}},"since":${since},"changes":`, '}'));
            }
        });

        server.route<{ Params: ProjectIds; Payload: { take?: Take } }>({
            method: 'POST',
            path: `${path}/upstream/pull`,
            options: { ...lineageOperation('pullUpstream'), auth: needs('projects'), app: { cost: 'heavy' }, validate: { params, payload: pulled } },
            handler: (request, h) => {
                const { params: { user, project }, payload: { take = null } } = request;
                const writer = writerOf(request, 'update');
                return answerRewrite(request, h, services, 'pulled', (trx) => pull(trx, [user, project], writer, take));
            }
        });
    }
};
