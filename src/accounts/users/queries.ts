import type { RowOf } from '../../database/declaration';
import type { CurrentUser, Identity } from '../../api/request/caller';
import { fullScope } from '../../config/scopes';
import { tokenJson } from '../tokens/json';
import type { PresentExpressions } from '../../rules/access';
import { guardedWrite, outcomeColumns } from '../../rules/conditional-write';
import type { Outcome } from '../../rules/conditional-write';
import { deletesAccount, gone, live } from '../../database/statements/deletion';
import { lookup, runOne, statement } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';
import { fault } from '../../api/errors/errors';
import { tagMatches, preconditionHolds } from '../../api/request/entity-tags';
import type { Precondition } from '../../api/request/entity-tags';
import { accountJson, somebodyJson } from '../../api/representations/user';
import { usernameKey } from '../../api/representations/username';

const insert = statement({ parameters: ['text', 'text', 'text', 'bytea', 'text[]', 'double precision', 'text'], row: { id: 'bigint', user: 'text', token: 'text' } }, `
    with u as (
        insert into users (username, language, password_hash, username_key) values ($1, $2, $3, $7) returning *
    ), t as (
        insert into tokens (user_id, hash, scope, expires_at) select id, $4, $5, now() + make_interval(secs => $6) from u returning *
    )
    select u.id, ${accountJson} as user, ${tokenJson} as token from u, t`);

export interface NewUser {
    username: string;
    language: string;
    passwordHash: string;
    /** the first token, of both scopes */
    tokenHash: Buffer;
    /** seconds from now */
    expiresIn: number;
}

/**
 * Opens an account, and returns its JSON text and that of its first token, without the secret.
 * @throws a violation of users_username_key_key if the name is taken
 */
export async function insertUser(db: Database, user: NewUser): Promise<{ id: string; user: string; token: string }> {
    const row = await runOne(db, insert, [user.username, user.language, user.passwordHash, user.tokenHash, fullScope, user.expiresIn, usernameKey(user.username)]);
    /* $lab:coverage:off$ */ // An insert that does not fail returns its row, which the types do not know.
    if (row === undefined) {
        throw new Error('An insert that did not fail returned no row');
    }
    /* $lab:coverage:on$ */

    return row;
}

const openedColumns = {
    id: 'bigint',
    /** JSON text */
    user: 'text',
    deleted: 'boolean',
    /** whether this call opened it */
    opened: 'boolean'
} as const;
export type Opened = RowOf<typeof openedColumns>;

// Returns no row if somebody else takes the name meanwhile, or the same person opens the account twice at once.
const open = statement({ parameters: ['text', 'text', 'text[]', 'text', 'text[]'], row: openedColumns }, `
    with known as materialized (select * from users where issuer = $1 and subject = $2),
    made as (
        insert into users (issuer, subject, username, username_key, language)
        select $1, $2, name, key, $4 from unnest($3::text[], $5::text[]) with ordinality as c (name, key, n)
        where not exists (select from known) and not exists (select from users where username_key = key)
        order by n limit 1
        on conflict do nothing returning *
    )
    select u.id, ${accountJson} as user, ${gone('u')} as deleted, exists (select from made) as opened
    from (select * from known union all select * from made) u`);

/**
 * Opens the account of another issuer's subject under the first free name, unless there is one already (also a deleted one). Of
 * several simultaneous calls one opens it.
 * @throws 409 if all names are taken
 */
export async function openAccount(db: Database, { issuer, subject }: Identity, { usernames, language }: { usernames: string[]; language: string }): Promise<Opened> {
    // A try returns no row if somebody else took the name or opened this account meanwhile.
    for (let tries = 0; tries <= usernames.length; ++tries) {
        const account = await runOne(db, open, [issuer, subject, usernames, language, usernames.map(usernameKey)]);
        if (account !== undefined) {
            return account;
        }
    }

    throw fault('username_taken', 'All names similar to yours are taken. Change your name at the identity provider.');
}

