import { deleteProjectsOf } from '../authoring/delete-projects';
import type { Database } from '../db/connection';
import { deleteTokens } from '../tokens/queries';

/**
 * Deletes what goes with an account, in the transaction that marked the account as deleted: its tokens for good, its
 * projects until the account is restored. They are statements of their own, so they see what other writers, which the
 * lock on the account's row made wait or end, have committed.
 */
export async function deleteContents(trx: Database, userId: string): Promise<void> {
    await deleteTokens(trx, userId);
    await deleteProjectsOf(trx, userId);
}
