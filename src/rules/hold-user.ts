import { fromActiveUser } from '../accounts/users/fragments';
import type { Database } from '../database/statements/connection';
import { runOne, statement } from '../database/statements/statement';

const hold = statement({ parameters: ['bigint'], row: { id: 'bigint' } }, `select u.id ${fromActiveUser('$1')} for no key update`);

/** Locks a user until the transaction ends, so that a limit of theirs holds for simultaneous requests. @returns whether the user is not deleted */
export async function holdUser(trx: Database, userId: string): Promise<boolean> {
    return await runOne(trx, hold, [userId]) !== undefined;
}
