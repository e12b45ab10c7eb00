import { timingSafeEqual } from 'node:crypto';

import type { Configuration, default as OidcProvider } from 'oidc-provider' with { 'resolution-mode': 'import' };
import { LRUCache } from 'lru-cache';

import { appScopes } from '../../config/scopes';
import { hashSecret } from '../../api/auth/secrets';
import type { Services } from '../../api/services';
import { adapterOn, grantTypes } from './adapter';
import { noteFailures } from './dispatch';
import { signingKeys } from './keys';
import { findClaims } from './states';

type Library = typeof import('oidc-provider', { with: { 'resolution-mode': 'import' } });

/** Used files of the library. Its index exports the same, and warns on Node 20, where it works: operators would see that with each start. */
const parts = { provider: 'oidc-provider/lib/provider.js', errors: 'oidc-provider/lib/helpers/errors.js' } as const;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds that things work for. An authorization that is not used within that of a code was not let in. */
export const lifetimes = { AccessToken: HOUR, AuthorizationCode: MINUTE, DeviceCode: 10 * MINUTE, Grant: 10 * MINUTE, IdToken: HOUR, Interaction: HOUR, RefreshToken: 90 * DAY, Session: HOUR, PushedAuthorizationRequest: MINUTE } as const;

/** Where each part of it is, below the address of the service. */
export const endpoints = {
    authorization: '/oauth/auth', token: '/oauth/token', jwks: '/oauth/jwks', revocation: '/oauth/revoke', pushed_authorization_request: '/oauth/par', device_authorization: '/oauth/device', code_verification: '/device'
} as const;

const configuration = (db: Services['db'], keys: readonly string[], ended: () => Error): Configuration => ({
    adapter: adapterOn(db, ended),
    jwks: { keys: keys.map((key) => JSON.parse(key)) },
    routes: endpoints,
    scopes: [...appScopes],
    claims: { openid: ['sub', 'preferred_username', 'locale'] },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { grant_types: [...grantTypes], response_types: ['code'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, _client, { scopes: granted }) => granted.has('offline_access'),
    expiresWithSession: () => false,
    // Whoever ends one token of an authorization ends all of it.
    revokeGrantPolicy: () => true,
    conformIdTokenClaims: false,
    ttl: lifetimes,
    features: {
        devInteractions: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        resourceIndicators: { enabled: false },
        dPoP: { enabled: false },
        revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
        pushedAuthorizationRequests: { enabled: true },
        deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' }
    },
    interactions: { url: (_ctx, { uid }) => `/oauth/consent/${uid}` },
    findAccount: async (_ctx, id) => {
        const found = await findClaims(db, id);
        return found && { accountId: id, claims: () => ({ sub: id, preferred_username: found.username, locale: found.language }) };
    },
    renderError: (ctx, out) => {
        ctx.type = 'application/json';
        ctx.body = JSON.stringify(out);
    }
});

/** Milliseconds after which an instance reads the keys again: much shorter than a new one is published before it signs. */
const READ_KEYS = 5 * MINUTE * 1000;

/** Issuers at a time. There are several only without PUBLIC_URL, at the addresses of one's own machine. */
const MAX_ISSUERS = 4;

/** The library, loaded when it is first needed: it takes memory, and once a tenth of a second of the main thread. */
async function loadLibrary(): Promise<Pick<Library, 'Provider'> & Pick<Library['errors'], 'InvalidGrant'>> {
    const { Provider }: Pick<Library, 'Provider'> = await import(parts.provider);
    const { InvalidGrant }: Library['errors'] = await import(parts.errors);
    return { Provider, InvalidGrant };
}

/** Returns what finds the authorization server of an address. */
export function providers({ db, now }: Pick<Services, 'db' | 'now'>): (issuer: string) => Promise<OidcProvider> {
    const made = new LRUCache<string, OidcProvider>({ max: MAX_ISSUERS });
    let read: { keys: Promise<string[]>; until: number } | undefined;

    const keys = (): Promise<string[]> => {
        if (read === undefined || read.until < now()) {
            read = { keys: signingKeys(db), until: now() + READ_KEYS };
            read.keys.catch(() => {
                read = undefined;
            });
        }

        return read.keys;
    };

    return async (issuer) => {
        const current = await keys();
        const name = `${issuer} ${current.join()}`;
        const before = made.get(name);
        if (before !== undefined) {
            return before;
        }

        const { Provider, InvalidGrant } = await loadLibrary();
        const provider = new Provider(issuer, configuration(db, current, () => new InvalidGrant('the authorization has ended, or this was used already')));
        // It believes what the request's headers say of its own address, and the request has those that `dispatch` gives it.
        provider.proxy = true;
        noteFailures(provider);
        Object.assign(provider.Client.prototype, {
            compareClientSecret(this: { clientSecret?: string }, secret: string): boolean {
                return timingSafeEqual(hashSecret(secret), Buffer.from(String(this.clientSecret), 'hex'));
            }
        });
        made.set(name, provider);
        return provider;
    };
}
