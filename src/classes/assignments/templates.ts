import { fromLiveProject } from '../../projects/fragments';
import { joinUser } from '../../accounts/users/fragments';
import { defined } from '../../api/errors/defined';
import { fault, notFound } from '../../api/errors/errors';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { runOne, statement } from '../../database/statements/statement';
import { copyProject } from '../../projects/remixes/queries';
import type { ChangeAuthor } from '../../rules/access';
import { isActiveMember } from '../access';
import { refuseSizes, sizeColumns, sizes } from '../../rules/sizes';
import { isMember, isOpen } from '../../rules/visibility';

/*
 * Projects that works begin with. A teacher hands one out, and its copies are by that teacher's right to read it, as it is when a pupil begins.
 */

/** SQL for the project $1, if the teacher $2 may hand it out: not what they read as a moderator, or because it is in a class. */
const handedOut = `${fromLiveProject('$1')} and (${isOpen('p')} or p.user_id = $2 or ${isMember('p', '$2::bigint')})`;

const look = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint' }, place: inProject(1) }, `select p.id ${handedOut}`);

/** A project that is handed out, and the teacher who does so. */
export interface Template {
    project: string;
    teacher: string;
}

/** Where a template is handed out. */
export interface HandingOut {
    classId: string;
    /** whether all can teach (`TEACHERS=open`) */
    everybody: boolean;
}

// Who teaches the class no more gives nothing on its behalf.
const teaching = statement({ parameters: ['bigint', 'bigint', 'boolean'], row: { id: 'bigint' } }, `
    select u.id from class_people k ${joinUser('k.user_id')} and ${isActiveMember('$3::boolean')} where k.class_id = $1 and k.user_id = $2 and k.role = 'teacher'`);

/** @throws 404 if a teacher may not hand out the project, or there is none */
export async function checkTemplate(db: Database, project: string, teacher: string): Promise<void> {
    if (await runOne(db, look, [project, teacher]) === undefined) {
        throw notFound('template');
    }
}

const sourceColumns = { is_held: 'boolean', ...sizeColumns } as const;
type Source = RowOf<typeof sourceColumns>;

// As for any remix (projects/remixes/queries.ts), the share lock keeps the template as it is. The pupil's account is locked already.
const source = statement({ parameters: ['bigint', 'bigint'], row: sourceColumns, place: writing(inProject(1)) }, `select p.held_at is not null as is_held, ${sizes} ${handedOut} for share of p`);

/**
 * Makes a private copy of a template for a pupil. @param title of the copy: that of the assignment
 * @returns the id of the copy
 * @throws 404 if the teacher has left the class, or may not read the template any more, 403 if moderators hold it, 409 if it is larger than the limits
 */
export async function copyTemplate(trx: Database, { classId, everybody }: HandingOut, { project, teacher }: Template, pupil: ChangeAuthor, version: string, title: string): Promise<string> {
    if (await runOne(trx, teaching, [classId, teacher, everybody]) === undefined) {
        throw fault('not_found', 'The teacher who gave the template of this assignment has left the class. Ask your teacher for another one.');
    }

    const find = (): Promise<Source | undefined> => runOne(trx, source, [project, teacher]);
    // While the first look waited for the lock, the teacher may have lost the right, which only a second look sees.
    const found = await find() && await find();
    if (found === undefined) {
        throw notFound('template');
    }

    if (found.is_held) {
        throw fault('held');
    }

    refuseSizes(found.page_bytes, found.project_bytes);
    return defined(await copyProject(trx, project, pupil, version, { visibility: 'private', title })).id;
}
