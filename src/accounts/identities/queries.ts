import { fromUser, fromUsers, updateUsers } from '../users/fragments';
import type { Identity } from '../../api/request/caller';
import type { Database } from '../../database/statements/connection';
import { gone } from '../../database/statements/deletion';
import type { RowOf } from '../../database/declaration';
import { isoTime } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_IDENTITIES } from '../../limits';

/** Seconds in which a sign-in at another provider must be finished; and most of a user that are kept: one more forgets the oldest. */
const SIGN_IN_LIFE = 600;
const MAX_SIGN_INS = 10;

// Old ones go as new ones come, so that there are never many.
const keep = statement({ parameters: ['bytea', 'text', 'bigint', 'double precision'], row: { expires_at: 'text' } }, `
    with old as (
        select hash from sign_ins where expires_at < now() limit 100
    ), surplus as (
        select hash from sign_ins where user_id = $3::bigint order by expires_at desc offset ${MAX_SIGN_INS - 1}
    ), gone as (delete from sign_ins where hash in (select hash from old union select hash from surplus))
    insert into sign_ins (hash, provider, user_id, expires_at)
        values ($1, $2, $3, now() + make_interval(secs => $4)) returning ${isoTime('expires_at')} as expires_at`);

/**
 * Notes that a sign-in has begun.
 * @param hash of its key
 * @param userId whose account gets the identity; null for signing in
 * @returns when it ends
 */
export async function keepSignIn(db: Database, hash: Buffer, provider: string, userId: string | null): Promise<string> {
    return (await runAlways(db, keep, [hash, provider, userId, SIGN_IN_LIFE])).expires_at;
}

const take = statement({ parameters: ['bytea', 'text', 'bigint'], row: { taken: 'boolean' } }, `
    delete from sign_ins where hash = $1 and provider = $2 and user_id is not distinct from $3::bigint and expires_at > now()
        returning true as taken`);

/** Whether a sign-in was begun for this, and was not finished yet: it can be once. */
export const takeSignIn = async (db: Database, hash: Buffer, provider: string, userId: string | null): Promise<boolean> =>
    (await runOne(db, take, [hash, provider, userId])) !== undefined;

const use = statement({ parameters: ['text', 'text'], row: { id: 'bigint', user_id: 'bigint', deleted: 'boolean' } }, `
    update identities i set last_used_at = now() ${fromUser('i.user_id')} and i.issuer = $1 and i.subject = $2
    returning i.id, i.user_id, ${gone('u')} as deleted`);

/** Whose identity it is, and that it was used now; undefined if it is of no account yet. */
export const useIdentity = (db: Database, { issuer, subject }: Identity): Promise<{ id: string; user_id: string; deleted: boolean } | undefined> => runOne(db, use, [issuer, subject]);

const columns = { id: 'bigint', issuer: 'text', name: 'text', created_at: 'text', last_used_at: 'text?' } as const;
export type StoredIdentity = RowOf<typeof columns>;

const shown = `i.id, i.issuer, i.name, ${isoTime('i.created_at')} as created_at, ${isoTime('i.last_used_at')} as last_used_at`;

// What opened an account while tokens came from a provider belongs to that account.
const insert = statement({ parameters: ['bigint', 'text', 'text', 'text'], row: columns }, `
    insert into identities as i (user_id, issuer, subject, name)
    select $1, $2, $3, $4 where not exists (select ${fromUsers('u.issuer = $2 and u.subject = $3 and u.id <> $1')})
    on conflict do nothing returning ${shown}`);

/** Adds an identity to an account; undefined if it is of an account already. */
export const insertIdentity = (db: Database, userId: string, { issuer, subject, username }: Identity): Promise<StoredIdentity | undefined> => runOne(db, insert, [userId, issuer, subject, username]);

const detached = updateUsers('issuer = null, subject = null');

// From now on the identity is a row of its own, so that the account can have others, and a password.
const detach = statement({ parameters: ['bigint'] }, `${detached} where u.id = $1`);

/** Makes an account that was opened with an identity one that is kept here. */
export async function detachIdentity(db: Database, userId: string): Promise<void> {
    await run(db, detach, [userId]);
}

const counted = statement({ parameters: ['bigint'], row: { count: 'integer' } }, 'select count(*)::int as count from identities where user_id = $1');

/** Whether a user may have one more. Needs a transaction that has locked the user. */
export const mayHaveMore = async (trx: Database, userId: string): Promise<boolean> =>
    (await runAlways(trx, counted, [userId])).count < MAX_IDENTITIES;

const list = statement({ parameters: ['bigint'], row: columns }, `select ${shown} from identities i where i.user_id = $1 order by i.id desc`);

/** A user's identities, newest first. */
export const listIdentities = (db: Database, userId: string): Promise<StoredIdentity[]> => run(db, list, [userId]);

const remove = statement({ parameters: ['bigint', 'bigint'], row: columns }, `
    with i as (delete from identities where user_id = $1 and id = $2 returning *),
    u as (${detached} from i where u.id = i.user_id and u.issuer = i.issuer and u.subject = i.subject)
    select ${shown} from i`);

/** Removes one of a user's own identities, and with it all tokens that came of it; undefined if they have none with that id. */
export const deleteIdentity = (trx: Database, userId: string, id: string): Promise<StoredIdentity | undefined> =>
    runOne(trx, remove, [userId, id]);
