import { fromActiveUserNamed } from '../../accounts/users/fragments';
import { choicesIn, chosenJson, hasPage } from '../people';
import { usernameKey } from '../../api/representations/username';
import { isNamedFor } from '../../classes/fragments';
import { byLookup } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { endsFollowing } from '../follows/fragments';
import { MAX_BLOCKS } from './json';

/** Whom users have blocked. */
export const blocked = choicesIn('blocks', 'blocked_id', MAX_BLOCKS);

const found = statement({ parameters: ['text', 'bigint'], row: { id: 'bigint', json: 'text?' }, place: byLookup }, `
    select u.id, (select ${chosenJson} from blocks k where k.user_id = $2 and k.blocked_id = u.id) as json
    ${fromActiveUserNamed('$1')} and (${isNamedFor('$2')} or ${hasPage})`);

/** The user with this name, who has a page or is of a class of the user, and the JSON text of the block of them, null if there is none; undefined if there is no such user. */
export function findBlock(db: Database, username: string, userId: string): Promise<{ id: string; json: string | null } | undefined> {
    return runOne(db, found, [usernameKey(username), userId]);
}

const end = statement({ parameters: ['bigint', 'bigint'] }, endsFollowing('$1', '$2'));

/**
 * Blocks somebody, and ends the following of both. The user is held.
 * @returns the JSON text of the block; undefined if the user has too many
 */
export async function insertBlock(trx: Database, userId: string, blockedId: string): Promise<string | undefined> {
    await run(trx, end, [userId, blockedId]);
    return await blocked.insert(trx, userId, blockedId);
}
