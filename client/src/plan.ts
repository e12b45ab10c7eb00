import type { Action, Change } from './changes.js';
import { orderMoves } from './moves.js';
import type { PageUpdate } from './moves.js';

/** An action of the bulk, and the index of its change in the save. */
export interface Step {
    action: Action;
    change: number;
}

/** A change with its index in the save. */
interface Placed {
    change: Change;
    index: number;
}

/**
 * Projects first, then pages, then elements, because a change inside a thing raises the thing's revision, and every change
 * states the revision that was read. Removals come first to make room, then moves, then new things.
 */
const order = [
    'projects update', 'projects remove', 'projects create', 'pages remove', 'pages update', 'pages create',
    'elements remove', 'elements update', 'elements create'
];

const rankOf = ({ change: { type, method } }: Placed): number => order.indexOf(`${type} ${method}`);

const linkTargets = ['targetProjectId', 'targetPageId', 'targetUserId'];

/** Temporary place for a page that is in the way of another: the far corner of the grid, which nobody uses by hand. */
const CORNER = -(2 ** 31);

const isId = (id: string): boolean => /^\d+$/.test(id);

/** @throws TypeError for two changes of one thing, or for a temporary id that looks like one of the service's */
function check(changes: readonly Change[]): void {
    const seen = new Set<string>();
    for (const change of changes) {
        const id = change.method === 'create' ? change.id : `${change.type} ${change.base.id}`;
        if (seen.has(id)) {
            throw new TypeError(`There are two changes of ${id}: a save takes one for each thing`);
        }

        if (change.method === 'create' && isId(id)) {
            throw new TypeError(`${id} cannot be the temporary id of something new: the service's own ids are numbers`);
        }

        seen.add(id);
    }
}

/**
 * The bulk actions for the changes. Each states the revision that its change was made against, and refers to new things by references. Updates
 * are merged with what others have changed since.
 */
export function planOf(changes: readonly Change[]): Step[] {
    check(changes);
    const steps: Step[] = [];
    const references = new Map<string, string>();

    const target = (id: string | number): string | number => {
        const reference = references.get(String(id));
        if (reference === undefined && !isId(String(id))) {
            throw new TypeError(`${id} is neither an id nor the temporary id of something that this save makes`);
        }

        return reference ?? id;
    };

    /** The attributes of a link, with references for targets that are new. */
    const linked = <Data extends { attributes?: Record<string, unknown> }>(type: string | undefined, data: Data): Data => {
        if (type !== 'link' || data.attributes === undefined) {
            return data;
        }

        const found = linkTargets.flatMap((key) => {
            const reference = references.get(String(data.attributes?.[key]));
            return reference === undefined ? [] : [[key, reference]];
        });
        return { ...data, attributes: { ...data.attributes, ...Object.fromEntries(found) } };
    };

    const actionOf = ({ change }: Placed): Action => {
        if (change.method === 'create') {
            switch (change.type) {
                case 'projects':
                    return { type: 'projects', method: 'create', data: change.data };
                case 'pages':
                    return { type: 'pages', method: 'create', data: { ...change.data, projectId: target(change.data.projectId) } };
                case 'elements':
                    return { type: 'elements', method: 'create', data: linked(change.data.type, { ...change.data, pageId: target(change.data.pageId) }) };
            }
        }

        const { id, revision } = change.base;
        if (change.method === 'remove') {
            return { type: change.type, method: 'remove', data: { id, revision } };
        }

        const made = { id, revision, merge: true };

        switch (change.type) {
            case 'projects':
                return { type: 'projects', method: 'update', data: { ...change.data, ...made } };
            case 'pages':
                return { type: 'pages', method: 'update', data: { ...change.data, ...made } };
            case 'elements':
                return { type: 'elements', method: 'update', data: { ...linked(change.base.type, change.data), ...made } };
        }
    };

    const parked = new Set<number>();
    const movePage = (update: PageUpdate, park: boolean): void => {
        const { change: { base: { id, revision, x, y }, data }, index } = update;
        if (park) {
            steps.push({ action: { type: 'pages', method: 'update', data: { ...data, id, revision, merge: true, x: CORNER, y: CORNER + parked.size } }, change: index });
            parked.add(index);
        }
        else if (parked.has(index)) {
            // All else was written when the page was moved out of the way.
            steps.push({ action: { type: 'pages', method: 'update', data: { id, x: data.x ?? x, y: data.y ?? y } }, change: index });
        }
        else {
            steps.push({ action: actionOf(update), change: index });
        }
    };

    const placed = changes.map((change, index) => ({ change, index })).sort((a, b) => rankOf(a) - rankOf(b));
    const moves = orderMoves(placed.flatMap(({ change, index }) => (change.type === 'pages' && change.method === 'update' ? [{ change, index }] : [])));
    for (const { change, index } of placed) {
        if (change.type === 'pages' && change.method === 'update') {
            for (const { park, ...update } of moves.splice(0)) {
                movePage(update, park);
            }

            continue;
        }

        steps.push({ action: actionOf({ change, index }), change: index });
        if (change.method === 'create') {
            references.set(change.id, `$${steps.length - 1}.id`);
        }
    }

    return steps;
}
