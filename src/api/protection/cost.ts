import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';

import type { Lifecycle, Plugin, Request, RouteOptionsApp } from '@hapi/hapi';

import { hashing } from '../auth/secrets';
import { workQueue } from '../concurrency/work-queue';
import type { WorkQueue } from '../concurrency/work-queue';
import type { Config } from '../../config';
import { fault } from '../errors/errors';
import { maybeUser } from '../request/caller';
import { clientAddress, originOf } from '../request/client-address';
import { ClientGone, signalOf } from '../request/client-gone';
import { overloadedError } from './refusals';
import { shares, turnOf } from './shares';
import type { Caller, Shares } from './shares';

/**
 * The most that a request costs:
 * - `cheap`: one lookup, one write, or a list of bounded length;
 * - `heavy`: it grows with what authors have made;
 * - `work`: it takes processor time of the service, for files;
 * - `password`, `page`: a part of it does, to hash a password or to make a page, and what it does without that is cheap.
 *
 * Each but `cheap` has a queue, in which callers take turns. Requests that are `heavy` or `work` wait in it; of the others their handlers have that part wait (`inQueue`).
 * So do transactions of cheap writes that have no turn of a project (rules/write.ts): many of one caller lock the same row, and each that waits for it has a connection.
 */
export type Cost = 'cheap' | 'heavy' | 'work' | 'password' | 'page';

/** Those of which only a part waits in the queue. */
const inPart: ReadonlySet<Cost> = new Set(['password', 'page']);

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** needed: the server does not accept a route without it */
        cost: Cost;
    }
    interface Request {
        /**
         * Runs a part of the work of this request in the queue of its cost: what goes on after the handler has returned, as a stream does,
         * or what comes after its body, on routes that read the body themselves.
         * @throws ClientGone if the client leaves before it is its turn; as `admit` does, if this is the part that costs
         */
        inQueue<Result>(work: () => Promise<Result>): Promise<Result>;
        /** Whose turn it is in a queue where this request waits. */
        turn(): readonly string[];
    }
    interface RequestApplicationState {
        /** whether it was let in to the queue of the part that costs */
        isAdmitted?: boolean;
    }
}

interface CostOptions extends Pick<Config, 'databasePool' | 'maxRequests' | 'trustedProxies'> {
    /** that `work` may use */
    processors: number;
}

/** A queue, and the requests that are in it or that it works on. */
interface Line {
    queue: WorkQueue;
    inside: Shares;
}

/** Pieces of work that can wait ahead of one however long that takes, and milliseconds that it can have to wait for more. */
const ALWAYS = 10;
const MAX_WAIT = 2000;

/** The queues of what is not cheap. */
export interface CostQueues {
    /**
     * Checks whether a request of this caller can be let in, before its body is read.
     * @throws 429 if the caller has too much in progress, 503 if all callers together have, or if it would wait too long
     */
    admit(request: Request): void;
    /** Admits what waits as a whole, before its body is read. */
    admitWhole(request: Request): void;
    /** Runs work in the queue of the request's cost. @throws ClientGone if the client leaves before it is its turn */
    run<Result>(request: Request, work: () => Promise<Result>): Promise<Result>;
    turn(request: Request): readonly string[];
}

/** Where a tracer hears of the time in queues (operations/process/traces.ts). */
const traced = tracingChannel('pagewright:queue');

/** Work whose wait for its turn a tracer hears of. */
function told<Result>(work: () => Promise<Result>): () => Promise<Result> {
    if (!traced.hasSubscribers) {
        return work;
    }

    let begin: () => void;
    void traced.tracePromise(() => new Promise<void>((resolve) => {
        begin = resolve;
    }), { attributes: {} });
    return () => {
        begin();
        return work();
    };
}

/**
 * Addresses take turns, and in one its users. Half of the places are left to other addresses, and half of the requests in hand to those that are cheap. Each kind of
 * work has a queue of its own, and so an estimate of its own.
 */
