import { releaseAccounts } from '../accounts/users/managed-accounts';
import type { Database } from '../database/statements/connection';
import { takeProjectsOut } from './bounds';
import { deleteClass } from './queries';
import { removeAccounts } from './people/roster';

/**
 * Ends a class that is locked. The accounts that it manages become ordinary ones.
 * @param removes whether they are closed instead
 * @returns its JSON text
 */
export async function endClass(trx: Database, id: string, removes: boolean): Promise<string> {
    if (removes) {
        await removeAccounts(trx, id, null);
    }

    await releaseAccounts(trx, id, null);
    await takeProjectsOut(trx, id);
    return deleteClass(trx, id);
}
