import type { Plugin, Request } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { currentUser, ownId } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, scoredPlaceOf } from '../../api/request/pagination';
import { thing } from '../../api/request/responses';
import { replyList } from '../../api/request/shared-responses';
import { ids } from '../../api/request/schema';
import type { AuthoringServices } from '../../rules/write';
import { moderatorOf, stayModerator } from '../moderation/acting';
import type { Report } from '../moderation/queue';
import { checkUntil, newReport } from '../moderation/schema';
import type { Rule } from '../report-reasons';
import { addCommentReport, addUserReport, projectOfComment } from './add';
import { decideComment, decideUser } from './decide';
import { reportOperation } from './docs';
import type { ReportKind } from '../reporters/entry';
import { commentDecided, queueQuery, userDecided } from './input';
import type { CommentDecision, UserDecision } from './input';
import { listOwnReports } from './own';
import { listReports } from './queue';

type CommentParams = { comment: string };
type UserParams = { user: string };
type SentReport = { reason: string; text?: string };
type Decided<State> = { state: State; note: string; rule?: Rule };

/** Reports of comments and people, the queue of all reports, and what came of one's own. */
export const reports: Plugin<AuthoringServices> = {
    name: 'reports',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, now }) {
        const commentIds = ids('comment');
        const userIds = ids('user');
        const shared = { auth: needs('projects') };
        const decides = { cost: 'cheap', signedIn: true, noted: 'nothing' } as const;

        const reportIn = ({ payload: { reason, text = '' } }: { payload: SentReport }): Report => ({ reason, text });

        /** Notes that a moderator has read something of a project that the path does not name. */
        const noteProject = (request: Pick<Request, 'app'>, projectId: string): void => {
            request.app.moderatorRead = { others: [projectId] };
        };

        server.route<{ Params: CommentParams; Payload: SentReport }>({
            method: 'POST',
            path: '/comments/{comment}/reports',
            options: {
                ...reportOperation('reportComment'), ...shared, app: { cost: 'cheap' }, validate: { params: commentIds, payload: newReport }
            },
            handler: async (request, h) => {
                const { comment: id } = request.params;
                const projectId = await projectOfComment(db, id);
                noteProject(request, projectId);
                const { json, first } = await write.together(request, (trx) =>
                    addCommentReport(trx, { projectId, type: 'comment', id }, currentUser(request), reportIn(request), config.holdAfter));
                return first ? thing(h, 'created', 'report', json).code(201) : thing(h, 'updated', 'report', json);
            }
        });

        server.route<{ Params: UserParams; Payload: SentReport }>({
            method: 'POST',
            path: '/users/{user}/reports',
            options: {
                ...reportOperation('reportUser'), ...shared, app: { cost: 'cheap' }, validate: { params: userIds, payload: newReport }
            },
            handler: async (request, h) => {
                const { json, first } = await write.together(request, (trx) =>
                    addUserReport(trx, request.params.user, currentUser(request), reportIn(request)));
                return first ? thing(h, 'created', 'report', json).code(201) : thing(h, 'updated', 'report', json);
            }
        });

        server.route<{ Params: UserParams; Query: ListQuery }>({
            method: 'GET',
            path: '/users/{user}/reports',
            options: {
                ...reportOperation('listOwnReports'), ...shared, app: { cost: 'cheap' }, validate: { params: userIds, query: feedQuery }
            },
            handler: async (request, h) => {
                const { items, next } = await listOwnReports(
                    db, ownId(request, 'Only its own user can see what they have reported.'), placeOf(request.query)
                );
                return replyList(h, request, `{"status":"success","reports":[${items}],"next":${JSON.stringify(next)}}`, next);
            }
        });

        server.route<{ Query: ListQuery & { kind?: ReportKind } }>({
            method: 'GET',
            path: '/moderation/reports',
            options: {
                ...reportOperation('listReports'), ...shared, app: { cost: 'heavy', signedIn: true }, validate: { query: queueQuery }
            },
            handler: async (request, h) => {
                moderatorOf(request);
                const { items, projects, next } = await listReports(db, scoredPlaceOf(request.query), request.query.kind);
                request.app.moderatorRead = { others: projects };
                return replyList(h, request, `{"status":"success","reports":[${items}],"next":${JSON.stringify(next)}}`, next);
            }
        });

        server.route<{ Params: CommentParams; Payload: Decided<CommentDecision> }>({
            method: 'PATCH',
            path: '/moderation/reports/comments/{comment}',
            options: {
                ...reportOperation('decideCommentReports'), ...shared, app: decides,
                validate: { params: commentIds, payload: commentDecided }
            },
            handler: async (request, h) => {
                const { id: moderatorId } = moderatorOf(request);
                const { params: { comment: id }, payload: { state, ...sent } } = request;
                const projectId = await projectOfComment(db, id);
                return thing(h, 'updated', 'report', await write.together(request, async (trx) => {
                    await stayModerator(trx, moderatorId);
                    return decideComment(trx, { projectId, id }, moderatorId, state, sent);
                }));
            }
        });

        server.route<{ Params: UserParams; Payload: Decided<UserDecision> & { until?: string } }>({
            method: 'PATCH',
            path: '/moderation/reports/users/{user}',
            options: {
                ...reportOperation('decideUserReports'), ...shared, app: decides, validate: { params: userIds, payload: userDecided }
            },
            handler: async (request, h) => {
                const { id: moderatorId } = moderatorOf(request);
                const { params: { user }, payload: { state, ...sent } } = request;
                checkUntil(sent.until, now());
                return thing(h, 'updated', 'report', await write.together(request, async (trx) => {
                    await stayModerator(trx, moderatorId);
                    return decideUser(trx, user, moderatorId, state, sent);
                }));
            }
        });
    }
};
