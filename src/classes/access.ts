import type { Request } from '@hapi/hapi';

import { canTeach } from './fragments';
import { joinUser } from '../accounts/users/fragments';
import { forbidden, notFound } from '../api/errors/errors';
import type { ClassRole } from './json';
import type { PublishLevel } from './publish-levels';
import { known } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { live } from '../database/statements/deletion';
import { runOne, statement } from '../database/statements/statement';
import { Locked } from '../rules/locked';
import type { AuthoringServices } from '../rules/write';

/*
 * Who may do what with a class: its teachers write, its pupils read, and for everybody else it does not exist, moderators included.
 * What may be made visible is bounded by triggers: people/schema.sql.
 */

/** SQL for whether the person of a class in the row `k`, who is the user in `u`, is there: a teacher whose permission has ended is not. */
export const isActiveMember = (everybody: string, k = 'k', u = 'u'): string =>
    `(${live(u)} and (${k}.role = 'pupil' or ${canTeach(u, everybody)}))`;

/** SQL that joins the caller, in the rows `me` and `mu`, to the class in the row `c`. */
export const joinCaller = (caller: string, everybody: string): string => `
    join class_people me on me.class_id = c.id and me.user_id = ${caller} ${joinUser('me.user_id', 'mu')} and ${isActiveMember(everybody, 'me', 'mu')}`;

/** SQL that joins a row with the ids of a class and a user to that pupil of it, in the row `k`, if the class manages the account, which is in the row `u`. */
export const joinManaged = (row: string): string => `
    join class_people k on k.class_id = ${row}.class_id and k.user_id = ${row}.user_id and k.role = 'pupil'
    ${joinUser('k.user_id')} and u.managed_by = k.class_id and u.publish is not null and ${live('u')}`;

/** Who asks. */
export interface ClassCaller {
    id: string;
    /** `TEACHERS=open` */
    everybody: boolean;
}

/** Services of the class routes. */
export interface ClassServices extends Pick<AuthoringServices, 'config' | 'db' | 'write' | 'isBlocked'> {
    callerOf(request: Pick<Request, 'auth'>): ClassCaller;
}

const heldColumns = { role: known<ClassRole>('text'), publish: known<PublishLevel>('text'), picture_sign_in: 'boolean' } as const;
export type HeldClass = RowOf<typeof heldColumns>;

/** SQL for the class $1, if the user $2 is of it. */
const ofCaller = `from classes c ${joinCaller('$2::bigint', '$3::boolean')} where c.id = $1 and ${live('c')}`;

const look = statement({ parameters: ['bigint', 'bigint', 'boolean'], row: heldColumns }, `select me.role, c.publish, c.picture_sign_in ${ofCaller}`);

/** Locks the row of a class, and that of the caller, so that they keep the permission to teach until the transaction ends. Who is not of the class does not wait for either. */
const locking = (lock: string) => statement({ parameters: ['bigint', 'bigint', 'boolean'], row: { id: 'bigint' } }, `select c.id ${ofCaller} ${lock} of c for share of mu`);

const hold = locking('for no key update');
const stay = locking('for share');

/** @throws 404 if the caller is not of the class */
function asPerson(found: HeldClass | undefined): HeldClass {
    if (found === undefined) {
        throw notFound('class');
    }

    return found;
}

/** The error for a pupil who does what teachers do. */
export const teachersOnly = (): Error => forbidden('Only the teachers of this class can do this.');

/** @throws 404 if the caller is not of the class, 403 if they are a pupil of it */
function asTeacher(found: HeldClass | undefined): HeldClass {
    const held = asPerson(found);
    if (held.role !== 'teacher') {
        throw teachersOnly();
    }

    return held;
}

/** Reads a class without a lock, for what only shows it. @throws as `asTeacher` does */
export const checkTeacher = async (db: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<HeldClass> =>
    asTeacher(await runOne(db, look, [id, caller, everybody]));

/** Reads a class for anybody of it. @throws 404 if the caller is not of it */
export const checkPerson = async (db: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<HeldClass> =>
    asPerson(await runOne(db, look, [id, caller, everybody]));

/** Locks a class for somebody of it, so that nobody else changes it or who is in it. @returns undefined if the caller is not of it */
export const lockClass = (trx: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<Locked<'class'> | undefined> =>
    Locked.by(trx, 'class', hold, [id, caller, everybody]);

/** Locks a class for a write whose next statement looks at the caller's rights (class-write.ts). @throws 404 if the caller is not of it */
export async function lockForWrite(trx: Database, id: string, caller: ClassCaller): Promise<Locked<'class'>> {
    const locked = await lockClass(trx, id, caller);
    if (locked === undefined) {
        throw notFound('class');
    }

    return locked;
}

/** The caller's rights in a class that is locked. @returns undefined if they are not of it, or were taken out while this waited for the lock */
export const checkLocked = (locked: Locked<'class'> | undefined, { id: caller, everybody }: ClassCaller): Promise<HeldClass | undefined> => (locked === undefined ? Promise.resolve(undefined) : runOne(locked.trx, look, [locked.id, caller, everybody]));

/** Locks a class for one of its teachers, so that nobody else changes it or who is in it. @throws as `asTeacher` does */
export const holdAsTeacher = async (trx: Database, id: string, caller: ClassCaller): Promise<HeldClass> =>
    asTeacher(await checkLocked(await lockClass(trx, id, caller), caller));

/** Locks a class for anybody of it. @throws 404 if the caller is not of it */
export const holdAsPerson = async (trx: Database, id: string, caller: ClassCaller): Promise<HeldClass> =>
    asPerson(await checkLocked(await lockClass(trx, id, caller), caller));

/**
 * A shared lock that keeps the class, who is in it and the caller's account as they are until the transaction ends: those who change that
 * wait. Many can do so at the same time.
 * @throws as `holdAsPerson` does
 */
export const lockMembership = async (trx: Database, id: string, caller: ClassCaller): Promise<HeldClass> =>
    asPerson(await checkLocked(await Locked.by(trx, 'class', stay, [id, caller.id, caller.everybody]), caller));

export const teacherNeeded = (): Error =>
    forbidden('Only teachers can make classes. Ask whoever runs this place, or a moderator, to make you one.');
