import { fromActiveUserNamed, joinUser, usingUser } from '../../accounts/users/fragments';
import { chosenJson, chosenPage, chosenPageTypes, hasPage } from '../people';
import { usernameKey } from '../../api/representations/username';
import { listRowColumns } from '../../api/request/pagination';
import type { ListPlace, ListRow } from '../../api/request/pagination';
import { isNamedFor } from '../../classes/fragments';
import { byLookup } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { endsFollowing } from '../follows/fragments';
import { MAX_BLOCKS } from './json';

const list = statement({ parameters: chosenPageTypes, row: listRowColumns }, chosenPage('from blocks k', 'blocked_id', 'k.user_id = $1'));

/** A page of whom a user has blocked, newest first. */
export function listBlocks(db: Database, userId: string, { before, beforeId, count }: ListPlace): Promise<ListRow> {
    return runAlways(db, list, [userId, before, beforeId, count]);
}

const found = statement({ parameters: ['text', 'bigint'], row: { id: 'bigint', json: 'text?' }, place: byLookup }, `
    select u.id, (select ${chosenJson} from blocks k where k.user_id = $2 and k.blocked_id = u.id) as json
    ${fromActiveUserNamed('$1')} and (${isNamedFor('$2')} or ${hasPage})`);

/** The user with this name, who has a page or is of a class of the user, and the JSON text of the block of them, null if there is none; undefined if there is no such user. */
export function findBlock(db: Database, username: string, userId: string): Promise<{ id: string; json: string | null } | undefined> {
    return runOne(db, found, [usernameKey(username), userId]);
}

const insert = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' } }, `
    with k as (
        insert into blocks (user_id, blocked_id)
        select $1, $2 where (select count(*) from blocks o where o.user_id = $1) < ${MAX_BLOCKS} returning *
    )
    select ${chosenJson} as json from k ${joinUser('k.blocked_id')}`);

const end = statement({ parameters: ['bigint', 'bigint'] }, endsFollowing('$1', '$2'));

/**
 * Blocks somebody, and ends the following of both. The user is held.
 * @returns the JSON text of the block; undefined if the user has too many
 */
export async function insertBlock(trx: Database, userId: string, blockedId: string): Promise<string | undefined> {
    await run(trx, end, [userId, blockedId]);
    return (await runOne(trx, insert, [userId, blockedId]))?.json;
}

const remove = statement({ parameters: ['bigint', 'text'], row: { json: 'text' } }, `
    delete from blocks k ${usingUser('k.blocked_id')} and k.user_id = $1 and u.username_key = $2 returning ${chosenJson} as json`);

/** Ends a block, also of somebody whose account is closed. @returns its JSON text, as it was; undefined if there is none */
export async function deleteBlock(trx: Database, userId: string, username: string): Promise<string | undefined> {
    return (await runOne(trx, remove, [userId, usernameKey(username)]))?.json;
}
