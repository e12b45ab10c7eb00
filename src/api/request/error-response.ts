import * as Boom from '@hapi/boom';
import type { Plugin, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { databaseFault } from '../errors/database';
import { isFault } from '../errors/errors';
import type { FaultData } from '../errors/errors';
import { errorDefinitions } from '../errors/registry';
import type { ErrorCode } from '../errors/registry';
import { storageFault } from '../errors/storage';
import { fieldOf } from '../json/is-object';
import { ClientGone } from './client-gone';
import type { ClientLimits } from './client-limits';
import { checkDeprecation, showDeprecation } from './deprecation';
import { closeAfterUnreadBody } from './lingering-close';
import { PROBLEM_TYPE, prefersProblem, problemOf } from './problem';

/** Codes of the errors that hapi and its plugins make themselves. */
const codes: Readonly<Record<number, ErrorCode>> = {
    400: 'bad_request',
    401: 'invalid_token',
    403: 'insufficient_scope',
    404: 'not_found',
    405: 'method_not_allowed',
    408: 'request_timeout',
    413: 'payload_too_large',
    415: 'unsupported_media_type',
    503: 'service_unavailable'
};

/** Limits the memory that responses take, by caller and for the whole process. */
export interface ResponseBudget {
    /**
     * Charges a response to its caller until it has been sent.
     * @returns the error to send instead, if a GET's response is too much; a write has been done, and is always answered
     */
    chargeResponse(request: Request, response: ResponseObject): Boom.Boom | undefined;
}

/** The page that a browser gets for an error; undefined where a program may have asked. */
export type ErrorPage = (request: Request, h: ResponseToolkit, status: number) => ResponseObject | undefined;

declare module '@hapi/hapi' {
    interface PluginProperties {
        /** there unless SITE=off */
        site?: {
            errorPage: ErrorPage;
            /** the page that says why an app cannot sign somebody in. @param error of OAuth */
            refusedPage(request: Request, h: ResponseToolkit, reason: string, isOver: boolean): ResponseObject;
        };
    }
    interface RouteOptionsApp {
        /** where it is said how a client gets a token for this (RFC 9728 section 5.1); undefined if the address of the service is not known */
        resourceMetadata?(request: Request): string | undefined;
    }
}

interface ErrorOptions {
    /** the provider's names of our scopes */
    scopeNames: Readonly<Record<string, string>>;
    budgets: ResponseBudget;
    limits: ClientLimits;
}

/** Gives every error response its shape, and logs those that are our own errors. Large responses are charged to their caller. */
export const errors: Plugin<ErrorOptions> = {
    name: 'errors',
    register(server, { scopeNames, budgets, limits }) {
        server.events.on('route', checkDeprecation);
        server.ext('onPreResponse', (request, h) => {
            const { response } = request;
            closeAfterUnreadBody(request.raw.req, limits);
            const isPrivate = request.app.isPrivate ?? looksAtToken(request);
            const error = 'isBoom' in response ? publicError(response) : budgets.chargeResponse(request, isPrivate ? keepPrivate(request, response) : response);
            showDeprecation(request.route, error ?? response);
            if (error === undefined) {
                return h.continue;
            }

            const { statusCode } = error.output;
            const isStorage = storageFault(response) !== undefined;
            if ((statusCode === 500 && !(response instanceof ClientGone)) || isStorage) {
                request.log(['error', 'fault', ...isStorage ? ['storage'] : []], response);
            }

            request.app.errorCode = codeOf(error);
            const page = server.plugins.site?.errorPage(request, h, statusCode);
            const answer = (page ?? errorAnswer(error, request, h)).code(statusCode);
            for (const [name, value] of Object.entries({ ...error.output.headers, ...challenge(error, request, scopeNames) })) {
                answer.header(name, String(value));
            }

            return isPrivate ? keepPrivate(request, answer) : answer;
        }, { after: ['methods'] });
    }
};

/** Whether the route needs a token, or takes one. Then its responses, errors included, are for the caller alone, so that none tells what it is about. */
const looksAtToken = ({ route }: Request): boolean => typeof route.settings.auth === 'object';

/** Marks the response private: only the caller's own cache may store it, and has to ask again each time. Secrets are not stored at all. */
function keepPrivate({ route }: Request, response: ResponseObject): ResponseObject {
    return (fieldOf(route.settings.cache, 'otherwise') === 'no-store' ? response : response.header('cache-control', 'private, no-cache')).vary('authorization');
}

/** The error as a client may see it. */
function publicError(error: Boom.Boom): Boom.Boom {
    return isFault(error) || error.output.statusCode !== 500 ? error : databaseFault(error) ?? storageFault(error) ?? error;
}

/** The stable name of the error. */
function codeOf(error: Boom.Boom): string {
    const { statusCode } = error.output;
    const named = isFault(error) ? error.data.code : codes[statusCode];
    return statusCode === 500 ? 'internal_error' : named ?? 'error';
}

/** The error as JSON, in the form that the client prefers. */
function errorAnswer(error: Boom.Boom, request: Request, h: ResponseToolkit): ResponseObject {
    const body = bodyOf(error, request);
    return (prefersProblem(request.headers.accept) ? h.response(problemOf(body, request.path)).type(PROBLEM_TYPE) : h.response(body).type('application/json; charset=utf-8')).vary('accept');
}

function bodyOf(error: Boom.Boom, request: Request): string {
    const { statusCode } = error.output;
    const data: Partial<FaultData> = isFault(error) ? error.data : {};
    const inside = statusCode === 500;
    const text = {
        statusCode,
        error: error.output.payload.error,
        message: inside ? errorDefinitions.internal_error.message() : messageOf(error, request),
        code: request.app.errorCode,
        ...data.details && { details: data.details },
        ...data.action !== undefined && { action: data.action },
        ...data.nearest !== undefined && { nearest: data.nearest },
        ...data.suspension !== undefined && { suspension: data.suspension },
        request_id: request.info.id
    };

    const body = JSON.stringify(text);
    return data.conflict === undefined ? body : `${body.slice(0, -1)},${data.conflict.slice(1)}`;
}

function messageOf(error: Boom.Boom, request: Request): string {
    if (isFault(error)) {
        return error.message;
    }

    switch (error.output.statusCode) {
        case 401:
            return errorDefinitions.invalid_token.message();
        case 403:
            return errorDefinitions.insufficient_scope.message();
        case 404:
            return `There is nothing at ${request.method.toUpperCase()} ${request.path.slice(0, 200)}.`;
        default:
            return error.output.payload.message;
    }
}

/** `WWW-Authenticate` as RFC 6750 section 3 has it, with what RFC 9728 adds. */
function challenge(error: Boom.Boom, request: Request, names: Readonly<Record<string, string>>): Record<string, string> {
    const { 'www-authenticate': own } = ownChallenge(error, request, names);
    const metadata = own && request.route.settings.app?.resourceMetadata?.(request);
    return own === undefined ? {} : { 'www-authenticate': metadata === undefined ? own : `${own}, resource_metadata="${metadata}"` };
}

function ownChallenge(error: Boom.Boom, request: Request, names: Readonly<Record<string, string>>): Record<string, string> {
    const { statusCode } = error.output;
    if (statusCode === 401) {
        const bad = !isFault(error) && request.headers.authorization !== undefined;
        return { 'www-authenticate': `Bearer realm="pagewright"${bad ? ', error="invalid_token"' : ''}` };
    }

    const scope = isFault(error) ? error.data.scope && { selection: error.data.scope } : request.route.settings.auth?.access?.[0]?.scope;
    if (statusCode === 403 && scope) {
        const needed = [scope.selection].flat().map((name) => names[String(name)] ?? String(name));
        return { 'www-authenticate': `Bearer realm="pagewright", error="insufficient_scope", scope="${needed.join(' ')}"` };
    }

    return {};
}
