import { setPermissionOf } from '../../accounts/users/permissions';
import type { Database } from '../../database/statements/connection';
import { lockTaughtClasses, refuseLastTeacher } from '../../rules/last-teacher';
import { logAct } from './acts';

interface Deciding {
    moderatorId: string;
    /** `TEACHERS=open` */
    everybody: boolean;
}

/**
 * Makes a user a teacher, or takes that permission away. It is logged if it changes something. Needs a transaction.
 * @returns the JSON text of the user; undefined if there is no such user
 * @throws 409 `last_teacher` if a class would be left without a teacher
 */
export async function decideTeacher(trx: Database, id: string, granted: boolean, { moderatorId, everybody }: Deciding): Promise<string | undefined> {
    // Where everybody can teach, nobody needs the permission.
    if (!granted && !everybody) {
        await refuseLastTeacher(await lockTaughtClasses(trx, id), everybody);
    }

    const found = await setPermissionOf(trx, id, 'teacher', granted);
    if (found?.changed) {
        await logAct(trx, { moderatorId, act: granted ? 'make_teacher' : 'dismiss_teacher', type: 'user', id, projectId: null, ownerId: id, reason: null });
    }

    return found && JSON.stringify({ id, username: found.username });
}
