import { movedOn } from '../authoring/conditional-write';
import { pauses } from '../concurrency/yielding';
import type { Database } from '../db/connection';
import { runAlways, runOne } from '../db/statement';
import { forbidden, isFault, notFound } from '../errors/errors';
import type { CurrentUser } from '../http/caller';
import { jsonOf } from '../json/json-text';
import { apply } from './apply';
import { load, newAllowance } from './load';
import { missingFor, namedBy, needsOf } from './needs';
import { author, draw } from './queries';
import { boundedParser } from './references';
import { ResultWriter, contentLength } from './results';
import type { Action, Kind } from './schema';
import { newState, shownThing } from './state';
import type { Run } from './state';
import { store } from './store';
import { RevisionMismatch, nameOf } from './targets';

/** A bulk that is to be run. */
export interface Bulk {
    actions: readonly Action[];
    /** the user in the path */
    userId: string;
    caller: CurrentUser;
    /** `API_VERSION` */
    version: string;
    /** called between steps; throws if the bulk is to be stopped */
    check(): void;
}

/**
 * Runs all actions in order and stores what they change: what they name is locked and loaded first, then changed
 * in memory, then written, in a number of round trips that does not depend on how many actions there are.
 * @returns the results, one for each action
 */
export async function runBulk(db: Database, { actions, userId, caller, version, check }: Bulk): Promise<ResultWriter> {
    const [found, ids] = await Promise.all([runOne(db, author, [userId]), drawIds(db, actions)]);
    if (found === undefined) {
        throw notFound('user');
    }

    if (userId !== caller.id) {
        throw forbidden('A bulk can be run under one\'s own account only.');
    }

    const run: Run = { state: newState(found.now), caller, author: found.author, version, ids, results: [], parse: boundedParser() };
    const allowance = newAllowance();
    await load(db, run.state, caller, namedBy(actions), allowance);

    const writer = new ResultWriter();
    const pause = pauses();
    for (const [index, action] of actions.entries()) {
        check();
        try {
            const missing = missingFor(run.state, actions, action, run);
            if (missing !== undefined) {
                await load(db, run.state, caller, missing, allowance);
            }

            const result = apply(run, action);
            run.results.push(result);
            await writer.add(result);
        }
        catch (error) {
            const told = error instanceof RevisionMismatch ? await conflict(db, run, error) : error;
            throw isFault(told) ? Object.assign(told, { data: { ...told.data, action: index } }) : told;
        }

        await pause();
    }

    check();
    await store(db, run.state);
    return writer;
}

/** 409 `revision_conflict` with the thing as it is, unless that is too large. */
async function conflict(db: Database, { state, caller }: Run, { kind, id }: RevisionMismatch): Promise<Error> {
    const shownWhole = (): object | undefined => {
        const thing = shownThing(state, kind, id);
        return contentLength(kind, Object(thing)) === undefined ? undefined : thing;
    };

    if (shownWhole() === undefined) {
        // The other actions may have used up what may be loaded.
        await load(db, state, caller, needsOf(kind, id), newAllowance());
    }

    const whole = shownWhole();
    return movedOn(nameOf[kind], whole && jsonOf(whole), false);
}

/** Draws the ids of everything that actions make. */
async function drawIds(db: Database, actions: readonly Action[]): Promise<Run['ids']> {
    const count = (kind: Kind): number => actions.filter(({ type, method }) => type === kind && method === 'create').length;
    const { projects, pages, elements } = await runAlways(db, draw, [count('projects'), count('pages'), count('elements')]);
    // They are taken from the end.
    return { projects: projects.reverse(), pages: pages.reverse(), elements: elements.reverse() };
}
