import { guardedWrite } from '../db/guarded';
import { lookup, run, runOne, statement } from '../db/statement';
import type { Database } from '../db/connection';
import { held, holds } from '../http/revisions';
import type { Outcome, Precondition } from '../http/revisions';
import { userJson } from './present';

const insert = statement<{ id: string; json: string }>(`
    insert into users as u (username, language, password_hash) values ($1, $2, $3)
    returning u.id, ${userJson} as json`);

export interface NewUser {
    username: string;
    language: string;
    passwordHash: string;
}

/** @throws a violation of users_username_key where the name is taken, in any case of its letters */
export async function insertUser(db: Database, user: NewUser): Promise<{ id: string; json: string }> {
    const [row] = await run(db, insert, [user.username, user.language, user.passwordHash]);
    if (row === undefined) {
        throw new Error('An insert that did not fail returned no row');
    }

    return row;
}

const one = lookup<{ allowed: boolean; tag: string; json: string | null }>(`
    select u.id = $2 as allowed, u.revision::text as tag,
        case when u.id = $2 and not ${held('u.revision::text', '$3')} then ${userJson} end as json
    from users u where u.id = $1 and u.deleted_at is null`);

/** A user, told to that user alone. */
export function findUser(db: Database, id: string, callerId: string, tags: string[]): Promise<{ allowed: boolean; tag: string; json: string | null } | undefined> {
    return runOne(db, one, [id, callerId, tags]);
}

/** Parameters of every write to an account: $1 the path, $2 the caller, $3 and $4 the precondition. */
const guarded = (set: string): string => guardedWrite({
    found: 'select id from users where id = $1 and deleted_at is null for no key update',
    allowed: 'f.id = $2',
    write: `
        update users u set ${set}, revision = u.revision + 1, updated_at = now()
        from found f
        where u.id = f.id and f.id = $2 and ${holds('u.revision', 'u.revision::text', { revision: '$3', tags: '$4' })}`,
    json: userJson
});

const update = statement<Outcome>(guarded('username = coalesce($5, u.username), language = coalesce($6, u.language)'));

export interface UserChanges {
    username?: string;
    language?: string;
}

export function updateUser(db: Database, id: string, callerId: string, changes: UserChanges, { revision, tags }: Precondition): Promise<Outcome | undefined> {
    return runOne(db, update, [id, callerId, revision, tags, changes.username ?? null, changes.language ?? null]);
}

const remove = statement<Outcome>(guarded('deleted_at = now()'));

/**
 * Marks the account as deleted. What was theirs has to follow in the same transaction, by statements of their own:
 * those see what other writers, which this row's lock made wait or end, have committed.
 */
export function deleteUser(db: Database, id: string, callerId: string, { revision, tags }: Precondition): Promise<Outcome | undefined> {
    return runOne(db, remove, [id, callerId, revision, tags]);
}
