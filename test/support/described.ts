import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';

import type { Request, Server } from '@hapi/hapi';
import Ajv from 'ajv/dist/2020';

import type { Config } from '../../src/config/index';
import { MAX_CHEAP_BYTES, MAX_OBJECT_BYTES } from '../../src/limits';
import { describe } from '../../src/api/description/document';
import { jsonOf } from '../../src/api/json/json-text';
import { PROBLEM_TYPE } from '../../src/api/request/problem';
import { fieldOf } from '../../src/api/json/is-object';
import { headersOf } from '../../src/api/request/responses';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** whether a test made this response instead of the service, so that it is not checked against the description */
        planted?: boolean;
    }
}

/** The part of the description that responses are checked against. */
interface Described {
    paths: Record<string, Record<string, DescribedOperation>>;
    components: { headers: Record<string, DescribedHeader>; responses: Record<string, DescribedResponse> };
}

interface DescribedOperation {
    requestBody?: { content: object };
    responses: Record<string, DescribedResponse>;
}

interface DescribedResponse {
    $ref?: string;
    headers: object;
    content?: object;
}

interface DescribedHeader {
    required?: boolean;
    schema: { type: string };
}

/** A description, and its validator. */
interface Description {
    described: Described;
    ajv: Ajv;
}

/** An Ajv that makes simple code of schemas: most are used a few times, and to make the best code of one takes five times as long. */
export const newAjv = (): Ajv => new Ajv({ strict: false, validateFormats: false, inlineRefs: false, code: { optimize: false } });

export function descriptionFrom(described: Described): Description {
    const ajv = newAjv();
    ajv.addSchema(described, 'openapi.json');
    return { described, ajv };
}

/** The file in the working folder, since a built program is in another one. */
const committed = descriptionFrom(JSON.parse(readFileSync('openapi.json', 'utf8')));

/** Descriptions of services with another configuration than the committed one. Making one takes about a second. */
const others = new Map<string, Description>();

/** For tests that run again on changed code. */
export const forgetDescriptions = (): void => others.clear();

/** The committed description, for a service with local accounts; otherwise the service's own. */
function descriptionOf(server: Server, config: Config): Description {
    const local = server.match('post', '/users')?.settings.plugins?.description?.().operationId === 'createUser';
    if (local) {
        return committed;
    }

    const key = JSON.stringify([config.historyDays, config.maxImportBytes, config.trashDays, server.table().map(({ method, path, settings }) => [method, path, settings.plugins?.description?.().operationId])]);
    const description = others.get(key) ?? descriptionFrom(JSON.parse(describe(server, config)));
    others.set(key, description);
    return description;
}

/** What is wrong with a value by the schema at this place of the description; empty if nothing is. */
export function faultsOf({ ajv }: Description, value: unknown, ...place: string[]): string[] {
    const pointer = place.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
    const validate = ajv.getSchema(`openapi.json#${pointer}`);
    if (validate === undefined) {
        throw new Error(`The description has no schema at ${pointer}`);
    }

    return validate(value) === true ? [] : [`${place.slice(0, 3).join(' ')}: ${ajv.errorsText(validate.errors)}`];
}

/** A project with its thumbnails, pages and elements, which the contract has in one body: up to this many bytes in one text, and more in pieces, which wait in a queue. */
const ofPages = { path: /^\/users\/\{user\}\/projects\/\{project\}(?:\/pages\b.*)?$/, bytes: 2 * MAX_OBJECT_BYTES + MAX_CHEAP_BYTES };

/** The lists that have numbered pages. */
const numbered = /^\/(?:discover(?:\/\{language\})?|projects(?:\/tagged\/\{tag\})?|trending|users\/\{user\}\/projects(?:\/\{project\}\/remixes)?)$/;

/** What an operation or a page that is `cheap` may not do: answer with more bytes than are cheap. What is the same for everybody is as long as it was built; files are sent in pieces. */
function unbounded(request: Request): string[] {
    const { route, response } = request;
    if ('isBoom' in response) {
        return [];
    }

    const { source, headers } = response;
    const bytes = typeof source === 'string' || Buffer.isBuffer(source) ? Buffer.byteLength(source) : 0;
    const isMade = (route.settings.plugins?.description !== undefined || String(headers['content-type']).startsWith('text/html')) && !/^\/(?:docs|openapi\.json)/.test(route.path);
    // What waits in a queue is not cheap: a numbered page has all of its projects.
    const isNumbered = numbered.test(route.path) && !new URLSearchParams(request.url.search).has('after');
    const most = !isMade || isNumbered ? Infinity : ofPages.path.test(route.path) ? ofPages.bytes : MAX_CHEAP_BYTES;
    return route.settings.app?.cost === 'cheap' && bytes > most ? [`${bytes} bytes are not cheap`] : [];
}

