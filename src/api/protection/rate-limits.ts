import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import { isBoom } from '@hapi/boom';
import type { Lifecycle, Plugin, Request } from '@hapi/hapi';

import { devices } from '../auth/devices';
import type { Device, Devices } from '../auth/devices';
import { defined } from '../errors/defined';
import { faultWith } from '../errors/errors';
import { fieldOf } from '../json/is-object';
import { usernameKey } from '../representations/username';
import { currentIdentity, maybeUser } from '../request/caller';
import { clientAddress, originOf } from '../request/client-address';
import type { Services } from '../services';
import { isMethod } from './cost';
import { Counters } from './counters';
import type { Counted, Left } from './counters';

const QUARTER = 900;

/**
 * Requests (`points`) within so many seconds (`duration`), by counter. A school shares one address, so those limits are wide.
 * An IPv6 address is counted by its /64, and in `…ByNetwork` by its /48. A browser that has signed in before has a counter of its own, `…ByDevice`,
 * which whoever fills that of its address does not touch.
 */
export const limits = {
    passwords: { points: 300, duration: QUARTER },
    passwordsByNetwork: { points: 1200, duration: QUARTER },
    passwordsByDevice: { points: 60, duration: QUARTER },
    passwordsByName: { points: 20, duration: QUARTER },
    passkeys: { points: 300, duration: QUARTER },
    passkeysByNetwork: { points: 1200, duration: QUARTER },
    passkeysByDevice: { points: 60, duration: QUARTER },
    answers: { points: 300, duration: QUARTER },
    answersByNetwork: { points: 1200, duration: QUARTER },
    answersByDevice: { points: 60, duration: QUARTER },
    links: { points: 300, duration: QUARTER },
    linksByNetwork: { points: 1200, duration: QUARTER },
    joins: { points: 20, duration: QUARTER },
    deviceCodes: { points: 20, duration: QUARTER },

    signUps: { points: 300, duration: QUARTER },
    signUpsByNetwork: { points: 1200, duration: QUARTER },
    signUpsByDevice: { points: 60, duration: QUARTER },
    passkeyOptions: { points: 600, duration: QUARTER },
    passkeyOptionsByNetwork: { points: 2400, duration: QUARTER },
    passkeyOptionsByDevice: { points: 120, duration: QUARTER },
    signIns: { points: 600, duration: QUARTER },
    signInsByNetwork: { points: 2400, duration: QUARTER },
    signInsByDevice: { points: 120, duration: QUARTER },
    authorizations: { points: 600, duration: QUARTER },
    authorizationsByNetwork: { points: 2400, duration: QUARTER },
    authorizationsByDevice: { points: 120, duration: QUARTER },
    // A class that signs in at once, and devices that ask every five seconds whether they were let in.
    apps: { points: 600, duration: QUARTER },
    appsByNetwork: { points: 2400, duration: QUARTER },
    appTokens: { points: 3000, duration: QUARTER },
    appTokensByNetwork: { points: 12_000, duration: QUARTER },
    rosters: { points: 20, duration: QUARTER },
    presence: { points: 180, duration: 60 },
    // New comments and changed ones.
    comments: { points: 60, duration: 3600 },
    writes: { points: 600, duration: 60 },
    writesByNetwork: { points: 2400, duration: 60 },
    views: { points: 300, duration: 60 },
    viewsByNetwork: { points: 1200, duration: 60 },
    // A class that has forgotten its passwords. How many mails go to one mailbox is limited where they are made.
    mails: { points: 60, duration: 3600 },
    mailsByNetwork: { points: 240, duration: 3600 }
} as const;

export type Counter = keyof typeof limits;

/** Which limit a route comes under, if any: `writes` for what is not a GET, if its options do not say another. `passkeys` is for tries at `passwords` that send a passkey. */
export type LimitName = Exclude<Counter, `${string}By${string}` | 'passkeys'>;

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        limit?: LimitName;
    }
}

/** Limits of guessing: of these requests only those count that fail. */
const guessing: ReadonlySet<LimitName> = new Set(['passwords', 'answers', 'links', 'joins', 'deviceCodes']);

/** Limits counted by user, with or without an account, so that a class behind one address does not use up a shared limit. */
const byUser: ReadonlySet<LimitName> = new Set(['joins', 'deviceCodes', 'rosters', 'presence', 'comments']);

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** the counters in which this request counts, if it fails */
        guess?: readonly Counted[];
    }
    interface Request {
        /** Counts a guess also in the limit for the name of a password, once it is known whose it is. @throws 429 */
        countGuess(name: string): Promise<void>;
    }
}

