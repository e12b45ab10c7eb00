import type { Identity } from '../../request/caller';
import { fullScope } from '../../../config/scopes';
import { ownCopy } from '../../request/own-copy';
import type { ProviderConfig } from '../../../config/auth';
import type { Scope } from '../../../config/scopes';

/** Maximum characters of a claim about a user. Longer ones are cut, because the identity may stay in a cache. */
const MOST = 256;

/** Why a token is not accepted, for the log. It never contains the token. */
export class RejectedToken {
    readonly reason: string;

    constructor(reason: string) {
        this.reason = reason;
    }
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * Reads the claims of a token that the provider has confirmed. The token is rejected if it is for another audience, is not
 * valid now, has no usable subject, or is bound to a key, as proof of possession is not supported (RFC 9068 section 4,
 * RFC 7662 section 2.2, RFC 9449 section 7.1).
 * @param now in milliseconds
 */
export function identityOf(claims: Claims, config: ProviderConfig, now: number): Identity | RejectedToken {
    const { issuer, audience, scopes: names, leeway } = config;
    const { iss = issuer, aud, exp, nbf, iat, cnf } = claims;
    const seconds = now / 1000;
    const granted = textOf(claims.scope).split(' ');
    const person = personOf(claims, issuer, fullScope.filter((scope) => granted.includes(names[scope])));
    if (person === undefined) {
        return refusedClaim('sub', claims, config);
    }

    const checks: [claim: string, good: boolean][] = [
        ['iss', iss === issuer],
        ['aud', [aud].flat().includes(audience)],
        ['exp', isTime(exp, (time) => time > seconds - leeway)],
        ['nbf', isTime(nbf, (time) => time <= seconds + leeway)],
        ['iat', isTime(iat, (time) => time <= seconds + leeway)],
        ['cnf', cnf === undefined]
    ];
    const wrong = checks.find(([, good]) => !good);
    if (wrong !== undefined) {
        return refusedClaim(wrong[0], claims, config);
    }

    return person;
}

/** Whom valid claims are about; undefined if they have no usable subject. */
export function personOf(claims: Claims, issuer: string, scope: Scope[]): Identity | undefined {
    const { sub } = claims;
    return typeof sub === 'string' && /^[ -~]{1,255}$/.test(sub) ? {
        issuer, subject: sub, scope,
        username: ownCopy(textOf(claims.preferred_username ?? claims.username).slice(0, MOST)),
        locale: ownCopy(textOf(claims.locale).slice(0, MOST))
    } : undefined;
}

/** Rejects a token because of one of its claims. If the claim must equal a setting, the reason shows both. */
export function refusedClaim(claim: string, claims: Claims, { issuer, audience }: ProviderConfig): RejectedToken {
    switch (claim) {
        case 'iss':
            return new RejectedToken(`its issuer ("iss") is ${shown(claims.iss)}, and AUTH_ISSUER is ${shown(issuer)}`);
        case 'aud':
            return new RejectedToken(`its audience ("aud") is ${shown(claims.aud)}, and AUTH_AUDIENCE is ${shown(audience)}`);
        case 'cnf':
            return new RejectedToken('it is bound to a key ("cnf"), which is not supported');
        default:
            return new RejectedToken(`its "${claim}" is missing or invalid`);
    }
}

const shown = (claim: unknown): string => (claim === undefined ? 'missing' : ownCopy(JSON.stringify(claim).slice(0, MOST)));

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');

/** Whether a claim is missing, or is a time that passes the check. */
const isTime = (claim: unknown, holds: (seconds: number) => boolean): boolean => claim === undefined || (typeof claim === 'number' && holds(claim));
