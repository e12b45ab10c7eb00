import assert from 'node:assert';
import { Readable } from 'node:stream';

import type { Lifecycle, Plugin, Request, ResponseObject, ResponseToolkit, RouteOptions } from '@hapi/hapi';
import type { default as OidcProvider } from 'oidc-provider' with { 'resolution-mode': 'import' };

import { parseLike } from '../../database/samples';
import { knownOrigin } from '../../api/auth/known-origin';
import { fault } from '../../api/errors/errors';
import { notCached } from '../../api/auth/strategy';
import type { ClientLimits } from '../../api/request/client-limits';
import { bodyTooLarge, receiveBody } from '../../api/request/receive-body';
import { reply } from '../../api/request/responses';
import type { Services } from '../../api/services';
import { MAX_FORM_BYTES } from '../../limits';
import { consentRoutes } from './consent-routes';
import { dispatch, respond } from './dispatch';
import { endpoints, providers } from './provider';
import { registration, REGISTRATION } from './registration';
import { USERINFO, userinfo } from './userinfo';
import { viewer } from './viewer';
import { pollsTooFast, POLL_SECONDS, stateHash } from './states';

/** The port that addresses of `http` leave out. */
const HTTP = 80;

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** Parameters as the library understands them, where it would take them in another way than this service means them. */
function adjusted(parameters: URLSearchParams): string {
    // The library wants to hear that people are asked, as they always are here (OpenID Connect Core section 11).
    if (parameters.get('scope')?.split(' ').includes('offline_access') && !parameters.has('prompt')) {
        parameters.set('prompt', 'consent');
    }

    return parameters.toString();
}

/** An error of OAuth (RFC 6749 section 4.1.2.1). */
interface RefusedRequest {
    error: string;
    error_description?: string | undefined;
}

/** The error with which a request would send people to the app before anybody was asked. Anybody can register an app, and its address is not to be reached by a link to here (RFC 9700 section 4.11.2). */
function errorIn(location: string): RefusedRequest | null {
    const { search, hash } = new URL(location, 'http://localhost');
    const found = [search, hash.slice(1)].map((text) => new URLSearchParams(text)).find((parameters) => parameters.has('error'));
    return found === undefined ? null : { error: String(found.get('error')), error_description: found.get('error_description') ?? undefined };
}

/** The reason of a refusal, for the author of the app. */
function reasonOf({ error, error_description: why }: RefusedRequest, parameters: URLSearchParams): string {
    const words = error === 'invalid_request' && !parameters.has('code_challenge') ? 'code_challenge is missing; send it with code_challenge_method=S256 (PKCE, RFC 7636)' : why;
    return words === undefined ? error : `${error} (${words})`;
}

const wantsForm = (parameters: URLSearchParams): boolean => parameters.getAll('response_mode').includes('form_post');

/** OAuth's own error (RFC 6749 section 5.2). */
const oauthError = (h: ResponseToolkit, error: string, description: string): ResponseObject =>
    reply(h, JSON.stringify({ error, error_description: description })).code(400).header('cache-control', 'no-store');

