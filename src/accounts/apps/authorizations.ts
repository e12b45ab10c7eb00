import { isOfPictures } from '../tokens/fragments';
import { fromActiveUser, fromUser, joinUser } from '../users/fragments';
import type { Scope } from '../../config/scopes';
import { appJson } from '../../api/representations/app';
import type { ShortPlace, ShortRow } from '../../api/request/short-lists';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime, plainQuoted } from '../../database/statements/json-sql';
import { run, runOne, statement } from '../../database/statements/statement';
import { MAX_AUTHORIZATIONS, MAX_AUTHORIZATIONS_OF_APP, MAX_TOKENS_OF_AUTHORIZATION } from '../../limits';
import { isThere } from './queries';

/** An authorization: what a user lets an app do on one device. Its tokens end with it. */
export interface NewAuthorization {
    id: string;
    userId: string;
    appId: string;
    scope: readonly string[];
    /** JSON text, as the library wants it back */
    payload: string;
    /** seconds from now */
    expiresIn: number;
}

/** SQL for whether somebody may let an app in: an account that a class manages lets in only those that the operator trusts. */
const mayLetIn = (publish: string, app: string): string => `(${publish} is null or ${app}.trusted)`;

// The locks make it wait for a simultaneous deletion of the user or the app, and let one authorization of a user after the other count.
const insert = statement({ parameters: ['text', 'bigint', 'bigint', 'text[]', 'text', 'double precision'], row: { id: 'text' } }, `
    with u as (select u.id, u.publish ${fromActiveUser('$2')} for no key update),
    p as (select apps.id from apps, u where apps.id = $3 and ${mayLetIn('u.publish', 'apps')} for key share of apps),
    ranked as (
        select id, row_number() over (order by created_at desc, id) as place, row_number() over (partition by app_id order by created_at desc, id) as place_in_app, app_id
        from authorizations where user_id = (select u.id from u, p)
    ),
    surplus as (
        delete from authorizations a using ranked r
        where a.id = r.id and (r.place >= ${MAX_AUTHORIZATIONS} or (r.app_id = $3 and r.place_in_app >= ${MAX_AUTHORIZATIONS_OF_APP}))
    )
    insert into authorizations (id, user_id, app_id, scope, payload, expires_at)
    select $1, u.id, $3, $4, $5, now() + make_interval(secs => $6) from u, p returning id`);

/** Stores an authorization; the oldest of the user, or of the user and the app, end if there are too many. @returns whether the user and the app are there, and the user may let it in */
export async function insertAuthorization(db: Database, { id, userId, appId, scope, payload, expiresIn }: NewAuthorization): Promise<boolean> {
    return await runOne(db, insert, [id, userId, appId, scope, payload, expiresIn]) !== undefined;
}

const find = statement({ parameters: ['text'], row: { payload: 'text', expires: 'double precision' } }, `
    select payload, floor(extract(epoch from expires_at))::float8 as expires from authorizations where id = $1 and expires_at > now()`);

export function findAuthorization(db: Database, id: string): Promise<{ payload: string; expires: number } | undefined> {
    return runOne(db, find, [id]);
}

const remove = statement({ parameters: ['text'] }, 'delete from authorizations where id = $1');

/** Ends an authorization, with all of its tokens and codes. */
export async function endAuthorization(db: Database, id: string): Promise<void> {
    await run(db, remove, [id]);
}

const extend = statement({ parameters: ['text', 'double precision'] }, `
    update authorizations set expires_at = greatest(expires_at, now() + make_interval(secs => $2)) where id = $1 and expires_at > now()`);

/** Keeps an authorization for as long as its refresh token works, unless it has ended. */
export async function extendAuthorization(db: Database, id: string, seconds: number): Promise<void> {
    await run(db, extend, [id, seconds]);
}

/** A token of an app. It is stored among all others. */
export interface NewAppToken {
    authorizationId: string;
    hash: Buffer;
    scope: readonly Scope[];
    /** seconds from now */
    expiresIn: number;
}

// The lock of the authorization's row makes it wait for whoever ends it, and then nothing is inserted.
const insertToken = statement({ parameters: ['text', 'bytea', 'text[]', 'double precision'], row: { id: 'bigint' } }, `
    with a as (
        update authorizations set last_used_at = date_trunc('hour', now(), 'UTC'), expires_at = greatest(expires_at, now() + make_interval(secs => $4))
        where id = $1 and expires_at > now() returning id, user_id, app_id
    ),
    surplus as (
        delete from tokens where id in (select t.id from tokens t where t.authorization_id = (select id from a) order by t.id desc offset ${MAX_TOKENS_OF_AUTHORIZATION - 1})
    )
    insert into tokens (user_id, hash, scope, origin, expires_at, app_id, authorization_id)
    select a.user_id, $2, $3, 'app', now() + make_interval(secs => $4), a.app_id, a.id from a returning id`);

