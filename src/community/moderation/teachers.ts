import { setPermissionOf } from '../../accounts/users/permissions';
import type { Database } from '../../database/statements/connection';
import { transaction } from '../../database/statements/transaction';
import { logAct } from '../../rules/moderation-log';

/**
 * Makes a user a teacher, or takes that permission away. It is logged if it changes something.
 * @returns the JSON text of the user; undefined if there is no such user
 */
export function decideTeacher(db: Database, id: string, granted: boolean, { moderatorId, traceId }: { moderatorId: string; traceId?: string | undefined }): Promise<string | undefined> {
    return transaction(db, traceId, async (trx) => {
        const found = await setPermissionOf(trx, id, 'teacher', granted);
        if (found?.changed) {
            await logAct(trx, { moderatorId, act: granted ? 'make_teacher' : 'dismiss_teacher', type: 'user', id, projectId: null, ownerId: id, reason: null });
        }

        return found && JSON.stringify({ id, username: found.username });
    });
}
