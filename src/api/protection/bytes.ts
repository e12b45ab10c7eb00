import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import type * as Boom from '@hapi/boom';
import type { Request, Server } from '@hapi/hapi';

import { fault } from '../errors/errors';
import { maybeUser } from '../request/caller';
import { clientAddress, originOf } from '../request/client-address';
import type { ClientLimits } from '../request/client-limits';
import { EventStream } from '../request/event-stream';
import type { ResponseBudget } from '../request/error-response';
import type { BodyBudget } from '../request/read-body';
import { FOR_BODY } from '../request/receive-body';
import { SMALLEST_COUNTED } from '../request/responses';
import { SENDS_TOO_MUCH, overloadedError } from './refusals';
import { shares } from './shares';
import type { Caller, Exceeded } from './shares';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** who is charged for the bytes of this request */
        caller?: Caller;
        /** bytes of memory charged for its body */
        bodyBytes?: number;
        /** bytes of memory charged for its response */
        responseBytes?: number;
    }
}

/** Bytes that a response counts for which is made piece by piece while the client reads it, besides what it reads ahead. */
const STREAM = 1024 * 1024;

/** Announced bytes of a body without a token from which on it may be refused before hapi sees the request. No route there needs so much. */
const LARGE_BODY = 16 * 1024;

const UNREAD = 'leaves too many responses unread';

/** Refuses some bodies early. */
export interface EarlyRefusal {
    /**
     * Whether a request has no token and announces a large body, for which its address has no room left. hapi would refuse it too,
     * but for ten times as much work: a flood of such requests would delay all others.
     */
    refusesBody(request: IncomingMessage): boolean;
}

/**
 * Limits the memory that request bodies and responses take, by caller and for the whole process.
 * @param trustedProxies as `clientAddress` takes it
 */
export function byteBudgets(server: Server, limits: ClientLimits, trustedProxies: number): BodyBudget & ResponseBudget & EarlyRefusal {
    const bodies = shares(limits.bodyBytes);
    const responses = shares(limits.responseBytes);

    server.events.on('response', ({ app: { caller, bodyBytes = 0, responseBytes = 0 } }) => {
        if (caller !== undefined) {
            bodies.remove(senderOf(caller), bodyBytes);
            responses.remove(caller, responseBytes);
        }
    });

    const callerOf = (request: Request): Caller => {
        request.app.caller ??= { user: maybeUser(request)?.id, ...originOf(clientAddress(request.raw.req, trustedProxies)) };
        return request.app.caller;
    };

    return {
        refusesBody: (request) => {
            const { authorization, 'content-length': length } = request.headers;
            if (authorization !== undefined || !(Number(length) >= LARGE_BODY)) {
                return false;
            }

            const sender = senderOf({ user: undefined, ...originOf(clientAddress(request, trustedProxies)) });
            return bodies.exceeded(sender, FOR_BODY + Number(length)) === 'caller';
        },
        chargeBody: (request, bytes) => {
            const sender = senderOf(callerOf(request));
            const error = errorFor(bodies.exceeded(sender, bytes), SENDS_TOO_MUCH);
            if (error === undefined) {
                bodies.add(sender, bytes);
                request.app.bodyBytes = (request.app.bodyBytes ?? 0) + bytes;
            }

            return error;
        },
        chargeResponse: (request, { source }) => {
            // Streams of events have a limit of their own.
            const bytes = source instanceof EventStream ? 0 : bytesOf(source);
            if (bytes < SMALLEST_COUNTED) {
                return undefined;
            }

            const caller = callerOf(request);
            const error = request.method === 'get' ? errorFor(responses.exceeded(caller, bytes), UNREAD) : undefined;
            if (error === undefined) {
                responses.add(caller, bytes);
                request.app.responseBytes = bytes;
            }

            return error;
        },
        refuseWrite: (request) => errorFor(responses.isFull(maybeUser(request)?.id) ? 'caller' : undefined, UNREAD)
    };
}

/** All who send a body without a token from one address count as one user, or they could keep the users there from sending theirs. */
const senderOf = (caller: Caller): Caller => (caller.user === undefined ? { ...caller, user: `anonymous ${caller.address}` } : caller);

/** Bytes of memory that a response takes until it has been sent. */
function bytesOf(source: unknown): number {
    if (Buffer.isBuffer(source)) {
        return source.length;
    }

    if (typeof source === 'string') {
        // A character is three bytes of UTF-8 at most; to count them takes time.
        return source.length < SMALLEST_COUNTED / 3 ? 0 : Buffer.byteLength(source);
    }

    return source instanceof Readable ? STREAM + source.readableHighWaterMark : 0;
}

function errorFor(exceeded: Exceeded | undefined, what: string): Boom.Boom | undefined {
    switch (exceeded) {
        case 'caller':
            return fault('too_much_in_progress', what);
        case 'total':
            return overloadedError();
        default:
            return undefined;
    }
}
