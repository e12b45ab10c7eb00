import type { Lifecycle, RouteOptions } from '@hapi/hapi';

import type { WorkQueue } from '../../concurrency/work-queue';
import { maybeUser } from '../caller';
import { overloadedError } from './refusals';

/** Pieces of long work that can wait ahead of one however long that takes, and milliseconds that it can have to wait for more. */
const ALWAYS = 10;
const MOST_WAIT = 2000;

/** @throws 503 where new work of this caller would wait too long in the queue */
function checkQueue(queue: WorkQueue, caller: string | undefined): void {
    const wait = queue.wait(caller);
    if (queue.ahead(caller) >= ALWAYS && wait > MOST_WAIT) {
        throw overloadedError(Math.ceil(wait / 1000));
    }
}

/** Route option: refuses a request that would wait too long in the queue, before its token is checked and its body is read. */
export function refuseIfQueueIsLong(queue: WorkQueue): RouteOptions['ext'] {
    const method: Lifecycle.Method = (_request, h) => {
        checkQueue(queue, undefined);
        return h.continue;
    };

    return { onPreAuth: { method } };
}

/** Route option: the same by user, whose place in the queue does not depend on what others have in it; before the body is read. */
export function refuseIfUsersQueueIsLong(queue: WorkQueue): RouteOptions['ext'] {
    const method: Lifecycle.Method = (request, h) => {
        checkQueue(queue, maybeUser(request)?.id);
        return h.continue;
    };

    return { onCredentials: { method } };
}
