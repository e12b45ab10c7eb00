import { fromLiveProject, updateProjects } from '../../projects/fragments';
import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { isOpen } from '../../rules/visibility';
import { decidesAutomaticHold } from '../filters/fragments';
import { holdProject } from './holds';

/*
 * Holds that no person decided on: a project that is held for a look is in the list of reports until a moderator decides. To keep it ends the hold.
 */

const lock = statement({ parameters: ['bigint'], row: { id: 'bigint', ownerId: 'bigint', revision: 'integer', isHeld: 'boolean' }, place: writing(inProject(1)) }, `
    select p.id, p.user_id as "ownerId", p.revision, p.held_at is not null as "isHeld" ${fromLiveProject('$1')} and ${isOpen('p')} for no key update`);

const askForLook = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `
    insert into report_queue (project_id, open) values ($1, true) on conflict (project_id) do update set open = true, newest_at = now()`);

/** Holds a project that others can see until a moderator has looked. Needs a transaction. @returns false if others cannot see it (any more) */
export async function holdForLook(trx: Database, id: string, reason: string): Promise<boolean> {
    const found = await runOne(trx, lock, [id]);
    if (found === undefined) {
        return false;
    }

    await holdProject(trx, found, null, reason);
    await run(trx, askForLook, [id]);
    return true;
}

const end = statement({ parameters: ['bigint'], place: writing(inProject(1)) }, `
    with decided as (${decidesAutomaticHold('$1')})
    ${updateProjects('held_at = null, held_reason = null')} from decided where p.id = decided.project_id`);

/** Ends the hold of a project, if the service made it. */
export const endAutomaticHold = async (trx: Database, id: string): Promise<void> => void await run(trx, end, [id]);