/** Everything in a response, and in an accepted request, that does not match the description. */
function mismatches(description: Description, request: Request): string[] {
    const { described } = description;
    const { response, route } = request;
    // A story goes the way of an import from there.
    const path = request.app.createsProject === true ? '/users/{user}/projects' : route.path;
    if ('isBoom' in response) {
        return ['an error was left as it is'];
    }

    const method = request.method === 'head' ? 'get' : request.method;
    const operation = described.paths[path]?.[method];
    // Pages for browsers are not operations, and not JSON; and OAuth has its own errors (RFC 6749 section 5.2).
    if (operation === undefined && (response.statusCode < 400 || route.path.startsWith('/oauth/') || String(response.headers['content-type']).startsWith('text/html'))) {
        return [];
    }

    const { source } = response;
    const type = response.headers['content-type'] === PROBLEM_TYPE ? PROBLEM_TYPE : 'application/json';
    // What is kept compressed is checked where it is not.
    const isFile = Buffer.isBuffer(source) && (fieldOf(response.settings, 'compressed') !== null || !String(response.headers['content-type']).startsWith(type));
    const body: unknown = isFile ? source : typeof source === 'string' && source !== '' || Buffer.isBuffer(source) ? JSON.parse(String(source)) : source;
    if (operation === undefined) {
        return faultsOf(description, body, 'components', 'schemas', type === PROBLEM_TYPE ? 'Problem' : 'Error');
    }

    const status = String(response.statusCode);
    const own = operation.responses[status];
    if (own === undefined) {
        return [`${status} is not described`];
    }

    const [place, answer] = own.$ref === undefined ? [['paths', path, method, 'responses', status], own] as const :
        [own.$ref.split('/').slice(1), described.components.responses[String(own.$ref.split('/').at(-1))] ?? own] as const;
    return [
        ...headerMismatches(description, headersOf(response), request, Object.keys(answer.headers)),
        // Files, and bodies that are sent in pieces, are checked by their own tests.
        ...isFile || source instanceof Readable ? [] : answer.content === undefined ? (body === null ? [] : ['a body is not described']) : faultsOf(description, body, ...place, 'content', type, 'schema'),
        ...status.startsWith('2') && operation.requestBody && 'application/json' in operation.requestBody.content && Object.keys(Object(request.orig.payload)).length > 0 ?
            faultsOf(description, JSON.parse(jsonOf(Object(request.orig.payload))), 'paths', path, method, 'requestBody', 'content', 'application/json', 'schema') : []
    ];
}

function headerMismatches(description: Description, headers: Record<string, unknown>, request: Request, allowed: readonly string[]): string[] {
    return Object.entries(description.described.components.headers).flatMap(([name, header]) => {
        const value = name === 'X-Request-Id' ? request.raw.res.getHeader(name) : headers[name.toLowerCase()];
        if (value === undefined) {
            // A HEAD may leave out what is known only when the contents are read (RFC 9110 section 9.3.2), as that of a point in the history does.
            const isUnknown = name === 'ETag' && request.method === 'head' && request.route.path.endsWith('/history/{revision}');
            return allowed.includes(name) && header.required === true && !isUnknown ? [`the header ${name} is missing`] : [];
        }

        const read = header.schema.type === 'integer' ? Number(value) : value;
        return allowed.includes(name) ? faultsOf(description, read, 'components', 'headers', name, 'schema') : [`the header ${name} is not described`];
    });
}

/**
 * Checks every response of a server against its description: status, headers and body, and the body of each accepted
 * request. Differences are added to the list.
 */
export function holdToDescription(server: Server, config: Config, found: string[]): void {
    let description: Description | undefined;
    server.ext('onPreResponse', (request, h) => {
        if (request.app.planted === true) {
            return h.continue;
        }

        description ??= descriptionOf(server, config);
        found.push(...[...mismatches(description, request), ...unbounded(request)].map((what) => `${request.method.toUpperCase()} ${request.path.slice(0, 200)}: ${what}`));
        return h.continue;
    }, { after: ['errors', 'rate-limits', 'requests', 'body', 'methods', 'token-strategy'] });
}
