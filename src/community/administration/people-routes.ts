import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import type { Permission } from '../../accounts/users/permissions';
import { hashPassword, newPassword } from '../../api/auth/secrets';
import { localOnly, notCached } from '../../api/auth/strategy';
import { checkUntil, newSuspension } from '../moderation/schema';
import { notFound } from '../../api/errors/errors';
import type { ListQuery } from '../../api/request/list-url';
import { placeOf } from '../../api/request/pagination';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { Services } from '../../api/services';
import { existing } from '../../rules/existing';
import { administrationOperation } from './docs';
import { changePermission, removePerson, resetPassword, restorePerson, suspendPerson, unsuspendPerson } from './people';
import { findPerson, listPeople } from './person';
import type { Sought } from './person';
import { answerList, ofStaff } from './route';
import { peopleQuery, permissionParams } from './schema';
import { staffOf } from './staff';

type Params = { user: string };

/** People: finding them, and what the staff can do about their accounts. */
export function peopleRoutes(server: Server, { config, db, now }: Services): void {
    const path = '/admin/users/{user}';
    const params = ids('user');
    const empty = Joi.object({});
    const leaving = { everybody: config.teachers === 'open' };

    server.route<{ Query: ListQuery & Sought }>({
        method: 'GET',
        path: '/admin/users',
        options: { ...administrationOperation('listPeople'), ...ofStaff, validate: { query: peopleQuery } },
        handler: (request, h) => {
            const { after, prefix, permission } = request.query;
            return answerList(request, h, 'users', (_before, count) => listPeople(db, { prefix, permission }, after === undefined ? null : placeOf(request.query).beforeId, count));
        }
    });

    server.route<{ Params: Params }>({
        method: 'GET',
        path,
        options: { ...administrationOperation('getPerson'), ...ofStaff, app: { ...ofStaff.app, cost: 'heavy' }, validate: { params } },
        handler: async (request, h) => {
            staffOf(request);
            const person = existing(await findPerson(db, request.params.user), 'user');
            return thing(h, 'success', 'user', person);
        }
    });

    server.route<{ Params: Params }>({
        method: 'POST',
        path: `${path}/password`,
        options: { ext: localOnly(config.auth), ...administrationOperation('resetPassword'), ...ofStaff, ...notCached, app: { ...ofStaff.app, cost: 'password' }, validate: { params, payload: empty } },
        handler: async (request, h) => {
            const acting = staffOf(request);
            const password = newPassword();
            // No database connection is held while the password is hashed.
            const hash = await hashPassword(password, (work) => request.inQueue(work));
            const { json } = await resetPassword(db, acting, request.params.user, hash);
            return reply(h, `{"status":"updated","user":${json},"password":"${password}"}`);
        }
    });

    server.route<{ Params: Params; Payload: { reason: string; until?: string } }>({
        method: 'PUT',
        path: `${path}/suspension`,
        options: { ...administrationOperation('suspendPerson'), ...ofStaff, validate: { params, payload: newSuspension } },
        handler: async (request, h) => {
            const { reason, until } = request.payload;
            const acting = staffOf(request);
            checkUntil(until, now());
            return thing(h, 'updated', 'user', (await suspendPerson(db, acting, request.params.user, reason, until)).json);
        }
    });

    server.route<{ Params: Params }>({
        method: 'DELETE',
        path: `${path}/suspension`,
        options: { ...administrationOperation('unsuspendPerson'), ...ofStaff, validate: { params, payload: empty } },
        handler: async (request, h) => {
            const { json, changed } = await unsuspendPerson(db, staffOf(request), request.params.user);
            if (!changed) {
                throw notFound('suspension of this user');
            }

            return thing(h, 'deleted', 'user', json);
        }
    });

    server.route<{ Params: Params }>({
        method: 'DELETE',
        path,
        options: { ...administrationOperation('removePerson'), ...ofStaff, validate: { params, payload: empty } },
        handler: async (request, h) => thing(h, 'deleted', 'user', (await removePerson(db, staffOf(request), request.params.user, leaving)).json)
    });

    server.route<{ Params: Params }>({
        method: 'POST',
        path: `${path}/restore`,
        options: { ...administrationOperation('restorePerson'), ...ofStaff, validate: { params, payload: empty } },
        handler: async (request, h) => thing(h, 'restored', 'user', (await restorePerson(db, staffOf(request), request.params.user)).json)
    });

    for (const [method, name, status, granted] of [['PUT', 'grantPermission', 'updated', true], ['DELETE', 'revokePermission', 'deleted', false]] as const) {
        server.route<{ Params: Params & { permission: Permission } }>({
            method,
            path: `${path}/permissions/{permission}`,
            options: { ...administrationOperation(name), ...ofStaff, validate: { params: permissionParams, payload: empty } },
            handler: async (request, h) => {
                const { user, permission } = request.params;
                return thing(h, status, 'user', (await changePermission(db, staffOf(request), user, permission, granted, leaving)).json);
            }
        });
    }
}
