import * as Boom from '@hapi/boom';
import type { Plugin, Request, RouteOptions } from '@hapi/hapi';
import BearerToken from 'hapi-auth-bearer-token';

import { fault, faultWith, forbidden } from '../errors/errors';
import type { Database } from '../../database/statements/connection';
import type { Services } from '../services';
import { bearerFinder } from './providers/bearer';
import { maybeUser, withFitName } from '../request/caller';
import type { CurrentUser, TokenCaller } from '../request/caller';
import { ProviderFailure } from './providers/ask';
import { RejectedToken } from './providers/claims';
import { hashOfHeader } from './secrets';
import { findAccount, findBearer, isWriterPresent } from './queries';
import type { Found } from './queries';
import { checkSignInRule } from './sign-in-rule';
import { readsWithRead, refuseManaged, refuseOutside, refuseWithoutSignIn } from './token-rights';
import { TokenUses } from './token-uses';
import { fullScope } from '../../config/scopes';
import type { AuthConfig } from '../../config/auth';
import type { Scope } from '../../config/scopes';

declare module '@hapi/hapi' {
    interface Request {
        /** Looks at the caller's token and account again, in a transaction that has waited for its locks. @throws 401 or 403 if they could not send this any more */
        checkStillAllowed(db: Database): Promise<void>;
    }
    interface PluginProperties {
        'token-strategy': {
            /** The hash of the token in the `Authorization` header, which may not be valid; null if it is none of ours. */
            hashOf(request: Pick<Request, 'headers'>): Buffer | null;
            /** Notes that a valid token was used. */
            noteUse(hash: Buffer): void;
        };
    }
}

/**
 * The strategies `token` and `bearer`: the same tokens, sent as `Authorization: token …` or `Bearer …` (RFC 6750
 * section 2.1), and never in the query string.
 */
export const strategy: Plugin<Services & { isBlocked(text: string): boolean }> = {
    name: 'token-strategy',
    async register(server, services) {
        server.events.on('route', checkSignInRule);
        await server.register({ plugin: BearerToken, options: {} });
        const bearerOf = await bearerFinder(services);
        const isLocal = services.config.auth.provider === 'local';
        server.expose('hashOf', ({ headers }: Pick<Request, 'headers'>) => (isLocal ? hashOfHeader(String(headers.authorization)) : null));

        const uses = new TokenUses(services.db, services.now);
        server.expose('noteUse', (hash: Buffer) => uses.note(hash));
        server.ext('onPostStop', () => uses.write());

        const validate = async (request: Request, token: string): Promise<Validated> => {
            const wellFormed = /^\S+ +\S+ *$/.test(String(request.headers.authorization));
            const bearer = wellFormed ? await bearerOf(token).catch((error) => {
                throw providerError(request, error);
            }) : undefined;
            if (bearer === undefined || bearer instanceof RejectedToken) {
                request.app.tokenRefused = bearer?.reason;
                return { isValid: false, credentials: {} };
            }

            if (bearer.hash !== undefined) {
                uses.note(bearer.hash);
            }

            request.app.identity = bearer.identity && withFitName(bearer.identity, services.isBlocked);
            request.app.tokenHash = bearer.hash;
            request.app.suspension = bearer.suspension ?? undefined;
            return { isValid: true, credentials: { scope: scopeFor(request, bearer.scope), user: bearer.user } };
        };

        for (const [name, tokenType] of [['token', 'token'], ['bearer', 'Bearer']] as const) {
            server.auth.strategy(name, 'bearer-access-token', { tokenType, validate });
        }

        server.decorate('request', 'callerOfHeader', async function (this: Request): Promise<TokenCaller> {
            const strategyName = String(this.headers.authorization).toLowerCase().startsWith('bearer ') ? 'bearer' : 'token';
            const { credentials: { user, scope } } = await this.server.auth.test(strategyName, this);
            if (user !== undefined) {
                refuseOutside(this, user);
            }

            return { user, mayReadProjects: [scope].flat().some((name) => name === 'projects' || name === 'read') };
        });

        server.decorate('request', 'checkStillAllowed', async function (this: Request, db): Promise<void> {
            const user = maybeUser(this);
            if (user === undefined || await isWriterPresent(db, user)) {
                return;
            }

            const found = await findWriter(db, this.app);
            if (found === undefined) {
                throw fault('invalid_token', 'You have been signed out meanwhile.');
            }

            this.app.suspension = found.suspension ?? undefined;
            refuseIfSuspended(this);
            if (user.moderator && !found.moderator) {
                throw forbidden('You are no moderator any more.');
            }
        });

        // The strategies ignore a header of another scheme, which would be accepted as "no token" where a token is optional.
        server.ext('onCredentials', (request, h) => {
            const { auth, headers, route } = request;
            if (route.settings.auth?.mode === 'optional' && headers.authorization !== undefined && !auth.isAuthenticated) {
                throw Boom.unauthorized('Not a token');
            }

            const user = maybeUser(request);
            if (user !== undefined) {
                refuseOutside(request, user);
                refuseWithoutSignIn(request, user);
                refuseManaged(request, user);
            }

            refuseIfSuspended(request);
            return h.continue;
        });
    }
};

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** a suspended user may send this, though it is not a GET; so may a pupil who is paused */
        whileSuspended?: boolean;
        /** a pupil who is paused may send this, though it is not a GET */
        whilePaused?: boolean;
    }
}

