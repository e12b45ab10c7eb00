import type { Database } from '../db/connection';
import { gone, live } from '../db/deletion';
import { lookup, runOne } from '../db/statement';
import type { Scope } from '../http/caller';

const bearer = lookup<{ user_id: string; moderator: boolean; scope: Scope[] }>(`
    select t.user_id, u.moderator, t.scope
    from tokens t join users u on u.id = t.user_id
    where t.hash = $1 and t.expires_at > now() and ${live('u')}`);

/** The user and the scope of a token, by its SHA-256; undefined if the token is unknown, revoked or expired. */
export function findBearer(db: Database, hash: Buffer): Promise<{ user_id: string; moderator: boolean; scope: Scope[] } | undefined> {
    return runOne(db, bearer, [hash]);
}

const account = lookup<{ id: string; moderator: boolean; deleted: boolean }>(`
    select id, moderator, ${gone('users')} as deleted from users where issuer = $1 and subject = $2`);

/** The account of a subject of another issuer, also if it was deleted; undefined if there is none. */
export function findAccount(db: Database, issuer: string, subject: string): Promise<{ id: string; moderator: boolean; deleted: boolean } | undefined> {
    return runOne(db, account, [issuer, subject]);
}
