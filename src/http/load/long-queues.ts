import type { Lifecycle, RouteOptions } from '@hapi/hapi';

import type { Turns } from '../../concurrency/work-queue';
import { overloadedError } from './refusals';

/** Pieces of long work that can wait in a queue however long that takes, and milliseconds that more of them can have to wait. */
const ALWAYS = 10;
const MOST_WAIT = 2000;

/** Route option: refuses a request that would wait too long in the queue, before its body is read. */
export function refuseIfQueueIsLong(queue: Turns): RouteOptions['ext'] {
    const method: Lifecycle.Method = (_request, h) => {
        const wait = queue.wait();
        if (queue.waiting() >= ALWAYS && wait > MOST_WAIT) {
            throw overloadedError(Math.ceil(wait / 1000));
        }

        return h.continue;
    };

    return { onPreAuth: { method } };
}
