import { deleteProjectsOf } from '../../rules/delete-projects';
import type { Database } from '../../database/statements/connection';
import { deleteTokens } from '../tokens/queries';

/**
 * Deletes what belongs to an account, in the transaction that marked the account as deleted: its tokens for good, its projects
 * until the account is restored. These statements run after the account's row was locked, so they see everything that other
 * writers have committed.
 */
export async function deleteContents(trx: Database, userId: string): Promise<void> {
    await deleteTokens(trx, userId);
    await deleteProjectsOf(trx, userId);
}
