import { createHash } from 'node:crypto';

import fc from 'fast-check';

import { PASSWORD } from '../../test/support/server';
import { fileOf, projectZip } from '../../test/support/zips';
import { changes } from './changes';
import type { Change } from './changes';
import type { Description, Operation, Parameter } from './description';
import { operationsOf } from './description';
import { Usual, senders, usualQuery, usualSender } from './usual';
import type { Sender } from './usual';
import { Values } from './values';

/** Kinds of things, each with the name of its path parameter. */
export const kinds = ['user', 'project', 'page', 'element', 'comment', 'token'] as const;
export type Kind = typeof kinds[number];

/** A placeholder for something that is known only after earlier responses: the nth known one. */
export class Known {
    readonly what: Kind | 'username' | 'tag' | 'cursor' | 'revision';
    readonly nth: number;

    constructor(what: Known['what'], nth: number) {
        this.what = what;
        this.nth = nth;
    }
}

/** In a bulk: a reference to a thing that an earlier action creates, if one does. */
export class Earlier extends Known {}

/** A body that is bytes. */
export class Bytes {
    readonly type: string;
    readonly bytes: Buffer;

    constructor(type: string, bytes: Buffer) {
        this.type = type;
        this.bytes = bytes;
    }
}

/** An asset that can be sent, and the name that it then has. */
const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
export const DRAWING = createHash('sha256').update(drawing).digest('hex');

/** Files that can be sent. */
const files: readonly Bytes[] = [
    new Bytes('image/svg+xml', drawing),
    new Bytes('application/zip', projectZip(fileOf({ title: 'Plants' }, [{ x: 0, y: 0, elements: [{ type: 'text', attributes: { text: 'Tomatoes' } }] }]))),
    new Bytes('text/markdown', Buffer.from('# Plants\n\nTomatoes'))
];

/** Files of these types. */
const filesOf = (types: readonly string[]): fc.Arbitrary<Bytes> => fc.constantFrom(...files.filter(({ type }) => types.includes(type)));

/** Bodies of these types: what fits them, and what does not. */
const bytesOf = (types: readonly string[]): fc.Arbitrary<Bytes> => fc.oneof({ weight: 2, arbitrary: filesOf(types) }, {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...types, 'text/plain'), fc.oneof(fc.constantFrom(...files.map(({ bytes }) => bytes)), fc.uint8Array({ maxLength: 500 })))
        .map(([type, bytes]) => new Bytes(type, Buffer.from(bytes)))
});

/** A generated request: the operation, its target and its caller, with placeholders. */
export interface Draft {
    operation: Operation;
    caller: Sender;
    scheme: 'token' | 'Bearer';
    /** which of the possible things it is about */
    nth: number;
    /** whether it is about what the requests before have made */
    newest: boolean;
    /** path parameters that differ from those of the thing it is about */
    stray: Record<string, unknown>;
    query: Record<string, unknown>;
    headers: Record<string, unknown>;
    body: unknown;
    changes: readonly Change[];
    /** whether to compare what is stored, if the request is rejected */
    compare: boolean;
}

const known = (what: Known['what']): fc.Arbitrary<Known> => fc.nat(30).map((nth) => new Known(what, nth));
const earlier = (what: Known['what']): fc.Arbitrary<Known> => fc.nat(30).map((nth) => new Earlier(what, nth));

/** Attributes of a link. All keys are optional, and their values may be ids of existing things, or anything else. */
const linkTargets = fc.record({
    targetProjectId: fc.oneof(known('project'), fc.constantFrom(null, '', 0, '$0.id', '9223372036854775808')),
    targetPageId: fc.oneof(known('page'), fc.constantFrom(null, '', 1, '$1.id', 1e300)),
    targetUserId: fc.oneof(known('user'), fc.constantFrom(null, '$0.user_id'))
}, { requiredKeys: [] });

/** Ids of existing or deleted things, for the places in bodies that need them. */
function special(place: string): fc.Arbitrary<unknown> | undefined {
    const [, named] = /(Project|Page|Element)Action\.data\.id$/.exec(place) ?? [];
    const own = kinds.find((kind) => kind === named?.toLowerCase());
    if (own !== undefined) {
        return fc.oneof(known(own), earlier(own));
    }

    const [, about] = /^(?:createComment|listComments)\.(page|element|reply_to|thread)$/.exec(place) ?? [];
    if (about !== undefined) {
        return known(kinds.find((kind) => kind === about) ?? 'comment');
    }

    switch (place.split('.').at(-1)) {
        case 'revision':
            return known('revision');
        case 'projectId':
            return fc.oneof(known('project'), earlier('project'));
        case 'pageId':
            return fc.oneof(known('page'), earlier('page'));
        case 'attributes':
            return linkTargets;
        case 'password':
        case 'current_password':
            return fc.constant(PASSWORD);
        case 'username':
            return place.startsWith('createUser.') ? undefined : known('username');
        case 'x':
        case 'y':
            return fc.integer({ min: -2, max: 2 });
        default:
            return /^(?:createElement|CreateElementAction\.data)\.type$/.test(place) ? fc.constantFrom('link', 'text') : undefined;
    }
}

