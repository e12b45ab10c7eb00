import { fault } from '../errors/errors';
import { JsonText } from '../json/json-text';
import { isId } from '../http/schema';

/** A way to a value in the result of an earlier action. */
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

/** The value that a path leads to, through free-form objects as well; undefined where there is none. Own properties only. */
export function valueAt(from: object | undefined, path: readonly string[]): unknown {
    let value: unknown = from;
    for (const step of path) {
        value = value instanceof JsonText ? value.value : value;
        value = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
            ? Object.entries(value).find(([key]) => key === step)?.[1] : undefined;
    }

    return value;
}

/** A value as an id; undefined where it is none. */
export function asId(value: unknown): string | undefined {
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    return typeof text === 'string' && isId(text) ? text : undefined;
}

/** The id that `target` is, or refers to. @throws 400 where what it refers to is no id */
export function idOf(target: unknown, results: readonly object[]): string {
    const reference = referenceIn(target);
    const id = asId(reference === undefined ? target : valueAt(results[reference.action], reference.path));
    if (id === undefined) {
        throw fault(400, 'bad_reference', `${String(target)} does not name an id in the result of that action.`);
    }

    return id;
}

const linkTargets = ['targetPageId', 'targetProjectId', 'targetUserId'];

/** A link's attributes, where a target may refer to what the bulk has just made. Text elsewhere is only text. */
export function resolveLink(attributes: JsonText, results: readonly object[]): JsonText {
    const { value } = attributes;
    const targets = linkTargets.filter((key) => referenceIn(value[key]) !== undefined);
    for (const key of targets) {
        value[key] = idOf(value[key], results);
    }

    return targets.length === 0 ? attributes : new JsonText(JSON.stringify(value));
}
