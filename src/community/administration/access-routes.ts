import type { Server } from '@hapi/hapi';
import Joi from 'joi';

import { localOnly, notCached } from '../../api/auth/strategy';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery } from '../../api/request/pagination';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { AuthoringServices } from '../../rules/write';
import { deleteApp, listApps, trustApp } from './apps';
import { administrationOperation } from './docs';
import { answerList, ofStaff } from './route';
import { appTrust, newSignUpCode, webhookOff } from './schema';
import { createCode, endCode, listCodes } from './sign-up-codes';
import { staffOf } from './staff';
import { listWebhooks, switchWebhookOff } from './webhooks';

/** Who and what has a way in, or is told of what happens: apps, webhooks, and codes that open accounts. */
export function accessRoutes(server: Server, { config, db, write }: AuthoringServices): void {
    const empty = Joi.object({});
    // They count what is at each.
    const heavy = { ...ofStaff.app, cost: 'heavy' } as const;
    // Where tokens come from another provider, that provider has its own apps.
    const ext = localOnly(config.auth);

    server.route<{ Query: ListQuery }>({
        method: 'GET',
        path: '/admin/apps',
        options: { ext, ...administrationOperation('listAllApps'), ...ofStaff, app: heavy, validate: { query: feedQuery } },
        handler: (request, h) => answerList(request, h, 'apps', (before, count) => listApps(db, before, count))
    });

    server.route<{ Params: { app: string }; Payload: { trusted: boolean } }>({
        method: 'PATCH',
        path: '/admin/apps/{app}',
        options: { ext, ...administrationOperation('trustApp'), ...ofStaff, validate: { params: ids('app'), payload: appTrust } },
        handler: async (request, h) => thing(h, 'updated', 'app', await trustApp(db, staffOf(request), request.params.app, request.payload.trusted))
    });

    server.route<{ Params: { app: string } }>({
        method: 'DELETE',
        path: '/admin/apps/{app}',
        options: { ext, ...administrationOperation('deleteAnyApp'), ...ofStaff, validate: { params: ids('app'), payload: empty } },
        handler: async (request, h) => thing(h, 'deleted', 'app', await deleteApp(db, staffOf(request), request.params.app))
    });

    server.route<{ Query: ListQuery }>({
        method: 'GET',
        path: '/admin/webhooks',
        options: { ...administrationOperation('listAllWebhooks'), ...ofStaff, app: heavy, validate: { query: feedQuery } },
        handler: (request, h) => answerList(request, h, 'webhooks', (before, count) => listWebhooks(db, before, count))
    });

    server.route<{ Params: { webhook: string } }>({
        method: 'PATCH',
        path: '/admin/webhooks/{webhook}',
        options: { ...administrationOperation('switchWebhookOff'), ...ofStaff, validate: { params: ids('webhook'), payload: webhookOff } },
        handler: async (request, h) => thing(h, 'updated', 'webhook', await switchWebhookOff(db, staffOf(request), request.params.webhook))
    });

    server.route<{ Query: ListQuery }>({
        method: 'GET',
        path: '/admin/sign-up-codes',
        options: { ...administrationOperation('listSignUpCodes'), ...ofStaff, validate: { query: feedQuery } },
        handler: (request, h) => answerList(request, h, 'sign_up_codes', (before, count) => listCodes(db, before, count), `"sign_up":"${config.signUp}",`)
    });

    server.route<{ Payload: { uses: number; expires_in: number; note: string | null } }>({
        method: 'POST',
        path: '/admin/sign-up-codes',
        options: { ...administrationOperation('createSignUpCode'), ...ofStaff, ...notCached, validate: { payload: newSignUpCode } },
        handler: (request, h) => write.idempotent(request, h, async (given) => {
            const { uses, expires_in: expiresIn, note } = request.payload;
            const { code, json } = await createCode(given, staffOf(request), { uses, expiresIn, note });
            return reply(h, `{"status":"created","sign_up_code":${json},"code":"${code}"}`).code(201);
        })
    });

    server.route<{ Params: { sign_up_code: string } }>({
        method: 'DELETE',
        path: '/admin/sign-up-codes/{sign_up_code}',
        options: { ...administrationOperation('deleteSignUpCode'), ...ofStaff, validate: { params: ids('sign_up_code'), payload: empty } },
        handler: async (request, h) => thing(h, 'deleted', 'sign_up_code', await endCode(db, staffOf(request), { id: request.params.sign_up_code }))
    });
}
