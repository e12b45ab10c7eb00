import type { Plugin, Request } from '@hapi/hapi';
import Joi from 'joi';
import type { Knex } from 'knex';

import { needs } from '../../api/auth/strategy';
import { existing } from '../../rules/existing';
import { writerOf } from '../../rules/access';
import { noteModeratorsRead } from './acts';
import type { Writing } from '../../rules/project-turns';
import type { AuthoringServices, Sender } from '../../rules/write';
import { fault, forbidden, notFound } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import { clientAddress, originOf } from '../../api/request/client-address';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { moderatorOf, stayModerator } from './acting';
import { endAutomaticHold } from './automatic';
import { noteKept, openReports, removeReported } from './decisions';
import { moderationOperation } from './docs';
import { addGuestReport } from './guest-reports';
import { closeReports, holdProject, lockForModeration, release, showJudged } from './holds';
import type { ModeratedProject } from './holds';
import { listLog } from './log';
import { addReport, lockReports, showReports } from './queue';
import type { Report } from './queue';
import { checkUntil, decided, newHold, newReport, statedSuspension } from './schema';
import type { Decision } from './schema';
import type { Rule } from '../report-reasons';
import { suspend, unsuspend } from './suspensions';
import { decideTeacher } from './teachers';

type ProjectParams = { project: string };
type UserParams = { user: string };