/** Only a few, so that some are repeated. */
const keys = ['8e03978e-40d5-43e8-bc93-6894a57f9324', '"8e03978e-40d5-43e8-bc93-6894a57f9325"'];

/** The characters that a header may have: no control characters except the tab. */
const headerText = (text: unknown): string => String(text).replace(/[^\t\x20-\x7E\x80-\xFF]/g, '').trim();

/** Operations that hash a password, have a large response, or make later requests fail are less frequent. */
const rare = new Set([
    'changePassword', 'createToken', 'createUser', 'deleteClass', 'deleteProject', 'deleteTokens', 'deleteUser', 'getDescription', 'holdProject',
    'removePerson', 'resetPassword', 'suspendPerson', 'suspendUser'
]);

/** Requests that are to come before one that succeeds, and whether it is about what they make. Before a DELETE, it is the PUT of the same path. */
const before: Readonly<Record<string, { first: readonly string[]; newest: boolean }>> = {
    appeal: { first: ['holdProject', 'listStatements'], newest: true }, deleteAnnouncement: { first: ['createAnnouncement'], newest: true },
    getUpstream: { first: ['createRemix'], newest: true }, pullUpstream: { first: ['createRemix'], newest: true },
    restorePerson: { first: ['removePerson'], newest: false }, startWork: { first: ['createAssignment'], newest: true },
    undoChange: { first: ['updateProject'], newest: false }
};

/** Requests for every operation of a description, and for unknown paths: one, or several that succeed in this order. */
export function draftsFor(description: Description): fc.Arbitrary<Draft[]> {
    const values = new Values(description.components.schemas, special);
    const operations = operationsOf(description);
    return fc.oneof(...operations.map((operation) => {
        const { operationId, method, path } = operation;
        const first = operations.filter((one) =>
            before[operationId]?.first.includes(one.operationId) ?? (method === 'DELETE' && one.method === 'PUT' && one.path === path));
        return {
            weight: rare.has(operationId) ? 3 : 6,
            arbitrary: fc.oneof(drafts(operation, values).map((draft) => [draft]), usualDrafts([...first, operation], before[operationId]?.newest === true))
        };
    }));
}

/** Requests that can succeed, about the same things. @param newest whether the last one is about what those before have made */
const usualDrafts = (operations: readonly Operation[], newest: boolean): fc.Arbitrary<Draft[]> => {
    // The first two things of a kind are there from the start.
    return fc.nat(1).chain((nth) => fc.tuple(...operations.map((operation, at): fc.Arbitrary<Draft> => fc.record({
        operation: fc.constant(operation), caller: fc.constant(usualSender(operation)), scheme: fc.constant('token' as const), nth: fc.constant(nth),
        newest: fc.constant(newest && at === operations.length - 1), stray: fc.constant({}), query: fc.constant(usualQuery(operation)), headers: fc.constant({}),
        body: operation.takes.length > 0 && operation.body === undefined ? filesOf(operation.takes) : fc.constant(new Usual(operation)),
        changes: fc.constant([]), compare: fc.constant(false)
    }))));
};

function drafts(operation: Operation, values: Values): fc.Arbitrary<Draft> {
    const parameters = (place: Parameter['in'], arbitraryOf: (parameter: Parameter) => fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> => {
        const some = operation.parameters.filter((one) => one.in === place);
        return fc.record(Object.fromEntries(some.map((one) => [one.name, arbitraryOf(one)])), { requiredKeys: some.filter((one) => place === 'query' && one.required).map((one) => one.name) });
    };

    const valueOf = ({ name, schema }: Parameter): fc.Arbitrary<unknown> => values.of(schema, `${operation.operationId}.${name}`);
    return fc.record({
        operation: fc.constant(operation),
        caller: fc.oneof(
            { weight: 8, arbitrary: fc.constant(usualSender(operation)) }, { weight: 2, arbitrary: fc.constant<Sender>('moderator') },
            { weight: 4, arbitrary: fc.constantFrom(...senders) }
        ),
        scheme: fc.constantFrom('token', 'Bearer'),
        nth: fc.nat(60),
        newest: fc.constant(false),
        // Mostly none, so that the path leads to a thing.
        stray: fc.oneof({ weight: 7, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: parameters('path', (one) => {
            const kind = kinds.find((name) => name === one.name);
            return kind === undefined ? valueOf(one) : fc.oneof(known(kind), valueOf(one));
        }) }),
        query: parameters('query', (one) => (one.name === 'after' ? fc.oneof(known('cursor'), valueOf(one)) : valueOf(one))),
        headers: parameters('header', (one) => (one.name === 'Idempotency-Key' ? fc.oneof(fc.constantFrom(...keys), valueOf(one)) :
            fc.oneof(known('tag'), fc.constant('*'), valueOf(one).map(headerText)))),
        body: fc.oneof(
            ...operation.takes.length > 0 ? [bytesOf(operation.takes)] : [],
            ...operation.body !== undefined ? [values.of(operation.body, operation.operationId)] : operation.takes.length > 0 ? [] : [fc.constantFrom(undefined, {})]
        ),
        changes: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(changes, { minLength: 1, maxLength: 2 }) }),
        compare: fc.nat(15).map((n) => n === 0)
    });
}