/** The user as they are now. @returns undefined if the token has ended, or the account */
const findWriter = (db: Database, { identity, tokenHash }: Pick<Request['app'], 'identity' | 'tokenHash'>): Promise<Pick<Found, 'moderator' | 'suspension'> | undefined> => {
    return tokenHash === undefined ? findAccount(db, String(identity?.issuer), String(identity?.subject)) : findBearer(db, tokenHash);
};

/** Every write of a user who is suspended, or whom a teacher has paused, is refused, whatever it is, unless its route says otherwise. @throws 403 `suspended`, `paused` */
function refuseIfSuspended({ app: { suspension }, route: { method, settings } }: Request): void {
    if (suspension !== undefined && method !== 'get' && settings.app?.whileSuspended !== true) {
        if (!suspension.isPause) {
            throw faultWith('suspended', [suspension.until], { suspension });
        }

        if (settings.app?.whilePaused !== true) {
            throw fault('paused', suspension.until);
        }
    }
}

/** With `read`, a token can do whatever a request that only reads needs, but for what is about the people of a class. */
const scopeFor = (request: Request, scope: readonly Scope[]): Scope[] => (scope.includes('read') && readsWithRead(request) ? [...new Set([...scope, ...fullScope])] : [...scope]);

interface Validated {
    isValid: boolean;
    credentials: { scope?: string[]; user?: CurrentUser };
}

/** The error response if the provider fails. The cause goes to the log only. */
export function providerError(request: Pick<Request, 'log'>, error: unknown): unknown {
    if (!(error instanceof ProviderFailure)) {
        return error;
    }

    if (error.cause !== undefined) {
        request.log(['error', 'fault'], error);
    }

    const { retryAfter } = error;
    return faultWith('provider_unavailable', [], { retryAfter });
}

const strategies = ['token', 'bearer'];

/** Route option: a token with one of these scopes. */
export const needs = (...scope: readonly ('user' | 'projects')[]): { strategies: string[]; scope: string[] } => ({ strategies, scope: [...scope] });

/** Route option: a token of any scope, or none; a bad one is 401. */
export const optionalToken = { strategies, mode: 'optional' as const };

/** Route option: responses hold a secret, which no cache may store (RFC 6749 section 5.1). */
export const notCached: Pick<RouteOptions, 'cache'> = { cache: { otherwise: 'no-store' } };

/** Route option: with an external provider this route is always an error, which is sent before any other check. */
export function localOnly(auth: AuthConfig): RouteOptions['ext'] {
    if (auth.provider === 'local') {
        return {};
    }

    const method = (): never => {
        throw fault('not_local', auth.issuer);
    };

    return { onPreAuth: { method } };
}
