import type { Database } from '../db/connection';
import { runOne, statement } from '../db/statement';
import { allowed, rightParameters, rightValues } from './access';
import type { Writer } from './access';
import { countProjects, isCounted } from './sizes';

const lock = statement<{ counted: boolean }>(`select ${isCounted} or not ${allowed('p', rightParameters(1))} as counted from projects p where p.id = $1 for no key update`);

/**
 * Makes a transaction the only writer below a project. A statement sees what was committed before it began, so one
 * that is to answer what is inside needs the lock before it. The project's size is known from then on, if the caller may write to it.
 */
export async function lockProject(db: Database, id: string, writer: Writer): Promise<void> {
    const row = await runOne(db, lock, [id, ...rightValues(writer)]);
    if (row?.counted === false) {
        await countProjects(db, [id]);
    }
}