/** Each of the two forms has its own tag. */
const tagOfForm = `(u.revision || case when $4 then '' else '.name' end)`;

const one = lookup({ parameters: ['bigint', 'bigint', 'text[]', 'boolean'], row: { allowed: 'boolean', tag: 'text', json: 'text?' } }, `
    select u.id = $2 as allowed, ${tagOfForm} as tag,
        case when u.id = $2 and not ${tagMatches(tagOfForm, '$3')} then case when $4 then ${accountJson} else ${somebodyJson} end end as json
    from users u where u.id = $1 and ${live('u')}`);

/** A user, for GET by that user: the account, or the id and the name alone. */
export function findUser(db: Database, id: string, callerId: string, tags: string[], isWhole = true): Promise<{ allowed: boolean; tag: string; json: string | null } | undefined> {
    return runOne(db, one, [id, callerId, tags, isWhole]);
}

/** Parameters of every write to an account: $1 is the id in the path, $2 the caller, $3 and $4 are the precondition. */
const guarded = (set: string, by?: PresentExpressions): string => guardedWrite({
    by,
    found: `select id, id as user_id, id = $2 as allowed from users where id = $1 and ${live('users')} for no key update`,
    write: `
        update users u set ${set}, revision = u.revision + 1, updated_at = now()
        from found f
        where u.id = f.id and f.may and ${preconditionHolds('u.revision', 'u.revision::text', { revision: '$3', tags: '$4' })}`,
    json: accountJson
});

const update = statement({ parameters: ['bigint', 'bigint', 'integer', 'text[]', 'bytea', 'text', 'text', 'text', 'text'], row: outcomeColumns }, guarded('username = coalesce($6, u.username), username_key = coalesce($9, u.username_key), language = coalesce($7, u.language), about = coalesce($8, u.about)', { id: '$2', moderator: 'false', tokenHash: '$5' }));

export interface UserChanges {
    username?: string;
    language?: string;
    about?: string;
}

export function updateUser(db: Database, id: string, { id: callerId, tokenHash = null }: CurrentUser, changes: UserChanges, { revision, tags }: Precondition): Promise<Outcome | undefined> {
    return runOne(db, update, [id, callerId, revision, tags, tokenHash, changes.username ?? null, changes.language ?? null, changes.about ?? null, changes.username === undefined ? null : usernameKey(changes.username)]);
}

const password = lookup({ parameters: ['bigint'], row: { password_hash: 'text?' } }, `select password_hash from users where id = $1 and ${live('users')}`);

/** The hash of a user's password, null if there is no password; undefined if there is no such user. */
export function findPasswordOf(db: Database, id: string): Promise<{ password_hash: string | null } | undefined> {
    return runOne(db, password, [id]);
}

const change = statement({ parameters: ['bigint', 'text', 'text'], row: { user: 'text' } }, `
    update users u set password_hash = $3 where id = $1 and password_hash = $2 and ${live('u')} returning ${accountJson} as user`);

/**
 * Replaces the hash of a password. Returns the JSON text of its user; undefined if the hash was changed meanwhile.
 * Tokens must be revoked in the same transaction by a later statement, which sees the tokens of all sign-ins that were committed
 * before this row was locked.
 */
export async function updatePassword(db: Database, id: string, from: string | null, to: string): Promise<string | undefined> {
    const row = await runOne(db, change, [id, from, to]);
    return row?.user;
}

const remove = statement({ parameters: ['bigint', 'bigint', 'integer', 'text[]'], row: outcomeColumns }, guarded(deletesAccount));

/**
 * Marks the account as deleted. Its contents must be deleted in the same transaction by later statements, which see everything
 * that other writers committed before this row was locked.
 */
export function deleteUser(db: Database, id: string, callerId: string, { revision, tags }: Precondition): Promise<Outcome | undefined> {
    return runOne(db, remove, [id, callerId, revision, tags]);
}
