import { createHash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import { circuit } from './circuit-breaker';
import { identityOf, Refusal } from './claims';
import type { Identity } from '../../http/caller';
import { askJson } from './ask';
import type { IntrospectionConfig } from '../settings';

/** Most answers that are kept at a time. */
const MOST = 10_000;

/**
 * Asks the provider about tokens (RFC 7662). Its answer, good or bad, is kept for a short time and never past the token's
 * own end; requests that come with one token meanwhile wait for one answer. A revoked token lives that long at most.
 * Returns why, if the token is not good.
 * @throws ProviderFailure where the provider does not say
 */
export function introspector(config: IntrospectionConfig, now: () => number): (token: string) => Promise<Identity | Refusal> {
    const guarded = circuit(now);
    const answers = new LRUCache<string, { identity: Identity | Refusal }, string>({
        max: MOST,
        ttl: 1,
        ttlResolution: 0,
        perf: { now },
        // Whoever waits for an answer gets it, also where so many others came in between that it is not kept.
        ignoreFetchAbort: true,
        fetchMethod: async (_key, _stale, { context: token, options }) => {
            const claims = await guarded(() => introspect(config, token));
            const left = typeof claims.exp === 'number' ? claims.exp * 1000 - now() : Infinity;
            // A cache of this library's takes 0 for ever.
            options.ttl = Math.max(1, Math.min(config.cacheTtl * 1000, left));
            return { identity: claims.active === true ? identityOf(claims, config, now()) : new Refusal('the provider says that it is not active') };
        }
    });

    return async (token) => {
        // The cache is no place to find tokens in.
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

/** As RFC 6749 section 2.3.1 has the two parts of a client's authentication. */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
