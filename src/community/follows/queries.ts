import { fromActiveUserNamed, fromUser } from '../../accounts/users/fragments';
import { choicesIn, chosenJson } from '../people';
import { usernameKey } from '../../api/representations/username';
import { isInClass, isNamedFor } from '../../classes/fragments';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { hasBlocked } from '../blocks/fragments';
import { insertNotices } from '../notices/fragments';
import { fromFollowedBy } from './fragments';
import { MAX_FOLLOWED } from './json';

/** Whom users follow. */
export const followed = choicesIn('follows', 'followed_id', MAX_FOLLOWED);

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

// The first parameter is the project of a notice that is about none.
const tell = statement({ parameters: ['bigint', 'bigint', 'bigint'], place: writing(inProject(1)) }, `
    ${insertNotices} values ($1, $2, 'follow', $3, null)`);

/**
 * Follows somebody. The user is held.
 * @returns the JSON text of the following; undefined if the user follows too many
 */
export async function insertFollow(trx: Database, userId: string, { id, told }: Followed): Promise<string | undefined> {
    const made = await followed.insert(trx, userId, id);
    if (made !== undefined && told) {
        await run(trx, tell, ['0', id, userId]);
    }

    return made;
}