export function costQueues({ databasePool, maxRequests, trustedProxies, processors }: CostOptions): CostQueues {
    const lineOn = (queue: WorkQueue): Line => ({ queue, inside: shares(maxRequests / 2) });
    const lineWith = (places: number): Line => lineOn(workQueue(places, Math.ceil(places / 2)));
    // What is heavy holds a connection to the database, so most of them are left to what is cheap. Files and pages wait for the database now and then.
    const lines: Readonly<Record<Exclude<Cost, 'cheap'> | 'write', Line>> = {
        write: lineWith(databasePool), heavy: lineWith(Math.max(1, Math.floor(databasePool * 2 / 5))), work: lineWith(2 * processors), page: lineWith(2 * processors), password: lineOn(hashing)
    };

    const lineOf = ({ route }: Request): Line => {
        const what = route.settings.app?.cost ?? 'cheap';
        return lines[what !== 'cheap' ? what : route.method === 'get' ? 'heavy' : 'write'];
    };

    const callerOf = (request: Request): Caller => ({ user: maybeUser(request)?.id, ...originOf(clientAddress(request.raw.req, trustedProxies)) });

    const check = ({ queue, inside }: Line, caller: Caller): void => {
        const exceeded = inside.exceeded(caller, 1);
        if (exceeded === 'caller') {
            throw fault('too_much_in_progress', 'sends too many requests at once that take long');
        }

        const wait = queue.wait(turnOf(caller));
        if (exceeded === 'total' || (queue.ahead(turnOf(caller)) >= ALWAYS && wait > MAX_WAIT)) {
            throw overloadedError(Math.max(1, Math.ceil(wait / 1000)));
        }
    };

    return {
        admit: (request) => check(lineOf(request), callerOf(request)),
        admitWhole: (request) => {
            if (waitsWhole(request.route.settings.app)) {
                check(lineOf(request), callerOf(request));
            }
        },
        turn: (request) => turnOf(callerOf(request)),
        run: async (request, work) => {
            const line = lineOf(request);
            const caller = callerOf(request);
            line.inside.add(caller, 1);
            try {
                return await line.queue.run(told(work), turnOf(caller), signalOf(request));
            }
            finally {
                line.inside.remove(caller, 1);
            }
        }
    };
}

/** Refuses to register a route that does not say what it costs, and lets handlers of what is not cheap wait for their turn. */
export const cost: Plugin<{ queues: CostQueues }> = {
    name: 'cost',
    register(server, { queues }) {
        server.decorate('request', 'inQueue', async function (this: Request, work) {
            const { app, route } = this;
            if (waitsInPart(route.settings.app) && app.isAdmitted !== true) {
                queues.admit(this);
                app.isAdmitted = true;
            }

            return await queues.run(this, work);
        });
        server.decorate('request', 'turn', function (this: Request) {
            return queues.turn(this);
        });

        server.events.on('route', ({ method, path, settings }) => {
            if (settings.app?.cost === undefined) {
                throw new Error(`The route ${method.toUpperCase()} ${path} does not say what it costs: give it options.app.cost (src/api/protection/cost.ts)`);
            }

            // A body may take minutes to arrive, so a handler that reads it waits for its turn after that.
            if (waitsWhole(settings.app) && !settings.app.readsBody) {
                assert(isMethod(settings.handler), 'hapi has made one of it');
                settings.handler = inQueue(queues, settings.handler);
            }
        });
    }
};

const waitsInPart = (app: RouteOptionsApp | undefined): boolean => app !== undefined && inPart.has(app.cost);

/** Whether all of a request waits in a queue, and is refused before its body is read if that would take too long. */
const waitsWhole = (app: RouteOptionsApp | undefined): boolean => app !== undefined && app.cost !== 'cheap' && !inPart.has(app.cost);

/** Whether a handler is a function, not the name of a decoration. */
export const isMethod = (handler: unknown): handler is Lifecycle.Method => typeof handler === 'function';

/** A handler that has a place in the queue for as long as it runs. No event of hapi's says when a handler whose client has left has ended. */
function inQueue(queues: CostQueues, handler: Lifecycle.Method): Lifecycle.Method {
    return async function (request, h) {
        try {
            // While its body arrived, others may have come.
            queues.admit(request);
            return await queues.run(request, () => Promise.resolve(Reflect.apply(handler, this, [request, h])));
        }
        catch (error) {
            if (error instanceof ClientGone) {
                return h.abandon;
            }

            throw error;
        }
    };
}
