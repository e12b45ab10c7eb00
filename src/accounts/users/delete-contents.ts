import { deleteProjectsOf } from '../../rules/delete-projects';
import type { Database } from '../../database/statements/connection';
import { deleteTokens } from '../tokens/queries';

/**
 * Deletes what belongs to accounts, in the transaction that marked them as deleted: their tokens for good, their projects
 * until the account is restored. These statements run after the rows of the accounts were locked, so they see everything that other
 * writers have committed.
 */
export async function deleteContents(trx: Database, userIds: readonly string[]): Promise<void> {
    await deleteTokens(trx, userIds);
    await deleteProjectsOf(trx, userIds);
}
