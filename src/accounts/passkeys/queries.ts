import { fromUser, hasPassword, joinActiveUser, usingActiveUserNamed } from '../users/fragments';
import { notFound } from '../../api/errors/errors';
import { passkeyJson } from './json';
import { known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { CHALLENGE_LIFE, MAX_CHALLENGES, MAX_PASSKEYS } from '../../limits';
import { holdUser } from '../../rules/hold-user';

// Old ones go as new ones come, so that there are never many.
const keep = statement({ parameters: ['text', 'bigint', 'double precision'] }, `
    with old as (
        select challenge from passkey_challenges where expires_at < now() limit 100
    ), surplus as (
        select challenge from passkey_challenges where user_id = $2::bigint order by expires_at desc offset ${MAX_CHALLENGES - 1}
    ), gone as (delete from passkey_challenges where challenge in (select challenge from old union select challenge from surplus))
    insert into passkey_challenges (challenge, user_id, expires_at) values ($1, $2, now() + make_interval(secs => $3))`);

/** @param userId who may answer it, by adding a passkey; null for signing in */
export async function keepChallenge(db: Database, challenge: string, userId: string | null): Promise<void> {
    await run(db, keep, [challenge, userId, CHALLENGE_LIFE]);
}

const take = statement({ parameters: ['text', 'bigint'], row: { taken: 'boolean' } }, `
    delete from passkey_challenges where challenge = $1 and user_id is not distinct from $2::bigint and expires_at > now()
        returning true as taken`);

/** Whether the challenge was given out for this, and was not answered yet: it can be once. */
export const takeChallenge = async (db: Database, challenge: string, userId: string | null): Promise<boolean> =>
    (await runOne(db, take, [challenge, userId])) !== undefined;

const ownerColumns = { username: 'text', credentials: known<{ id: string }[]>('json', [{ id: '' }]) } as const;
const owner = statement({ parameters: ['bigint'], row: ownerColumns }, `
    select u.username, coalesce((select json_agg(json_build_object('id', k.credential, 'transports', k.transports)) from passkeys k where k.user_id = u.id), '[]') as credentials
    ${fromUser('$1')}`);

/** The name of a user, and the passkeys that they have. */
export const findOwner = (db: Database, userId: string): Promise<RowOf<typeof ownerColumns>> => runAlways(db, owner, [userId]);

const counted = statement({ parameters: ['bigint'], row: { count: 'integer' } }, 'select count(*)::int as count from passkeys where user_id = $1');

/** Needs a transaction. @throws 404 if the user was deleted meanwhile */
export async function lockUser(trx: Database, userId: string): Promise<void> {
    if (!await holdUser(trx, userId)) {
        throw notFound('user');
    }
}

/** Whether a user may have one more. Needs a transaction, in which nobody else adds one for them from then on. @throws as `lockUser` does */
export async function mayHaveMore(trx: Database, userId: string): Promise<boolean> {
    await lockUser(trx, userId);
    return (await runAlways(trx, counted, [userId])).count < MAX_PASSKEYS;
}

/** A passkey as an authenticator made it. */
export interface NewPasskey {
    userId: string;
    credential: string;
    publicKey: Buffer;
    counter: number;
    transports: readonly string[];
    label: string;
}

const insert = statement({ parameters: ['bigint', 'text', 'bytea', 'bigint', 'text[]', 'text'], row: { json: 'text' } }, `
    insert into passkeys as k (user_id, credential, public_key, counter, transports, label)
        values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning ${passkeyJson} as json`);

/** The JSON text of a new passkey; undefined if it belongs to an account already. */
export async function insertPasskey(trx: Database, { userId, credential, publicKey, counter, transports, label }: NewPasskey): Promise<string | undefined> {
    return (await runOne(trx, insert, [userId, credential, publicKey, counter, transports, label]))?.json;
}

const passkeyColumns = { id: 'bigint', user_id: 'bigint', public_key: 'bytea', counter: 'bigint' } as const;
const byCredential = statement({ parameters: ['text'], row: passkeyColumns }, `
    select k.id, k.user_id, k.public_key, k.counter from passkeys k
        ${joinActiveUser('k.user_id')} where k.credential = $1 for no key update of k`);

/** The passkey with this id of its authenticator. Needs a transaction, which is the only one to sign in with it from then on. */
export const findPasskey = (trx: Database, credential: string): Promise<RowOf<typeof passkeyColumns> | undefined> =>
    runOne(trx, byCredential, [credential]);

const use = statement({ parameters: ['bigint', 'bigint'] }, 'update passkeys set counter = $2, last_used_at = now() where id = $1');

export async function usePasskey(trx: Database, id: string, counter: number): Promise<void> {
    await run(trx, use, [id, counter]);
}

const list = statement({ parameters: ['bigint'], row: { passkeys: 'text', codes: 'integer', has_password: 'boolean' } }, `
    select coalesce((select string_agg(${passkeyJson}, ',' order by k.id desc) from passkeys k where k.user_id = $1), '') as passkeys,
        (select count(*)::int from recovery_codes c where c.user_id = $1) as codes,
        ${hasPassword('$1')} as has_password`);

/** JSON texts of a user's passkeys, with commas between them, how many recovery codes are left, and whether there is a password. */
export const listPasskeys = (db: Database, userId: string): Promise<{ passkeys: string; codes: number; has_password: boolean }> =>
    runAlways(db, list, [userId]);

const remove = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' } }, `delete from passkeys k where k.user_id = $1 and k.id = $2 returning ${passkeyJson} as json`);

/** Removes one of a user's own passkeys, and with it all tokens that came of it. */
export async function deletePasskey(db: Database, userId: string, id: string): Promise<string | undefined> {
    return (await runOne(db, remove, [userId, id]))?.json;
}

const forgetCodes = statement({ parameters: ['bigint'] }, 'delete from recovery_codes where user_id = $1');
const insertCodes = statement({ parameters: ['bigint', 'bytea[]'] }, 'insert into recovery_codes (user_id, hash) select $1, unnest($2::bytea[])');

/** Gives a user new recovery codes in place of all earlier ones. Needs a transaction. @throws as `lockUser` does */
export async function replaceCodes(trx: Database, userId: string, hashes: readonly Buffer[]): Promise<void> {
    await lockUser(trx, userId);
    await run(trx, forgetCodes, [userId]);
    await run(trx, insertCodes, [userId, hashes]);
}

const takeCode = statement({ parameters: ['text', 'bytea'], row: { user_id: 'bigint' } }, `
    delete from recovery_codes c ${usingActiveUserNamed('$1')} and c.user_id = u.id and c.hash = $2 returning c.user_id`);

/** The id of the user whose recovery code this was; undefined if it is none of theirs, or was used before. */
export async function takeRecoveryCode(trx: Database, usernameKey: string, hash: Buffer): Promise<string | undefined> {
    return (await runOne(trx, takeCode, [usernameKey, hash]))?.user_id;
}