export const moderation: Plugin<AuthoringServices> = {
    name: 'moderation',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, now }) {
        const projectIds = ids('project');
        const userIds = ids('user');
        const shared = { auth: needs('projects') };
        const app = { cost: 'cheap', signedIn: true } as const;
        // Each decision is a line of the log itself.
        const decides = { ...app, noted: 'nothing' } as const;

        server.ext('onPreResponse', async (request, h) => {
            await noteModeratorsRead(db, request);
            return h.continue;
        }, { before: ['errors'] });

        /**
         * Changes a locked project, and returns JSON text for the response. @throws 403 `own_decision` to its owner: nobody decides about
         * themselves
         */
        const judge = (request: Writing & Pick<Request, 'app'> & { params: ProjectParams }, act: (trx: Knex.Transaction, judged: ModeratedProject) => Promise<string>): Promise<string> => {
            return write.serialized(request, async (trx) => {
                const { id } = currentUser(request);
                await stayModerator(trx, id);
                const judged = await lockForModeration(trx, request.params.project);
                if (judged.ownerId === id) {
                    throw fault('own_decision');
                }

                return act(trx, judged);
            });
        };

        /** Does something in a transaction, in which the caller stays a moderator. */
        const asModerator = <Result>(request: Sender, act: (trx: Knex.Transaction, moderatorId: string) => Promise<Result>): Promise<Result> => {
            const { id } = moderatorOf(request);
            return write.together(request, async (trx) => {
                await stayModerator(trx, id);
                return act(trx, id);
            });
        };

        server.route<{ Params: ProjectParams; Payload: { reason: string; text?: string } }>({
            method: 'POST',
            path: '/projects/{project}/reports',
            options: { ...moderationOperation('reportProject'), ...shared, app: { cost: 'cheap' }, validate: { params: projectIds, payload: newReport } },
            handler: async (request, h) => {
                const { params: { project }, payload: { reason, text = '' } } = request;
                const report: Report = { reason, text };
                const { json, first } = await write.together(request, (trx) =>
                    addReport(trx, project, currentUser(request), report, config.holdAfter));
                return first ? thing(h, 'created', 'report', json).code(201) : thing(h, 'updated', 'report', json);
            }
        });

        server.route<{ Params: ProjectParams; Payload: { reason: string; text?: string } }>({
            method: 'POST',
            path: '/projects/{project}/guest-reports',
            options: { ...moderationOperation('reportAsGuest'), app: { cost: 'cheap' }, validate: { params: projectIds, payload: newReport } },
            handler: async (request, h) => {
                const { params: { project }, payload: { reason, text = '' } } = request;
                const guest = { day: new Date(now()).toISOString().slice(0, 10), address: originOf(clientAddress(request.raw.req, config.trustedProxies)).address };
                // What is not for everybody answers as what does not exist, on every route.
                request.app.isPrivate = true;
                const json = await write.together(request, (trx) => addGuestReport(trx, project, guest, { reason, text }));
                request.app.isPrivate = false;
                return thing(h, 'created', 'report', json).code(201);
            }
        });

        server.route<{ Params: ProjectParams; Payload: { state: Decision; note: string; rule?: Rule } }>({
            method: 'PATCH',
            path: '/moderation/reports/{project}',
            options: { ...moderationOperation('decideReports'), ...shared, app: decides, validate: { params: projectIds, payload: decided } },
            handler: async (request, h) => {
                const { id: moderatorId } = moderatorOf(request);
                const { state, note, rule } = request.payload;
                return thing(h, 'updated', 'report', await judge(request, async (trx, judged) => {
                    const { id, ownerId, isHeld: isReleased } = judged;
                    await lockReports(trx, id);
                    const json = await showReports(trx, id, state);
                    if (state === 'held') {
                        await holdProject(trx, judged, moderatorId, note, rule);
                        return json;
                    }

                    const reported = await openReports(trx, id);
                    if (state === 'kept') {
                        // What is kept is held no more, as after many reports.
                        await (isReleased ? release(trx, judged, moderatorId, note) : closeReports(trx, judged, state, moderatorId));
                        const why = { moderatorId, reason: note, reportedAt: reported?.at ?? null };
                        await noteKept(trx, { type: 'project', id, projectId: id, ownerId }, why, isReleased);
                        await endAutomaticHold(trx, id);
                    }
                    else {
                        await closeReports(trx, judged, state, moderatorId);
                        await removeReported(trx, judged, writerOf({ auth: request.auth, headers: {} }, 'remove'), note, { ...reported, ...rule && { rule } });
                    }

                    return json;
                }));
            }
        });

        server.route<{ Params: ProjectParams; Payload: { reason: string; rule?: Rule } }>({
            method: 'PUT',
            path: '/moderation/projects/{project}/hold',
            options: { ...moderationOperation('holdProject'), ...shared, app: decides, validate: { params: projectIds, payload: newHold } },
            handler: async (request, h) => {
                const { id } = moderatorOf(request);
                return thing(h, 'updated', 'project', await judge(request, async (trx, judged) => {
                    await holdProject(trx, judged, id, request.payload.reason, request.payload.rule);
                    return showJudged(trx, judged.id);
                }));
            }
        });

        server.route<{ Params: ProjectParams }>({
            method: 'DELETE',
            path: '/moderation/projects/{project}/hold',
            options: { ...moderationOperation('releaseProject'), ...shared, app: decides, validate: { params: projectIds, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const { id } = moderatorOf(request);
                return thing(h, 'updated', 'project', await judge(request, async (trx, judged) => {
                    await release(trx, judged, id);
                    return showJudged(trx, judged.id);
                }));
            }
        });

        server.route<{ Params: UserParams; Payload: { reason: string; rule?: Rule; until?: string } }>({
            method: 'PUT',
            path: '/moderation/users/{user}/suspension',
            options: { ...moderationOperation('suspendUser'), ...shared, app, validate: { params: userIds, payload: statedSuspension } },
            handler: async (request, h) => {
                const { params: { user }, payload: { reason, rule, until } } = request;
                checkUntil(until, now());
                const outcome = await asModerator(request, (trx, moderatorId) =>
                    suspend(trx, { userId: user, moderatorId, rule }, reason, until));
                if (outcome === undefined) {
                    throw notFound('user');
                }

                if (outcome === 'moderator') {
                    throw forbidden('A moderator cannot be suspended. Ask an operator to take the permission away first.');
                }

                return thing(h, 'updated', 'suspension', outcome.json);
            }
        });

        server.route<{ Params: UserParams }>({
            method: 'DELETE',
            path: '/moderation/users/{user}/suspension',
            options: { ...moderationOperation('unsuspendUser'), ...shared, app, validate: { params: userIds, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const ended = await asModerator(request, (trx, moderatorId) =>
                    unsuspend(trx, { userId: request.params.user, moderatorId }));
                if (ended === undefined || ended.json === null) {
                    throw notFound(ended === undefined ? 'user' : 'suspension of this user');
                }

                return thing(h, 'deleted', 'suspension', ended.json);
            }
        });

        for (const [method, name, status, granted] of [['PUT', 'makeTeacher', 'updated', true], ['DELETE', 'dismissTeacher', 'deleted', false]] as const) {
            server.route<{ Params: UserParams }>({
                method,
                path: '/moderation/users/{user}/teacher',
                options: { ...moderationOperation(name), ...shared, app, validate: { params: userIds, payload: Joi.object({}) } },
                handler: async (request, h) => {
                    const everybody = config.teachers === 'open';
                    const json = existing(await asModerator(request, (trx, moderatorId) => decideTeacher(trx, request.params.user, granted, { moderatorId, everybody })), 'user');
                    return thing(h, status, 'teacher', json);
                }
            });
        }

        server.route<{ Query: ListQuery }>({
            method: 'GET',
            path: '/moderation/log',
            options: { ...moderationOperation('listModerationLog'), app, ...shared, validate: { query: feedQuery } },
            handler: async (request, h) => {
                moderatorOf(request);
                const { beforeId, count } = placeOf(request.query);
                return replyBounded(h, request, 'entries', await listLog(db, beforeId, count));
            }
        });
    }
};
