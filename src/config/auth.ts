import Joi from 'joi';

/** The scopes that a token can have. */
export const scopes = ['user', 'projects'] as const;
export type Scope = (typeof scopes)[number];

/** Where tokens come from. */
export type AuthConfig = { readonly provider: 'local' } | JwtConfig | IntrospectionConfig;

/** An external authorization server whose tokens this service accepts. */
export interface ProviderConfig {
    /** the exact value of the claim `iss` */
    readonly issuer: string;
    /** the value that the claim `aud` must contain */
    readonly audience: string;
    /** the provider's names of our scopes */
    readonly scopes: Readonly<Record<Scope, string>>;
    /** allowed difference between its clock and ours, in seconds */
    readonly leeway: number;
    /** time limit for its responses, in milliseconds */
    readonly timeout: number;
}

export interface JwtConfig extends ProviderConfig {
    readonly provider: 'jwt';
    readonly algorithms: readonly string[];
}

export interface IntrospectionConfig extends ProviderConfig {
    readonly provider: 'introspection';
    /** the introspection endpoint (RFC 7662) */
    readonly url: string;
    readonly clientId: string;
    readonly clientSecret: string;
    /** seconds that an answer is cached; 0 turns the cache off */
    readonly cacheTtl: number;
}

/** The provider's names of our scopes, which clients request there. */
export const scopeNames = (auth: AuthConfig): Readonly<Record<string, string>> => (auth.provider === 'local' ? { user: 'user', projects: 'projects' } : auth.scopes);

/** The address of an issuer or an endpoint (OpenID Connect Discovery, section 2): without a query, a fragment or credentials. */
export const trustedUrl = Joi.string().custom((value: string, helpers) => {
    const { protocol, hostname, username, password } = URL.canParse(value) ? new URL(value) : { protocol: '', hostname: '', username: '', password: '' };
    // Secrets must not cross a network without encryption.
    const closed = protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname));
    return closed && username + password === '' && !/[?#\s]/.test(value) ? value : helpers.error('url.trusted');
}).messages({ 'url.trusted': '{{#label}} must be an https:// address, or an http:// one at 127.0.0.1, [::1] or localhost, without credentials, query or fragment' });

/** One scope, as RFC 6749 section 3.3 spells it. */
export const scopeToken = Joi.string().pattern(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'one scope without blanks');

/** Only signatures by a private key. With a shared secret, anyone who can verify a token could also create one. */
const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

export const algorithms = Joi.string()
    .custom((value: string, helpers) => {
        const names = value.split(',').map((name) => name.trim());
        return names.every((name) => asymmetric.includes(name)) ? names.join(',') : helpers.error('algorithms');
    })
    .messages({ algorithms: `{{#label}} must list, with commas between them, some of ${asymmetric.join(', ')}` });
