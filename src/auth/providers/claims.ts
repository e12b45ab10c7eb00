import type { Identity } from '../../http/caller';
import { scopes } from '../../http/caller';
import { ownCopy } from '../../http/own-copy';
import type { ProviderConfig } from '../settings';

/** Most characters that are kept of what the provider says about a user: the identity may stay in a cache. */
const MOST = 256;

/**
 * Reads the claims of a token that the provider vouches for; undefined where it is not meant for us, not of this moment,
 * stands for nobody that an account could be kept for, or is bound to a key whose possession nobody has shown
 * (RFC 9068 section 4, RFC 7662 section 2.2, RFC 9449 section 7.1).
 */
export function identityOf(claims: Readonly<Record<string, unknown>>, { issuer, audience, scopes: names, leeway }: ProviderConfig, now: number): Identity | undefined {
    const { iss = issuer, sub, aud, exp, nbf, iat, cnf } = claims;
    const seconds = now / 1000;
    const good = iss === issuer
        && [aud].flat().includes(audience)
        && typeof sub === 'string' && /^[ -~]{1,255}$/.test(sub)
        && isTime(exp, (time) => time > seconds - leeway)
        && isTime(nbf, (time) => time <= seconds + leeway)
        && isTime(iat, (time) => time <= seconds + leeway)
        && cnf === undefined;
    if (!good) {
        return undefined;
    }

    const granted = textOf(claims.scope).split(' ');
    return {
        issuer,
        subject: sub,
        scope: scopes.filter((scope) => granted.includes(names[scope])),
        username: ownCopy(textOf(claims.preferred_username ?? claims.username).slice(0, MOST)),
        locale: ownCopy(textOf(claims.locale).slice(0, MOST))
    };
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');

/** Whether a claim is a time for which something holds, or is not there. */
const isTime = (claim: unknown, holds: (seconds: number) => boolean): boolean => claim === undefined || (typeof claim === 'number' && holds(claim));
