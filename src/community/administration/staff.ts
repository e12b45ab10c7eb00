import type { Knex } from 'knex';

import { fromUsers, isStaff } from '../../accounts/users/fragments';
import { forbidden } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';
import { operatorWrite, requestWrite } from '../../rules/write';
import type { Sender } from '../../rules/write';

/** Who acts: somebody of the staff, or an operator by a command. */
export interface Acting {
    /** null for a command */
    staffId: string | null;
    /** what they sent */
    request?: Sender;
}

export const OPERATOR: Acting = { staffId: null };

const staffNeeded = (): Error => forbidden('Only staff can do this.');

/** The caller. It is checked before anything is looked up, so that others cannot find out what exists. @throws 403 if the caller is not of the staff */
export function staffOf(request: Sender): Acting & { staffId: string } {
    const { id, staff } = currentUser(request);
    if (staff !== true) {
        throw staffNeeded();
    }

    return { staffId: id, request };
}

const hold = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint', staff: 'boolean' } }, `
    select u.id, ${isStaff('u')} as staff ${fromUsers('u.id in ($1, $2)')} order by u.id for no key update`);

/**
 * Does something in a transaction. It locks who acts, and the user whom it is about: of two who take the permission from each other at once, one keeps it.
 * @param first locks what comes before accounts
 * @throws 403 if they are not of the staff any more
 */
export function act<Result>(db: Database, { staffId, request }: Acting, userId: string | null, work: (trx: Knex.Transaction) => Promise<Result>, first?: (trx: Knex.Transaction) => Promise<void>): Promise<Result> {
    const checked = async (trx: Knex.Transaction): Promise<Result> => {
        await first?.(trx);
        const held = await run(trx, hold, [staffId, userId]);
        if (staffId !== null && !held.some(({ id, staff }) => id === staffId && staff)) {
            throw staffNeeded();
        }

        // What they do may end their own rights.
        await request?.checkStillAllowed(trx);
        return work(trx);
    };

    return request === undefined ? operatorWrite(db, checked) : requestWrite(db, request, checked);
}