/** Stores a token of an app. @returns whether its authorization has not ended */
export async function insertAppToken(db: Database, { authorizationId, hash, scope, expiresIn }: NewAppToken): Promise<boolean> {
    return await runOne(db, insertToken, [authorizationId, hash, scope, expiresIn]) !== undefined;
}

const token = statement({ parameters: ['bytea'], row: { user_id: 'text', app_id: 'text', authorization_id: 'text', scope: 'text[]', expires: 'double precision' } }, `
    select user_id::text as user_id, app_id::text as app_id, authorization_id, scope, floor(extract(epoch from expires_at))::float8 as expires
    from tokens where hash = $1 and authorization_id is not null and expires_at > now()`);

export function findAppToken(db: Database, hash: Buffer): Promise<{ user_id: string; app_id: string; authorization_id: string; scope: string[]; expires: number } | undefined> {
    return runOne(db, token, [hash]);
}

const removeToken = statement({ parameters: ['bytea'] }, 'delete from tokens where hash = $1 and authorization_id is not null');

export async function deleteAppToken(db: Database, hash: Buffer): Promise<void> {
    await run(db, removeToken, [hash]);
}

const removeTokensOf = statement({ parameters: ['text'] }, 'delete from tokens where authorization_id = $1');

export async function deleteTokensOf(db: Database, authorizationId: string): Promise<void> {
    await run(db, removeTokensOf, [authorizationId]);
}

/** SQL for the JSON text of what a user lets an app do: all its authorizations `x` together. */
const groupJson = `'{"app":' || ${appJson} || ',"scope":' || to_json(x.scope)::text || ',"since":' || ${plainQuoted(isoTime('x.since'))} || ',"last_used_at":' || coalesce(${plainQuoted(isoTime('x.last_used_at'))}, 'null') || '}'`;

const grouped = (from: string): string => `
    select app_id, (select array_agg(distinct one order by one) from unnest(string_to_array(string_agg(array_to_string(scope, ' '), ' '), ' ')) one) as scope,
        min(created_at) as since, max(last_used_at) as last_used_at
    from ${from} group by app_id`;

/** SQL for the time by which they are listed, to the millisecond, as a cursor has it. */
const listedAt = `date_trunc('milliseconds', x.since)`;

const own = statement({ parameters: ['bigint', 'timestamp with time zone', 'bigint', 'integer'], row: { id: 'text', time: 'text', json: 'text' } }, `
    select a.id::text as id, floor(extract(epoch from ${listedAt}) * 1000)::bigint::text as time, ${groupJson} as json
    from (${grouped('(select * from authorizations where user_id = $1 and expires_at > now() and last_used_at is not null) g')}) x
    join apps a on a.id = x.app_id left ${joinUser('a.user_id')}
    where (${listedAt}, a.id) < ($2, $3) order by ${listedAt} desc, a.id desc limit $4::int + 1`);

/** The apps that a user has let in, the latest first, and one more than the page has. */
export function listAuthorizations(db: Database, userId: string, { before, beforeId, count }: ShortPlace): Promise<ShortRow[]> {
    return run(db, own, [userId, before, beforeId, count]);
}

const endOwn = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' } }, `
    with gone as (delete from authorizations where user_id = $1 and app_id = $2 returning *),
    x as (${grouped('gone')})
    select ${groupJson} as json from x join apps a on a.id = x.app_id left ${joinUser('a.user_id')}`);

/** Ends all that a user lets an app do. @returns its JSON text; undefined if there was nothing */
export async function endAuthorizations(db: Database, userId: string, appId: string): Promise<string | undefined> {
    return (await runOne(db, endOwn, [userId, appId]))?.json;
}

const askedColumns = { app: 'text', skip: 'boolean', allowed: 'boolean', pictures: 'boolean' } as const;

const asked = statement({ parameters: ['bigint', 'bigint', 'text[]', 'bytea'], row: askedColumns }, `
    select ${appJson} as app, ${mayLetIn(`(select u.publish ${fromUser('$2')})`, 'a')} as allowed, ${isOfPictures('$4')} as pictures,
        a.trusted and exists (select from authorizations g where g.user_id = $2 and g.app_id = a.id and g.expires_at > now() and g.last_used_at is not null and g.scope @> $3) as skip
    from apps a left ${joinUser('a.user_id')} where a.id = $1 and ${isThere}`);

/**
 * The JSON text of an app that asks a user to be let in, whether the user need not be asked again, whether they may let it in, and whether
 * they signed in with pictures.
 */
export function findAskingApp(
    db: Database, appId: string, userId: string, scope: readonly string[], tokenHash: Buffer
): Promise<RowOf<typeof askedColumns> | undefined> {
    return runOne(db, asked, [appId, userId, scope, tokenHash]);
}
