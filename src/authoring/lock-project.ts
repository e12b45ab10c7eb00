import type { Database } from '../db/connection';
import { runOne, statement } from '../db/statement';
import { notFound } from '../errors/errors';
import { allowed, rightParameters, rightValues } from './access';
import type { Writer } from './access';
import { countProjects, isCounted } from './sizes';
import { mayRead } from './visibility';

const who = rightParameters(1);
// Nobody waits for the lock of a project that they may not see: that would tell that it is there.
const lock = statement<{ counted: boolean }>(`select ${isCounted} or not ${allowed('p', who)} as counted from projects p where p.id = $1 and ${mayRead('p', who)} for no key update`);

/**
 * Makes a transaction the only writer below a project. A statement sees what was committed before it began, so one
 * that is to answer what is inside needs the lock before it. The project's size is known from then on, if the caller may write to it.
 * @param what the thing that is written to, in words
 * @throws 404 if there is no project that the writer may see. Nothing may be written then, even if they may see it a moment later: it is not locked
 */
export async function lockProject(db: Database, id: string, writer: Writer, what = 'project'): Promise<void> {
    const row = await runOne(db, lock, [id, ...rightValues(writer)]);
    if (row === undefined) {
        throw notFound(what);
    }

    if (!row.counted) {
        await countProjects(db, [id]);
    }
}
