import type { Adapter, AdapterPayload } from 'oidc-provider' with { 'resolution-mode': 'import' };

import { scopes } from '../../config/scopes';
import type { Scope } from '../../config/scopes';
import { hashSecret } from '../../api/auth/secrets';
import { notFound } from '../../api/errors/errors';
import { fieldOf } from '../../api/json/is-object';
import { isId } from '../../api/request/schema';
import type { Database } from '../../database/statements/connection';
import { deleteAppToken, deleteTokensOf, endAuthorization, extendAuthorization, findAppToken, findAuthorization, insertAppToken, insertAuthorization } from '../apps/authorizations';
import { consumeState, deleteState, deleteStatesOf, findByUserCode, findClient, findState, stateHash, storeState } from './states';
import type { StoredState } from './states';

/** The grants that an app can use. */
export const grantTypes = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];

/** In the place of the secret in what is stored. It cannot be in JSON text otherwise. */
const MARK = '\u0001';

/** How the state of a device is named where only the code is known that people type: by its hash. No device can send that. */
const byHash = (hash: Buffer): string => `~${hash.toString('hex')}`;

/** The error for the library if an authorization has ended meanwhile. */
export type Ended = () => Error;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const none = (): Promise<undefined> => Promise.resolve(undefined);

/** An adapter of the library that stores nothing and finds nothing. */
const nothing: Adapter = { upsert: none, find: none, findByUid: none, findByUserCode: none, consume: none, destroy: none, revokeByGrantId: none };

/** Codes, refresh tokens, and requests that are not answered yet. */
function states(db: Database, kind: string, ended: Ended): Adapter {
    const hashOf = (secret: string): Buffer => (secret.startsWith('~') ? Buffer.from(secret.slice(1), 'hex') : stateHash(kind, secret));
    const read = (secret: string, { payload, consumed, expires }: StoredState): AdapterPayload => {
        return { ...JSON.parse(payload.replaceAll(MARK, secret)), jti: secret, exp: expires, ...consumed && { consumed: true } };
    };

    return {
        ...nothing,
        upsert: async (secret, { jti: _jti, userCode, ...payload }, expiresIn = 0) => {
            const authorizationId = textOf(payload.grantId);
            if (kind === 'RefreshToken') {
                await extendAuthorization(db, String(authorizationId), expiresIn);
            }

            const stored = await storeState(db, {
                hash: hashOf(secret), kind, authorizationId, appId: textOf(payload.clientId),
                userCodeHash: typeof userCode === 'string' ? stateHash('UserCode', userCode) : null,
                payload: JSON.stringify(payload).replaceAll(secret, MARK),
                decided: kind === 'DeviceCode' && (payload.accountId !== undefined || payload.error !== undefined), expiresIn
            });
            if (!stored) {
                throw ended();
            }
        },
        find: async (secret) => {
            const found = await findState(db, stateHash(kind, secret));
            return found && read(secret, found);
        },
        findByUserCode: async (userCode) => {
            const found = await findByUserCode(db, stateHash('UserCode', userCode));
            return found && { ...read(byHash(found.hash), found), userCode };
        },
        consume: async (secret) => {
            if (!await consumeState(db, hashOf(secret))) {
                throw ended();
            }
        },
        destroy: (secret) => deleteState(db, hashOf(secret)),
        revokeByGrantId: (grantId) => deleteStatesOf(db, kind, grantId)
    };
}

/** Grants of users to apps. */
const grants = (db: Database): Adapter => ({
    ...nothing,
    upsert: async (id, { accountId = '', clientId = '', openid, ...more }, expiresIn = 0) => {
        const scope = String(fieldOf(openid, 'scope')).split(' ');
        if (!await insertAuthorization(db, { id, userId: accountId, appId: clientId, scope, payload: JSON.stringify({ ...more, accountId, clientId, openid }), expiresIn })) {
            throw notFound('app');
        }
    },
    find: async (id) => {
        const found = await findAuthorization(db, id);
        return found && { ...JSON.parse(found.payload), jti: id, exp: found.expires };
    },
    destroy: (id) => endAuthorization(db, id)
});

const isScope = (name: string): name is Scope => scopes.some((scope) => scope === name);

/** Tokens of apps: rows of `tokens`, as all others. */
const accessTokens = (db: Database, ended: Ended): Adapter => ({
    ...nothing,
    upsert: async (secret, { grantId = '', scope = '' }, expiresIn = 0) => {
        if (!await insertAppToken(db, { authorizationId: grantId, hash: hashSecret(secret), scope: scope.split(' ').filter(isScope), expiresIn })) {
            throw ended();
        }
    },
    find: async (secret) => {
        const found = await findAppToken(db, hashSecret(secret));
        return found && { jti: secret, kind: 'AccessToken', accountId: found.user_id, clientId: found.app_id, grantId: found.authorization_id, scope: found.scope.join(' '), exp: found.expires };
    },
    destroy: (secret) => deleteAppToken(db, hashSecret(secret)),
    revokeByGrantId: (grantId) => deleteTokensOf(db, grantId)
});

/** Apps. Their secrets are compared by their hashes. */
const clients = (db: Database): Adapter => ({
    ...nothing,
    find: async (id) => {
        const app = isId(id) ? await findClient(db, id) : undefined;
        return app && {
            client_id: app.id,
            client_name: app.name,
            client_uri: app.url,
            redirect_uris: app.redirect_uris,
            // Redirects to loopback addresses can have any port, and private schemes are allowed.
            application_type: 'native',
            grant_types: grantTypes,
            response_types: ['code'],
            token_endpoint_auth_method: app.secret_hash === null ? 'none' : 'client_secret_basic',
            ...app.secret_hash !== null && { client_secret: app.secret_hash.toString('hex') }
        };
    }
});

/** The library's storage, in PostgreSQL. Who is signed in is not in it: the pages of the site know that. */
export function adapterOn(db: Database, ended: Ended): (name: string) => Adapter {
    return (name) => {
        switch (name) {
            case 'Client':
                return clients(db);
            case 'Grant':
                return grants(db);
            case 'AccessToken':
                return accessTokens(db, ended);
            case 'AuthorizationCode':
            case 'RefreshToken':
            case 'DeviceCode':
            case 'Interaction':
            case 'PushedAuthorizationRequest':
                return states(db, name, ended);
            default:
                return nothing;
        }
    };
}
