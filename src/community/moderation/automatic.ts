import { fromLiveProject, updateProjects } from '../../projects/fragments';
import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { becomesPublic, hasVisibility, isOpen } from '../../rules/visibility';
import { NO_APP, counts, updated } from '../../rules/write-sql';
import { decidesAutomaticHold, notesFirstLook } from '../filters/fragments';
import { holdAutomatically } from './holds';

/*
 * Holds that no person decided on: a project that is held for a look is in the list of reports until a moderator decides. To keep it ends
 * the hold.
 */

const lock = statement({
    parameters: ['bigint'], row: { id: 'bigint', ownerId: 'bigint', revision: 'integer', isHeld: 'boolean' }, place: writing(inProject(1))
}, `
    select p.id, p.user_id as "ownerId", p.revision, p.held_at is not null as "isHeld"
        ${fromLiveProject('$1')} and ${isOpen('p')} for no key update`);

const askForLook = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `
    insert into report_queue (project_id, open) values ($1, true) on conflict (project_id) do update set open = true, newest_at = now()`);

/**
 * Holds a project that others can see until a moderator has looked. Needs a transaction. @returns false if others cannot see it (any more)
 */
export async function holdForLook(trx: Database, id: string, reason: string): Promise<boolean> {
    const found = await runOne(trx, lock, [id]);
    if (found === undefined) {
        return false;
    }

    await holdAutomatically(trx, found, reason);
    await run(trx, askForLook, [id]);
    return true;
}

const end = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `
    with decided as (${decidesAutomaticHold('$1')})
    ${updateProjects('held_at = null, held_reason = null')} from decided where p.id = decided.project_id`);

const looked = statement({ parameters: ['bigint'], row: { project_id: 'bigint' }, place: writing(inProject(1)) }, notesFirstLook('$1'));
// A change by its author, who asked for it.
const list = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, updated('projects', {
    author: 'p.user_id', app: NO_APP, kind: 'edit', counts: counts({ project: 1 }), set: [becomesPublic]
}, `where p.id = $1 and ${hasVisibility('p', 'unlisted')}`));

/** Ends the hold of a project, if the service made it, and lists it, if it waited for the first look of a moderator. */
export async function endAutomaticHold(trx: Database, id: string): Promise<void> {
    await run(trx, end, [id]);
    await (await runOne(trx, looked, [id]) && run(trx, list, [id]));
}
