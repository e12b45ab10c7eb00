import { cellsOf, routes } from '../../test/routes/index';
import type { Row } from '../../test/routes/index';
import { callers } from '../../test/support/cast';
import type { Operation } from './description';

/*
 * What usually succeeds, by what the tests expect of each route (test/routes).
 */

/** Who sends requests: the callers of the tests, a member of the project, who is a pupil of the class, and one of the staff. */
export const senders = [...callers, 'member', 'staff'] as const;
export type Sender = typeof senders[number];

/** @throws Error if the tests do not have it */
export function rowOf({ method, path }: Operation): Row {
    const row = routes.find(({ key }) => key === `${method} ${path}`);
    if (row === undefined) {
        throw new Error(`test/routes has no ${method} ${path}`);
    }

    return row;
}

/** Who can usually do it. */
export function usualSender(operation: Operation): Sender {
    const { path, callers: all, scope } = rowOf(operation);
    if (path.startsWith('/admin/') || path.startsWith('/moderation/')) {
        return path.startsWith('/admin/') ? 'staff' : 'moderator';
    }

    const cells = cellsOf(all, scope);
    const cellOf = (caller: typeof callers[number]): string => cells[callers.indexOf(caller)] ?? '';
    return (['owner', 'moderator', 'stranger'] as const).find((caller) => cellOf(caller).startsWith('2')) ?? (cellOf('owner') === '403' ? 'member' : 'owner');
}

export const usualQuery = (operation: Operation): Record<string, string> => Object.fromEntries(new URLSearchParams(rowOf(operation).query));

/** A placeholder for a valid body, which names what is in the path. */
export class Usual {
    readonly #operation: Operation;

    constructor(operation: Operation) {
        this.#operation = operation;
    }

    bodyFor(ids: Readonly<Record<string, string>>): object | undefined {
        return rowOf(this.#operation).body?.(ids);
    }
}
