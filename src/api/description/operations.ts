import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

import type { RequestRoute } from '@hapi/hapi';
import Joi from 'joi';

import { fieldOf } from '../json/is-object';
import { EVENT_STREAM } from './operation';
import type { Operation } from './operation';
import { errorResponse, errorsOf, takesIfMatch } from './errors';
import type { Deprecated } from '../request/deprecation';
import { deprecationNames, limitHeaders, parameterOf, refersTo } from './headers';
import { tokenSchemes } from './prose';
import { exampleOf, jsonSchemaOf } from './schemas';
import type { Components, JsonSchema } from './schemas';
import type { Shared } from './components';

/** The description of a route; undefined if it is not part of the API. */
export function operationOf(route: RequestRoute, shared: Shared): object | undefined {
    const { settings } = route;
    const operation = settings.plugins?.description?.();
    if (operation === undefined) {
        return undefined;
    }

    return {
        operationId: operation.operationId,
        summary: settings.description,
        description: settings.notes,
        ...operation.deprecated !== undefined && { description: textOf(settings.notes, operation.deprecated), deprecated: true },
        tags: settings.tags,
        security: securityOf(route),
        parameters: parametersOf(route, operation, shared),
        requestBody: requestBodyOf(route, operation, shared),
        responses: Object.fromEntries([...successesOf(route, operation, shared), ...failuresOf(route, operation, shared)])
    };
}

const textOf = (notes: unknown, { since, sunset, use }: Deprecated): string => `${typeof notes === 'string' ? `${notes}\n\n` : ''}**Deprecated** since ${since}: it may be gone from ${sunset} on. Use \`${use}\`.`;

function securityOf({ path, settings }: RequestRoute): object[] {
    if (typeof settings.auth !== 'object') {
        // Only `me` needs a token.
        return path.includes('{user}') ? [{}, ...Object.keys(tokenSchemes).map((name) => ({ [name]: [] }))] : [];
    }

    const { mode, strategies, access } = settings.auth;
    const scopes = access?.flatMap(({ scope }) => fieldOf(scope, 'selection')) ?? [];
    const ofApps = settings.app?.signedIn === true ? [] : ['oauth2', 'openIdConnect'];
    // One of several scopes is enough.
    const sets = scopes.length === 0 ? [[]] : scopes.map((scope) => [scope]);
    return [...mode === 'optional' ? [{}] : [], ...sets.flatMap((set) => [strategies, ofApps].flat().map((name) => ({ [String(name)]: set })))];
}

function parametersOf({ method, settings }: RequestRoute, { operationId, type, headers, errors }: Operation, shared: Shared): { $ref: string }[] {
    const query = parametersIn('query', settings.validate?.query, operationId, shared);
    return [
        ...parametersIn('path', settings.validate?.params, operationId, shared),
        ...query,
        ...headers.includes('ETag') ? [share(shared, 'header.If-None-Match', parameterOf('If-None-Match'))] : [],
        ...type === EVENT_STREAM && query.length > 0 ? [share(shared, 'header.Last-Event-ID', parameterOf('Last-Event-ID'))] : [],
        ...takesIfMatch({ method }, errors) ? [share(shared, 'header.If-Match', parameterOf('If-Match'))] : [],
        ...errors.includes('key_reused') ? [share(shared, 'header.Idempotency-Key', parameterOf('Idempotency-Key'))] : []
    ];
}

function parametersIn(place: 'path' | 'query', joi: unknown, operationId: string, shared: Shared): { $ref: string }[] {
    if (!Joi.isSchema(joi)) {
        return [];
    }

    const { properties, required }: JsonSchema = jsonSchemaOf(joi, shared.schemas);
    return Object.entries({ ...properties }).map(([name, { description, ...schema }]) => {
        const parameter = { name, in: place, required: required?.includes(name) === true, description, schema };
        const before = shared.parameters[`${place}.${name}`] ?? parameter;
        // Equal names must mean the same in all operations.
        return share(shared, isDeepStrictEqual(before, parameter) ? `${place}.${name}` : `${place}.${name}.${operationId}`, parameter);
    });
}

function share({ parameters }: Shared, name: string, parameter: object): { $ref: string } {
    parameters[name] = parameter;
    return { $ref: `#/components/parameters/${name}` };
}

function requestBodyOf({ settings }: RequestRoute, { body, takes }: Operation, { schemas }: Shared): object | undefined {
    const bytes = bytesOf(takes ?? []);
    const joi = body ?? settings.validate?.payload;
    if (!Joi.isSchema(joi)) {
        return takes && { required: true, content: bytes };
    }

    const schema = jsonSchemaOf(joi, schemas);
    if (Object.keys({ ...schema.properties }).length === 0) {
        return undefined;
    }

    return { required: schema.required !== undefined || schema.anyOf !== undefined, content: { ...contentOf(schema, schemas), ...bytes } };
}

const contentOf = (schema: JsonSchema, schemas: Components, type = 'application/json'): object => ({ [type]: { schema, example: exampleOf(schema, schemas) } });

/** Bytes of some media types: OpenAPI 3.1 wants no schema for what is not text. */
const bytesOf = (types: readonly string[]): object => Object.fromEntries(types.map((type) => [type, {}]));

function successesOf({ settings }: RequestRoute, { type, headers, answers, deprecated }: Operation, { schemas }: Shared): [string, object][] {
    const names = refersTo(['X-Request-Id', ...headers, ...deprecated === undefined ? [] : deprecationNames, ...settings.app?.limit === undefined ? [] : limitHeaders]);
    const successes = Object.entries(answers).map(([status, answer]): [string, object] => {
        return [status, { description: STATUS_CODES[status], headers: names, content: typeof type === 'object' ? bytesOf(type) : contentOf(jsonSchemaOf(answer, schemas), schemas, type) }];
    });
    return headers.includes('ETag') ? [...successes, ['304', { description: 'What the client holds is still so.', headers: names }]] : successes;
}

function failuresOf(route: RequestRoute, operation: Operation, shared: Shared): [string, object][] {
    return [...errorsOf(route, operation.errors)].map(([status, codes]) => [String(status), errorResponse(status, codes, operation, shared)]);
}
