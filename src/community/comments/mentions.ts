import { fromUsers } from '../../accounts/users/fragments';
import { usernameKey } from '../../api/representations/username';
import { classesLetTalk } from '../../classes/fragments';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { runAlways, statement } from '../../database/statements/statement';
import { MAX_USERNAME } from '../../limits';
import { MAX_MENTIONS } from './limits';
import { hasBlocked } from '../blocks/fragments';

/** Names after an `@` that no letter comes before, as there is one in an address of mail. */
const mention = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_@-])@([\\p{L}\\p{M}\\p{N}_-]{1,${4 * MAX_USERNAME}})`, 'gu');

/** The keys of the first different names that a text mentions. */
export const mentionedKeys = (text: string): string[] => {
    return [...new Set([...text.matchAll(mention)].map(([, name = '']) => usernameKey(name)))].slice(0, MAX_MENTIONS);
};

// Whether they may read the project is looked at where the comment is written.
const find = statement({ parameters: ['text[]', 'bigint', 'bigint', 'boolean'], row: { ids: 'bigint[]' } }, `
    select coalesce(array_agg(u.id order by array_position($1::text[], u.username_key)), '{}') as ids
    ${fromUsers('u.username_key = any($1::text[])')} and ${live('u')} and not ${hasBlocked('u.id', '$3::bigint')}
        and ${classesLetTalk('$2::bigint', 'u.id', '$4::boolean')} and ${classesLetTalk('$3::bigint', 'u.id', '$4::boolean')}`);

/**
 * Ids of the users whom a text mentions, of those who have not blocked its author, and who may talk with the author and the owner of the
 * project, in the order of the text.
 */
export async function findMentioned(
    db: Database, text: string, { owner, author, everybody }: { owner: string; author: string; everybody: boolean }
): Promise<string[]> {
    const keys = mentionedKeys(text);
    return keys.length === 0 ? [] : (await runAlways(db, find, [keys, owner, author, everybody])).ids;
}
