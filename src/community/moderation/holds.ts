import { fromLiveProject, fromProjectsWithAuthor, updateProjects } from '../../projects/fragments';
import { decidesAutomaticHold } from '../filters/fragments';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { logAct } from './acts';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { notFound } from '../../api/errors/errors';
import { projectJson } from '../../api/representations/project';
import { endStatements } from '../statements/index';
import type { Rule } from '../statements/rules';
import { closeReports } from './close-reports';
import { stateHold } from './stating';

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
    const found = await runOne(trx, lock, [id]);
    if (found === undefined) {
        throw notFound('project');
    }

    return found;
}

// A hold is not a change in the history, and does not raise the revision.
const set = statement({ parameters: ['bigint', 'text'], place: writing(inProject(1)) }, `
    with decided as (${decidesAutomaticHold('$1')})
    ${updateProjects('held_at = case when $2::text is not null then now() end, held_reason = $2')} where p.id = $1`);
const show = statement({ parameters: ['bigint'], row: { json: 'text' }, place: inProject(1) }, `select ${projectJson} as json ${fromProjectsWithAuthor} where p.id = $1`);

/** Holds a project, or changes the reason, and closes its reports. @param rule that of most reports if it is left out */
export async function holdProject(
    trx: Database, project: ModeratedProject, moderatorId: string, reason: string, rule?: Rule
): Promise<void> {
    const { id, ownerId } = project;
    await run(trx, set, [id, reason]);
    await stateHold(trx, project, moderatorId, reason, rule);
    await closeReports(trx, project, 'held', moderatorId);
    await logAct(trx, { moderatorId, act: 'hold', type: 'project', id, projectId: id, ownerId, reason });
}

/** Why something is held that no moderator has looked at, for whom it concerns. */
export const AUTOMATIC_REASON = 'Several people have reported this. A moderator will look at it.';

/** Holds a project until a moderator decides: people of standing have reported it (HOLD_AFTER), or for the reason that is given. */
export async function holdAutomatically(trx: Database, project: ModeratedProject, reason = AUTOMATIC_REASON): Promise<void> {
    const { id, ownerId } = project;
    await run(trx, set, [id, reason]);
    await stateHold(trx, project, null, reason);
    await logAct(trx, { moderatorId: null, act: 'hold', type: 'project', id, projectId: id, ownerId, reason });
}

/** Ends the hold of a project. @throws 404 if it is not held, 403 `own_decision` as `endStatements` does */
export async function release(trx: Database, project: ModeratedProject, moderatorId: string, reason: string | null = null): Promise<void> {
    const { id, ownerId, isHeld } = project;
    if (!isHeld) {
        throw notFound('hold of this project');
    }

    await endStatements(trx, { decision: 'hold', type: 'project', thingId: id, projectId: id, moderatorId });
    await run(trx, set, [id, null]);
    await closeReports(trx, project, 'kept', moderatorId);
    await logAct(trx, { moderatorId, act: 'release', type: 'project', id, projectId: id, ownerId, reason });
}

/** The JSON text of a project, as a moderator sees it. */
export async function showJudged(trx: Database, id: string): Promise<string> {
    return (await runAlways(trx, show, [id])).json;
}
