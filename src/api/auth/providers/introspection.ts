import { createHash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import { circuit } from './circuit-breaker';
import { identityOf, RejectedToken } from './claims';
import type { Identity } from '../../request/caller';
import { askJson } from './ask';
import type { IntrospectionConfig } from '../../../config/auth';

/** Maximum entries of the cache. */
const MOST = 10_000;

/**
 * Introspects tokens at the provider (RFC 7662). Each answer, positive or negative, is cached for a short time, and never
 * longer than the token is valid. A token that is revoked there is accepted for that long at most. Simultaneous requests with
 * one token share one introspection. Returns the reason if the token is invalid.
 * @throws ProviderFailure if the provider does not say whether the token is valid
 */
export function introspector(config: IntrospectionConfig, now: () => number): (token: string) => Promise<Identity | RejectedToken> {
    const guarded = circuit(now);
    const answers = new LRUCache<string, { identity: Identity | RejectedToken }, string>({
        max: MOST,
        ttl: 1,
        ttlResolution: 0,
        perf: { now },
        // An entry that is evicted while it is fetched is still returned to the requests that wait for it.
        ignoreFetchAbort: true,
        fetchMethod: async (_key, _stale, { context: token, options }) => {
            const claims = await guarded(() => introspect(config, token));
            const left = typeof claims.exp === 'number' ? claims.exp * 1000 - now() : Infinity;
            // For this library 0 means that the entry never expires.
            options.ttl = Math.max(1, Math.min(config.cacheTtl * 1000, left));
            return { identity: claims.active === true ? identityOf(claims, config, now()) : new RejectedToken('the provider says that it is not active') };
        }
    });

    return async (token) => {
        // Hashed, so that tokens are not in memory longer than needed.
        const answer = await answers.forceFetch(createHash('sha256').update(token).digest('base64'), { context: token });
        return answer.identity;
    };
}

async function introspect({ url, clientId, clientSecret, timeout }: IntrospectionConfig, token: string): Promise<Readonly<Record<string, unknown>>> {
    const claims = await askJson(url, AbortSignal.timeout(timeout), {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}` },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' })
    });
    if (typeof claims.active !== 'boolean') {
        throw new Error(`${url} does not say whether the token is active`);
    }

    return claims;
}

/** Encodes client id and secret as RFC 6749 section 2.3.1 requires. */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
