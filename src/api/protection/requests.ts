import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Plugin, Server } from '@hapi/hapi';
import type { Logger } from 'pino';

import { MAX_BODY_BYTES } from '../../limits';
import { pacedStart } from '../concurrency/paced-start';
import { clientAddress, originOf } from '../request/client-address';
import { exposedHeadersOf } from '../request/cross-origin';
import type { EarlyRefusal } from './bytes';
import { pipelineLimit } from './connections';
import { overloadedRefusal, sendRefusal, tooMuchSent } from './refusals';
import type { Refusal } from './refusals';
import { requestsInHand } from './requests-in-hand';
import type { RequestsInHand } from './requests-in-hand';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** whether it is answered also while others are refused */
        vital?: boolean;
    }
    interface PluginProperties {
        overload: { requests: RequestsInHand };
    }
}

export interface OverloadOptions {
    /** requests in hand at a time */
    most: number;
    /** as `clientAddress` takes it */
    trustedProxies: number;
    budgets: EarlyRefusal;
    logger: Logger;
}

/**
 * Refuses requests beyond those that can be answered soon: 503 with `Retry-After`. At three times the capacity two of
 * three requests are refused, so a refusal has to be cheap: it is made before hapi sees the request, and before its body
 * is read. Requests that are let in are answered.
 */
export const overload: Plugin<OverloadOptions> = {
    name: 'overload',
    register(server, { most, trustedProxies, budgets, logger }) {
        const requests = requestsInHand(most, () => performance.now());
        const vital = new Set<string>();
        let exposed: ReturnType<typeof exposedHeadersOf> | undefined;

        server.expose('requests', requests);
        server.events.on('response', ({ raw }) => requests.release(raw.res));
        server.ext('onPreStart', () => {
            server.table().filter(({ settings }) => settings.app?.vital).forEach(({ path }) => vital.add(path));
        });

        const logOverload = overloadLog(requests, logger);
        const start = pacedStart();
        const exceedsPipeline = pipelineLimit();
        const refuse = (refusal: Refusal, request: IncomingMessage, response: ServerResponse, url: string): void => {
            exposed ??= exposedHeadersOf(server);
            sendRefusal(refusal, request, response, exposed(String(url.split('?')[0])));
        };

        beforeHapi(server, (request, response, dispatch) => {
            if (exceedsPipeline(request, response)) {
                return;
            }

            // A browser could not read the 503 of a preflight, and would take the service for unreachable.
            const { method, url = '' } = request;
            if (method === 'OPTIONS' || vital.has(url)) {
                dispatch();
            }
            else if (budgets.refusesBody(request)) {
                refuse(tooMuchSent, request, response, url);
            }
            else if (requests.admit(response, { user: undefined, ...originOf(clientAddress(request, trustedProxies)) })) {
                // hapi would never report the end of a request whose client has gone before it was started.
                start(() => (request.socket.writable ? dispatch() : requests.release(response)));
            }
            else {
                logOverload();
                refuse(overloadedRefusal, request, response, url);
            }
        });
    }
};

/** Logs two lines for each time of overload, instead of one for each refused request. */
function overloadLog(requests: RequestsInHand, logger: Logger): () => void {
    let watch: NodeJS.Timeout | undefined;
    return () => {
        if (watch !== undefined) {
            return;
        }

        const before = requests.refused() - 1;
        let last = before;
        logger.warn({ in_hand: requests.count() }, 'overloaded: refusing requests');
        watch = setInterval(() => {
            const refused = requests.refused();
            if (refused === last) {
                logger.warn({ refused: refused - before }, 'no longer overloaded');
                clearInterval(watch);
                watch = undefined;
            }

            last = refused;
        }, 1000).unref();
    };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Calls `look` for each request instead of hapi, and hands it to hapi when `look` calls `dispatch`. */
function beforeHapi(server: Server, look: (request: IncomingMessage, response: ServerResponse, dispatch: () => void) => void): void {
    const { listener } = server;
    const listenersOf = (event: 'request' | 'checkContinue'): Listener[] => {
        const all = listener.listeners(event);
        listener.removeAllListeners(event);
        return all.map((one) => {
            return (request, response) => void Reflect.apply(one, listener, [request, response]);
        });
    };

    const plain = listenersOf('request');
    const expecting = listenersOf('checkContinue');
    listener.on('request', (request, response) => look(request, response, () => plain.forEach((dispatch) => dispatch(request, response))));
    listener.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        // Do not ask for a body that is too large: send the response first (RFC 9110 section 10.1.1).
        const all = Number(request.headers['content-length']) > mostBytesOf(server, request) ? plain : expecting;
        look(request, response, () => all.forEach((dispatch) => dispatch(request, response)));
    });
}

/** Most bytes that a request's route takes. */
function mostBytesOf(server: Server, { method = '', url = '' }: IncomingMessage): number {
    const route = url.startsWith('/') ? server.match(method.toLowerCase() === 'post' ? 'post' : 'put', String(url.split('?')[0])) : null;
    return route?.settings.app?.mostBytes ?? MAX_BODY_BYTES;
}
