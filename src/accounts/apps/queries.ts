import type { Knex } from 'knex';

import { fromActiveUser, joinActiveUser, joinUser, usingActiveUser } from '../users/fragments';
import { appJson, ownAppJson } from '../../api/representations/app';
import type { AppFields } from '../../api/representations/app';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runOne, statement } from '../../database/statements/statement';
import type { ShortPlace, ShortRow } from '../../api/request/short-lists';
import { MAX_APPS } from '../../limits';
import { holdUser } from '../../rules/hold-user';

/** SQL for whether the app in the row `a` is there: the account of its owner `u` is not deleted, if it has an owner. */
export const isThere = `(a.user_id is null or ${live('u')})`;

const one = statement({ parameters: ['bigint'], row: { app: 'text' } }, `
    select ${appJson} as app from apps a left ${joinUser('a.user_id')} where a.id = $1 and ${isThere}`);

/** The JSON text of an app, as everybody sees it; undefined if there is none. */
export async function findApp(db: Database, id: string): Promise<string | undefined> {
    return (await runOne(db, one, [id]))?.app;
}

const own = statement({ parameters: ['bigint', 'bigint', 'integer'], row: { id: 'text', json: 'text' } }, `
    select a.id::text as id, ${ownAppJson} as json from apps a ${joinActiveUser('a.user_id')}
    where a.user_id = $1 and a.id < $2 order by a.id desc limit $3::int + 1`);

/** A user's apps, newest first, and one more than the page has. */
export const listApps = (db: Database, userId: string, { beforeId, count }: ShortPlace): Promise<ShortRow[]> => run(db, own, [userId, beforeId, count]);

const insert = statement({ parameters: ['bigint', 'text', 'text', 'text[]', 'bytea'], row: { id: 'text', app: 'text' } }, `
    with u as (select u.* ${fromActiveUser('$1')} and (select count(*) from apps o where o.user_id = $1) < ${MAX_APPS}),
    a as (insert into apps (user_id, name, url, redirect_uris, secret_hash) select id, $2, $3, $4, $5 from u returning *)
    select a.id::text as id, ${ownAppJson} as app from a, u`);

/**
 * Registers an app. In a transaction, so that the limit holds for simultaneous requests.
 * @param secretHash of a confidential one
 * @returns undefined if the user has too many
 */
export async function insertApp(trx: Knex.Transaction, userId: string, { name, url, redirect_uris }: AppFields, secretHash: Buffer | null): Promise<{ id: string; app: string } | undefined> {
    await holdUser(trx, userId);
    return runOne(trx, insert, [userId, name, url, redirect_uris, secretHash]);
}

const found = statement({ parameters: ['bigint', 'bigint'], row: { found: 'boolean' } }, `
    select true as found from apps a ${joinActiveUser('a.user_id')} where a.user_id = $1 and a.id = $2`);

/** Whether a user has registered this app. */
export async function hasApp(db: Database, userId: string, id: string): Promise<boolean> {
    return await runOne(db, found, [userId, id]) !== undefined;
}

const update = statement({ parameters: ['bigint', 'bigint', 'text', 'text', 'text[]'], row: { app: 'text' } }, `
    update apps a set name = coalesce($3, a.name), url = coalesce($4, a.url), redirect_uris = coalesce($5, a.redirect_uris)
    ${fromActiveUser('a.user_id')} and a.user_id = $1 and a.id = $2
    returning ${ownAppJson} as app`);

/** Changes an app of a user. @returns its JSON text; undefined if the user has no such app */
export async function updateApp(db: Database, userId: string, id: string, { name, url, redirect_uris }: Partial<AppFields>): Promise<string | undefined> {
    return (await runOne(db, update, [userId, id, name ?? null, url ?? null, redirect_uris ?? null]))?.app;
}

const replaceSecret = statement({ parameters: ['bigint', 'bigint', 'bytea'], row: { app: 'text' } }, `
    update apps a set secret_hash = $3
    ${fromActiveUser('a.user_id')} and a.user_id = $1 and a.id = $2 and a.secret_hash is not null
    returning ${ownAppJson} as app`);

/** Gives a confidential app of a user another secret. @returns its JSON text; undefined if the user has no such app */
export async function replaceAppSecret(db: Database, userId: string, id: string, secretHash: Buffer): Promise<string | undefined> {
    return (await runOne(db, replaceSecret, [userId, id, secretHash]))?.app;
}

const remove = statement({ parameters: ['bigint', 'bigint'], row: { app: 'text' } }, `
    delete from apps a ${usingActiveUser('a.user_id')} and a.user_id = $1 and a.id = $2
    returning ${ownAppJson} as app`);

/** Deletes an app of a user, with all that it was let in to. @returns its JSON text; undefined if the user has no such app */
export async function deleteApp(db: Database, userId: string, id: string): Promise<string | undefined> {
    return (await runOne(db, remove, [userId, id]))?.app;
}
