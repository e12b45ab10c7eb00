import Joi from 'joi';

import { trustedUrl } from './auth';
import type { AuthConfig } from './auth';
import type { Values } from './values';

/** A provider of identities (OpenID Connect Core) with which the site signs people in. */
export interface SignInProvider {
    /** what addresses call it */
    id: string;
    /** what people call it */
    name: string;
    issuer: string;
    clientId: string;
    /** null for a public client */
    clientSecret: string | null;
    /** what it is asked for, separated by spaces */
    scope: string;
    /** more parameters of the request, by their names */
    parameters: Readonly<Record<string, string>>;
    /** whether its tokens are used here, and renewed when they end */
    renews: boolean;
}

const MAX_PROVIDERS = 10;

const listed = Joi.array().items(Joi.object({
    id: Joi.string().pattern(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a-z, 0-9 and hyphens').required(),
    name: Joi.string().min(1).max(60).required(),
    issuer: trustedUrl.max(512).required(),
    client_id: Joi.string().max(512).required(),
    client_secret: Joi.string().max(512)
})).min(1).max(MAX_PROVIDERS).unique('id').unique('issuer');

interface Listed {
    id: string;
    name: string;
    issuer: string;
    client_id: string;
    client_secret?: string;
}

const jsonOf = (text: string): unknown => {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
};

const example = '[{"id": "school", "name": "Our school", "issuer": "https://login.example", "client_id": "pagewright", "client_secret": "…"}]';

/** Providers; errors leave out the value, which has secrets. */
const providers = Joi.string<readonly Listed[]>().custom((value: string, helpers) => {
    const { error, value: list } = listed.required().label('SIGN_IN_WITH').validate(jsonOf(value));
    return error === undefined ? list : helpers.error('providers', { example, reason: error.message.replaceAll('"', '') });
}).messages({ providers: '{{#label}} must be a JSON list such as {{#example}}: {{#reason}}' });

/** Parameters as in a query. */
const parameters = Joi.string<Readonly<Record<string, string>>>().custom((value: string) => Object.fromEntries(new URLSearchParams(value))).default({});

/** The settings of signing in by other providers. */
export const signInSettings = {
    SIGN_IN_WITH: providers.default([]).when('AUTH_PROVIDER', { not: 'local', then: Joi.forbidden() }).when('SITE', {
        is: 'off', then: Joi.forbidden()
    })
        .messages({ 'any.unknown': '{{#label}} needs AUTH_PROVIDER=local and SITE=on' }),
    AUTH_SITE_CLIENT_ID: Joi.string<string | null>().max(512).default(null),
    AUTH_SITE_PARAMETERS: parameters
};

/** The id of the one provider that there is with `AUTH_PROVIDER=jwt` or `introspection`. */
const ELSEWHERE = 'provider';

/** The providers that the site signs people in with. @param auth where tokens come from */
export function signInOf(value: Values<typeof signInSettings> & { AUTH_LEEWAY: number; AUTH_TIMEOUT: number }, auth: AuthConfig, hasSite: boolean) {
    const known: SignInProvider[] = value.SIGN_IN_WITH.map(({ id, name, issuer, client_id: clientId, client_secret: clientSecret = null }) => ({ id, name, issuer, clientId, clientSecret, scope: 'openid profile', parameters: {}, renews: false }));
    if (auth.provider !== 'local' && value.AUTH_SITE_CLIENT_ID !== null && hasSite) {
        const { issuer, scopes: { user, projects } } = auth;
        known.push({ id: ELSEWHERE, name: new URL(issuer).host, issuer, clientId: value.AUTH_SITE_CLIENT_ID, clientSecret: null, scope: `openid ${user} ${projects}`, parameters: value.AUTH_SITE_PARAMETERS, renews: true });
    }

    return Object.freeze({
        providers: known,
        /** allowed difference between their clocks and ours, in seconds */
        leeway: value.AUTH_LEEWAY,
        /** time limit for their responses, in milliseconds */
        timeout: value.AUTH_TIMEOUT
    });
}
