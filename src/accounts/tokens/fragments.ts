import { joinUser } from '../users/fragments';

/*
 * What the statements of others say of tokens (docs/decisions/fragments-of-owners.md). The row of a token is called `t`.
 */

const byHash = (hash: string): string => `where t.hash = ${hash} and t.expires_at > now()`;

/** SQL for whether a token is valid, by its hash. */
export const isValidToken = (hash: string): string => `exists (select from tokens t ${byHash(hash)})`;

/** SQL that reads a valid token and its user, who may be deleted; further conditions may follow. */
export const fromValidToken = (hash: string, user = 'u'): string => `from tokens t ${joinUser('t.user_id', user)}
    ${byHash(hash)}`;

/** SQL for whether somebody signed in with pictures, by the hash of their token. */
export const isOfPictures = (hash: string): string => `exists (select from tokens t ${byHash(hash)} and t.class_device_id is not null)`;

/** A statement that says of the tokens with these hashes that they were used in this hour. Instances write the same rows: who finds one locked leaves it to the other. */
export const notesUses = (hashes: string): string => `
    with used as (
        select id from tokens where hash = any(${hashes}) and (last_used_at is null or last_used_at < date_trunc('hour', now(), 'UTC'))
            for no key update skip locked
    )
    update tokens t set last_used_at = date_trunc('hour', now(), 'UTC') from used where t.id = used.id`;

/** SQL for how many valid tokens of a user there are, of these origins; of all if none is named. */
export const tokensOf = (user: string, ...origins: readonly string[]): string =>

    `from tokens t where t.user_id = ${user}${origins.length === 0 ? '' : ` and t.expires_at > now() and t.origin in (${origins.map((origin) => `'${origin}'`).join(', ')})`}`;
