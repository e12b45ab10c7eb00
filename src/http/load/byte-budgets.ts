import { Readable } from 'node:stream';

import type * as Boom from '@hapi/boom';
import type { Request, Server } from '@hapi/hapi';

import { fault } from '../../errors/errors';
import { maybeUser } from '../caller';
import { clientAddress, originOf } from '../client-address';
import type { ClientLimits } from '../client-limits';
import type { ResponseBudget } from '../error-response';
import type { BodyBudget } from '../read-body';
import { overloadedError } from './refusals';
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

/** Bytes from which on a response counts. A smaller one fits into what the operating system holds for a connection. */
const SMALLEST_RESPONSE = 16 * 1024;

/** Bytes that a response counts for which is made piece by piece while the client reads it, besides what it reads ahead. */
const STREAM = 1024 * 1024;

const UNREAD = 'leaves too many responses unread';

/**
 * Limits the memory that request bodies and responses take, by caller and for the whole process.
 * @param trustedProxies as `clientAddress` takes it
 */
export function byteBudgets(server: Server, limits: ClientLimits, trustedProxies: number): BodyBudget & ResponseBudget {
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
        chargeBody: (request, bytes) => {
            const sender = senderOf(callerOf(request));
            const error = errorFor(bodies.exceeded(sender, bytes), 'sends too much at once');
            if (error === undefined) {
                bodies.add(sender, bytes);
                request.app.bodyBytes = (request.app.bodyBytes ?? 0) + bytes;
            }

            return error;
        },
        chargeResponse: (request, { source }) => {
            const bytes = bytesOf(source);
            if (bytes < SMALLEST_RESPONSE) {
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
        return source.length < SMALLEST_RESPONSE / 3 ? 0 : Buffer.byteLength(source);
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
