import type { IncomingMessage, ServerResponse } from 'node:http';

import type * as Boom from '@hapi/boom';
import type { Lifecycle, Plugin, RouteOptions, Server } from '@hapi/hapi';
import type { Logger } from 'pino';

import type { Turns } from '../../concurrency/work-queue';
import { exposedAt } from '../cross-origin';
import { fault } from '../../errors/errors';
import { gate } from './admission';
import type { Gate } from './admission';
import { requestIdOf } from '../request-id';
import { bytesKept } from './body-size';

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

        const begin = inSlices();
        beforeHapi(server, (request, response, dispatch) => {
            // A browser could not read the 503 of a preflight, and would take the service for gone.
            const { method, url = '' } = request;
            if (method === 'OPTIONS' || vital.has(url)) {
                dispatch();
            }
            else if (entrance.enter(response, bytesKept(server, request))) {
                // hapi would never tell the end of one whose client has gone before it began.
                begin(() => (request.socket.writable ? dispatch() : entrance.leave(response)));
            }
            else {
                tell();
                exposed ??= exposedAt(server);
                refuse(request, response, exposed(String(url.split('?')[0])));
            }
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

/** Milliseconds of a turn of the event loop in which requests are begun. */
const SLICE = 10;

/**
 * Begins requests in the order in which they came, as many as there is time for in a turn of the event loop. Where a thousand
 * clients have sent one, the database's answers would wait until all of them are begun, once for each statement of
 * a transaction; and so would whoever connects, of whom Node takes in one a turn.
 */
function inSlices(): (begin: () => void) => void {
    const waiting: (() => void)[] = [];
    /** when the first one of this turn was begun */
    let began: number | undefined;
    const hasTime = (): boolean => {
        if (began === undefined) {
            began = performance.now();
            setImmediate(() => {
                began = undefined;
            });
        }

        return performance.now() - began < SLICE;
    };

    // Each that waits has one of these, as what was begun goes on between two of them only.
    const beginNext = (): void => {
        if (hasTime()) {
            waiting.shift()?.();
        }
        else {
            setImmediate(beginNext);
        }
    };

    return (begin) => {
        if (waiting.length === 0 && hasTime()) {
            begin();
        }
        else {
            waiting.push(begin);
            setImmediate(beginNext);
        }
    };
}

/** Looks at each request before hapi does, which is given it by `dispatch` only. */
function beforeHapi({ listener }: Server, look: (request: IncomingMessage, response: ServerResponse, dispatch: () => void) => void): void {
    for (const event of ['request', 'checkContinue']) {
        const all = listener.listeners(event);
        listener.removeAllListeners(event);
        listener.on(event, (request: IncomingMessage, response: ServerResponse) => {
            look(request, response, () => all.forEach((dispatch) => void Reflect.apply(dispatch, listener, [request, response])));
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
