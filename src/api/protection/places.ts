import type { Request } from '@hapi/hapi';

import { fault } from '../errors/errors';
import { maybeUser } from '../request/caller';
import { clientAddress, originOf } from '../request/client-address';
import { overloadedError } from './refusals';
import { shares } from './shares';

/** Takes a place for a request. @returns what gives it back */
export type AcquireSlot = (request: Pick<Request, 'auth' | 'raw'>) => () => void;

/**
 * Limits how many requests that take long are worked on together, by caller and in all, in this process.
 * @param what somebody does who has too many, as `too_much_in_progress` says it
 * @param trustedProxies as `clientAddress` takes it
 * @param parts as `shares` takes them
 */
export function slotsByCaller(most: number, what: string, trustedProxies: number, parts?: Parameters<typeof shares>[1]): AcquireSlot {
    const taken = shares(most, parts);
    return (request) => {
        const caller = { user: maybeUser(request)?.id, ...originOf(clientAddress(request.raw.req, trustedProxies)) };
        const exceeded = taken.exceeded(caller, 1);
        if (exceeded !== undefined) {
            throw exceeded === 'caller' ? fault('too_much_in_progress', what) : overloadedError();
        }

        taken.add(caller, 1);
        return () => taken.remove(caller, 1);
    };
}
