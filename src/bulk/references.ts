import { fault } from '../http/faults';
import { isId } from '../http/schema';

/** A way to a value in the result of an earlier action. */
export interface Reference {
    action: number;
    path: string[];
}

const shape = /^\$(0|[1-9][0-9]{0,2})((?:\.[A-Za-z0-9_-]{1,64}){1,16})$/;

/** Reads `"$N.path"`; undefined for anything else. */
export function referenceIn(value: unknown): Reference | undefined {
    const [, action, path] = typeof value === 'string' ? shape.exec(value) ?? [] : [];
    return action === undefined || path === undefined ? undefined : { action: Number(action), path: path.slice(1).split('.') };
}

/** The value a reference names; undefined where there is none. Own properties only. */
function valueAt(results: readonly object[], { action, path }: Reference): unknown {
    let value: unknown = results[action];
    for (const step of path) {
        value = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
            ? Object.entries(value).find(([key]) => key === step)?.[1] : undefined;
    }

    return value;
}

/** The id that `target` is, or refers to. @throws 400 where what it refers to is no id */
export function idOf(target: unknown, results: readonly object[]): string {
    const reference = referenceIn(target);
    const value = reference === undefined ? target : valueAt(results, reference);
    const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof id !== 'string' || !isId(id)) {
        throw fault(400, 'bad_reference', `${String(target)} does not name an id in the result of that action.`);
    }

    return id;
}

const linkTargets = ['targetPageId', 'targetProjectId', 'targetUserId'];

/** A link's attributes, where a target may refer to what the bulk has just made. Text elsewhere is only text. */
export function resolveLink(attributes: Readonly<Record<string, unknown>>, results: readonly object[]): Record<string, unknown> {
    return Object.fromEntries(Object.entries(attributes).map(([key, value]) => {
        return [key, linkTargets.includes(key) && referenceIn(value) !== undefined ? idOf(value, results) : value];
    }));
}
