import { fromLiveProject, fromProjectsWithAuthor, updateProjects } from '../../projects/fragments';
import { decidesAutomaticHold } from '../filters/fragments';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { notFound } from '../../api/errors/errors';
import { projectJson } from '../../api/representations/project';
import { existing } from '../../rules/existing';
import { MAX_TOLD_REPORTERS, tellReporters } from '../reporters/tell';
import type { Rule } from '../report-reasons';
import { noteEnd, stateHold } from './decisions';
import type { Decision } from './schema';

/** The project that a moderator decides on. */
export const judgedColumns = {
    id: 'bigint',
    ownerId: 'bigint',
    revision: 'integer',
    isHeld: 'boolean'
} as const;
export type ModeratedProject = RowOf<typeof judgedColumns>;

const lock = statement({ parameters: ['bigint'], row: judgedColumns, place: writing(inProject(1)) }, `
    select p.id, p.user_id as "ownerId", p.revision, p.held_at is not null as "isHeld" ${fromLiveProject('$1')} for no key update`);

/** Locks a project. @throws 404 if it does not exist */
export async function lockForModeration(trx: Database, id: string): Promise<ModeratedProject> {
    return existing(await runOne(trx, lock, [id]), 'project');
}

// A hold is not a change in the history, and does not raise the revision.
const set = statement({ parameters: ['bigint', 'text'], place: writing(inProject(1)) }, `
    with decided as (${decidesAutomaticHold('$1')})
    ${updateProjects('held_at = case when $2::text is not null then now() end, held_reason = $2')} where p.id = $1`);
const show = statement({ parameters: ['bigint'], row: { json: 'text' }, place: inProject(1) }, `select ${projectJson} as json ${fromProjectsWithAuthor} where p.id = $1`);

const close = statement({
    parameters: ['bigint', 'integer', 'text', 'bigint'], row: { reporters: 'bigint[]' }, place: writing(inProject(1))
}, `
    update report_queue q set open = false, count = 0, round = q.round + 1, decided_revision = $2, outcomes[q.round + 1] = $3
        where q.project_id = $1
    returning array(select r.user_id from reports r where r.project_id = q.project_id and r.round = q.round - 1 and r.user_id <> $4
        order by r.at desc, r.user_id limit ${MAX_TOLD_REPORTERS}) as reporters`);

/**
 * Closes the reports of a project, if there are any, and tells those who have sent them. `revision` is that of the project at the decision.
 */
export async function closeReports(
    trx: Database, { id, revision }: { id: string; revision: number }, outcome: Decision, moderatorId: string
): Promise<void> {
    const closed = await runOne(trx, close, [id, revision, outcome, moderatorId]);
    await tellReporters(trx, closed?.reporters ?? []);
}

/** Holds a project, or changes the reason, and closes its reports. @param rule that of most reports if it is left out */
export async function holdProject(
    trx: Database, project: ModeratedProject, moderatorId: string, reason: string, rule?: Rule
): Promise<void> {
    await run(trx, set, [project.id, reason]);
    await stateHold(trx, project, moderatorId, reason, rule);
    await closeReports(trx, project, 'held', moderatorId);
}

/** Why something is held that no moderator has looked at, for whom it concerns. */
export const AUTOMATIC_REASON = 'Several people have reported this. A moderator will look at it.';

/** Holds a project until a moderator decides: people of standing have reported it (HOLD_AFTER), or for the reason that is given. */
export async function holdAutomatically(trx: Database, project: ModeratedProject, reason = AUTOMATIC_REASON): Promise<void> {
    await run(trx, set, [project.id, reason]);
    await stateHold(trx, project, null, reason);
}

/** Ends the hold of a project. @throws 404 if it is not held, 403 `own_decision` as `endStatements` does */
export async function release(trx: Database, project: ModeratedProject, moderatorId: string, reason: string | null = null): Promise<void> {
    const { id, ownerId, isHeld } = project;
    if (!isHeld) {
        throw notFound('hold of this project');
    }

    await noteEnd(trx, { decision: 'hold', type: 'project', thingId: id, projectId: id, moderatorId }, ownerId, reason);
    await run(trx, set, [id, null]);
    await closeReports(trx, project, 'kept', moderatorId);
}

/** The JSON text of a project, as a moderator sees it. */
export async function showJudged(trx: Database, id: string): Promise<string> {
    return (await runAlways(trx, show, [id])).json;
}
