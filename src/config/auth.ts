import Joi from 'joi';

import type { fullScope } from './scopes';
import { choice } from './values';
import type { Values } from './values';

/** The address of an issuer or an endpoint (OpenID Connect Discovery, section 2): without a query, a fragment or credentials. */
export const trustedUrl = Joi.string().custom((value: string, helpers) => {
    const { protocol, hostname, username, password } = URL.canParse(value) ? new URL(value) : {
        protocol: '', hostname: '', username: '', password: ''
    };
    // Secrets must not cross a network without encryption.
    const closed = protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname));
    return closed && username + password === '' && !/[?#\s]/.test(value) ? value : helpers.error('url.trusted');
}).messages({ 'url.trusted': '{{#label}} must be an https:// address, or an http:// one at 127.0.0.1, [::1] or localhost, without credentials, query or fragment' });

/** One scope, as RFC 6749 section 3.3 spells it. */
const scopeToken = Joi.string().pattern(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'one scope without blanks');

/** Only signatures by a private key. With a shared secret, anyone who can verify a token could also create one. */
const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

const algorithms = Joi.string<readonly string[]>()
    .custom((value: string, helpers) => {
        const names = value.split(',').map((name) => name.trim());
        return names.every((name) => asymmetric.includes(name)) ? names : helpers.error('algorithms');
    })
    .messages({ algorithms: `{{#label}} must list, with commas between them, some of ${asymmetric.join(', ')}` });

/** A setting that is only needed with an external provider. */
const external = (schema: Joi.StringSchema<string>, ...providers: string[]): Joi.StringSchema<string> => schema.default('').when('AUTH_PROVIDER', { is: Joi.valid(...providers), then: Joi.required() })
    .messages({ 'any.required': `{{#label}} is needed with AUTH_PROVIDER=${providers.join(' or ')}. .env.example says what it is` });

/** The settings of signing in. */
export const authSettings = {
    AUTH_PROVIDER: choice('local', 'jwt', 'introspection').default('local'),
    AUTH_ISSUER: external(trustedUrl.max(512), 'jwt', 'introspection'),
    AUTH_AUDIENCE: external(Joi.string().max(512), 'jwt', 'introspection'),
    AUTH_SCOPE_USER: scopeToken.default('user'),
    AUTH_SCOPE_PROJECTS: scopeToken.default('projects'),
    AUTH_LEEWAY: Joi.number().integer().min(0).max(300).default(30),
    AUTH_TIMEOUT: Joi.number().integer().min(100).max(30_000).default(3000),
    AUTH_ALGORITHMS: algorithms.default(['RS256', 'PS256', 'ES256', 'EdDSA']),
    AUTH_INTROSPECTION_URL: external(trustedUrl, 'introspection'),
    AUTH_CLIENT_ID: external(Joi.string(), 'introspection'),
    AUTH_CLIENT_SECRET: external(Joi.string(), 'introspection'),
    AUTH_CACHE_TTL: Joi.number().integer().min(0).max(300).default(10)
};

type AuthValues = Values<typeof authSettings>;

/** An external authorization server whose tokens this service accepts. */
export type ProviderConfig = ReturnType<typeof providerOf>;

const providerOf = (value: AuthValues) => ({
    /** the exact value of the claim `iss` */
    issuer: value.AUTH_ISSUER,
    /** the value that the claim `aud` must contain */
    audience: value.AUTH_AUDIENCE,
    /** the provider's names of our scopes */
    scopes: Object.freeze({ user: value.AUTH_SCOPE_USER, projects: value.AUTH_SCOPE_PROJECTS } satisfies Record<(typeof fullScope)[number], string>),
    /** allowed difference between its clock and ours, in seconds */
    leeway: value.AUTH_LEEWAY,
    /** time limit for its responses, in milliseconds */
    timeout: value.AUTH_TIMEOUT
});

/** Where tokens come from. */
export type AuthConfig = ReturnType<typeof authOf>;
export type JwtConfig = Extract<AuthConfig, { provider: 'jwt' }>;
export type IntrospectionConfig = Extract<AuthConfig, { provider: 'introspection' }>;

export function authOf(value: AuthValues) {
    switch (value.AUTH_PROVIDER) {
        case 'jwt':
            return { provider: 'jwt' as const, ...providerOf(value), algorithms: value.AUTH_ALGORITHMS };
        case 'introspection':
            return {
                provider: 'introspection' as const,
                ...providerOf(value),
                /** the introspection endpoint (RFC 7662) */
                url: value.AUTH_INTROSPECTION_URL,
                clientId: value.AUTH_CLIENT_ID,
                clientSecret: value.AUTH_CLIENT_SECRET,
                /** seconds that an answer is cached; 0 turns the cache off */
                cacheTtl: value.AUTH_CACHE_TTL
            };
        default:
            return { provider: 'local' as const };
    }
}

/** The provider's names of our scopes, which clients request there. */
export const scopeNames = (auth: AuthConfig): Readonly<Record<string, string>> => (auth.provider === 'local' ? { user: 'user', projects: 'projects', read: 'read' } : auth.scopes);