/** Abuse limits, which all instances share (counters.ts). 429 with `Retry-After` (RFC 6585). */
export const rateLimits: Plugin<Services> = {
    name: 'rate-limits',
    register(server, { config, db, now }) {
        const known = devices(db);
        const counters = new Counters(db, now);
        /** @throws 429 */
        const count = async ({ raw }: Request, all: readonly Counted[]): Promise<void> => {
            const { counted: isCounted, left } = await counters.count(all);
            const seconds = showLimit(all, left, raw.res);
            if (!isCounted) {
                throw faultWith('rate_limited', [seconds], { retryAfter: seconds });
            }
        };

        server.decorate('request', 'countGuess', async function (this: Request, name) {
            if (config.rateLimit) {
                const all = [counted('passwordsByName', name)];
                await count(this, all);
                this.app.guess = [...this.app.guess ?? [], ...all];
            }
        });
        server.events.on('route', ({ method, settings }) => {
            if (method !== 'get' && method !== '*') {
                settings.app = Object.assign({ limit: 'writes' as const }, settings.app);
            }

            if (config.rateLimit && settings.app?.limit !== undefined && guessing.has(settings.app.limit)) {
                assert(isMethod(settings.handler), 'hapi has made one of it');
                settings.handler = countFailures(counters, settings.handler);
            }
        });
        if (!config.rateLimit) {
            return;
        }

        server.ext('onPostStop', () => counters.write());
        server.ext('onPreHandler', async (request, h) => {
            const name = request.route.settings.app?.limit;
            if (name !== undefined) {
                const all = await countersOf(name, request, config.trustedProxies, known);
                await count(request, all);
                request.app.guess = guessing.has(name) ? all : undefined;
            }

            return h.continue;
        });
    }
};

/** A handler whose request counts only if it fails. It was counted before, so that many at once count too, and what is right is taken back. */
function countFailures(counters: Counters, handler: Lifecycle.Method): Lifecycle.Method {
    return async function (request, h) {
        const guess = (): readonly Counted[] => request.app.guess ?? [];
        const takeBack = (): void => void showLimit(guess(), counters.takeBack(guess()), request.raw.res);
        try {
            const response = await Reflect.apply(handler, this, [request, h]);
            // Nobody waits for the response of a request that is given up, so it may have been any.
            if (response !== h.abandon) {
                takeBack();
            }

            return response;
        }
        catch (error) {
            // It was not looked at.
            if (!isBoom(error) || error.isServer) {
                takeBack();
            }
            else if (error.output.statusCode === 429) {
                // The headers go on saying which limit it is.
                counters.takeBack(guess());
            }

            throw error;
        }
    };
}

/** A name of bounded length for somebody who has no account yet. */
const nameOf = (...parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

const counted = (counter: Counter, key: string): Counted => ({ key: `${counter}:${key}`, limit: limits[counter] });

const isCounter = (name: string): name is Counter => name in limits;

/** The counters that a request counts in. */
async function countersOf(name: LimitName, request: Request, trustedProxies: number, known: Devices): Promise<Counted[]> {
    const user = maybeUser(request);
    const own = user === undefined ? undefined : `user ${user.id}`;
    if (byUser.has(name)) {
        const { issuer, subject } = own === undefined ? currentIdentity(request) : { issuer: '', subject: '' };
        return [counted(name, own ?? nameOf(issuer, subject))];
    }

    if (own !== undefined) {
        return [counted(name === 'passwords' ? 'passwordsByName' : name, own)];
    }

    const [passkey, username] = ['passkey', 'username'].map((field) => fieldOf(request.payload, field));
    const kind = name === 'passwords' && passkey !== undefined ? 'passkeys' : name;
    const byDevice = `${kind}ByDevice`;
    const device = isCounter(byDevice) ? await known.deviceOf(request.headers) : undefined;
    return [
        ...device !== undefined && isCounter(byDevice) ? [counted(byDevice, device.id)] : addressesOf(kind, request, trustedProxies),
        ...kind === 'passwords' && typeof username === 'string' ? nameCounter(usernameKey(username), device) : []
    ];
}

function addressesOf(kind: Counter, { raw }: Pick<Request, 'raw'>, trustedProxies: number): Counted[] {
    const { address, network } = originOf(clientAddress(raw.req, trustedProxies));
    const byNetwork = `${kind}ByNetwork`;
    return [counted(kind, address), ...network !== undefined && isCounter(byNetwork) ? [counted(byNetwork, network)] : []];
}

/** The counter of a name, for whoever has not signed in with that name in this browser: those who guess it cannot lock its owner out there. */
const nameCounter = (name: string, device: Device | undefined): Counted[] => (device?.signedInAs(name) === true ? [] : [counted('passwordsByName', name)]);

/**
 * Shows the counter nearest to its limit, also in the headers of an error: those of the IETF's draft (draft-ietf-httpapi-ratelimit-headers-10), and the three of its older versions.
 * @returns seconds until its window ends
 */
function showLimit(all: readonly Counted[], left: readonly Left[], response: ServerResponse): number {
    const nearest = left.reduce((least, { points }, n) => (points < defined(left[least]).points ? n : least), 0);
    const { key, limit } = defined(all[nearest]);
    const counter = key.slice(0, key.indexOf(':'));
    const { points, ms } = defined(left[nearest]);
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    response.setHeader('ratelimit-policy', `"${counter}";q=${limit.points};w=${limit.duration}`);
    response.setHeader('ratelimit', `"${counter}";r=${points};t=${seconds}`);
    response.setHeader('ratelimit-limit', String(limit.points));
    response.setHeader('ratelimit-remaining', String(points));
    response.setHeader('ratelimit-reset', String(seconds));
    return seconds;
}
