import { revisionConflict } from '../../rules/conditional-write';
import { checkSizes, mergeFields } from '../../rules/merge';
import { findStates } from '../../rules/states';
import type { States } from '../../rules/states';
import type { Database } from '../../database/statements/connection';
import { fault } from '../../api/errors/errors';
import { jsonOf } from '../../api/json/json-text';
import { MAX_LOADED, inBytes } from '../../limits';
import { apply, fieldsOf, withLinkTargets } from './apply';
import { load, newAllowance } from './load';
import { contentLength } from './results';
import type { Result } from './results';
import type { Action } from './schema';
import { shownThing } from './plan';
import type { Run } from './plan';
import { RevisionMismatch, singular } from './checks';

/**
 * Runs an action. An update with `merge` of what has moved on is merged with what others, and earlier actions, have written.
 * @throws 409 `revision_conflict` if it is not merged, or cannot be
 */
export async function applyOrMerge(db: Database, run: Run, action: Action): Promise<Result> {
    try {
        return apply(run, action);
    }
    catch (error) {
        if (!(error instanceof RevisionMismatch)) {
            throw error;
        }

        return apply(run, action, await mergedFields(db, run, action, error));
    }
}

/** The fields of an update, merged. @throws 409 `revision_conflict`, 400 if a merged object or what has to be read for the merges of a bulk is too large */
async function mergedFields(db: Database, run: Run, action: Action, mismatch: RevisionMismatch): Promise<object> {
    const { kind, id } = mismatch;
    const mine = fieldsOf(action.data);
    const fields = kind === 'elements' ? withLinkTargets(run, String(run.plan.elements.get(id)?.thing.type), mine) : mine;
    const current = { ...await shown(db, run, mismatch, false) };
    if (action.data.merge === true) {
        const { base } = await statesOf(db, run, mismatch, false);
        run.allowance.earlier -= jsonOf(base ?? {}).length;
        if (run.allowance.earlier < 0) {
            throw fault('bulk_too_large', `The merges of this bulk need more than ${inBytes(MAX_LOADED.earlier)} of what was there before. Send the actions in parts.`);
        }

        const merge = await mergeFields(base, fields, current);
        if (base !== null && merge.conflicts.length === 0) {
            checkSizes(merge.fields);
            return merge.fields;
        }
    }

    const { base, changedBy } = await statesOf(db, run, mismatch, true);
    const { conflicts } = await mergeFields(base, fields, current);
    throw revisionConflict(singular[kind], { current: await shown(db, run, mismatch, true), base, conflicts, changedBy }, false);
}

/** A thing as it is shown, without what is in it unless it is wanted whole; undefined if that is too large. */
async function shown(db: Database, run: Run, { kind, id }: RevisionMismatch, whole: boolean): Promise<object | undefined> {
    const loaded = (): object | undefined => {
        const thing = whole ? shownThing(run.plan, kind, id) : { elements: [], ...run.plan[kind].get(id)?.thing };
        return contentLength(kind, thing) === undefined ? undefined : thing;
    };

    if (loaded() === undefined) {
        // The other actions may have used up what may be loaded.
        await load(db, { ...run, allowance: newAllowance() }, [{ kind, id, shown: kind === 'pages', placed: false }]);
    }

    return loaded();
}

/** A thing as it was at the revision that an action states, and who changed it last. What this bulk has changed is not stored yet. */
async function statesOf(db: Database, { plan, caller, author }: Run, { kind, id, chain, revision }: RevisionMismatch, whole: boolean): Promise<Pick<States, 'base' | 'changedBy'>> {
    const found = await findStates(db, singular[kind], chain, revision, caller, whole);
    const { base, changedBy } = found ?? { base: null, changedBy: null };
    return { base, changedBy: plan[kind].get(id)?.changed === true ? { id: author.id, username: author.username } : changedBy };
}
