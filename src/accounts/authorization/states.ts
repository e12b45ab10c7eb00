import { createHash } from 'node:crypto';

import { fromActiveUser, joinUser } from '../users/fragments';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { isThere } from '../apps/queries';

/*
 * The SQL of what the authorization server stores. A code, a refresh token or a device code is found by the hash of its kind and its secret; what is stored
 * beside that does not have the secret in it.
 */

/** The hash that a state is stored under. */
export const stateHash = (kind: string, secret: string): Buffer => createHash('sha256').update(`${kind} ${secret}`).digest();

/** A state, as the library knows it: JSON text without its secret. */
export interface StoredState {
    payload: string;
    consumed: boolean;
    /** seconds since 1970 */
    expires: number;
}

const stateRow = { payload: 'text', consumed: 'boolean', expires: 'double precision' } as const;
const stateColumns = `payload, consumed_at is not null as consumed, floor(extract(epoch from expires_at))::float8 as expires`;

const find = statement({ parameters: ['bytea'], row: stateRow }, `select ${stateColumns} from authorization_states where hash = $1 and expires_at > now()`);

export function findState(db: Database, hash: Buffer): Promise<StoredState | undefined> {
    return runOne(db, find, [hash]);
}

const findByCode = statement({ parameters: ['bytea'], row: { ...stateRow, hash: 'bytea' } }, `select hash, ${stateColumns} from authorization_states where user_code_hash = $1 and not decided and expires_at > now()`);

/** The state of a device, by the code that people type, until somebody decides. */
export function findByUserCode(db: Database, userCodeHash: Buffer): Promise<StoredState & { hash: Buffer } | undefined> {
    return runOne(db, findByCode, [userCodeHash]);
}

export interface NewState {
    hash: Buffer;
    kind: string;
    authorizationId: string | null;
    appId: string | null;
    userCodeHash: Buffer | null;
    payload: string;
    /** whether somebody has let the app of a device in, or refused it, which is final */
    decided: boolean;
    /** seconds from now */
    expiresIn: number;
}

// What belongs to an authorization or an app that has ended meanwhile is not stored. Whoever ends one waits for these locks.
const store = statement({ parameters: ['bytea', 'text', 'text', 'bigint', 'bytea', 'text', 'boolean', 'double precision'], row: { stored: 'boolean' } }, `
    with a as (select id from authorizations where id = $3 and expires_at > now() for key share), p as (select id from apps where id = $4 for key share)
    insert into authorization_states as s (hash, kind, authorization_id, app_id, user_code_hash, payload, decided, expires_at)
    select $1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)
    where ($3::text is null or exists (select from a)) and ($4::bigint is null or exists (select from p))
    on conflict (hash) do update set authorization_id = $3, payload = $6, decided = $7, expires_at = now() + make_interval(secs => $8)
    where not s.decided and s.consumed_at is null
    returning true as stored`);

/** Stores a state, or changes one that is not used up or decided. @returns whether it did */
export async function storeState(db: Database, { hash, kind, authorizationId, appId, userCodeHash, payload, decided, expiresIn }: NewState): Promise<boolean> {
    return await runOne(db, store, [hash, kind, authorizationId, appId, userCodeHash, payload, decided, expiresIn]) !== undefined;
}

const consume = statement({ parameters: ['bytea'], row: { consumed: 'boolean' } }, `
    update authorization_states set consumed_at = now() where hash = $1 and consumed_at is null and expires_at > now() returning true as consumed`);

const endReused = statement({ parameters: ['bytea'] }, `
    delete from authorizations a using authorization_states s where s.hash = $1 and a.id = s.authorization_id`);

/** Uses up a state. Of many simultaneous calls one returns true; the others end what it gave, since somebody has a copy of it (RFC 9700 section 4.14). */
export async function consumeState(db: Database, hash: Buffer): Promise<boolean> {
    if (await runOne(db, consume, [hash]) !== undefined) {
        return true;
    }

    await run(db, endReused, [hash]);
    return false;
}

const remove = statement({ parameters: ['bytea'] }, 'delete from authorization_states where hash = $1');

export async function deleteState(db: Database, hash: Buffer): Promise<void> {
    await run(db, remove, [hash]);
}

const removeOf = statement({ parameters: ['text', 'text'] }, 'delete from authorization_states where kind = $1 and authorization_id = $2');

export async function deleteStatesOf(db: Database, kind: string, authorizationId: string): Promise<void> {
    await run(db, removeOf, [kind, authorizationId]);
}

/** Seconds between two questions of a device (RFC 8628 section 3.5), and how much earlier one may come. */
export const POLL_SECONDS = 5;
const EARLY_SECONDS = 0.5;

const poll = statement({ parameters: ['bytea'], row: { early: 'boolean' } }, `
    with before as (select hash, polled_at from authorization_states where hash = $1 and not decided for update)
    update authorization_states s set polled_at = now() from before b where s.hash = b.hash
    returning coalesce(b.polled_at > now() - make_interval(secs => ${POLL_SECONDS - EARLY_SECONDS}), false) as early`);

/** Notes that a device asks whether it was let in. @returns whether it asks too often */
export async function pollsTooFast(db: Database, hash: Buffer): Promise<boolean> {
    return (await runOne(db, poll, [hash]))?.early === true;
}

const client = statement({
    parameters: ['bigint'], row: { id: 'text', name: 'text', url: 'text', redirect_uris: 'text[]', secret_hash: 'bytea?' }
}, `
    select a.id::text as id, a.name, a.url, a.redirect_uris, a.secret_hash from apps a left ${joinUser('a.user_id')}
    where a.id = $1 and ${isThere}`);

/** An app as the library knows it. */
export function findClient(db: Database, id: string): Promise<{ id: string; name: string; url: string; redirect_uris: string[]; secret_hash: Buffer | null } | undefined> {
    return runOne(db, client, [id]);
}

const account = statement({ parameters: ['bigint'], row: { username: 'text', language: 'text' } }, `select u.username, u.language ${fromActiveUser('$1')}`);

/** A user's claims, for an app that asks for `openid`. */
export function findClaims(db: Database, userId: string): Promise<{ username: string; language: string } | undefined> {
    return runOne(db, account, [userId]);
}
