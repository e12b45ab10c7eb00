import { fromActiveUserNamed, fromUser, joinUser, usingUser } from '../../accounts/users/fragments';
import { chosenJson, chosenPage, chosenPageTypes } from '../people';
import { usernameKey } from '../../api/representations/username';
import { listRowColumns } from '../../api/request/pagination';
import type { ListPlace, ListRow } from '../../api/request/pagination';
import { isInClass, isNamedFor } from '../../classes/fragments';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { hasBlocked } from '../blocks/fragments';
import { insertNotices } from '../notices/fragments';
import { fromFollowedBy } from './fragments';
import { MAX_FOLLOWED } from './json';

const list = statement({ parameters: chosenPageTypes, row: listRowColumns }, chosenPage('from follows k', 'followed_id', 'k.user_id = $1'));

/** A page of whom a user follows, the latest first. */
export function listFollowed(db: Database, userId: string, { before, beforeId, count }: ListPlace): Promise<ListRow> {
    return runAlways(db, list, [userId, before, beforeId, count]);
}

const foundColumns = {
    id: 'bigint',
    /** JSON text of the following there is */
    json: 'text?',
    /** whether they are to be told of a new one */
    told: 'boolean'
} as const;
type Followed = RowOf<typeof foundColumns>;

// Whom an account follows that a class manages is told only within the class: others do not learn its name.
const found = statement({ parameters: ['text', 'bigint'], row: foundColumns }, `
    select u.id, (select ${chosenJson} ${fromFollowedBy('$2')} and k.followed_id = u.id) as json,
        not ${hasBlocked('u.id', '$2')} and exists (
            select ${fromUser('$2', 'me')} and (me.publish is null or ${isInClass('me.managed_by', 'u.id')})
        ) as told
    ${fromActiveUserNamed('$1')} and ${isNamedFor('$2')}`);

/** The user with this name whom a user may follow; undefined if there is none. */
export function findFollowed(db: Database, username: string, userId: string): Promise<Followed | undefined> {
    return runOne(db, found, [usernameKey(username), userId]);
}

const insert = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' } }, `
    with k as (
        insert into follows (user_id, followed_id)
        select $1, $2 where (select count(*) from follows o where o.user_id = $1) < ${MAX_FOLLOWED} returning *
    )
    select ${chosenJson} as json from k ${joinUser('k.followed_id')}`);

// The first parameter is the project of a notice that is about none.
const tell = statement({ parameters: ['bigint', 'bigint', 'bigint'], place: writing(inProject(1)) }, `
    ${insertNotices} values ($1, $2, 'follow', $3, null)`);

/**
 * Follows somebody. The user is held.
 * @returns the JSON text of the following; undefined if the user follows too many
 */
export async function insertFollow(trx: Database, userId: string, { id, told }: Followed): Promise<string | undefined> {
    const made = await runOne(trx, insert, [userId, id]);
    if (made !== undefined && told) {
        await run(trx, tell, ['0', id, userId]);
    }

    return made?.json;
}

const remove = statement({ parameters: ['bigint', 'text'], row: { json: 'text' } }, `
    delete from follows k ${usingUser('k.followed_id')} and k.user_id = $1 and u.username_key = $2 returning ${chosenJson} as json`);

/** Ends that a user follows somebody. @returns the JSON text of the following, as it was; undefined if there is none */
export async function deleteFollow(trx: Database, userId: string, username: string): Promise<string | undefined> {
    return (await runOne(trx, remove, [userId, usernameKey(username)]))?.json;
}
