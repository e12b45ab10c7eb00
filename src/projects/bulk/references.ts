import { fault } from '../../api/errors/errors';
import { hasMembers } from '../../api/json/is-object';
import { JsonText } from '../../api/json/json-text';
import { depthCounter } from '../../api/json/nesting';
import { isId } from '../../api/request/schema';
import { MAX_REFERENCED } from '../../limits';

/** A path to a value in the result of an earlier action. */
export interface Reference {
    action: number;
    path: string[];
}

export const shape = /^\$(0|[1-9][0-9]{0,2})((?:\.[A-Za-z0-9_-]{1,64}){1,16})$/;

/** Reads `"$N.path"`; undefined for anything else. */
export function referenceIn(value: unknown): Reference | undefined {
    const [, action, path] = typeof value === 'string' ? shape.exec(value) ?? [] : [];
    return action === undefined || path === undefined ? undefined : { action: Number(action), path: path.slice(1).split('.') };
}

/** Parses a free-form object; undefined for what is too large. */
export type Parse = (json: JsonText) => unknown;

/** A parser for the free-form objects that references lead into: it parses each once, and no more than `MAX_REFERENCED` of them in all. */
export function boundedParser(): Parse {
    const parsed = new Map<JsonText, unknown>();
    let left = MAX_REFERENCED;
    return (json) => {
        if (!parsed.has(json) && json.text.length <= left) {
            left -= json.text.length;
            parsed.set(json, JSON.parse(json.text));
        }

        return parsed.get(json);
    };
}

/** As JSON has it: neither inherited nor the length of a list. */
const isMember = (outer: object, name: string): boolean => Object.prototype.propertyIsEnumerable.call(outer, name);

/** The value at a path; undefined if there is none. */
export function valueAt(from: object | undefined, path: readonly string[], parse: Parse): unknown {
    let value: unknown = from;
    for (const step of path) {
        const outer = value instanceof JsonText ? parse(value) : value;
        value = hasMembers(outer) && isMember(outer, step) ? outer[step] : undefined;
    }

    return value;
}

/** A value as an id; undefined if it is none. */
export function asId(value: unknown): string | undefined {
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    return typeof text === 'string' && isId(text) ? text : undefined;
}

/** The results of earlier actions, which references are resolved against. */
export interface Earlier {
    /** results of the actions before */
    results: readonly object[];
    parse: Parse;
}

/** The id that `target` is or refers to. @throws 400 `bad_reference` if it refers to anything else */
export function idOf(target: unknown, { results, parse }: Earlier): string {
    const reference = referenceIn(target);
    const id = asId(reference === undefined ? target : valueAt(results[reference.action], reference.path, parse));
    if (id === undefined) {
        throw fault('bad_reference', String(target));
    }

    return id;
}

/** A link's target in JSON text as JSON.stringify writes it. Inside of a string, the quotes would be escaped. */
const linkTarget = /(?<!\\)"(targetPageId|targetProjectId|targetUserId)":"(\$[^"\\]*)"/g;

/** The attributes of a link, with references among its targets replaced by the ids they lead to. Text elsewhere stays as it is. */
export function resolveLink(attributes: JsonText, earlier: Earlier): JsonText {
    const depthAt = depthCounter(attributes.text);
    const text = attributes.text.replace(linkTarget, (member: string, key: string, value: string, place: number) => {
        return depthAt(place) === 1 && referenceIn(value) !== undefined ? `"${key}":"${idOf(value, earlier)}"` : member;
    });
    return text === attributes.text ? attributes : new JsonText(text);
}
