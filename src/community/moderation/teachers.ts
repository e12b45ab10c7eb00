import { logAct } from '../../rules/moderation-log';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { jsonObject, plainQuoted } from '../../database/statements/json-sql';
import { runOne, statement } from '../../database/statements/statement';
import { transaction } from '../../database/statements/transaction';

const set = statement({ parameters: ['bigint', 'boolean'], row: { json: 'text', changed: 'boolean' } }, `
    with found as materialized (
        select * from users u where u.id = $1 and ${live('u')} for no key update
    ), written as (
        update users u set teacher = $2, revision = u.revision + 1, updated_at = now() from found f where u.id = f.id and f.teacher <> $2 returning u.id
    )
    select ${jsonObject({ id: plainQuoted('u.id'), username: plainQuoted('u.username') })} as json, exists (select from written) as changed from found u`);

/**
 * Makes a user a teacher, or takes that permission away. It is logged if it changes something.
 * @returns the JSON text of the user; undefined if there is no such user
 */
export function setTeacher(db: Database, userId: string, granted: boolean, { moderatorId, traceId }: { moderatorId: string; traceId?: string | undefined }): Promise<string | undefined> {
    return transaction(db, traceId, async (trx) => {
        const found = await runOne(trx, set, [userId, granted]);
        if (found?.changed) {
            await logAct(trx, { moderatorId, act: granted ? 'make_teacher' : 'dismiss_teacher', type: 'user', id: userId, projectId: null, ownerId: userId, reason: null });
        }

        return found?.json;
    });
}
