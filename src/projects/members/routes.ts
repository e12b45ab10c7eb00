import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { needs, notCached } from '../../api/auth/strategy';
import { someoneElses, writerOf } from '../../rules/access';
import type { ProjectIds } from '../../rules/chain';
import type { AuthoringServices } from '../../rules/write';
import { notFound } from '../../api/errors/errors';
import { currentUser, maybeUser, ownId } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, projectList } from '../../api/request/pagination';
import { created, reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { respondWith } from '../../api/request/shared-responses';
import { listShared } from '../lists';
import { findProject } from '../queries';
import type { MemberRole } from '../../api/representations/roles';
import { authorIn } from '../../accounts/users/open-account';
import { memberOperation } from './docs';
import { deleteInvitation, findOpened, insertInvitation, join, listInvitations } from './invitations';
import type { InvitationFields } from './invitations';
import { deleteMember, holdMembers, listMembers, putMemberNamed } from './queries';
import { invitationFields, invitationPath, joining, memberPath, membership } from './schema';

export const members: Plugin<AuthoringServices> = {
    name: 'members',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const path = '/users/{user}/projects/{project}';
        const common = { auth: needs('projects') };
        const writes = { ...common, app: { cost: 'cheap' } as const };

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path: `${path}/members`,
            options: { ...memberOperation('listMembers'), app: { cost: 'cheap', noted: 'read_members' }, ...common, validate: { params: ids('user', 'project') } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const json = await listMembers(db, [user, project], writerOf(request, 'history'));
                return reply(h, `{"status":"success","members":[${json}]}`);
            }
        });

        server.route<{ Params: ProjectIds & { username: string }; Payload: { role: MemberRole } }>({
            method: 'PUT',
            path: `${path}/members/{username}`,
            options: { ...memberOperation('putMember'), ...writes, validate: { params: memberPath, payload: membership } },
            handler: async (request, h) => {
                const { params: { user, project, username }, payload: { role } } = request;
                const { json, isNew } = await write.serialized(request, async (trx) => {
                    await holdMembers(trx, [user, project], writerOf(request, 'manage'));
                    return putMemberNamed(trx, [user, project], username, role);
                });
                return isNew ? thing(h, 'created', 'member', json).code(201) : thing(h, 'updated', 'member', json);
            }
        });

        server.route<{ Params: ProjectIds & { username: string } }>({
            method: 'DELETE',
            path: `${path}/members/{username}`,
            options: { ...memberOperation('deleteMember'), ...writes, validate: { params: memberPath, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const { user, project, username } = request.params;
                const { id } = currentUser(request);
                const json = await write.serialized(request, async (trx) => {
                    const owned = await holdMembers(trx, [user, project], writerOf(request, 'leave'));
                    const removed = await deleteMember(trx, project, username, owned ? null : id);
                    if (removed === undefined) {
                        throw owned ? notFound('member') : someoneElses('project');
                    }

                    return removed;
                });
                return thing(h, 'deleted', 'member', json);
            }
        });

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path: `${path}/invitations`,
            options: { ...memberOperation('listInvitations'), app: { cost: 'cheap' }, ...common, validate: { params: ids('user', 'project') } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const json = await listInvitations(db, [user, project], writerOf(request, 'manage'));
                return reply(h, `{"status":"success","invitations":[${json}]}`);
            }
        });

        server.route<{ Params: ProjectIds; Payload: InvitationFields }>({
            method: 'POST',
            path: `${path}/invitations`,
            // To share one's own project is what an app is for.
            options: { ...memberOperation('createInvitation'), ...notCached, ...common, app: { cost: 'cheap', signedIn: false }, validate: { params: ids('user', 'project'), payload: invitationFields } },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                const { user, project } = request.params;
                await holdMembers(trx, [user, project], writerOf(request, 'manage'));
                const { id, json } = await insertInvitation(trx, project, request.payload);
                return created(h, 'created', 'invitation', json, `${request.path}/${id}`);
            })
        });

        server.route<{ Params: ProjectIds & { invitation: string } }>({
            method: 'DELETE',
            path: `${path}/invitations/{invitation}`,
            options: { ...memberOperation('deleteInvitation'), ...writes, validate: { params: invitationPath, payload: Joi.object({}) } },
            handler: async (request, h) => {
                const { user, project, invitation } = request.params;
                const json = await write.serialized(request, async (trx) => {
                    await holdMembers(trx, [user, project], writerOf(request, 'manage'));
                    return deleteInvitation(trx, project, invitation);
                });
                if (json === undefined) {
                    throw notFound('invitation');
                }

                return thing(h, 'deleted', 'invitation', json);
            }
        });

        server.route<{ Payload: { code: string } }>({
            method: 'POST',
            path: '/invitations',
            options: { ...memberOperation('joinProject'), ...common, app: { cost: 'cheap', limit: 'joins' }, validate: { payload: joining } },
            handler: async (request, h) => {
                const { code } = request.payload;
                const opened = await findOpened(db, maybeUser(request)?.id, code);
                const { json, role } = await write.serialized(request, async (trx) => {
                    const id = await authorIn(trx, request, config);
                    const { owner, project, role: given } = await join(trx, id, code);
                    const found = await findProject(trx, owner, project, [], { id, moderator: false });
                    return { json: String(found?.json), role: given };
                }, opened, opened !== undefined);
                return reply(h, `{"status":"success","project":${json},"role":"${role}"}`);
            }
        });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/users/{user}/shared',
            options: { ...memberOperation('listShared'), app: { cost: 'cheap' }, ...common, validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                const user = ownId(request, 'Only the user can list what is shared with them.');
                return respondWith(h, request, projectList(await listShared(db, user, placeOf(request.query))));
            }
        });
    }
};
