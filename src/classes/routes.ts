import type { Plugin } from '@hapi/hapi';

import { authorIn } from '../accounts/users/open-account';
import { needs } from '../api/auth/strategy';
import { defined } from '../api/errors/defined';
import { fault, notFound } from '../api/errors/errors';
import type { ClassFields } from './json';
import { currentUser, ownId } from '../api/request/caller';
import { preconditionOf } from '../api/request/entity-tags';
import type { ListQuery } from '../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../api/request/pagination';
import { reply, thing } from '../api/request/responses';
import { ids, revisionOnly } from '../api/request/schema';
import { refuseStale } from '../rules/conditional-write';
import { requestWrite } from '../rules/write';
import type { AuthoringServices } from '../rules/write';
import { holdAsTeacher, lockForWrite, teacherNeeded } from './access';
import { assignmentRoutes } from './assignments/routes';
import { boundAccounts, showWaiting } from './bounds';
import { classWriterOf, writtenInClass } from './class-write';
import type { ClassServices } from './access';
import { classOperation } from './docs';
import { endClass } from './end-class';
import { joinClass } from './people/queries';
import { orderRoutes } from './order/routes';
import { peopleRoutes } from './people/routes';
import { pictureRoutes } from './pictures/routes';
import { projectRoutes } from './projects/routes';
import { findClass, insertClass, listClasses, showClass } from './queries';
import { rosterRoutes } from './people/roster-routes';
import { updateClass } from './settings';
import { classChanges, deletedClass, joining, newClass } from './schema';
import { workRoutes } from './works/routes';

type ClassParams = { class_id: string };

export const classes: Plugin<AuthoringServices> = {
    name: 'classes',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, isBlocked }) {
        const common = { auth: needs('projects'), app: { cost: 'cheap' } } as const;
        const overOthers = { cost: 'cheap', signedIn: true } as const;
        const everybody = config.teachers === 'open';
        const callerOf: ClassServices['callerOf'] = (request) => ({ id: currentUser(request).id, everybody });

        server.route<{ Params: { user: string }; Payload: ClassFields }>({
            method: 'POST',
            path: '/users/{user}/classes',
            options: { ...classOperation('createClass'), ...common, app: { ...overOthers, texts: ['title'] }, validate: { params: ids('user'), payload: newClass } },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                ownId(request, 'A class can be made under one\'s own account only.');
                const { teaches, id, json, code } = await insertClass(trx, callerOf(request), request.payload);
                if (json === null) {
                    throw teaches ? fault('class_limit') : teacherNeeded();
                }

                return reply(h, `{"status":"created","class":${json},"code":"${code}"}`).code(201).location(`/classes/${id}`);
            })
        });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/users/{user}/classes',
            options: { ...classOperation('listClasses'), ...common, validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                ownId(request, 'Only the user can list their classes.');
                return replyBounded(h, request, 'classes', await listClasses(db, callerOf(request), placeOf(request.query)));
            }
        });

        server.route<{ Params: ClassParams }>({
            method: 'GET',
            path: '/classes/{class_id}',
            // A token of an app or a script is not shown the code.
            // All of its people, if their names are long, are more bytes than a cheap route sends.
            options: { ...classOperation('getClass'), ...common, app: { cost: 'heavy', signedIn: false }, validate: { params: ids('class_id') } },
            handler: async (request, h) => {
                const found = await findClass(db, request.params.class_id, callerOf(request));
                if (found === undefined) {
                    throw notFound('class');
                }

                const { role, json, code, teachers, pupils } = found;
                return reply(h, `{"status":"success","class":${json},"role":"${role}",${role === 'teacher' && currentUser(request).signedIn !== false ? `"code":"${code}",` : ''}"teachers":[${teachers}],"pupils":[${pupils}]}`);
            }
        });

        server.route<{ Params: ClassParams; Payload: Partial<ClassFields> & { code?: true; revision?: number } }>({
            method: 'PATCH',
            path: '/classes/{class_id}',
            options: { ...classOperation('updateClass'), ...common, app: { ...overOthers, cost: 'heavy', texts: ['title'] }, validate: { params: ids('class_id'), payload: classChanges } },
            handler: async (request, h) => {
                const { params: { class_id: id }, payload: { code: renew, revision, ...fields } } = request;
                const writer = classWriterOf(request, 'teacher', callerOf(request), revision);
                const { json, code } = await requestWrite(db, request, async (trx) => {
                    const outcome = await updateClass(await lockForWrite(trx, id, writer), writer, fields, renew === true);
                    const written = await writtenInClass(outcome, { trx, request, writer, what: 'class', read: () => showClass(trx, id) });
                    const shows = fields.show === 'at once';
                    if (shows) {
                        await showWaiting(trx, id);
                    }

                    // Each of them may have waited for locks.
                    if (outcome?.bounds ? !await boundAccounts(trx, id, writer) : shows || fields.picture_sign_in === false) {
                        await request.checkStillAllowed(trx);
                    }

                    return { json: written, code: outcome?.code };
                });
                return reply(h, `{"status":"updated","class":${json},"code":"${code}"}`);
            }
        });

        server.route<{ Params: ClassParams; Payload: { revision?: number }; Query: { accounts?: 'remove' } }>({
            method: 'DELETE',
            path: '/classes/{class_id}',
            options: { ...classOperation('deleteClass'), ...common, app: { ...overOthers, cost: 'heavy' }, validate: { params: ids('class_id'), payload: revisionOnly, query: deletedClass } },
            handler: async (request, h) => {
                const { class_id: id } = request.params;
                const precondition = preconditionOf(request, request.payload.revision);
                return thing(h, 'deleted', 'class', await write.together(request, async (trx) => {
                    await holdAsTeacher(trx, id, callerOf(request));
                    refuseStale('class', precondition, await showClass(trx, id));
                    return endClass(trx, id, request.query.accounts === 'remove');
                }));
            }
        });

        server.route<{ Payload: { code: string } }>({
            method: 'POST',
            path: '/classes',
            options: { ...classOperation('joinClass'), ...common, app: { cost: 'cheap', limit: 'joins', notManaged: true }, validate: { payload: joining } },
            handler: async (request, h) => {
                const { json, role } = await write.together(request, async (trx) => {
                    const id = await authorIn(trx, request, config);
                    const joined = await joinClass(trx, id, request.payload.code);
                    return defined(await findClass(trx, joined, { id, everybody }));
                });
                return reply(h, `{"status":"success","class":${json},"role":"${role}"}`);
            }
        });

        const services = { config, db, write, callerOf, isBlocked };
        peopleRoutes(server, services);
        rosterRoutes(server, services);
        pictureRoutes(server, services);
        projectRoutes(server, services);
        assignmentRoutes(server, services);
        workRoutes(server, services);
        orderRoutes(server, services);
    }
};
