import { fromProjectsOf } from '../projects/fragments';
import { canTeach } from './fragments';
import { fromActiveUser, joinUser } from '../accounts/users/fragments';
import { classJson, pupilJson } from './json';
import type { ClassFields, ClassRole } from './json';
import { somebodyJson } from '../api/representations/user';
import type { ListPlace } from '../api/request/pagination';
import { byLookup, known } from '../database/declaration';
import type { RowOf } from '../database/declaration';
import { boundedPage, boundedPageColumns } from '../database/bounded-page';
import type { BoundedPage } from '../database/bounded-page';
import type { Database } from '../database/statements/connection';
import { live } from '../database/statements/deletion';
import { isoTime, jsonObject, plainQuoted } from '../database/statements/json-sql';
import { runAlways, runOne, statement } from '../database/statements/statement';
import { MAX_CLASSES } from '../limits';
import { holdUser } from '../rules/hold-user';
import { isListed } from '../rules/visibility';
import { isActiveMember, joinCaller } from './access';
import type { ClassCaller } from './access';
import { newClassCode, shownCode } from './codes';

/** SQL for how many classes a user is in. */
export const classesOf = (user: string): string =>
    `(select count(*) from class_people o join classes oc on oc.id = o.class_id and ${live('oc')} where o.user_id = ${user})`;

const madeColumns = { teaches: 'boolean', id: 'bigint?', json: 'text?', code: 'text?' } as const;
const insert = statement({ parameters: ['bigint', 'boolean', 'text', 'text', 'boolean', 'text', 'text', 'boolean'], row: madeColumns }, `
    with u as materialized (select u.id ${fromActiveUser('$1')} and ${canTeach('u', '$2::boolean')}),
    c as (
        insert into classes as c (title, publish, comments, code, show, picture_sign_in) select $3, $4, $5, $6, $7, $8
            from u where ${classesOf('$1')} < ${MAX_CLASSES} returning *
    ), k as (
        insert into class_people (class_id, user_id, role) select c.id, u.id, 'teacher' from c, u
    )
    select exists (select from u) as teaches, c.id, ${classJson} as json, ${shownCode('c.code')} as code
        from (select) one left join c on true`);

/** Makes a class with its first teacher. In a transaction, so that the limit holds for simultaneous requests. @returns nulls if the user may not teach, or is in too many classes */
export async function insertClass(trx: Database, { id, everybody }: ClassCaller, { title, publish, comments, show, picture_sign_in: pictures }: ClassFields): Promise<RowOf<typeof madeColumns>> {
    await holdUser(trx, id);
    return runAlways(trx, insert, [id, everybody, title, publish, comments, newClassCode(), show, pictures]);
}

const list = statement({ parameters: ['bigint', 'boolean', 'bigint', 'integer'], row: boundedPageColumns }, boundedPage(`
    select 0 as rank, c.id, ${jsonObject({ class: classJson, role: plainQuoted('me.role') })} as json
    from classes c ${joinCaller('$1::bigint', '$2::boolean')}
        where ${live('c')} and c.id < $3 order by c.id desc limit $4::int + 1`, '$4::int'));

/** A page of the classes that a user teaches or attends, newest first. */
export const listClasses = (db: Database, { id, everybody }: ClassCaller, { beforeId, count }: Pick<ListPlace, 'beforeId' | 'count'>): Promise<BoundedPage> => runAlways(db, list, [id, everybody, beforeId, count]);

/** SQL for whether the caller in the row `me` sees the username of the user in `u`. */
const namesShown = `(me.role = 'teacher' or u.id = me.user_id or exists (select ${fromProjectsOf('u.id')} and ${isListed('p')}))`;

const readColumns = { role: known<ClassRole>('text'), json: 'text', code: 'text', teachers: 'text', pupils: 'text' } as const;
const one = statement({ parameters: ['bigint', 'bigint', 'boolean'], row: readColumns, place: byLookup }, `
    select me.role, ${classJson} as json, ${shownCode('c.code')} as code,
        (select coalesce(string_agg(${somebodyJson}, ',' order by k.since, k.user_id), '')
            from class_people k ${joinUser('k.user_id')}
                where k.class_id = c.id and k.role = 'teacher' and ${isActiveMember('$3::boolean')}) as teachers,
        (select coalesce(string_agg(${pupilJson(namesShown, isoTime('k.since'), `(me.role = 'teacher' or u.id = me.user_id)`)}, ',' order by k.name, k.user_id), '')
            from class_people k ${joinUser('k.user_id')} where k.class_id = c.id and k.role = 'pupil' and ${live('u')}) as pupils
    from classes c ${joinCaller('$2::bigint', '$3::boolean')} where c.id = $1 and ${live('c')}`);

/** A class with its people, as the caller sees them. Undefined if the caller is not of it. */
export const findClass = (db: Database, id: string, { id: caller, everybody }: ClassCaller): Promise<RowOf<typeof readColumns> | undefined> => runOne(db, one, [id, caller, everybody]);

const alone = statement({ parameters: ['bigint'], row: { json: 'text', revision: 'integer' } }, `select ${classJson} as json, c.revision from classes c where c.id = $1`);

/** The JSON text of a class, without its people. */
export const showClass = (db: Database, id: string): Promise<{ json: string; revision: number }> => runAlways(db, alone, [id]);

const remove = statement({ parameters: ['bigint'], row: { json: 'text' } }, `
    update classes c set deleted_at = now(), revision = c.revision + 1, updated_at = now() where c.id = $1 returning ${classJson} as json`);

/** Deletes a class that is locked. */
export const deleteClass = async (trx: Database, id: string): Promise<string> => (await runAlways(trx, remove, [id])).json;
