import type { Request } from '@hapi/hapi';

import { canTeach } from '../api/auth/queries';
import { forbidden, notFound } from '../api/errors/errors';
import type { ClassRole } from '../api/representations/class';
import type { Precondition } from '../api/request/entity-tags';
import type { PublishLevel } from '../api/request/publish-levels';
import { known } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { live } from '../database/statements/deletion';
import { runOne, statement } from '../database/statements/statement';
import type { AuthoringServices } from '../rules/write';

/*
 * Who may do what with a class: its teachers write, its pupils read, and for everybody else it does not exist, moderators included.
 * What may be made visible is bounded by triggers: migration 0043.
 */

/** SQL for whether the person of a class in the row `k`, who is the user in `u`, is there: a teacher whose permission has ended is not. */
export const isThere = (everybody: string, k = 'k', u = 'u'): string => `(${live(u)} and (${k}.role = 'pupil' or ${canTeach(u, everybody)}))`;

/** SQL that joins the caller, in the rows `me` and `mu`, to the class in the row `c`. */
export const joinCaller = (caller: string, everybody: string): string => `
    join class_people me on me.class_id = c.id and me.user_id = ${caller} join users mu on mu.id = me.user_id and ${isThere(everybody, 'me', 'mu')}`;

/** Who asks. */
export interface ClassCaller {
    id: string;
    /** `TEACHERS=open` */
    everybody: boolean;
}

/** What the routes of classes need. */
export interface ClassServices extends Pick<AuthoringServices, 'config' | 'db' | 'write'> {
    callerOf(request: Pick<Request, 'auth'>): ClassCaller;
}

const heldColumns = { role: known<ClassRole>('text'), revision: 'integer', publish: known<PublishLevel>('text') } as const;
export type HeldClass = RowOf<typeof heldColumns>;

const find = (lock: string) => statement({ parameters: ['bigint', 'bigint', 'boolean'], row: heldColumns }, `
    select me.role, c.revision, c.publish from classes c ${joinCaller('$2::bigint', '$3::boolean')} where c.id = $1 and ${live('c')} ${lock}`);

const look = find('');
const hold = find('for no key update of c');
const stay = find('for share of c, mu');

/** Whether a thing with this revision has the state that a write was made against. Its revision is its tag. */
export const holdsRevision = ({ revision, tags }: Precondition, present: number): boolean => (revision === null || revision === present) && (tags === null || tags.includes(String(present)));

/** @throws 404 if the caller is not of the class */
function asPerson(found: HeldClass | undefined): HeldClass {
    if (found === undefined) {
        throw notFound('class');
    }

    return found;
}

/** @throws 404 if the caller is not of the class, 403 if they are a pupil of it */
function asTeacher(found: HeldClass | undefined): HeldClass {
    const held = asPerson(found);
    if (held.role !== 'teacher') {
        throw forbidden('Only the teachers of this class can do this.');
    }

    return held;
}

/** Checks that the caller teaches a class. @throws as `asTeacher` does */
export const checkTeacher = async (db: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<HeldClass> => asTeacher(await runOne(db, look, [id, caller, everybody]));

/** Locks a class for one of its teachers, so that nobody else changes it or who is in it. @throws as `asTeacher` does */
export const holdAsTeacher = async (trx: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<HeldClass> => asTeacher(await runOne(trx, hold, [id, caller, everybody]));

/** The same for anybody of the class. @returns undefined if the caller is not of it */
export const holdIfPerson = (trx: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<HeldClass | undefined> => runOne(trx, hold, [id, caller, everybody]);

/** The same. @throws 404 if the caller is not of the class */
export const holdAsPerson = async (trx: Database, id: string, caller: ClassCaller): Promise<HeldClass> => asPerson(await holdIfPerson(trx, id, caller));

/** Checks that the caller is of a class. @throws 404 if they are not */
export const checkPerson = async (db: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<HeldClass> => asPerson(await runOne(db, look, [id, caller, everybody]));

/**
 * The same, and keeps the class, who is in it and the caller's account as they are until the transaction ends: those who change that wait. Many can do so at the same time.
 * @throws as `checkPerson` does, also if the caller was taken out while this waited
 */
export async function stayInClass(trx: Database, id: string, caller: ClassCaller): Promise<HeldClass> {
    await runOne(trx, stay, [id, caller.id, caller.everybody]);
    return checkPerson(trx, id, caller);
}

export const teacherNeeded = (): Error => forbidden('Only teachers can make classes. Ask whoever runs this place, or a moderator, to make you one.');
