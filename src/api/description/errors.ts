import assert from 'node:assert';
import { STATUS_CODES } from 'node:http';

import type { RequestRoute } from '@hapi/hapi';
import Joi from 'joi';

import { MAX_CONFLICTS, MAX_HEADER } from '../../limits';
import { writer } from '../representations/change';
import { PROBLEM_TYPE } from '../request/problem';
import { MAX_DETAIL } from '../request/validation-errors';
import { shownId } from '../request/schema';
import { pointers, record, time } from '../representations/shapes';
import { PRECONDITION_FAILED, errorDefinitions } from '../errors/registry';
import type { ErrorCode, Errors } from '../errors/registry';
import { isObject } from '../json/is-object';
import { thingTypes } from '../representations/things';
import type { Operation } from './operation';
import { deprecationNames, limitHeaders, refersTo } from './headers';
import { exampleOf, jsonSchemaOf } from './schemas';
import type { Components, JsonSchema } from './schemas';
import type { Shared } from './components';

const fields = {
    statusCode: Joi.number().integer().min(400).max(599).description('The status of the response.').example(400),
    error: Joi.string().max(40).description('The name of the status.').example('Bad Request'),
    message: Joi.string().max(MAX_HEADER).description('What is wrong, and what to do about it, for people.').example('The request does not validate.'),
    code: Joi.string().pattern(/^[a-z_]+$/).max(40).description('What is wrong, for programs. It stays the same even if the message changes.').example('validation_failed'),
    details: Joi.array().items(record({
        path: Joi.string().max(MAX_DETAIL).description('The place in the body, the path or the query string; empty for the whole request.'),
        message: Joi.string().max(MAX_DETAIL).description('What is wrong at this place.')
    })).min(1).max(100).optional().description('All errors of an invalid request; only the first if the body has more than 10,000 values.')
        .example([{ path: 'title', message: '"title" is required' }]),
    action: Joi.number().integer().min(0).max(999).optional().description('Which action of a bulk failed, counted from 0.').example(0),
    suspension: record({
        reason: Joi.string().max(1000).description('Why.').example('Spam in many projects'),
        until: time.allow(null).description('When it ends, in UTC; null if no end was set.').example('2026-04-01T00:00:00.000Z')
    }).optional().description('The suspension of the caller\'s account.'),
    nearest: Joi.number().integer().min(1).max(2 ** 31 - 1).allow(null).optional().description('The closest older point of the history that is still kept; null if there is none.').example(3),
    request_id: Joi.string().pattern(/^[A-Za-z0-9._-]{1,64}$/).description('Id of the request in the log, also as `X-Request-Id`.').example('0d0f1c4e-6a5b-4c3f-9d55-2f1f5d4b8a11')
};

/** The body of an error as RFC 9457 has it. */
const problem = Joi.object({
    type: Joi.string().max(100).required().description('Address of what is said about the code, relative to that of the request.').example('/docs/errors#validation_failed'),
    title: Joi.string().max(40).required().description('The code in words.').example('Validation failed'),
    status: fields.statusCode.required(),
    detail: fields.message.required(),
    instance: Joi.string().max(MAX_HEADER).required().description('The path of the request.').example('/users/3/projects'),
    code: fields.code.required()
}).unknown().id('Problem').description('The body of every error for a client whose `Accept` prefers `application/problem+json` (RFC 9457). Other fields are those of the same error as `application/json`.');

const error = record(fields).id('Error').description('The body of every error.');

/** The body of an error that may be a revision conflict. */
const conflict = (current: Joi.Schema, name: string): Joi.Schema => record({
    ...fields,
    current: current.optional(),
    base: Joi.alternatives(current, Joi.valid(null)).optional().description('The thing at the revision that the request named; null if it never had that revision, or if that is not kept.'),
    conflicts: pointers('/title').optional()
        .description('JSON Pointers (RFC 6901) to the fields that both sides changed to different values: `/title`, `/position`, `/attributes/text`. Empty for a deletion. All fields that differ, if `base` is null.'),
    changed_by: writer.optional().description('The user who made the last change; null if not known.')
}).id(`${name}Conflict`).description('An error. If the revision did not match, `current` is the present state: merge your change with it, and send it again.');

/** The body of an error that may be a conflict of an undo. */
const undoConflict = record({
    ...fields,
    conflicts: Joi.array().max(MAX_CONFLICTS).items(record({
        type: Joi.valid(...thingTypes).description('What it is.').example('element'),
        id: shownId.description('Its id.').example('95'),
        fields: pointers('/attributes/text').description('JSON Pointers (RFC 6901) to the fields that were changed since then; empty for the whole thing.')
    })).optional().description('Things that were changed since then, at most 1,000.')
}).id('UndoConflict').description('An error. If something was changed after the change that should be undone, `conflicts` lists it.');

/** The body of an error that may be a conflict of a pull. */
const mergeConflict = record({
    ...fields,
    conflicts: Joi.array().max(MAX_CONFLICTS).items(record({
        type: Joi.valid(...thingTypes).description('What it is.').example('element'),
        id: shownId.allow(null).description('Its id in the remix; null if the remix no longer has it.').example('195'),
        source_id: shownId.description('Its id in the source.').example('95'),
        fields: pointers('/attributes/text').description('JSON Pointers (RFC 6901) to the fields that both sides changed; empty if one side removed the whole thing.')
    })).optional().description('Things that both sides changed, at most 1,000.')
}).id('MergeConflict').description('An error. If both sides changed the same things, `conflicts` lists them.');