/** The authorization server for apps. Its pages are those of the site, so there is none without the site, and none where tokens come from elsewhere. */
export const authorization: Plugin<Services & { limits: ClientLimits }> = {
    name: 'authorization',
    dependencies: ['token-strategy'],
    register(server, { limits, ...services }) {
        const { config, db } = services;
        const find = providers(services);
        /** @throws 503 if the service does not know its address. Without PUBLIC_URL it knows the port that it listens at: others are what clients say, and each would have a server of its own. */
        const providerFor = (request: Pick<Request, 'url'>): Promise<OidcProvider> => {
            const origin = knownOrigin(request, config);
            if (config.publicUrl === null && Number(request.url.port === '' ? HTTP : request.url.port) !== Number(server.info.port)) {
                throw fault('no_public_url');
            }

            return find(origin);
        };

        /** @param isOver whether the request was right once, and people are on their way back to it */
        const refused = (request: Request, h: ResponseToolkit, reason: string, isOver = false): ResponseObject => {
            const { site } = server.plugins;
            assert(site);
            return site.refusedPage(request, h, reason, isOver);
        };

        const usual: RouteOptions = { ...notCached, response: { emptyStatusCode: 200 } };

        const formOf = async ({ payload, raw }: Request): Promise<URLSearchParams> => {
            if (Number(raw.req.headers['content-length']) > MAX_FORM_BYTES) {
                throw bodyTooLarge(MAX_FORM_BYTES);
            }

            assert(payload instanceof Readable, 'payloadOptions say so');
            const bytes = await receiveBody(raw.req, payload, { most: MAX_FORM_BYTES, charge: () => undefined }, limits);
            return new URLSearchParams(bytes.toString());
        };

        for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
            server.route({
                method: 'GET',
                path,
                options: { app: { cost: 'cheap' } },
                handler: async (request, h) => {
                    const provider = await providerFor(request);
                    const { text } = await dispatch(provider, request, { method: 'GET', url: '/.well-known/openid-configuration' });
                    const more = config.appRegistration === 'open' ? { registration_endpoint: `${provider.issuer}${REGISTRATION}` } : {};
                    return reply(h, JSON.stringify({ ...JSON.parse(text), response_modes_supported: ['query', 'fragment'], userinfo_endpoint: `${provider.issuer}${USERINFO}`, ...more }));
                }
            });
        }

        server.route({
            method: 'GET',
            path: endpoints.jwks,
            options: { app: { cost: 'cheap' } },
            handler: async (request, h) => respond(h, await dispatch(await providerFor(request), request, { method: 'GET', url: endpoints.jwks })).type('application/json; charset=utf-8')
        });

        /** Answers with a redirect, or with a page that says what is wrong. */
        const authorize: Lifecycle.Method = async (request, h) => {
            const parameters = new URLSearchParams(request.url.search);
            if (wantsForm(parameters)) {
                return refused(request, h, 'unsupported_response_mode');
            }

            const answer = await dispatch(await providerFor(request), request, { method: 'GET', url: `${request.path}?${adjusted(parameters)}` });
            const isBegun = request.path !== endpoints.authorization;
            const wrong = answer.status >= 400 ? parseLike<RefusedRequest>(answer.text, { error: '' }) : isBegun ? null : errorIn(String(answer.headers.location));
            return wrong === null ? respond(h, answer) : refused(request, h, isBegun ? wrong.error : reasonOf(wrong, parameters), isBegun);
        };

        server.route([endpoints.authorization, `${endpoints.authorization}/{uid}`].map((path) => ({
            method: 'GET', path, options: { ...usual, cors: false, app: { cost: 'cheap', limit: 'authorizations', forPeople: true }, validate: { query: true } }, handler: authorize
        })));

        const posts: readonly [path: string, limit: 'apps' | 'appTokens', more: (parameters: URLSearchParams, h: ResponseToolkit) => Promise<ResponseObject | undefined> | undefined][] = [
            [endpoints.token, 'appTokens', async (parameters, h) => {
                const device = parameters.get('grant_type') === DEVICE ? parameters.get('device_code') : null;
                const isFast = device !== null && await pollsTooFast(db, stateHash('DeviceCode', device));
                return isFast ? oauthError(h, 'slow_down', `wait ${POLL_SECONDS} seconds between two requests`) : undefined;
            }],
            [endpoints.revocation, 'appTokens', () => undefined],
            [endpoints.pushed_authorization_request, 'apps', (parameters, h) => (wantsForm(parameters) ? Promise.resolve(oauthError(h, 'unsupported_response_mode', 'form_post is not supported')) : undefined)],
            [endpoints.device_authorization, 'apps', () => undefined]
        ];
        for (const [path, limit, more] of posts) {
            server.route({
                method: 'POST',
                path,
                options: { ...usual, app: { cost: 'cheap', limit, readsBody: true } },
                handler: async (request, h) => {
                    const parameters = await formOf(request);
                    const instead = await more(parameters, h);
                    if (instead !== undefined) {
                        return instead;
                    }

                    const payload = path === endpoints.pushed_authorization_request ? adjusted(parameters) : parameters.toString();
                    const answer = await dispatch(await providerFor(request), request, { method: 'POST', url: path, payload });
                    const isDevice = path === endpoints.device_authorization && answer.status === 200;
                    return respond(h, isDevice ? { ...answer, text: JSON.stringify({ ...JSON.parse(answer.text), interval: POLL_SECONDS }) } : answer);
                }
            });
        }

        if (config.appRegistration === 'open') {
            registration(server, services);
        }

        userinfo(server, services);
        viewer(server, services);
        consentRoutes(server, services, providerFor);
    }
};
