import type { IncomingMessage, ServerResponse } from 'node:http';

import type * as Boom from '@hapi/boom';
import type { Lifecycle, Plugin, RouteOptions, Server } from '@hapi/hapi';
import type { Logger } from 'pino';

import type { Turns } from '../db/turns';
import { exposedAt } from './cors';
import { fault } from './faults';
import { gate } from './gate';
import type { Gate } from './gate';
import { requestIdOf } from './requests';
import { bytesKept } from './size';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** answered however much there is to do */
        vital?: boolean;
    }
    interface PluginProperties {
        overload: { gate: Gate };
    }
}

const MESSAGE = 'There is more to do than can be done soon, so nothing was done. Send the request again in a moment.';

/** Seconds after which those refused may try again, at most: by chance, or all would be back at once. */
const RETRY = 3;

/**
 * Refuses requests beyond those that can be answered soon: 503 with `Retry-After`. At three times the capacity two of
 * three are refused, so that costs as little as can be: it is done before hapi makes a request of them, and before
 * their bodies are read. What is let in is answered.
 */
export const overload: Plugin<{ most: number; logger: Logger }> = {
    name: 'overload',
    register(server, { most, logger }) {
        const entrance = gate(most, () => performance.now());
        const vital = new Set<string>();
        let exposed: ReturnType<typeof exposedAt> | undefined;
        let watch: NodeJS.Timeout | undefined;

        server.expose('gate', entrance);
        server.events.on('response', ({ raw }) => entrance.leave(raw.res));
        server.ext('onPreStart', () => {
            server.table().filter(({ settings }) => settings.app?.vital).forEach(({ path }) => vital.add(path));
        });

        /** Two lines in the log for each overload, and not one for each that was refused. */
        const tell = (): void => {
            if (watch === undefined) {
                const before = entrance.refused() - 1;
                let last = before;
                logger.warn({ in_hand: entrance.inHand() }, 'overloaded: refusing requests');
                watch = setInterval(() => {
                    const refused = entrance.refused();
                    if (refused === last) {
                        logger.warn({ refused: refused - before }, 'no longer overloaded');
                        clearInterval(watch);
                        watch = undefined;
                    }

                    last = refused;
                }, 1000).unref();
            }
        };

        beforeHapi(server, (request, response) => {
            // A browser could not read the 503 of a preflight, and would take the service for gone.
            const { method, url = '' } = request;
            if (method === 'OPTIONS' || vital.has(url) || entrance.enter(response, bytesKept(server, request))) {
                return true;
            }

            tell();
            exposed ??= exposedAt(server);
            refuse(request, response, exposed(String(url.split('?')[0])));
            return false;
        });
    }
};

/** 503, where there is more to do than can be done soon; `retryAfter` in seconds. */
export const tooMuch = (retryAfter = RETRY): Boom.Boom => fault(503, 'overloaded', MESSAGE, { retryAfter });

/** Of long work, so much may wait for its turn however long that takes, and milliseconds that more may have to wait. */
const LINE = 10;
const WAIT = 2000;

/** Route option: refuses what would wait too long for its turn, before its body is read. */
export function unlessLong(line: Turns): RouteOptions['ext'] {
    const method: Lifecycle.Method = (_request, h) => {
        const wait = line.wait();
        if (line.waiting() >= LINE && wait > WAIT) {
            throw tooMuch(Math.ceil(wait / 1000));
        }

        return h.continue;
    };

    return { onPreAuth: { method } };
}

/** Looks at each request before hapi does, which is given it only if it passes. */
function beforeHapi({ listener }: Server, passes: (request: IncomingMessage, response: ServerResponse) => boolean): void {
    for (const event of ['request', 'checkContinue']) {
        const all = listener.listeners(event);
        listener.removeAllListeners(event);
        listener.on(event, (request: IncomingMessage, response: ServerResponse) => {
            if (passes(request, response)) {
                all.forEach((dispatch) => void Reflect.apply(dispatch, listener, [request, response]));
            }
        });
    }
}

/** The answer, as hapi would send it. */
function refuse({ headers }: IncomingMessage, response: ServerResponse, exposed: string): void {
    const id = requestIdOf(headers);
    const body = JSON.stringify({ statusCode: 503, error: 'Service Unavailable', message: MESSAGE, code: 'overloaded', request_id: id });
    response.writeHead(503, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-cache',
        'retry-after': String(1 + Math.floor(Math.random() * RETRY)),
        'x-content-type-options': 'nosniff',
        'x-request-id': id,
        'vary': 'origin',
        ...headers.origin !== undefined && { 'access-control-allow-origin': headers.origin },
        'access-control-expose-headers': exposed
    });
    response.end(body);
}