/** Fields of an error that others do not have, by its code. */
const shownBy: Partial<Record<ErrorCode, Joi.Schema>> = { undo_conflict: undoConflict, merge_conflict: mergeConflict };

/** The codes of a route's errors by status: those of its own, and those that follow from its options. */
export function errorsOf({ method, path, settings }: RequestRoute, own: Errors): Map<number, ErrorCode[]> {
    const hasBody = method !== 'get';
    const auth = typeof settings.auth === 'object' ? settings.auth : undefined;
    const codes = new Set(own);
    const add = (...more: readonly ErrorCode[]): void => more.forEach((code) => codes.add(code));

    add('bad_request', 'validation_failed', ...settings.app?.texts === undefined ? [] : ['words_blocked'] as const);
    if (path.includes('{')) {
        add('malformed_path');
    }

    // Where no token is needed, `me` in the path needs one.
    const mayNeedToken = auth === undefined && path.includes('{user}');
    if (mayNeedToken) {
        add('no_account');
    }

    if (auth !== undefined || mayNeedToken) {
        add('invalid_token');
        add('provider_unavailable');
    }

    // A token may be for some projects alone, also where it is looked at only if there is nothing for everybody.
    if (auth !== undefined || mayNeedToken || own.includes('invalid_token')) {
        add('outside_token');
    }

    if (settings.app?.notManaged === true) {
        add('managed_account');
    }

    if (settings.app?.signedIn === true) {
        add('sign_in_needed');
    }

    if (auth?.access !== undefined) {
        add('insufficient_scope');
    }

    if (auth !== undefined && hasBody && settings.app?.whileSuspended !== true) {
        add('suspended');
        if (settings.app?.whilePaused !== true) {
            add('paused');
        }
    }

    if (hasBody) {
        add('malformed_body');
        add('request_timeout');
        add('payload_too_large');
        add('unsupported_encoding', 'unsupported_media_type');
    }

    add('too_much_in_progress');
    if (settings.app?.limit !== undefined) {
        add('rate_limited');
    }

    add('internal_error');
    add('service_unavailable', 'database_read_only', 'storage_full', 'try_again', 'overloaded');
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of codes) {
        const { status } = errorDefinitions[code];
        byStatus.set(status, [...byStatus.get(status) ?? [], code]);
    }

    if (takesIfMatch({ method }, own)) {
        byStatus.set(PRECONDITION_FAILED, ['revision_conflict']);
    }

    return byStatus;
}

/** Whether a write accepts `If-Match`, which it does if it changes one thing that has an entity tag. */
export const takesIfMatch = ({ method }: Pick<RequestRoute, 'method'>, errors: Errors): boolean => errors.includes('revision_conflict') && method !== 'post';

const headersOf = (status: number, codes: readonly ErrorCode[]): string[] => [
    'X-Request-Id',
    ...status === 429 || status === 503 || codes.includes('request_in_flight') ? ['Retry-After'] : [],
    ...codes.includes('unsupported_media_type') ? ['Accept-Patch'] : [],
    ...status === 401 || codes.includes('insufficient_scope') ? ['WWW-Authenticate'] : [],
    ...limitHeaders
];

/** The description of an error response. Equal ones share one component. */
export function errorResponse(status: number, codes: readonly ErrorCode[], { current, deprecated }: Operation, { schemas, responses }: Shared): { $ref: string } {
    const sorted = [...codes].sort();
    const own = codes.map((code) => shownBy[code]).find((schema) => schema !== undefined);
    const shown = current !== undefined && codes.includes('revision_conflict') ? { current, name: String(current.$_getFlag('id')) } : undefined;
    // It begins with a letter, which generators of clients need.
    const name = [`Error${status}`, ...sorted, ...shown === undefined ? [] : [shown.name], ...deprecated === undefined ? [] : ['deprecated']].join('.');
    responses[name] ??= responseOf(status, sorted, jsonSchemaOf(own ?? (shown === undefined ? error : conflict(shown.current, shown.name)), schemas), schemas, deprecated === undefined ? [] : deprecationNames);
    return { $ref: `#/components/responses/${name}` };
}

function responseOf(status: number, codes: readonly ErrorCode[], schema: JsonSchema, schemas: Components, headers: readonly string[]): object {
    const example = exampleOf(schema, schemas);
    return {
        description: codes.map((code) => `\`${code}\`: ${errorDefinitions[code].meaning}`).join('\n\n'),
        headers: refersTo([...headersOf(status, codes), ...headers]),
        content: {
            'application/json': {
                schema: { allOf: [schema, { properties: { statusCode: { type: 'integer', const: status }, code: { type: 'string', enum: codes } } }] },
                examples: Object.fromEntries(codes.map((code) => [code, { value: exampleWith(status, code, example) }]))
            },
            [PROBLEM_TYPE]: { schema: jsonSchemaOf(problem, schemas) }
        }
    };
}

/** The example of an error with this code, with only the fields that it has. */
function exampleWith(status: number, code: ErrorCode, example: unknown): object {
    assert(isObject(example));
    const { details, action, nearest, suspension, current, base, conflicts, changed_by, ...common } = example;
    return {
        ...common, statusCode: status, error: STATUS_CODES[status], message: errorDefinitions[code].example, code,
        ...code === 'validation_failed' && { details },
        ...code === 'bad_reference' && { action },
        ...code === 'history_gone' && { nearest },
        ...code === 'suspended' && { suspension },
        ...code in shownBy && { conflicts },
        ...code === 'revision_conflict' && { current, base, conflicts, changed_by }
    };
}
