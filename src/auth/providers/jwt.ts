import { circuit } from './circuit-breaker';
import { identityOf, Refusal, refusedClaim } from './claims';
import type { Identity } from '../../http/caller';
import { askJson, isObject, ProviderFailure } from './ask';
import type { JwtConfig } from '../settings';

/** Milliseconds that the provider's keys are used without asking for them again. */
const MAX_AGE = 10 * 60_000;
/** Milliseconds between two requests for them, whatever keys the tokens name: made-up ones cost the provider no more. */
const COOLDOWN = 10_000;

/** What the log says of jose's errors, by their code. */
const reasons: Readonly<Record<string, string>> = {
    ERR_JWT_EXPIRED: 'it has expired',
    ERR_JWKS_NO_MATCHING_KEY: 'the provider publishes no key for it',
    ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
    ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not in AUTH_ALGORITHMS'
};

/** What access tokens call themselves: by RFC 9068, and as many providers do. Others (`logout+jwt`, …) are of another use. */
const types = new Set([undefined, 'jwt', 'at+jwt']);

/**
 * Checks tokens that an OpenID provider signed, against the keys it publishes (RFC 9068 section 4). The keys are asked
 * for when the first token comes, again when one names a key that is not among them, and when they are old.
 * Returns why, if the token is not good.
 * @throws ProviderFailure where there are no keys to check it against
 */
export async function jwtVerifier(config: JwtConfig, now: () => number): Promise<(token: string) => Promise<Identity | Refusal>> {
    // Published as ECMAScript modules alone, which not every Node 20 lets CommonJS require.
    const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import('jose');
    const guarded = circuit(now);
    const keys = createRemoteJWKSet(discoveryUrl(config), {
        cacheMaxAge: MAX_AGE,
        cooldownDuration: COOLDOWN,
        [customFetch]: () => guarded(async () => Response.json(await publishedKeys(config)))
    });
    const { issuer, audience, algorithms, leeway } = config;

    return async (token) => {
        try {
            const { payload, protectedHeader } = await jwtVerify(token, keys, {
                issuer, audience, algorithms: [...algorithms], clockTolerance: leeway, currentDate: new Date(now()), requiredClaims: ['exp']
            });
            const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '');
            return types.has(type) ? identityOf(payload, config, now()) : new Refusal('its type ("typ") is not that of an access token');
        }
        catch (error) {
            if (error instanceof ProviderFailure) {
                throw error;
            }

            if (error instanceof errors.JWTClaimValidationFailed) {
                return refusedClaim(error.claim, error.payload, config);
            }

            if (error instanceof errors.JOSEError) {
                // A name in the token's header may be part of the message, which then is as long as that.
                return new Refusal(reasons[error.code] ?? error.message.slice(0, 200));
            }

            // What else the library throws is about a key of the provider's that is none.
            throw new ProviderFailure(1, error);
        }
    };
}

/** OpenID Connect Discovery, section 4 */
const discoveryUrl = ({ issuer }: JwtConfig): URL => new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);

/** The key set that the provider's metadata names. Both requests share one time limit. */
async function publishedKeys(config: JwtConfig): Promise<object> {
    const { issuer, timeout } = config;
    const signal = AbortSignal.timeout(timeout);
    const { href } = discoveryUrl(config);
    const metadata = await askJson(href, signal);
    if (metadata.issuer !== issuer) {
        throw new Error(`${href} is of the issuer ${JSON.stringify(metadata.issuer)}, and AUTH_ISSUER is ${JSON.stringify(issuer)}`);
    }

    const url = String(metadata.jwks_uri);
    const set = await askJson(mayAsk(url, issuer), signal);
    if (!Array.isArray(set.keys) || !set.keys.every(isObject)) {
        throw new Error(`${url} answered something else than a JSON Web Key Set`);
    }

    return set;
}

/** Any https address, as large providers keep their keys at another one; plain http at the issuer's own, which then is on this machine. */
function mayAsk(url: string, issuer: string): string {
    const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
    if (protocol !== 'https:' && origin !== new URL(issuer).origin) {
        throw new Error(`The provider's metadata names ${JSON.stringify(url)} as its key set, which has to be an https:// address`);
    }

    return url;
}
