import type { Plugin, Request } from '@hapi/hapi';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

import { maybeUser } from '../auth/credentials';
import type { Services } from '../services';
import { addressOf } from './address';
import { fault } from './faults';
import { headersOf } from './reply';

/** Which limit a route comes under, if any. */
export type LimitName = 'signIn' | 'writes' | 'views';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        limit?: LimitName;
    }
    interface RequestApplicationState {
        /** the counter nearest to its limit, for the answer's headers */
        limit?: { points: number; result: RateLimiterRes };
    }
}

/** Requests (`points`) within so many seconds (`duration`). A school shares one address, so that one is wide. */
export const limits = {
    signInByAddress: { points: 300, duration: 900 },
    signInByName: { points: 20, duration: 900 },
    writes: { points: 600, duration: 60 },
    views: { points: 300, duration: 60 }
} as const;

type Counter = keyof typeof limits;

/** Abuse limits, counted in PostgreSQL, so that all instances share them. 429 with `Retry-After` (RFC 6585). */
export const rateLimits: Plugin<Services> = {
    name: 'rate-limits',
    register(server, { config, db }) {
        if (!config.rateLimit) {
            return;
        }

        const limiter = (counter: Counter): RateLimiterPostgres => new RateLimiterPostgres({
            ...limits[counter], storeClient: db, storeType: 'knex', tableName: 'rate_limits', tableCreated: true, keyPrefix: counter,
            clearExpiredByTimeout: counter === 'writes'
        });
        const limiters = {
            signInByAddress: limiter('signInByAddress'), signInByName: limiter('signInByName'), writes: limiter('writes'), views: limiter('views')
        };

        server.ext('onPreHandler', async (request, h) => {
            const name = request.route.settings.app?.limit;
            for (const [counter, key] of name === undefined ? [] : keysOf(name, request, config.trustedProxies)) {
                await consume(limiters[counter], counter, key, request);
            }

            return h.continue;
        });

        server.ext('onPreResponse', (request, h) => {
            const { limit } = request.app;
            if (limit !== undefined) {
                const headers = headersOf(request.response);
                headers['ratelimit-limit'] = String(limit.points);
                headers['ratelimit-remaining'] = String(limit.result.remainingPoints);
                headers['ratelimit-reset'] = String(seconds(limit.result));
            }

            return h.continue;
        }, { after: ['errors'] });
    }
};

const seconds = (result: RateLimiterRes): number => Math.max(1, Math.ceil(result.msBeforeNext / 1000));

function keysOf(name: LimitName, request: Request, trustedProxies: number): [Counter, string][] {
    const address = addressOf(request, trustedProxies);
    const user = maybeUser(request);
    const known = user === undefined ? undefined : `user ${user.id}`;
    if (name === 'signIn') {
        // The routes of this limit either have a user, or have validated a username by now, which has no blank in it.
        const username: unknown = Reflect.get(Object(request.payload), 'username');
        return [['signInByAddress', address], ['signInByName', known ?? String(username).toLowerCase()]];
    }

    return [[name, known ?? address]];
}

async function consume(limiter: RateLimiterPostgres, counter: Counter, key: string, request: Request): Promise<void> {
    try {
        const result = await limiter.consume(key);
        if (request.app.limit === undefined || result.remainingPoints < request.app.limit.result.remainingPoints) {
            request.app.limit = { points: limits[counter].points, result };
        }
    }
    catch (error) {
        if (!(error instanceof RateLimiterRes)) {
            throw error;
        }

        request.app.limit = { points: limits[counter].points, result: error };
        throw fault(429, 'rate_limited', `Too many requests. Try again in ${seconds(error)} seconds.`, { retryAfter: seconds(error) });
    }
}
