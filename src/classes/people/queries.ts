import { canTeach } from '../fragments';
import { fromActiveUser, fromActiveUserNamed, joinActiveUser, joinUser } from '../../accounts/users/fragments';
import { pupilJson } from '../json';
import { somebodyJson } from '../../api/representations/user';
import { usernameKey } from '../../api/representations/username';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { isoTime } from '../../database/statements/json-sql';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { hasBlocked } from '../../community/blocks/fragments';
import { MAX_CLASSES, MAX_PUPILS, MAX_TEACHERS } from '../../limits';
import { fault, notFound } from '../../api/errors/errors';
import { holdUser } from '../../rules/hold-user';
import { isActiveMember } from '../access';
import type { ClassCaller } from '../access';
import { classesOf } from '../queries';
import { typedCode } from '../codes';

/** A pupil as their teachers see them. */
const shownPupil = pupilJson('true', isoTime('k.since'));

const byCode = statement({ parameters: ['text'], row: { id: 'bigint' } }, `select c.id from classes c where c.code = $1 and ${live('c')} for no key update`);

const join = statement({ parameters: ['bigint', 'bigint'], row: { present: 'boolean', joined: 'boolean', busy: 'boolean' } }, `
    with already as materialized (select from class_people k where k.class_id = $1 and k.user_id = $2),
    made as (
        insert into class_people (class_id, user_id, role)
        select $1, $2, 'pupil' where not exists (select from already) and ${classesOf('$2::bigint')} < ${MAX_CLASSES}
            and (select count(*) from class_people k ${joinActiveUser('k.user_id')} where k.class_id = $1 and k.role = 'pupil') < ${MAX_PUPILS}
        returning user_id
    )
    select exists (select from already) as present, exists (select from made) as joined, ${classesOf('$2::bigint')} >= ${MAX_CLASSES} as busy`);

/**
 * Lets a user join a class by its code, as a pupil. Joining again changes nothing, and a teacher stays one. Needs a transaction.
 * @returns the id of the class
 * @throws 404 if the code is of no class, 409 if the class has as many pupils as it may, or the user as many classes
 */
export async function joinClass(trx: Database, userId: string, code: string): Promise<string> {
    const found = await runOne(trx, byCode, [typedCode(code)]);
    if (found === undefined) {
        throw fault('not_found', 'This code is of no class. Ask your teacher for it again.');
    }

    await holdUser(trx, userId);
    const { present, joined, busy } = await runAlways(trx, join, [found.id, userId]);
    if (!present && !joined) {
        throw fault(busy ? 'class_limit' : 'pupil_limit');
    }

    return found.id;
}

const named = statement({ parameters: ['bigint', 'bigint', 'text'], row: { json: 'text' } }, `
    update class_people k set name = coalesce($3, k.name) ${fromActiveUser('k.user_id')} and k.class_id = $1 and k.user_id = $2 and k.role = 'pupil' returning ${shownPupil} as json`);

/** Changes the name of a pupil of a class that is locked. @returns their JSON text @throws 404 if the class has no such pupil */
export async function updatePupil(trx: Database, classId: string, userId: string, name: string | undefined): Promise<string> {
    const row = await runOne(trx, named, [classId, userId, name ?? null]);
    if (row === undefined) {
        throw notFound('pupil');
    }

    return row.json;
}

const out = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' } }, `
    with k as (delete from class_people where class_id = $1 and user_id = $2 and role = 'pupil' returning *)
    select ${shownPupil} as json from k ${joinActiveUser('k.user_id')}`);

/** Takes a pupil out of a class that is locked. @returns their JSON text, as they were; undefined if the class has no such pupil */
export const deletePupil = async (trx: Database, classId: string, userId: string): Promise<string | undefined> => (await runOne(trx, out, [classId, userId]))?.json;

// An account that another class manages is not there.
const candidate = statement({ parameters: ['text', 'boolean', 'bigint'], row: { id: 'bigint', teaches: 'boolean' } }, `
    select u.id, ${canTeach('u', '$2::boolean')} as teaches ${fromActiveUserNamed('$1')} and (u.publish is null or u.managed_by = $3) for no key update`);

const putColumns = { json: 'text?', was: 'boolean', blocked: 'boolean', busy: 'boolean' } as const;
const put = statement({ parameters: ['bigint', 'bigint', 'boolean', 'bigint'], row: putColumns }, `
    with known as materialized (select role from class_people where class_id = $1 and user_id = $2),
    made as (
        insert into class_people as k (class_id, user_id, role)
        select $1, $2, 'teacher' where (exists (select from known) or not ${hasBlocked('$2', '$4')} and ${classesOf('$2::bigint')} < ${MAX_CLASSES})
            and (select count(*) from class_people k ${joinUser('k.user_id')} where k.class_id = $1 and k.role = 'teacher' and k.user_id <> $2 and ${isActiveMember('$3::boolean')}) < ${MAX_TEACHERS}
        on conflict (class_id, user_id) do update set role = 'teacher', name = null
        returning user_id
    )
    select (select ${somebodyJson} from made m ${joinUser('m.user_id')}) as json, exists (select from known where role = 'teacher') as was,
        not exists (select from known) and ${hasBlocked('$2', '$4')} as blocked, not exists (select from known) and ${classesOf('$2::bigint')} >= ${MAX_CLASSES} as busy`);

/**
 * Makes a user a teacher of a class that is locked, for one of its teachers.
 * @returns their JSON text, and whether they were not one before
 * @throws 404 if there is no such user, or they have blocked that teacher and are not in the class; 409 if they may not teach, the class has
 * as many teachers as it may, or they have as many classes
 */
export async function putTeacher(
    trx: Database, classId: string, username: string, { id: by, everybody }: ClassCaller
): Promise<{ json: string; isNew: boolean }> {
    const user = await runOne(trx, candidate, [usernameKey(username), everybody, classId]);
    if (user === undefined) {
        throw notFound('user');
    }

    if (!user.teaches) {
        throw fault('no_teacher');
    }

    const { json, was, blocked, busy } = await runAlways(trx, put, [classId, user.id, everybody, by]);
    if (json === null) {
        throw blocked ? notFound('user') : fault(busy ? 'class_limit' : 'teacher_limit');
    }

    return { json, isNew: !was };
}

const leave = statement({ parameters: ['bigint', 'text', 'boolean'], row: { known: 'boolean', json: 'text?' } }, `
    with t as materialized (
        select u.* from class_people k ${joinActiveUser('k.user_id')} where k.class_id = $1 and k.role = 'teacher' and u.username_key = $2
    ), gone as (
        delete from class_people k using t where k.class_id = $1 and k.user_id = t.id
            and exists (select from class_people k ${joinUser('k.user_id')} where k.class_id = $1 and k.role = 'teacher' and k.user_id <> t.id and ${isActiveMember('$3::boolean')})
        returning k.user_id
    )
    select exists (select from t) as known, (select ${somebodyJson} from t u join gone g on g.user_id = u.id) as json`);

/** Takes a teacher out of a class that is locked. @returns their JSON text @throws 404 if the class has no such teacher, 409 if they are the last */
export async function deleteTeacher(trx: Database, classId: string, username: string, everybody: boolean): Promise<string> {
    const { known, json } = await runAlways(trx, leave, [classId, usernameKey(username), everybody]);
    if (!known) {
        throw notFound('teacher');
    }

    if (json === null) {
        throw fault('last_teacher');
    }

    return json;
}
