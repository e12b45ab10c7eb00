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

/** The same for a route with request headers of its own. */
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

/**
 * The response of every path to the methods it lacks (405 with `Allow`, RFC 9110 section 15.5.6) and to OPTIONS.
 * Registered last, since it goes by the routes that are there.
 */
export const otherMethods: Plugin<void> = {
    name: 'methods',
    register(server) {
        const byPath = methodsByPath(server);
        // An unknown path has to pass a preflight too, or a browser could not read its 404.
        server.route({
            method: '*',
            path: '/{path*}',
            handler: () => {
                throw Boom.notFound();
            },
            options: { app: { cost: 'cheap' }, auth: false, cors, validate: { query: true } }
        });
        for (const [path, list] of byPath) {
            server.route({
                method: '*',
                path,
                handler: (request) => {
                    const error = fault('method_not_allowed', request.method.toUpperCase(), allow(list));
                    error.output.headers.allow = allow(list);
                    throw error;
                },
                options: { app: { cost: 'cheap' }, auth: false, validate: { query: true }, cors: corsAt(server, path) }
            });
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

                const { exposedHeaders } = corsAt(server, path);
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
    return path.startsWith('/') && isDecodable(path) ? server.match('get', path)?.path : undefined;
}

/**
 * The headers that responses of a path expose to other origins, for where hapi has not looked up the path: by a regular expression of
 * all fixed rows, as that is ten times as fast as asking hapi. It takes linear time, for no segment can be parted in two ways.
 */
export function exposedHeadersOf(server: Server): (path: string) => string {
    const paths = new Set(server.table().map(({ path }) => path).filter((path) => corsAt(server, path) === fixedCors));
    const fixed = new RegExp(`^(?:${[...paths].map((path) => path.replace(/\{[^{}]+\}/g, '[^/]+')).join('|')})/?$`);
    return (path) => String((fixed.test(path) ? fixedCors : cors).exposedHeaders);
}

/** The cross-origin settings of a path's routes, which are the same for all of its methods. */
function corsAt(server: Server, path: string): RouteOptionsCors {
    const own = server.table().find((route) => route.path === path)?.settings.cors;
    return typeof own === 'object' && String(own.exposedHeaders) === String(fixedCors.exposedHeaders) ? fixedCors : cors;
}
