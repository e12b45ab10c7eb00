import { circuit } from './circuit-breaker';
import { identityOf, RejectedToken, refusedClaim } from './claims';
import type { Identity } from '../../request/caller';
import { askJson, mayAsk, ProviderFailure } from './ask';
import type { JwtConfig } from '../../../config/auth';
import { isObject } from '../../json/is-object';

/** Milliseconds after which the provider's keys are fetched again. */
const MAX_AGE = 10 * 60_000;
/** Minimum milliseconds between two fetches, so that tokens with made-up key ids cannot cause many requests to the provider. */
const COOLDOWN = 10_000;

/** The log's texts for jose's errors, by their code. */
const reasons: Readonly<Record<string, string>> = {
    ERR_JWT_EXPIRED: 'it has expired',
    ERR_JWKS_NO_MATCHING_KEY: 'the provider publishes no key for it',
    ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
    ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not in AUTH_ALGORITHMS'
};

/** The `typ` of access tokens: by RFC 9068, and as many providers set it. Tokens of other types (`logout+jwt`, …) have another purpose. */
const types = new Set([undefined, 'jwt', 'at+jwt']);

/**
 * Verifies tokens that an OpenID provider signed, against its published keys (RFC 9068 section 4). The keys are fetched for
 * the first token, for a token with an unknown key, and when they are old. Returns the reason if the token is invalid.
 * @throws ProviderFailure if the keys cannot be fetched
 */
export async function jwtVerifier(config: JwtConfig, now: () => number): Promise<(token: string) => Promise<Identity | RejectedToken>> {
    // The package has only ECMAScript modules, which CommonJS cannot `require` in every Node 20.
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
            return types.has(type) ? identityOf(payload, config, now()) : new RejectedToken('its type ("typ") is not that of an access token');
        }
        catch (error) {
            if (error instanceof ProviderFailure) {
                throw error;
            }

            if (error instanceof errors.JWTClaimValidationFailed) {
                return refusedClaim(error.claim, error.payload, config);
            }

            if (error instanceof errors.JOSEError) {
                // The message may quote a name from the token's header, which may be long.
                return new RejectedToken(reasons[error.code] ?? error.message.slice(0, 200));
            }

            // All other errors are caused by an invalid key of the provider.
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
