import type { Change } from './changes';
import { textChanges } from './changes';
import type { Draft } from './drafts';
import { Bytes, Earlier, Known, kinds } from './drafts';
import { Usual } from './usual';

/** A complete request. */
export interface Sent {
    method: string;
    url: string;
    headers: Record<string, string>;
    payload: Buffer | undefined;
}

/** What is known from earlier responses. */
export interface Knowing {
    valueOf(known: Known): unknown;
    /** all that a path or a valid body names (`Ids` in test/routes/route.ts) */
    paramsFor(draft: Draft): Record<string, string>;
    /** the latest known one */
    revisionOf(kind: Known['what'], id: unknown): unknown;
    authorizationFor(draft: Draft): Promise<string | undefined>;
}

/** Makes a request from a draft, with what is known so far. */
export async function requestOf(draft: Draft, knowing: Knowing): Promise<Sent> {
    const { operation, query, changes } = draft;
    const named = knowing.paramsFor(draft);
    const params = Object.fromEntries(Object.entries({ ...named, ...said(draft.stray, knowing) }).map(([name, value]) => [name, encode(String(value))]));
    const segments = operation.path.split('/').map((segment) => (segment.startsWith('{') ? params[segment.slice(1, -1)] ?? '1' : segment));
    const search = Object.entries(said(query, knowing)).map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`);
    const authorization = await knowing.authorizationFor(draft);
    const sent: Sent = {
        method: operation.method,
        url: '',
        headers: { ...authorization !== undefined && { authorization }, ...Object.fromEntries(Object.entries(said(draft.headers, knowing)).map(([name, value]) => [name.toLowerCase(), String(value)])) },
        payload: undefined
    };

    const kind = [...kinds].reverse().find((name) => operation.path.includes(`{${name}}`)) ?? 'user';
    let body = draft.body instanceof Usual ? draft.body.bodyFor(named) : told(draft.body, knowing, [], knowing.revisionOf(kind, params[kind]));
    for (const change of changes) {
        if (change.at === 'body') {
            body = body instanceof Bytes ? body : changedBody(body, change);
        }
        else if (change.at === 'segment') {
            segments[1 + change.nth % (segments.length - 1)] = change.text;
        }
        else if (change.at === 'query') {
            search.push(change.text);
        }
        else if (change.at === 'path') {
            segments.push(change.text.slice(1));
        }
    }

    if (body instanceof Bytes) {
        sent.payload = body.bytes;
        sent.headers['content-type'] = body.type;
    }
    else if (body !== undefined) {
        sent.payload = Buffer.from(JSON.stringify(body));
        sent.headers['content-type'] = 'application/json';
    }

    sent.url = `${segments.join('/')}${search.length === 0 ? '' : `?${search.join('&')}`}`;
    changes.forEach((change) => changeBytes(sent, change));
    return sent;
}

function changeBytes(sent: Sent, change: Change): void {
    if (change.at === 'text') {
        const text = sent.payload ?? Buffer.from('{}');
        sent.payload = textChanges[change.how](text, change.nth % (text.length + 1));
        sent.headers['content-type'] ??= 'application/json';
    }
    else if (change.at === 'header') {
        sent.headers[change.name] = change.value;
    }
    else if (change.at === 'method') {
        sent.method = change.method;
    }
}

/** Percent-encodes a segment of a path, except `.` and `..`, which a client would resolve. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const said = (named: Record<string, unknown>, knowing: Knowing): Record<string, unknown> => {
    return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, value instanceof Known ? knowing.valueOf(value) : value]));
};

/** Replaces the placeholders in a body. Half of the revisions become the current one of the thing that the body is about. */
function told(value: unknown, knowing: Knowing, actions: readonly unknown[], revision: unknown): unknown {
    if (value instanceof Known) {
        if (value.what === 'revision' && value.nth % 2 === 0) {
            return revision;
        }

        const makers = value instanceof Earlier ? actions.flatMap((action, index) => (makes(action, value.what) ? [index] : [])) : [];
        return makers.length > 0 ? `$${makers[value.nth % makers.length]}.id` : knowing.valueOf(value);
    }

    if (Array.isArray(value)) {
        return value.map((one, index) => told(one, knowing, value.slice(0, index), revision));
    }

    if (typeof value !== 'object' || value === null || value instanceof Bytes) {
        return value;
    }

    const id: unknown = Reflect.get(value, 'id');
    const own = id instanceof Known ? knowing.revisionOf(id.what, told(id, knowing, actions, undefined)) : revision;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, told(inner, knowing, actions, own)]));
}

const makes = (action: unknown, what: string): boolean => {
    const { type, method } = Object(action);
    return method === 'create' && type === `${what}s`;
};

function changedBody(body: unknown, { nth, how, key, value: given }: Change & { at: 'body' }): unknown {
    // A copy, because a second change could otherwise put a value into itself.
    const value = structuredClone(given);
    const whole = { body };
    const places = placesIn(whole);
    const [outer, inner] = places[nth % places.length] ?? [whole, 'body'];
    if (how === 'replace') {
        Reflect.set(outer, inner, value);
    }
    else if (how === 'remove') {
        Reflect.deleteProperty(outer, inner);
    }
    else {
        const target: unknown = Reflect.get(outer, inner);
        Reflect.set(typeof target === 'object' && target !== null ? target : outer, key, value);
    }

    return whole.body;
}

/** Every place inside a value: the containing object or array, and the key. */
function placesIn(whole: object): [object, string][] {
    return Object.entries(whole).flatMap(([key, value]): [object, string][] => [[whole, key], ...typeof value === 'object' && value !== null ? placesIn(value) : []]);
}
