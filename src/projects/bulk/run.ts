import { pauses } from '../../api/concurrency/yielding';
import type { Database } from '../../database/statements/connection';
import { isFault } from '../../api/errors/errors';
import { begin, loadMissing } from './load';
import { applyOrMerge } from './merge';
import { writePlan } from './plan';
import type { Bulk } from './plan';
import { ResultWriter } from './results';

/**
 * Runs all actions in order and stores what they change: what they name is locked and loaded first, then the actions make a plan of
 * it, whose change set is written, in a number of round trips that does not depend on how many actions there are.
 * @returns the results, one for each action
 */
export async function runBulk(db: Database, bulk: Bulk): Promise<ResultWriter> {
    const { actions, check } = bulk;
    const run = await begin(db, bulk);
    const writer = new ResultWriter();
    const pause = pauses();
    for (const [index, action] of actions.entries()) {
        check();
        try {
            await loadMissing(db, run, action);
            const result = await applyOrMerge(db, run, action);
            run.results.push(result);
            await writer.add(result, () => run.plan[result.type].get(result.id)?.thing.revision);
        }
        catch (error) {
            throw isFault(error) ? Object.assign(error, { data: { ...error.data, action: index } }) : error;
        }

        await pause();
    }

    check();
    await writePlan(db, run);
    return writer;
}
