import { canTeach, fromTaughtClasses, hasOtherTeacher } from '../classes/fragments';
import { fromActiveUser } from '../accounts/users/fragments';
import { fault } from '../api/errors/errors';
import type { Database } from '../database/statements/connection';
import { run, statement } from '../database/statements/statement';
import { holdUser } from './hold-user';

/*
 * A class is never without a teacher: whatever ends somebody's teaching everywhere, closing the account or the end of the permission, goes by what is here. Who leaves one class:
 * classes/people/queries.ts.
 */

const lock = statement({ parameters: ['bigint'], row: { id: 'bigint' } }, `select c.id ${fromTaughtClasses('$1')} order by c.id for no key update of c`);

/** The classes that a user teaches, locked: nobody leaves them meanwhile. */
export interface TaughtClasses {
    trx: Database;
    userId: string;
    ids: readonly string[];
}

/** Locks the classes that a user teaches. It comes before the lock of the user, as in all writes to classes. */
export const lockTaughtClasses = async (trx: Database, userId: string): Promise<TaughtClasses> => ({ trx, userId, ids: (await run(trx, lock, [userId])).map(({ id }) => id) });

const last = statement({ parameters: ['bigint', 'boolean'], row: { id: 'bigint', left: 'boolean' } }, `
    select c.id, exists (select ${fromActiveUser('$1')} and ${canTeach('u', '$2::boolean')}) and not ${hasOtherTeacher('$1', '$2::boolean')} as left ${fromTaughtClasses('$1')} order by c.id`);

/** Ids of the classes of which somebody is the last teacher. @param everybody whether all can teach (`TEACHERS=open`) */
export const findLastTaught = async (db: Database, userId: string, everybody: boolean): Promise<string[]> => (await run(db, last, [userId, everybody])).filter(({ left }) => left).map(({ id }) => id);

/**
 * Locks the user, who is about to teach no more, and says which classes would be left.
 * @returns their ids
 * @throws 503 `try_again` if the user has come to teach another class since the others were locked
 */
export async function classesLeft({ trx, userId, ids }: TaughtClasses, everybody: boolean): Promise<string[]> {
    await holdUser(trx, userId);
    const found = await run(trx, last, [userId, everybody]);
    if (found.some(({ id }) => !ids.includes(id))) {
        throw fault('try_again');
    }

    return found.filter(({ left }) => left).map(({ id }) => id);
}

/** Refuses the last teacher. @throws 409 `last_teacher` */
export async function refuseLastTeacher(classes: TaughtClasses, everybody: boolean): Promise<void> {
    if ((await classesLeft(classes, everybody)).length > 0) {
        throw fault('last_teacher');
    }
}
