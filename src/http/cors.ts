import type { Plugin, Request, RouteOptionsCors, Server } from '@hapi/hapi';

import { fault } from './faults';

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

/** All other routes: the same, with what a browser editor likes to read besides. */
export const openCors: RouteOptionsCors = {
    ...fixedCors,
    exposedHeaders: [
        'WWW-Authenticate', 'Server-Authorization', 'ETag', 'Link', 'Location', 'Retry-After',
        'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'
    ]
};

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
 * What every path answers to the methods it lacks (405 with `Allow`, RFC 9110 section 15.5.6) and to OPTIONS.
 * Registered last, since it goes by the routes that are there.
 */
export const methods: Plugin<void> = {
    name: 'methods',
    register(server) {
        const byPath = methodsByPath(server);
        for (const [path, list] of byPath) {
            server.route({
                method: '*',
                path,
                handler: (request) => {
                    const error = fault(405, 'method_not_allowed', `${request.method.toUpperCase()} is not a method of this path. It has ${allow(list)}.`);
                    error.output.headers.allow = allow(list);
                    throw error;
                },
                options: { auth: false, cors: isFixed(server, path) ? fixedCors : openCors }
            });
        }

        const pathOf = (request: Request): string | undefined => {
            return server.match('get', request.path)?.path ?? server.match('post', request.path)?.path;
        };

        server.ext('onPreResponse', (request, h) => {
            if (request.method !== 'options') {
                return h.continue;
            }

            const list = byPath.get(pathOf(request) ?? '');
            if (list === undefined) {
                return h.continue;
            }

            const { origin, 'access-control-request-method': asked } = request.headers;
            if (origin === undefined || asked === undefined) {
                return h.response().code(204).header('allow', allow(list)).vary('origin');
            }

            const { response } = request;
            if (!('isBoom' in response)) {
                response.vary('origin');
                if (response.headers['access-control-allow-methods'] !== undefined) {
                    response.header('access-control-allow-methods', list.join(', '));
                }
            }

            return h.continue;
        });
    }
};

/** Whether the path is one of the fixed rows, told by what its routes expose. */
function isFixed(server: Server, path: string): boolean {
    return server.table().some((route) => route.path === path && typeof route.settings.cors === 'object' &&
        route.settings.cors.exposedHeaders?.length === fixedCors.exposedHeaders?.length);
}
