import type { Plugin, Request, RouteOptions } from '@hapi/hapi';
import Joi from 'joi';

import { hasScope } from '../../api/auth/token-rights';
import { needs, optionalToken } from '../../api/auth/strategy';
import { currentUser, maybeUser } from '../../api/request/caller';
import { methodNotAllowed } from '../../api/request/cross-origin';
import type { ListQuery } from '../../api/request/list-url';
import { placeOf, replyBounded, risingPlaceOf } from '../../api/request/pagination';
import { created, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { holdMembers } from '../../projects/members/queries';
import { isForProject, someoneElses, writerOf } from '../../rules/access';
import { projectOf } from '../../rules/chain';
import type { ProjectIds } from '../../rules/chain';
import { guest } from '../../rules/visibility';
import type { Reader } from '../../rules/visibility';
import type { AuthoringServices } from '../../rules/write';
import { checkMayComment, findClassRule, lockCommented, lockToComment } from './access';
import type { CommentAudience } from './audiences';
import { commentOperation } from './docs';
import { askForLook, stateRemoval } from './held';
import { findMentioned } from './mentions';
import { findSettings, listReplies, listThreads } from './queries';
import { commentChanges, commentSettings, commentsQuery, newComment } from './schema';
import type { NewComment } from './schema';
import { findComment, insertComment, putSettings, removeComment, updateComment } from './writes';
import type { CommentWriter } from './writes';

type CommentIds = ProjectIds & { comment: string };
type CommentsQuery = Omit<ListQuery, 'page'> & { thread?: string; page?: string; element?: string };

/** Who reads, with a token or without. One that is for some projects alone reads others as everybody does. */
function readerOf(request: Pick<Request, 'auth'> & { params: ProjectIds }): Reader {
    const user = maybeUser(request);
    return user !== undefined && hasScope(request, 'projects') && isForProject(user, request.params.project) ? user : guest;
}

/** Route option: `settings` is no comment, and its path has other methods. */
const notSettings: RouteOptions['ext'] = {
    onPreAuth: {
        method: ({ method, params }, h) => {
            if (params.comment === 'settings') {
                throw methodNotAllowed(method, ['OPTIONS', 'GET', 'PUT']);
            }

            return h.continue;
        }
    }
};

export const comments: Plugin<AuthoringServices> = {
    name: 'comments',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, isBlocked }) {
        const path = '/users/{user}/projects/{project}/comments';
        const reads = { auth: optionalToken, app: { cost: 'cheap', byTokenOfProjects: 'checked' } } as const;
        const writes = { auth: needs('projects'), app: { cost: 'cheap' } } as const;
        const comment = { auth: needs('projects'), app: { cost: 'cheap', limit: 'comments' } } as const;
        const everybody = config.teachers === 'open';

        /** Whom the text of a request mentions, for its writer. */
        const writerWith = async (trx: Parameters<typeof findMentioned>[0], request: Pick<Request, 'auth'> & { params: ProjectIds; payload: { text: string } }): Promise<CommentWriter> => {
            const { id } = currentUser(request);
            const mentioned = await findMentioned(trx, request.payload.text, { owner: request.params.user, author: id, everybody });
            return { id, mentioned, everybody };
        };

        server.route<{ Params: ProjectIds; Query: CommentsQuery }>({
            method: 'GET',
            path,
            options: { ...commentOperation('listComments'), ...reads, validate: { params: ids('user', 'project'), query: commentsQuery } },
            handler: async (request, h) => {
                const { thread, page, element, ...list } = request.query;
                const [chain, reader] = [projectOf(request.params), readerOf(request)];
                if (thread !== undefined) {
                    const { afterId, count } = risingPlaceOf(list);
                    return replyBounded(h, request, 'comments', await listReplies(db, chain, reader, { after: afterId, count }, thread));
                }

                const { beforeId, count } = placeOf(list);
                return replyBounded(h, request, 'comments', await listThreads(db, chain, reader, { after: beforeId, count }, {
                    page, element
                }));
            }
        });

        server.route<{ Params: ProjectIds; Payload: NewComment }>({
            method: 'POST',
            path,
            options: {
                ...commentOperation('createComment'), ...comment, validate: { params: ids('user', 'project'), payload: newComment }
            },
            handler: (request, h) => write.idempotentInTurn(request, h, async (trx) => {
                const locked = await lockToComment(trx, projectOf(request.params), currentUser(request));
                await checkMayComment(locked, projectOf(request.params), currentUser(request), everybody);
                const isHeld = isBlocked(request.payload.text);
                const { id, json } = await insertComment(locked, request.payload, await writerWith(trx, request), isHeld);
                await (isHeld && askForLook(locked, { id, authorId: currentUser(request).id }));
                return created(h, 'created', 'comment', json, `${request.path}/${id}`);
            })
        });

        server.route<{ Params: CommentIds; Payload: { text: string } }>({
            method: 'PATCH',
            path: `${path}/{comment}`,
            options: { ...commentOperation('updateComment'), ...comment, ext: notSettings, validate: { params: ids('user', 'project', 'comment'), payload: commentChanges } },
            handler: async (request, h) => thing(h, 'updated', 'comment', await write.serialized(request, async (trx) => {
                const { params, payload: { text } } = request;
                const user = currentUser(request);
                const locked = await lockToComment(trx, projectOf(params), user);
                const found = await findComment(locked, params.comment, user.id);
                if (!found.own) {
                    throw someoneElses('comment');
                }

                // Who may not write a new one does not go on by changing an old one.
                await checkMayComment(locked, projectOf(params), user, everybody);
                const isHeld = found.held || isBlocked(text);
                const json = await updateComment(locked, params.comment, text, await writerWith(trx, request), isHeld);
                await (isHeld && !found.held && askForLook(locked, { id: params.comment, authorId: user.id }));
                return json;
            }))
        });

        server.route<{ Params: CommentIds }>({
            method: 'DELETE',
            path: `${path}/{comment}`,
            options: { ...commentOperation('deleteComment'), ...writes, ext: notSettings, validate: { params: ids('user', 'project', 'comment'), payload: Joi.object({}) } },
            handler: async (request, h) => thing(h, 'deleted', 'comment', await write.serialized(request, async (trx) => {
                const { params, params: { comment: id } } = request;
                const user = currentUser(request);
                const locked = await lockCommented(trx, projectOf(params), user, id);
                const { own, owned, author } = await findComment(locked, id, user.id);
                if (!own && !owned && !user.moderator) {
                    throw someoneElses('comment');
                }

                if (own || owned) {
                    return removeComment(locked, id, own ? 'author' : 'owner');
                }

                const json = await removeComment(locked, id, 'moderator');
                await stateRemoval(locked, { id, authorId: author ?? params.user }, user.id);
                return json;
            }))
        });

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path: `${path}/settings`,
            options: { ...commentOperation('getCommentSettings'), ...reads, validate: { params: ids('user', 'project') } },
            handler: async (request, h) => {
                const reader = readerOf(request);
                return thing(h, 'success', 'settings', await settingsJson(request, reader, reader.id !== null && request.app.suspension === undefined));
            }
        });

        server.route<{ Params: ProjectIds; Payload: { who: CommentAudience } }>({
            method: 'PUT',
            path: `${path}/settings`,
            options: {
                ...commentOperation('putCommentSettings'), ...writes, validate: { params: ids('user', 'project'), payload: commentSettings }
            },
            handler: async (request, h) => thing(h, 'updated', 'settings', await write.serialized(request, async (trx) => {
                const { params, payload: { who } } = request;
                await holdMembers(trx, projectOf(params), writerOf(request, 'manage'));
                await putSettings(trx, params.project, who);
                return settingsJson(request, currentUser(request), true, trx);
            }))
        });

        /** JSON text of who may comment. @param isFree whether the reader is somebody who may write at all */
        async function settingsJson(
            { params }: { params: ProjectIds }, reader: Reader, isFree: boolean, from: Parameters<typeof findSettings>[0] = db
        ): Promise<string> {
            const { who, lets } = await findSettings(from, projectOf(params), reader);
            const rule = await findClassRule(from, params.user, reader.id, everybody);
            return JSON.stringify({ who, class_only: rule.managed, may_comment: isFree && lets && rule.lets });
        }
    }
};
