import { keyShape } from '../http/idempotency';
import type { HeaderName } from './operation';
import type { JsonSchema } from './schemas';

interface Header {
    description: string;
    /** whether the response always has it */
    required?: boolean;
    schema: JsonSchema;
    example: string | number;
}

const count = { type: 'integer', minimum: 0 };
const seconds = { type: 'integer', minimum: 1 };
const text = { type: 'string' };

/** Response headers. */
export const headers: Readonly<Record<string, Header>> = {
    'ETag': {
        description: 'Entity tag of what is answered, for `If-None-Match` and `If-Match`. It is weak where counters are in the body.',
        required: true, schema: { ...text, pattern: '^(?:W/)?"[^"]*"$' }, example: '"3.1"'
    },
    'Link': {
        description: 'Where there is more, the way to what follows (RFC 8288).',
        schema: { ...text, pattern: '^<[^>]+>; rel="next"$' }, example: '</projects?count=10&after=MC4xNzY3MjYxNjAwMDAwLjQy>; rel="next"'
    },
    'Location': { description: 'Path of what was made.', required: true, schema: { ...text, format: 'uri-reference' }, example: '/users/3/projects/12' },
    'RateLimit-Limit': { description: 'Requests allowed within the window, where the operation is limited.', schema: count, example: 600 },
    'RateLimit-Remaining': { description: 'Requests left within the window.', schema: count, example: 599 },
    'RateLimit-Reset': { description: 'Seconds until the window ends.', schema: seconds, example: 60 },
    'Retry-After': { description: 'Seconds to wait before trying again.', schema: seconds, example: 2 },
    'WWW-Authenticate': {
        description: 'What kind of token is needed, and what is wrong with the one that was sent (RFC 6750).', schema: text, example: 'Bearer realm="pagewright"'
    },
    'X-Request-Id': {
        description: 'Id of the request in the log: the one it came with, where that is sane, or a new one.',
        required: true, schema: { ...text, pattern: '^[A-Za-z0-9._-]{1,64}$' }, example: '0d0f1c4e-6a5b-4c3f-9d55-2f1f5d4b8a11'
    }
};

type Reference = { $ref: string };

/** References to headers, by their names. */
export const refersTo = (names: readonly string[]): Record<string, Reference> => {
    return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
};

/** The headers of a rate limit. */
export const limitHeaders: readonly string[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Request headers, each with the condition under which an operation reads it. */
export const conditions = {
    'If-None-Match': { description: 'Entity tags that the client holds, or `*`: where one of them still fits, the answer is 304, without a body.', example: '"3.1"' },
    'If-Match': {
        description: 'Entity tags of the state that this was made against, or `*`: where none of them fits any more, nothing is written, and the answer is 412. A browser of another origin has to say it as `revision` in the body.',
        example: '"3"'
    },
    'Last-Event-ID': { description: 'The `id` of the last event that the client received, as an EventSource sends it when it connects again.', schema: { ...text, pattern: '^(?:0|[1-9][0-9]{0,9})$' }, example: '3' },
    'Idempotency-Key': {
        description: `A text of 16 to 255 visible ASCII characters that no other request of the client has, as a UUID, in quotes or without: sent again with it within 24 hours,
the same request is answered as it was the first time, and nothing is done twice. Where the first answer had more than 1 MiB, or more than 4 KiB and ten times the request's body,
what was made is read again, and the results of a bulk are short ones. Of one user, the newest 5,000 answers and 64 MiB are kept. An error is not kept. A browser of another origin cannot send it.`,
        schema: { ...text, pattern: keyShape.source }, example: '"8e03978e-40d5-43e8-bc93-6894a57f9324"'
    }
} as const;

/** The example is only in the schema, because a viewer would put a parameter's own example into the request. */
export const parameterOf = (name: keyof typeof conditions): object => {
    const { description, example, schema = text }: Omit<Header, 'schema'> & { schema?: JsonSchema } = conditions[name];
    return { name, in: 'header', required: false, description, schema: { ...schema, examples: [example] } };
};

export type { HeaderName };
