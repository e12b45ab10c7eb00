import { findAbsent, referencesOf } from '../../rules/asset-references';
import { pauses } from '../../api/concurrency/yielding';
import type { Database } from '../../database/statements/connection';
import { runAlways, runOne } from '../../database/statements/statement';
import { fault, forbidden, isFault, notFound } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import { load, newAllowance } from './load';
import { applyOrMerge } from './merge';
import { missingFor, namedBy } from './needs';
import { author, draw } from './queries';
import { boundedParser } from './references';
import { ResultWriter } from './results';
import type { Action, Kind } from './schema';
import { newState } from './state';
import type { Run } from './state';
import { store } from './store';

/** A bulk to run. */
export interface Bulk {
    actions: readonly Action[];
    /** the user in the path */
    userId: string;
    caller: CurrentUser;
    /** `API_VERSION` */
    version: string;
    /** called between steps; throws if the bulk has to stop */
    check(): void;
    /** is given the projects that actions are about, by their ids, to which those are added that are loaded later */
    loaded(projects: ReadonlyMap<string, unknown>): void;
}

/**
 * Runs all actions in order and stores what they change: what they name is locked and loaded first, then changed
 * in memory, then written, in a number of round trips that does not depend on how many actions there are.
 * @returns the results, one for each action
 */
export async function runBulk(db: Database, { actions, userId, caller, version, check, loaded }: Bulk): Promise<ResultWriter> {
    const [found, ids] = await Promise.all([runOne(db, author, [userId]), drawIds(db, actions)]);
    if (found === undefined) {
        throw notFound('user');
    }

    if (userId !== caller.id) {
        throw forbidden('A bulk can be run under one\'s own account only.');
    }

    const run: Run = { state: newState(found.now), caller, author: found.author, version, ids, results: [], parse: boundedParser() };
    loaded(run.state.projects);
    const allowance = newAllowance();
    await load(db, run.state, caller, namedBy(actions), allowance);
    const absent = await findAbsent(db, actions.flatMap(({ data }) => referencesOf(data)));

    const writer = new ResultWriter();
    const pause = pauses();
    for (const [index, action] of actions.entries()) {
        check();
        try {
            const missing = missingFor(run.state, actions, action, run);
            if (missing !== undefined) {
                await load(db, run.state, caller, missing, allowance);
            }

            const result = await applyOrMerge(db, run, action, allowance);
            checkReferences(action, absent);
            run.results.push(result);
            await writer.add(result, () => run.state[result.type].get(result.id)?.thing.revision);
        }
        catch (error) {
            throw isFault(error) ? Object.assign(error, { data: { ...error.data, action: index } }) : error;
        }

        await pause();
    }

    check();
    await store(db, run.state, caller.id);
    return writer;
}

/** @throws 409 if an action refers to an asset that does not exist */
function checkReferences({ data }: Action, absent: ReadonlySet<string>): void {
    const missing = absent.size === 0 ? undefined : referencesOf(data).find((hash) => absent.has(hash));
    if (missing !== undefined) {
        throw fault('asset_missing', missing);
    }
}

/** Draws the ids of everything that actions make. */
async function drawIds(db: Database, actions: readonly Action[]): Promise<Run['ids']> {
    const count = (kind: Kind): number => actions.filter(({ type, method }) => type === kind && method === 'create').length;
    const { projects, pages, elements } = await runAlways(db, draw, [count('projects'), count('pages'), count('elements')]);
    // They are taken from the end.
    return { projects: projects.reverse(), pages: pages.reverse(), elements: elements.reverse() };
}
