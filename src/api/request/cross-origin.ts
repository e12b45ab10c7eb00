import * as Boom from '@hapi/boom';
import type { Plugin, Request, RouteOptionsCors, Server } from '@hapi/hapi';

import { fault } from '../errors/errors';
import { isDecodable } from './path';
import { PATCH_TYPE } from './read-body';
import { headersOf } from './responses';

const shared = {
    origin: ['*'],
    headers: ['Authorization', 'Content-Type', 'If-None-Match'],
    maxAge: 86_400,
    credentials: false,
    preflightStatusCode: 204
} as const;

/** The rows of the contract whose cross-origin answer is fixed to the letter. */
export const fixedCors: RouteOptionsCors = {
    ...shared,
    origin: [...shared.origin],
    headers: [...shared.headers],
    exposedHeaders: ['WWW-Authenticate', 'Server-Authorization']
};

/** All other routes, as the default of the server: preflights also allow the request headers of conditional and repeated writes and of event streams, and responses show what editors in browsers use. */
export const cors: RouteOptionsCors = corsWith();

/** CORS of a route with request headers of its own. */
export function corsWith(...headers: string[]): RouteOptionsCors {
    return {
        ...fixedCors,
        headers: [...shared.headers, 'If-Match', 'Idempotency-Key', 'Last-Event-ID', ...headers],
        exposedHeaders: [
            'WWW-Authenticate', 'Server-Authorization', 'ETag', 'Link', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy',
            'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Deprecation', 'Sunset', 'X-Request-Id'
        ]
    };
}

const EVERY_PATH = '/{path*}';
const ROUTED = ['get', 'post', 'put', 'patch', 'delete'] as const;
const order = ['OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods each path has, by the path as its routes spell it. Read once all routes are there. */
function methodsByPath(server: Server): Map<string, string[]> {
    const methods = new Map<string, string[]>();
    for (const { path, method } of server.table()) {
        methods.set(path, [...methods.get(path) ?? ['OPTIONS'], method.toUpperCase()]);
    }

    return new Map([...methods].map(([path, list]) => [path, list.sort((a, b) => order.indexOf(a) - order.indexOf(b))]));
}

/** `Allow` names HEAD, which hapi answers wherever there is a GET; the cross-origin rules do not. */
const allow = (methods: readonly string[]): string => methods.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');

/** The error of a path that lacks a method. @param list its methods, with OPTIONS */
export function methodNotAllowed(method: string, list: readonly string[]): Error {
    const error = fault('method_not_allowed', method.toUpperCase(), allow(list));
    error.output.headers.allow = allow(list);
    return error;
}

/**
 * The response of every path to the methods it lacks (405 with `Allow`, RFC 9110 section 15.5.6) and to OPTIONS.
 * Registered last, since it goes by the routes that are there.
 */
export const otherMethods: Plugin<void> = {
    name: 'methods',
    register(server) {
        const byPath = methodsByPath(server);
        const fixed = fixedPaths(server);
        const refuse = ({ method, path }: Request): never => {
            const list = byPath.get(pathOf(server, path) ?? '');
            if (list === undefined) {
                throw Boom.notFound();
            }

            throw methodNotAllowed(method, list);
        };

        // An unknown path has to pass a preflight too, or a browser could not read its 404.
        server.route({
            method: '*',
            path: EVERY_PATH,
            handler: refuse,
            options: { app: { cost: 'cheap' }, auth: false, cors, validate: { query: true } }
        });
        // The fixed rows have a preflight of their own for each method.
        for (const path of fixed) {
            server.route({ method: '*', path, handler: refuse, options: { app: { cost: 'cheap' }, auth: false, validate: { query: true }, cors: fixedCors } });
        }

        server.ext('onPreResponse', (request, h) => {
            const { response } = request;
            if (request.method !== 'options') {
                forgetCors(headersOf(response));
                return h.continue;
            }

            const path = pathOf(server, request.path);
            const list = path === undefined ? undefined : byPath.get(path);
            const { origin, 'access-control-request-method': asked } = request.headers;
            if (path !== undefined && list !== undefined && (origin === undefined || asked === undefined)) {
                const answer = h.response().code(204).header('allow', allow(list)).vary('origin');
                if (list.includes('PATCH')) {
                    answer.header('accept-patch', PATCH_TYPE);
                }

                const { exposedHeaders } = fixed.has(path) ? fixedCors : cors;
                return origin === undefined ? answer : answer.header('access-control-allow-origin', String(origin)).header('access-control-expose-headers', String(exposedHeaders));
            }

            if (!('isBoom' in response)) {
                response.vary('origin');
                if (list !== undefined && response.headers['access-control-allow-methods'] !== undefined) {
                    response.header('access-control-allow-methods', list.join(', '));
                }
            }

            return h.continue;
        });
    }
};

/**
 * Stage: a preflight that asks for OPTIONS is answered like one for GET. hapi has no route to look up for OPTIONS itself, and every
 * method of a path gets the same answer.
 */
export function preflightOfOptions({ method, headers }: Request): void {
    if (method === 'options' && headers['access-control-request-method'] === 'OPTIONS') {
        headers['access-control-request-method'] = 'GET';
    }
}

/** Removes cross-origin headers that a handler has set, since hapi would add to some of them. */
function forgetCors(headers: Record<string, unknown>): void {
    for (const name in headers) {
        if (name.startsWith('access-control-')) {
            delete headers[name];
        }
    }
}

/** The path as its routes spell it; undefined for one that no route could have, as the `*` of `OPTIONS *`. */
function pathOf(server: Server, path: string): string | undefined {
    return path.startsWith('/') && isDecodable(path) ? ROUTED.map((method) => server.match(method, path)?.path).find((known) => known !== undefined && known !== EVERY_PATH) : undefined;
}

/**
 * The headers that responses of a path expose to other origins, for where hapi has not looked up the path: by a regular expression of
 * all fixed rows, as that is ten times as fast as asking hapi. It takes linear time, for no segment can be parted in two ways.
 */
export function exposedHeadersOf(server: Server): (path: string) => string {
    const fixed = new RegExp(`^(?:${[...fixedPaths(server)].map((path) => path.replace(/\{[^{}]+\}/g, '[^/]+')).join('|')})/?$`);
    return (path) => String((fixed.test(path) ? fixedCors : cors).exposedHeaders);
}

/** The paths of the rows whose cross-origin answer is fixed. */
const fixedPaths = (server: Server): Set<string> => new Set(server.table().filter(({ settings: { cors: own } }) => typeof own === 'object' && String(own.exposedHeaders) === String(fixedCors.exposedHeaders)).map(({ path }) => path));
