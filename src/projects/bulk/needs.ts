import assert from 'node:assert';

import { asId, idOf, referenceIn, valueAt } from './references';
import type { Action, Kind } from './schema';
import { planned, projectOf, shownThing } from './plan';
import type { Plan, Run } from './plan';

/** A thing that an action works on: the one that it changes, or the one that it makes something in. */
export interface Need {
    kind: Kind;
    id: string;
    /** a page that will be shown, and so needs its elements */
    shown: boolean;
    /** whether the places of its project are needed, as a page is made or moved */
    placed: boolean;
}

function needOf({ type, method, data }: Action, id: string): Need {
    const isNew = method === 'create';
    const kind = isNew && type === 'pages' ? 'projects' : isNew && type === 'elements' ? 'pages' : type;
    return { kind, id, shown: type === 'pages' && method === 'update', placed: type === 'pages' && (isNew || data.x !== undefined || data.y !== undefined) };
}

/** The ids that an action names: the thing itself, or the parent of a new one. */
const targetOf = ({ data }: Action): unknown => data.id ?? data.projectId ?? data.pageId;

/** The things whose ids are stated directly. References mostly lead to things that the bulk itself creates. */
export const namedBy = (actions: readonly Action[]): Need[] => actions.flatMap((action) => {
    const target = targetOf(action);
    return target === undefined || referenceIn(target) !== undefined ? [] : [needOf(action, String(target))];
});

/** The result that an action will have, as far as the plan tells before it has run. */
function predictedResult(plan: Plan, { type, method }: Action, id: string): object | undefined {
    if (method === 'create') {
        // The id is that of what it is made in.
        return type === 'pages' ? { project_id: id } : { page_id: id };
    }

    return shownThing(plan, type, id);
}

/** The id that each action will work on; undefined as long as nothing tells. */
function predictedIds({ plan, actions, results, parse }: Run): (string | undefined)[] {
    const ids: (string | undefined)[] = [];
    const predicted = (earlier: Action | undefined, id: string | undefined): object | undefined => {
        if (id === undefined) {
            return undefined;
        }

        assert(earlier, 'the action whose id it is');
        return predictedResult(plan, earlier, id);
    };

    for (const action of actions) {
        const target = targetOf(action);
        const reference = referenceIn(target);
        const earlier = reference && actions[reference.action];
        const id = reference && ids[reference.action];
        ids.push(asId(reference === undefined ? target :
            valueAt(results[reference.action] ?? predicted(earlier, id), reference.path, parse)));
    }

    return ids;
}

function isLoaded(plan: Plan, { kind, id, shown, placed }: Need): boolean {
    const thing = planned(plan, kind, id);
    return thing !== undefined && (!shown || plan.pages.get(id)?.elementsAskedFor === true)
        && (!placed || projectOf(thing).places !== undefined);
}

/**
 * The things that an action needs and the plan lacks: it refers to something that no action made or named, say the target of
 * a link. What later actions will need in the same way is added, as far as it can be
 * predicted, so that many of them cost no more round trips than one. @throws 400 if a reference leads to no id
 */
export function missingFor(run: Run, action: Action): Need[] {
    const target = targetOf(action);
    if (target === undefined || referenceIn(target) === undefined) {
        return [];
    }

    const need = needOf(action, idOf(target, run));
    if (isLoaded(run.plan, need)) {
        return [];
    }

    const ids = predictedIds(run);
    return [need, ...run.actions.flatMap((later, index) => {
        const id = ids[index];
        return index > run.results.length && id !== undefined && referenceIn(targetOf(later)) !== undefined ? [needOf(later, id)] : [];
    })];
}
