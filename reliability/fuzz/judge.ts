import type { Schemas } from './answers';
import type { Operation, Parameter } from './description';
import type { Sent } from './requests';

/** What is wrong with a request, by the description's schemas or by a rule in its text. */
export interface Judgement {
    /** undefined if nothing is wrong */
    fault: string | undefined;
    /** whether that is certain: it may depend on headers, or on the content of a cursor */
    sure: boolean;
}

/** Rules that JSON Schema cannot express; the description has them as text. */
const rules: readonly (readonly [string, (value: unknown) => boolean])[] = [
    // A pattern cannot check the keys and values inside free-form objects.
    ['text that cannot be kept', (value) => anywhere(value, (one) => typeof one === 'string' && (one.includes('\u0000') || !one.isWellFormed()))],
    ['the key __proto__', (value) => anywhere(value, (one, isKey) => isKey && one === '__proto__')],
    // JSON does not limit numbers, but a double does.
    ['a number that cannot be held', (value) => anywhere(value, (one) => one === Infinity || one === -Infinity)],
    // Depth would need 32 nested schemas; the size of a text has no schema.
    ['an object that nests too deep', (value) => freeObjectsIn(value).some((one) => depthOf(one) > 32)],
    ['an object that is too large', (value) => freeObjectsIn(value).some((one) => Buffer.byteLength(JSON.stringify(one)) > 2 * 1024 * 1024)],
    ['a body of too many values', (value) => countOf(value) > 50_000],
    // What a reference may lead to depends on its position in the list.
    ['a reference ahead', (value) => actionsOf(value).some(({ data }, index) => ['id', 'projectId', 'pageId'].some((field) => {
        const [, to] = /^\$(\d+)\./.exec(String(Object(data)[field])) ?? [];
        return typeof Object(data)[field] === 'string' && to !== undefined && Number(to) >= index;
    }))]
];

/** Judges a request to an operation. */
export function judge(operation: Operation, sent: Sent, schemas: Schemas): Judgement {
    const faults = [pathFault(operation, sent, schemas), queryFault(operation, sent, schemas), headerFault(operation, sent, schemas)];
    // A cursor may be forged, a revision beyond the present, and the end of a suspension in the past.
    const unsure = ['after=', 'since=', '/history/', '/suspension'].some((part) => sent.url.includes(part)) || ['content-encoding', 'transfer-encoding', 'expect'].some((name) => name in sent.headers);
    const type = sent.headers['content-type'];
    if (operation.takes.length > 0 && (operation.body === undefined || type !== 'application/json')) {
        // What the bytes have to be is not in the description.
        return { fault: faults.find((one) => one !== undefined), sure: false };
    }

    if (operation.method !== 'GET' && sent.payload !== undefined && sent.payload.length > 0) {
        if (type !== 'application/json') {
            return { fault: undefined, sure: false };
        }

        faults.push(bodyFault(operation, sent.payload, schemas));
    }
    else if (operation.method !== 'GET' && operation.body !== undefined) {
        // No body and `{}` are the same.
        faults.push(schemas.fault(operation.body, {}));
    }

    return { fault: faults.find((one) => one !== undefined), sure: !unsure };
}

function pathFault({ path, parameters }: Operation, { url }: Sent, schemas: Schemas): string | undefined {
    // `..` and similar segments are resolved.
    const segments = new URL(url, 'http://a').pathname.split('/');
    return path.split('/').map((step, index) => {
        const parameter = parameters.find((one) => one.in === 'path' && step === `{${one.name}}`);
        const value = decodeURIComponent(segments[index] ?? '');
        return parameter === undefined ? undefined : parameterFault(parameter, value, schemas);
    }).find((one) => one !== undefined);
}

function queryFault({ parameters }: Operation, { url }: Sent, schemas: Schemas): string | undefined {
    const sent = [...new URL(url, 'http://a').searchParams];
    const known = parameters.filter((one) => one.in === 'query');
    if (sent.some(([name]) => !known.some((one) => one.name === name)) || new Set(sent.map(([name]) => name)).size < sent.length) {
        return 'a query parameter that is not described, or one that is given twice';
    }

    if (known.some(({ name, required }) => required && !sent.some(([one]) => one === name))) {
        return 'a query parameter is missing';
    }

    // `page` of comments is an id.
    if (sent.some(([name]) => name === 'page') && sent.some(([name]) => name === 'after') && known.some(({ name, schema }) => name === 'page' && schema.type === 'integer')) {
        return '"page" together with "after"';
    }

    return known.map((one) => sent.filter(([name]) => name === one.name).map(([, value]) => parameterFault(one, value, schemas))[0]).find((one) => one !== undefined);
}

function headerFault({ parameters }: Operation, { headers }: Sent, schemas: Schemas): string | undefined {
    return parameters.filter((one) => one.in === 'header').map((one) => {
        const value = headers[one.name.toLowerCase()];
        return value === undefined ? undefined : parameterFault(one, value, schemas);
    }).find((one) => one !== undefined);
}

function parameterFault({ name, schema }: Parameter, text: string, schemas: Schemas): string | undefined {
    // A number must be written in its canonical form.
    const value = (schema.type === 'integer' || schema.type === 'number') && String(Number(text)) === text ? Number(text) : text;
    const fault = schemas.fault(schema, value) ?? rules.find(([, breaks]) => breaks(value))?.[0];
    return fault === undefined ? undefined : `${name}: ${fault}`;
}

function bodyFault({ body }: Operation, bytes: Buffer, schemas: Schemas): string | undefined {
    let value: unknown;
    try {
        value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    }
    catch {
        return 'a body that is no JSON in UTF-8';
    }

    return schemas.fault(body ?? { type: 'object', additionalProperties: false }, value) ?? rules.find(([, breaks]) => breaks(value))?.[0];
}

/** Whether a condition holds for a value, or for anything in it, also keys. Not recursive, because values can be deep. */
function anywhere(value: unknown, holds: (one: unknown, isKey: boolean) => boolean): boolean {
    const stack = [value];
    while (stack.length > 0) {
        const one = stack.pop();
        if (holds(one, false) || (!Array.isArray(one) && isObject(one) && Object.keys(one).some((key) => holds(key, true)))) {
            return true;
        }

        // One at a time, because there may be too many for arguments of one call.
        Object.values(isObject(one) ? one : {}).forEach((inner) => stack.push(inner));
    }

    return false;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const actionsOf = (value: unknown): { data?: unknown }[] => {
    const { actions } = Object(value);
    return Array.isArray(actions) ? actions.map((action) => Object(action)) : [];
};

/** The free-form objects of a body and of its actions. */
function freeObjectsIn(value: unknown): object[] {
    return [value, ...actionsOf(value).map(({ data }) => data)].flatMap((one) => [Object(one).attributes, Object(one).styles])
        .filter(isObject);
}

function depthOf(value: unknown): number {
    let depth = 0;
    for (let level = [value]; level.length > 0; level = level.filter(isObject).flatMap((one) => Object.values(one))) {
        depth += level.some(isObject) ? 1 : 0;
    }

    return depth;
}

/** The number of values in a value, outside of its free-form objects. */
function countOf(value: unknown): number {
    let count = 0;
    const stack = [value];
    while (stack.length > 0) {
        const one = stack.pop();
        ++count;
        if (isObject(one)) {
            Object.entries(one).forEach(([key, inner]) => void (key === 'attributes' || key === 'styles' || stack.push(inner)));
        }
    }

    return count;
}
