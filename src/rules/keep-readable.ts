import { inProject, writing } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { runOne, statement } from '../database/statements/statement';
import { fromLiveProject } from '../projects/fragments';
import { mayRead } from './visibility';
import type { Reader } from './visibility';

// Who may not see the project does not wait for its lock.
const keep = statement({ parameters: ['bigint', 'bigint', 'boolean', 'boolean'], row: { id: 'bigint' }, place: writing(inProject(1)) }, `
    select p.id ${fromLiveProject('$1')} and ${mayRead('p', { id: '$2::bigint', moderator: '$3::boolean', teaches: '$4::boolean' })} for share of p`);

/**
 * Keeps a project as it is until the transaction ends, for somebody who writes beside it: whoever makes it private waits. It comes before the lock of the user, and what they may do is
 * looked at afterwards. @returns whether they could see it
 */
export async function keepReadable(trx: Database, project: string, { id, moderator, teaches = false }: Reader): Promise<boolean> {
    return await runOne(trx, keep, [project, id, moderator, teaches]) !== undefined;
}
