import { endAuthorizationsOf } from '../apps/fragments';
import { fromProjects } from '../../projects/fragments';
import { fromActiveUser, fromActiveUserNamed } from '../users/fragments';
import { live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';
import { fullScope } from '../../config/scopes';
import type { Scope } from '../../config/scopes';
import type { CurrentUser } from '../../api/request/caller';
import type { ShortPlace, ShortRow } from '../../api/request/short-lists';
import { accountJson } from '../../api/representations/user';
import { tokenJson } from './json';
import { usernameKey } from '../../api/representations/username';
import type { TokenOrigin } from '../../api/representations/token-origins';
import { inAllShards } from '../../database/declaration';
import { MAX_PERSONAL_TOKENS, MAX_TOKENS } from '../../limits';
import { holdUser } from '../../rules/hold-user';
import { mayRead } from '../../rules/visibility';

const password = statement({ parameters: ['text'], row: { id: 'bigint', password_hash: 'text?' } }, `
    select u.id, u.password_hash ${fromActiveUserNamed('$1')}`);

export function findPassword(db: Database, username: string): Promise<{ id: string; password_hash: string | null } | undefined> {
    return runOne(db, password, [usernameKey(username)]);
}

export interface NewToken {
    userId: string;
    /** hash of the password that was checked, which must still be the user's; null if none was checked */
    passwordHash: string | null;
    hash: Buffer;
    /** both for the account and its projects if left out */
    scope?: readonly Scope[];
    label: string | null;
    origin: TokenOrigin;
    /** ids of the only projects that it is for */
    projects: readonly string[] | null;
    /** the passkey that it came of; it ends with that */
    passkeyId?: string;
    /** the identity at another provider that it came of; it ends with that */
    identityId?: string;
    /** the prepared device of a class on which pictures were chosen; it ends with that */
    classDeviceId?: string;
    /** seconds from now */
    expiresIn: number;
}

// Because of the row lock, a sign-in waits for a simultaneous deletion of the user or change of the password, and then returns no row.
const insert = statement({ parameters: ['bigint', 'bytea', 'text[]', 'text', 'double precision', 'text', 'text', 'bigint[]', 'bigint', 'bigint', 'bigint'], row: { token: 'text', user: 'text' } }, `
    with u as (select u.* ${fromActiveUser('$1')} and ($6::text is null or u.password_hash = $6) for share),
    surplus as (
        select id from tokens where user_id = (select id from u) and app_id is null and (expires_at <= now() or origin in ('sign_in', 'passkey') and $7 <> 'personal' and id <= (
            select id from tokens where user_id = $1 and origin in ('sign_in', 'passkey') and expires_at > now() order by id desc offset ${MAX_TOKENS - 1} limit 1
        )) for update skip locked
    ),
    ended as (delete from tokens t using surplus s where t.id = s.id),
    made as (
        insert into tokens (user_id, hash, scope, label, expires_at, origin, projects, passkey_id, identity_id, class_device_id)
        select id, $2, $3, $4, now() + make_interval(secs => $5), $7, $8, $9, $10, $11 from u
        returning *
    )
    select ${tokenJson} as token, ${accountJson} as user from made t, u`);

/** JSON texts of the new token, without its secret, and of its user; undefined if the user was deleted or the password was changed meanwhile. */
export function insertToken(db: Database, token: NewToken): Promise<{ token: string; user: string } | undefined> {
    return runOne(db, insert, [token.userId, token.hash, token.scope ?? fullScope, token.label, token.expiresIn, token.passwordHash, token.origin, token.projects,
        token.passkeyId, token.identityId, token.classDeviceId]);
}

const personal = statement({ parameters: ['bigint'], row: { count: 'integer' } }, `
    select count(*)::int as count from tokens where user_id = $1 and origin = 'personal' and expires_at > now()`);

/** Whether a user may have one more personal token. Needs a transaction, in which nobody else makes one for them from then on. */
export async function mayHaveMore(trx: Database, userId: string): Promise<boolean> {
    await holdUser(trx, userId);
    return (await runAlways(trx, personal, [userId])).count < MAX_PERSONAL_TOKENS;
}

const readable = statement({ parameters: ['bigint[]', 'bigint', 'boolean', 'boolean'], row: { id: 'bigint' }, place: inAllShards() }, `
    select p.id ${fromProjects('p.id = any($1)')} and ${live('p')} and ${mayRead('p', { id: '$2::bigint', moderator: '$3::boolean', teaches: '$4::boolean' })}`);

/** Whether a user may read all of these projects. */
export async function mayReadAll(db: Database, projects: readonly string[], { id, moderator, teaches = false }: CurrentUser): Promise<boolean> {
    return (await run(db, readable, [projects, id, moderator, teaches])).length === projects.length;
}

const own = statement({ parameters: ['bigint', 'bigint', 'integer'], row: { id: 'text', json: 'text' } }, `
    select t.id::text as id, ${tokenJson} as json from tokens t where t.user_id = $1 and t.expires_at > now() and t.id < $2 order by t.id desc limit $3::int + 1`);

/** A user's valid tokens, newest first, and one more than the page has. */
export const listTokens = (db: Database, userId: string, { beforeId, count }: ShortPlace): Promise<ShortRow[]> => run(db, own, [userId, beforeId, count]);

const remove = statement({ parameters: ['bigint', 'bigint'], row: { token: 'text' } }, `
    delete from tokens t where t.user_id = $1 and t.id = $2 and t.expires_at > now() returning ${tokenJson} as token`);

/** Revokes one of a user's own tokens; undefined if they have none with that id. */
export async function deleteToken(db: Database, userId: string, id: string): Promise<string | undefined> {
    const row = await runOne(db, remove, [userId, id]);
    return row?.token;
}

const removeOwn = statement({ parameters: ['bigint'], row: { token: 'text' } }, `
    with let_in as (${endAuthorizationsOf('= $1')}), t as (delete from tokens where user_id = $1 returning *)
    select ${tokenJson} as token from t where t.expires_at > now() order by t.id desc`);

/** Revokes all of a user's tokens, and ends what apps may do. Returns the JSON texts of the tokens that had not expired, newest first, with commas between them. */
export async function deleteOwnTokens(db: Database, userId: string): Promise<string> {
    const rows = await run(db, removeOwn, [userId]);
    return rows.map(({ token }) => token).join(',');
}

const endAll = statement({ parameters: ['bigint[]'] }, endAuthorizationsOf('= any($1::bigint[])'));

const removeOthers = statement({ parameters: ['bigint[]', 'bytea'] }, 'delete from tokens where user_id = any($1::bigint[]) and hash is distinct from $2');

/** Revokes all tokens of users except the one with this hash, and ends what apps may do for them: with a refresh token, an app would get new ones. */
export async function deleteTokens(db: Database, userIds: readonly string[], except?: Buffer): Promise<void> {
    await run(db, endAll, [userIds]);
    await run(db, removeOthers, [userIds, except]);
}
