import type { RequestRoute } from '@hapi/hapi';

import { isObject } from '../json/is-object';

/*
 * Which routes have to say whether they need a token of a sign-in. A token of an app, and one for scripts, is in hands that nobody sees, and it is not to become more than it is.
 */

/** Names of fields that are secrets, wherever in a response they are. */
const secrets = new Set(['access_token', 'client_secret', 'code', 'codes', 'key', 'passphrase', 'password', 'pictures', 'secret']);

/** Fields of the response to a write to an account, to the people of a class or to what signs somebody in. */
const people = new Set(['address', 'app', 'authorization', 'device', 'identity', 'passkey', 'permission', 'pupil', 'pupils', 'suspension', 'teacher', 'token', 'tokens', 'user']);

/** Where everything is a right over others. */
const overOthers = /^\/(?:admin|moderation)\//;

interface Field {
    key: string;
    schema: object;
}

const isField = (value: unknown): value is Field => isObject(value) && 'key' in value && typeof value.key === 'string' && 'schema' in value && isObject(value.schema);

/** Parts of a Joi schema: fields of an object, items of an array, and alternatives. */
const inside = (schema: object, name: 'items' | 'keys' | 'matches'): unknown[] => {
    const terms = '$_terms' in schema && isObject(schema.$_terms) ? Object.entries(schema.$_terms).find(([term]) => term === name)?.[1] : undefined;
    return Array.isArray(terms) ? terms : [];
};

const fieldsOf = (schema: object): Field[] => inside(schema, 'keys').filter(isField);

/** Routes share most schemas. */
const known = new WeakMap<object, boolean>();

/** Whether a field of a schema, however deep, is a secret. */
function hasSecret(schema: object): boolean {
    const found = known.get(schema) ?? (fieldsOf(schema).some((field) => secrets.has(field.key) || hasSecret(field.schema))
        || inside(schema, 'items').some((item) => isObject(item) && hasSecret(item))
        || inside(schema, 'matches').some((match) => isObject(match) && 'schema' in match && isObject(match.schema) && hasSecret(match.schema)));
    known.set(schema, found);
    return found;
}

/** Why a route has to say something; undefined if it need not. */
function reasonOf({ method, path, settings }: RequestRoute): string | undefined {
    const answers = Object.values(settings.plugins?.description?.().answers ?? {});
    if (overOthers.test(path)) {
        return 'is for rights over others';
    }

    if (answers.some(hasSecret)) {
        return 'shows a secret';
    }

    return method !== 'get' && answers.some((schema) => fieldsOf(schema).some(({ key }) => people.has(key))) ? 'changes an account, the people of a class, or what signs somebody in' : undefined;
}

/**
 * Refuses a route that needs a token and should need one of a sign-in, if it does not say so in `signedIn`, or that it needs none.
 * @throws Error
 */
export function checkSignInRule(route: RequestRoute): void {
    const { method, path, settings: { auth, app } } = route;
    const needsToken = typeof auth === 'object' && auth.mode === 'required';
    const reason = needsToken ? reasonOf(route) : undefined;
    if (reason !== undefined && (app?.signedIn === undefined || (app.signedIn === false && overOthers.test(path)))) {
        throw new Error(`The route ${method.toUpperCase()} ${path} ${reason}: say in options.app.signedIn whether it needs a token of a sign-in (src/api/auth/token-rights.ts)`);
    }
}
