import type { ServerResponse } from 'node:http';

import type { Plugin, Request } from '@hapi/hapi';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

import { currentIdentity, maybeUser } from '../request/caller';
import type { Identity } from '../request/caller';
import type { Services } from '../services';
import { clientAddress, originOf } from '../request/client-address';
import { faultWith } from '../errors/errors';
import { fieldOf } from '../json/is-object';
import { usernameKey } from '../representations/username';

/** Which limit a route comes under, if any: `writes` for what is not a GET, if its options do not say another. */
export type LimitName = 'signIn' | 'joins' | 'presence' | 'writes' | 'views' | 'apps' | 'appTokens' | 'mails';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        limit?: LimitName;
    }
}

/**
 * Requests (`points`) within so many seconds (`duration`), by counter. A school shares one address, so those limits are wide.
 * An IPv6 address is counted by its /64, and in `…ByNetwork` by its /48.
 */
export const limits = {
    signInByAddress: { points: 300, duration: 900 },
    signInByNetwork: { points: 1200, duration: 900 },
    signInByName: { points: 20, duration: 900 },
    joins: { points: 20, duration: 900 },
    presence: { points: 180, duration: 60 },
    writes: { points: 600, duration: 60 },
    writesByNetwork: { points: 2400, duration: 60 },
    views: { points: 300, duration: 60 },
    viewsByNetwork: { points: 1200, duration: 60 },
    // A class that signs in at once, and devices that ask every five seconds whether they were let in.
    apps: { points: 600, duration: 900 },
    appsByNetwork: { points: 2400, duration: 900 },
    appTokens: { points: 3000, duration: 900 },
    appTokensByNetwork: { points: 12_000, duration: 900 },
    // A class that has forgotten its passwords. How many mails go to one mailbox is limited where they are made.
    mails: { points: 60, duration: 3600 },
    mailsByNetwork: { points: 240, duration: 3600 }
} as const;

type Counter = keyof typeof limits;

/** Abuse limits, counted in PostgreSQL, so that all instances share them. 429 with `Retry-After` (RFC 6585). */
export const rateLimits: Plugin<Services> = {
    name: 'rate-limits',
    register(server, { config, db }) {
        server.events.on('route', ({ method, settings }) => {
            if (method !== 'get' && method !== '*') {
                settings.app = Object.assign({ limit: 'writes' as const }, settings.app);
            }
        });
        if (!config.rateLimit) {
            return;
        }

        const limiter = (counter: Counter): RateLimiterPostgres => new RateLimiterPostgres({
            ...limits[counter], storeClient: db, storeType: 'knex', tableName: 'rate_limits', tableCreated: true, keyPrefix: counter,
            clearExpiredByTimeout: counter === 'writes'
        });
        const limiters: Readonly<Record<Counter, RateLimiterPostgres>> = {
            signInByAddress: limiter('signInByAddress'),
            signInByNetwork: limiter('signInByNetwork'),
            signInByName: limiter('signInByName'),
            joins: limiter('joins'),
            presence: limiter('presence'),
            writes: limiter('writes'),
            writesByNetwork: limiter('writesByNetwork'),
            views: limiter('views'),
            viewsByNetwork: limiter('viewsByNetwork'),
            apps: limiter('apps'),
            appsByNetwork: limiter('appsByNetwork'),
            appTokens: limiter('appTokens'),
            appTokensByNetwork: limiter('appTokensByNetwork'),
            mails: limiter('mails'),
            mailsByNetwork: limiter('mailsByNetwork')
        };

        server.ext('onPreHandler', async (request, h) => {
            const name = request.route.settings.app?.limit;
            for (const [counter, key] of name === undefined ? [] : keysOf(name, request, config.trustedProxies)) {
                await consume(limiters[counter], counter, key, request.raw.res);
            }

            return h.continue;
        });
    }
};

const seconds = (result: RateLimiterRes): number => Math.max(1, Math.ceil(result.msBeforeNext / 1000));

const nameOf = ({ issuer, subject }: Identity): string => JSON.stringify([issuer, subject]);

/** The counters that a request counts in, with their keys. */
function keysOf(name: LimitName, request: Request, trustedProxies: number): [Counter, string][] {
    const user = maybeUser(request);
    const known = user === undefined ? undefined : `user ${user.id}`;
    if (name === 'joins' || name === 'presence') {
        // Counted by user, with or without an account, so that a class behind one address does not use up a shared limit.
        return [[name, known ?? nameOf(currentIdentity(request))]];
    }

    if (name !== 'signIn' && known !== undefined) {
        return [[name, known]];
    }

    const { address, network } = originOf(clientAddress(request.raw.req, trustedProxies));
    const keys: [Counter, string][] = [[name === 'signIn' ? 'signInByAddress' : name, address]];
    if (network !== undefined) {
        keys.push([`${name}ByNetwork`, network]);
    }

    if (name === 'signIn') {
        // A route with this limit has a user, a validated username (which has no blank in it), or only a code.
        const username = fieldOf(request.payload, 'username');
        const who = known ?? (typeof username === 'string' ? usernameKey(username) : undefined);
        if (who !== undefined) {
            keys.push(['signInByName', who]);
        }
    }

    return keys;
}

/** Counts a request, and shows the counter nearest to its limit in the `RateLimit` headers. @throws 429 beyond the limit */
async function consume(limiter: RateLimiterPostgres, counter: Counter, key: string, response: ServerResponse): Promise<void> {
    try {
        const result = await limiter.consume(key);
        if (result.remainingPoints < Number(response.getHeader('ratelimit-remaining') ?? Infinity)) {
            showLimit(response, counter, result);
        }
    }
    catch (error) {
        if (!(error instanceof RateLimiterRes)) {
            throw error;
        }

        showLimit(response, counter, error);
        throw faultWith('rate_limited', [seconds(error)], { retryAfter: seconds(error) });
    }
}

/** Sets headers of the response, also if it will be an error: those of the IETF's draft (draft-ietf-httpapi-ratelimit-headers-10), and the three of its older versions. */
function showLimit(response: ServerResponse, counter: Counter, result: RateLimiterRes): void {
    const { points, duration } = limits[counter];
    response.setHeader('ratelimit-policy', `"${counter}";q=${points};w=${duration}`);
    response.setHeader('ratelimit', `"${counter}";r=${result.remainingPoints};t=${seconds(result)}`);
    response.setHeader('ratelimit-limit', String(points));
    response.setHeader('ratelimit-remaining', String(result.remainingPoints));
    response.setHeader('ratelimit-reset', String(seconds(result)));
}
