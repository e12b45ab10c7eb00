import type { Request, Server } from '@hapi/hapi';
import Joi from 'joi';
import type { default as OidcProvider } from 'oidc-provider' with { 'resolution-mode': 'import' };

import { needs } from '../../api/auth/strategy';
import { defined } from '../../api/errors/defined';
import { fault } from '../../api/errors/errors';
import { fieldOf } from '../../api/json/is-object';
import { currentUser } from '../../api/request/caller';
import { reply } from '../../api/request/responses';
import type { Services } from '../../api/services';
import { appScopes } from '../../config/scopes';
import { allowedScope, askedJson, askedScope, makeGrant } from './consent';
import type { Decider, Decision } from './consent';

const decision = {
    allow: Joi.boolean().required(),
    scope: Joi.array().items(Joi.string().valid(...appScopes)).max(appScopes.length)
};

const userCode = Joi.string().min(1).max(20).required();

/** How the code of a device is compared: without case, blanks and dashes. */
const normalCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, '');

const gone = (): Error => fault('not_found', 'This request has expired, or was answered already. Go back to the app, and begin again there.');

const wrongCode = (): Error => fault('not_found', 'No device is waiting with this code. Codes work for ten minutes, and once.');

/** Does something about one error of the library. All others, such as those of the database, are thrown again. */
function onlyFor<Result>(name: string, act: () => Result): (error: unknown) => Result {
    return (error) => {
        if (fieldOf(error, 'name') === name) {
            return act();
        }

        throw error;
    };
}

const denied = { error: 'access_denied', error_description: 'The user did not let the app in' };

/** Routes for the pages where apps are let in. The caller is whoever is signed in at the site, so no other site's page can send these. */
export function consentRoutes(server: Server, { db, now }: Pick<Services, 'db' | 'now'>, providerFor: (request: Pick<Request, 'url'>) => Promise<OidcProvider>): void {
    const base = { auth: needs('user'), app: { cost: 'cheap', signedIn: true } as const };

    /** The request that this browser began. @throws 404 if there is none */
    const interactionOf = async (provider: OidcProvider, { raw: { req, res }, params }: Pick<Request, 'raw'> & { params: { uid: string } }): Promise<Awaited<ReturnType<OidcProvider['interactionDetails']>>> => {
        const found = await provider.interactionDetails(req, res).catch(onlyFor('SessionNotFound', () => undefined));
        if (found === undefined || found.uid !== params.uid || found.result !== undefined) {
            throw gone();
        }

        return found;
    };

    const deciderOf = (request: Pick<Request, 'app' | 'auth'>): Decider => ({ id: currentUser(request).id, tokenHash: defined(request.app.tokenHash) });

    server.route<{ Params: { uid: string } }>({
        method: 'GET',
        path: '/oauth/consent/{uid}/request',
        options: { ...base },
        handler: async (request, h) => {
            const { params } = await interactionOf(await providerFor(request), request);
            return reply(
                h, await askedJson(db, deciderOf(request), String(params.client_id), askedScope(params.scope), params.redirect_uri)
            );
        }
    });

    server.route<{ Params: { uid: string }; Payload: Decision }>({
        method: 'POST',
        path: '/oauth/consent/{uid}',
        options: { ...base, validate: { payload: Joi.object(decision) } },
        handler: async (request, h) => {
            const provider = await providerFor(request);
            const { params } = await interactionOf(provider, request);
            const decider = deciderOf(request);
            const asked = askedScope(params.scope);
            const allowed = allowedScope(asked, request.payload);
            const result = allowed.length === 0 ? denied : {
                login: { accountId: decider.id, remember: false },
                consent: { grantId: await makeGrant(provider, db, decider, String(params.client_id), asked, allowed) }
            };
            const location = await provider.interactionResult(request.raw.req, request.raw.res, result, { mergeWithLastSubmission: false });
            return reply(h, JSON.stringify({ status: 'success', location }));
        }
    });

    /** The device that waits with a code. @throws 404 if there is none */
    const deviceOf = async (provider: OidcProvider, typed: string): Promise<InstanceType<OidcProvider['DeviceCode']>> => {
        const code = await provider.DeviceCode.findByUserCode(normalCode(typed));
        if (code === undefined) {
            throw wrongCode();
        }

        return code;
    };

    server.route<{ Payload: { user_code: string } }>({
        method: 'POST',
        path: '/oauth/device/request',
        options: { ...base, app: { ...base.app, limit: 'deviceCodes' }, validate: { payload: Joi.object({ user_code: userCode }) } },
        handler: async (request, h) => {
            const code = await deviceOf(await providerFor(request), request.payload.user_code);
            return reply(h, await askedJson(db, deciderOf(request), String(code.clientId), askedScope(code.params?.scope), undefined));
        }
    });

    server.route<{ Payload: Decision & { user_code: string } }>({
        method: 'POST',
        path: '/oauth/device/decision',
        options: { ...base, app: { ...base.app, limit: 'deviceCodes' }, validate: { payload: Joi.object({ ...decision, user_code: userCode }) } },
        handler: async (request, h) => {
            const provider = await providerFor(request);
            const code = await deviceOf(provider, request.payload.user_code);
            const decider = deciderOf(request);
            const asked = askedScope(code.params?.scope);
            const allowed = allowedScope(asked, request.payload);
            Object.assign(code, allowed.length === 0 ? { error: denied.error, errorDescription: denied.error_description } : {
                accountId: decider.id, grantId: await makeGrant(provider, db, decider, String(code.clientId), asked, allowed), scope: allowed.join(' '), authTime: Math.floor(now() / 1000)
            });
            // Somebody else may have decided meanwhile.
            await code.save().catch(onlyFor('InvalidGrant', () => {
                throw wrongCode();
            }));
            return reply(h, '{"status":"success"}');
        }
    });
}
