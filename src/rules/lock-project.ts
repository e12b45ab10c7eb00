import { inProject, writing } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { runOne, statement } from '../database/statements/statement';
import { notFound } from '../api/errors/errors';
import type { Writer } from './access';
import { mayRead } from './visibility';

const who = { id: '$2::bigint', moderator: '$3::boolean' };
// A caller who may not see the project does not wait for its lock: the delay would reveal that it exists.
const lock = statement({ parameters: ['bigint', 'bigint', 'boolean'], row: { id: 'bigint' }, place: writing(inProject(1)) }, `select p.id from projects p where p.id = $1 and ${mayRead('p', who)} for no key update`);

/**
 * Makes a transaction the only writer below a project. A statement sees what was committed before it began, so one
 * that returns the contents needs the lock before it.
 * @param what the thing that is written to, in words
 * @throws 404 if there is no project that the writer may see. Then nothing may be written, even if they may see it a moment later, because it is not locked
 */
export async function lockProject(db: Database, id: string, writer: Writer, what = 'project'): Promise<void> {
    const row = await runOne(db, lock, [id, writer.id, writer.moderator]);
    if (row === undefined) {
        throw notFound(what);
    }
}
