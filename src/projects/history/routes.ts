import { Readable } from 'node:stream';

import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { writerOf } from '../../rules/access';
import type { ProjectIds } from '../../rules/chain';
import { largeReads, readOrError } from '../../rules/read';
import type { AuthoringServices } from '../../rules/write';
import { run } from '../../database/statements/statement';
import { fault, invalid } from '../../api/errors/errors';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import type { ListQuery } from '../../api/request/list-url';
import { signalOf } from '../../api/request/client-gone';
import { ids } from '../../api/request/schema';
import { reply } from '../../api/request/responses';
import { tagOf } from '../../api/request/shared-responses';
import { MAX_REMOVED } from '../../limits';
import { changedElementsOf, findDifferences } from './differences';
import { historyOperation } from './docs';
import { findReadPoint, labelPoint, listChanges, lockAtPoint } from './queries';
import { newLabel, pointIds, restored, sinceQuery } from './schema';
import { answerRewrite, restorePoint } from './restore';
import { undoChange } from './undo';
import { snapshots } from './snapshots';

type PointIds = ProjectIds & { revision: string };

export const history: Plugin<AuthoringServices> = {
    name: 'history',
    dependencies: ['token-strategy'],
    register(server, services) {
        const { config, db, write } = services;
        const { answerPieces } = largeReads(db, config);
        const path = '/users/{user}/projects/{project}';

        // A history shows what was removed, so that is no read that everybody could do, also if the project is public.
        const noted = { noted: 'read_history' } as const;

        server.route<{ Params: ProjectIds; Query: ListQuery }>({
            method: 'GET',
            path: `${path}/history`,
            options: { ...historyOperation('listChanges'), app: { ...noted, cost: 'cheap' }, auth: needs('projects'), validate: { params: ids('user', 'project'), query: feedQuery } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                return replyBounded(h, request, 'changes', await listChanges(db, [user, project], writerOf(request, 'history'), placeOf(request.query)));
            }
        });

        server.route<{ Params: PointIds }>({
            method: 'GET',
            path: `${path}/history/{revision}`,
            options: { ...historyOperation('getPoint'), app: { ...noted, cost: 'heavy' }, auth: needs('projects'), validate: { params: pointIds } },
            handler: async (request, h) => {
                const { user, project, revision } = request.params;
                const { incomplete, ...point } = await findReadPoint(db, [user, project], writerOf(request, 'history'), revision, config.teachers === 'open');
                // Its tag is made of the contents, which are not read for this (RFC 9110 section 9.3.2).
                if (request.method === 'head') {
                    return reply(h, Readable.from([], { objectMode: false }));
                }

                const found = await snapshots.find((sql, values) => run(db, sql, values, signalOf(request)), project, point);
                const before = `{"status":"success","revision":${point.revision},${incomplete ? '"incomplete":true,' : ''}"project":${found.project},"pages":[`;
                // What is not in these texts is of that point: it changes only if something is deleted for good, and then the weight does.
                const tag = tagOf(before, String(found.weight), found.json ?? '');
                return answerPieces(request, h, tag, found, [before, ']}'], (read) => snapshots.pages(read, project, point, found.pages));
            }
        });

        server.route<{ Params: PointIds; Payload: { label: string } }>({
            method: 'PUT',
            path: `${path}/history/{revision}/label`,
            options: { ...historyOperation('labelPoint'), auth: needs('projects'), app: { cost: 'cheap', texts: ['label'] }, validate: { params: pointIds, payload: newLabel } },
            handler: async (request, h) => {
                const { params: { user, project, revision }, payload } = request;
                const change = await write.serialized(request, (trx) =>
                    labelPoint(trx, [user, project], writerOf(request, 'update'), revision, payload.label));
                return reply(h, `{"status":"updated","change":${change}}`);
            }
        });

        server.route<{ Params: PointIds }>({
            method: 'DELETE',
            path: `${path}/history/{revision}/label`,
            options: { ...historyOperation('unlabelPoint'), auth: needs('projects'), app: { cost: 'cheap' }, validate: { params: pointIds, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const { user, project, revision } = request.params;
                const change = await write.serialized(request, (trx) =>
                    labelPoint(trx, [user, project], writerOf(request, 'update'), revision, null));
                return reply(h, `{"status":"deleted","change":${change}}`);
            }
        });

        server.route<{ Params: PointIds; Payload: { pages?: string[] } }>({
            method: 'POST',
            path: `${path}/history/{revision}/restore`,
            options: { ...historyOperation('restorePoint'), auth: needs('projects'), app: { cost: 'heavy' }, validate: { params: pointIds, payload: restored } },
            handler: (request, h) => {
                const { params: { user, project, revision }, payload: { pages } } = request;
                const writer = writerOf(request, 'update');
                return answerRewrite(request, h, services, 'restored', async (trx) => {
                    const point = await lockAtPoint(trx, [user, project], writer, revision, false);
                    return restorePoint(trx, project, point, writer, pages);
                });
            }
        });

        server.route<{ Params: PointIds }>({
            method: 'POST',
            path: `${path}/history/{revision}/undo`,
            options: { ...historyOperation('undoChange'), auth: needs('projects'), app: { cost: 'heavy' }, validate: { params: pointIds, payload: Joi.object({}) } },
            handler: (request, h) => {
                const { user, project, revision } = request.params;
                const writer = writerOf(request, 'update');
                return answerRewrite(request, h, services, 'undone', async (trx) => {
                    const point = await lockAtPoint(trx, [user, project], writer, revision, true);
                    return undoChange(trx, project, point.revision, writer);
                });
            }
        });

        server.route<{ Params: ProjectIds; Query: { since: string } }>({
            method: 'GET',
            path: `${path}/changes`,
            options: { ...historyOperation('listDifferences'), app: { cost: 'heavy' }, validate: { params: ids('user', 'project'), query: sinceQuery } },
            handler: async (request, h) => {
                const { params: { user, project }, query: { since } } = request;
                const found = await readOrError(request, 'project', (reader) =>
                    findDifferences(db, [user, project], since, reader, signalOf(request)));
                if (Number(since) > found.revision) {
                    throw invalid([{ path: 'since', message: `"since" must be at most ${found.revision}, the present revision` }]);
                }

                if (since !== '0' && Number(since) < found.known_since) {
                    throw fault('history_gone', 'It is no longer known what was removed since that revision. Begin again with "since=0".');
                }

                if (found.removed > MAX_REMOVED) {
                    throw fault('history_gone', 'More was removed since that revision than can be listed. Begin again with "since=0".');
                }

                const before = `{"status":"success","since":${since},"revision":${found.revision},"project":${found.project},"pages":[${found.pages}],"elements":[`;
                const after = `],"removed":{"pages":${found.removed_pages},"elements":${found.removed_elements}}}`;
                // The elements are those of this revision.
                const tag = tagOf(before, after);
                return answerPieces(request, h, tag, { weight: found.weight, json: found.elements }, [before, after], (read) =>
                    changedElementsOf(read, [user, project], since, found, found.reader));
            }
        });
    }
};
