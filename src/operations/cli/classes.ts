import { restoreProjects } from '../../community/administration/people';
import { findProjectsOfWorks, restoreRemoved, restoreRow } from '../../classes/operators';
import { shareWithTeachers } from '../../classes/works/queries';
import type { Database } from '../../database/statements/connection';
import { run } from '../../database/statements/statement';
import { operatorWrite } from '../../rules/write';

/**
 * Restores a deleted class with the accounts that were removed with it. Its teachers read the works again.
 * @returns undefined if there is no deleted class with this id
 */
export function restoreClass(db: Database, id: string): Promise<{ title: string; accounts: number } | undefined> {
    return operatorWrite(db, async (trx) => {
        const found = await restoreRow(trx, id);
        if (found === undefined) {
            return undefined;
        }

        const accounts = await restoreRemoved(trx, id, found.deleted_at);
        for (const account of accounts) {
            await run(trx, restoreProjects, [account.id, account.deletion_id]);
        }

        for (const project of await findProjectsOfWorks(trx, id)) {
            await shareWithTeachers(trx, id, project);
        }

        return { title: found.title, accounts: accounts.length };
    });
}
