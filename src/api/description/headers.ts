import { KEPT_HOURS, MAX_HEADER, MAX_KEPT, MAX_KEPT_BODY_BYTES, MAX_KEPT_BYTES, inBytes, inWords } from '../../limits';
import { keyShape } from '../request/idempotency';
import type { HeaderName } from './operation';
import type { JsonSchema } from './schemas';

interface Header {
    description: string;
    /** whether the response always has it */
    required?: boolean;
    schema: JsonSchema;
    example: string | number;
}

const count = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 };
const seconds = { ...count, minimum: 1 };
const text = { type: 'string', maxLength: MAX_HEADER };

/** Response headers. */
export const headers: Readonly<Record<string, Header>> = {
    'Deprecation': { description: 'Since when the operation should not be used any more, in seconds since 1970 (RFC 9745).', schema: { ...text, pattern: '^@[0-9]{1,12}$' }, example: '@1801353600' },
    'ETag': {
        description: 'Entity tag of the response, for `If-None-Match` and `If-Match`. It is weak if the body has counters.',
        required: true, schema: { ...text, pattern: '^(?:W/)?"[^"]*"$' }, example: '"3.1"'
    },
    'Link': {
        description: 'The address of the next page, if there is one (RFC 8288); of an operation that is to go, also that of what replaces it (`successor-version`).',
        schema: { ...text, pattern: '^<[^>]+>; rel="(?:next|successor-version)"(?:, <[^>]+>; rel="successor-version")?$' }, example: '</projects?count=10&after=MC4xNzY3MjYxNjAwMDAwLjQy>; rel="next"'
    },
    'Location': { description: 'Path of the new resource.', required: true, schema: { ...text, format: 'uri-reference' }, example: '/users/3/projects/12' },
    'Accept-Patch': { description: 'The media type that the body of a PATCH can have (RFC 5789).', schema: text, example: 'application/json' },
    'RateLimit': {
        description: 'The rate limit nearest to its end: its name, the requests left (`r`), and the seconds until its time window ends (`t`), as the draft draft-ietf-httpapi-ratelimit-headers-10 of the IETF has it.',
        schema: { ...text, pattern: '^"[A-Za-z]+";r=[0-9]+;t=[0-9]+$' }, example: '"writes";r=599;t=60'
    },
    'RateLimit-Policy': {
        description: 'The same limit: its name, the requests allowed (`q`) in its time window, and the seconds of that (`w`).', schema: { ...text, pattern: '^"[A-Za-z]+";q=[0-9]+;w=[0-9]+$' }, example: '"writes";q=600;w=60'
    },
    'RateLimit-Limit': { description: 'Requests allowed in the time window, if the operation has a rate limit.', schema: count, example: 600 },
    'RateLimit-Remaining': { description: 'Requests left in the time window.', schema: count, example: 599 },
    'RateLimit-Reset': { description: 'Seconds until the time window ends.', schema: seconds, example: 60 },
    'Retry-After': { description: 'Seconds to wait before trying again.', schema: seconds, example: 2 },
    'Sunset': { description: 'From when on the operation may be gone (RFC 8594).', schema: text, example: 'Mon, 31 Jan 2028 00:00:00 GMT' },
    'WWW-Authenticate': {
        description: 'What kind of token is needed, and what is wrong with the one that was sent (RFC 6750).', schema: text, example: 'Bearer realm="pagewright"'
    },
    'X-Request-Id': {
        description: 'Id of the request in the log: the one that the client sent, if it is valid, or a new one.',
        required: true, schema: { ...text, pattern: '^[A-Za-z0-9._-]{1,64}$' }, example: '0d0f1c4e-6a5b-4c3f-9d55-2f1f5d4b8a11'
    }
};

type Reference = { $ref: string };

/** References to headers, by their names. */
export const refersTo = (names: readonly string[]): Record<string, Reference> => {
    return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
};

/** The headers of an operation that is to go. */
export const deprecationNames: readonly string[] = ['Deprecation', 'Sunset', 'Link'];

/** The headers of a rate limit. */
export const limitHeaders: readonly string[] = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Request headers, each with the condition under which an operation reads it. */
const conditions = {
    'If-None-Match': { description: 'Entity tags that the client has, or `*`. If one of them matches, the response is 304 without a body.', example: '"3.1"' },
    'If-Match': {
        description: 'Entity tags of the version that the write is based on, or `*`. If none of them matches, nothing is written, and the response is 412. A page of another origin can only send `revision` in the body for one account, project, page or element.',
        example: '"3"'
    },
    'Last-Event-ID': { description: 'The `id` of the last event that the client received, as an EventSource sends it when it connects again.', schema: { ...text, pattern: '^(?:0|[1-9][0-9]{0,9})$' }, example: '3' },
    'Idempotency-Key': {
        description: `A unique text of 16 to 255 visible ASCII characters, such as a UUID, with or without quotes. If the same request is sent again with the same key within ${KEPT_HOURS} hours,
it gets the first response again, and nothing is done twice. If the first response had more than ${inBytes(MAX_KEPT_BODY_BYTES)}, or more than 4 KiB and ten times the size of the request's body,
the result is read again, and the results of a bulk are short ones. The newest ${inWords(MAX_KEPT)} responses of a user are kept, up to ${inBytes(MAX_KEPT_BYTES)}. Errors are not kept.`,
        schema: { ...text, pattern: keyShape.source }, example: '"8e03978e-40d5-43e8-bc93-6894a57f9324"'
    }
} as const;

/** The example is only in the schema, because a viewer would put a parameter's own example into the request. */
export const parameterOf = (name: keyof typeof conditions): object => {
    const { description, example, schema = text }: Omit<Header, 'schema'> & { schema?: JsonSchema } = conditions[name];
    return { name, in: 'header', required: false, description, schema: { ...schema, examples: [example] } };
};

export type { HeaderName };
