import type { PublishLevel } from '../../classes/publish-levels';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, statement } from '../../database/statements/statement';
import { closeAccounts, fromUser, fromUsers, updateUsers } from './fragments';

/*
 * Accounts that a class manages: the columns `managed_by` and `publish` of users say which class, and how far they can publish. The class
 * is locked.
 */

/** SQL for whether the class $1 manages the account in the row `u`. */
const isManaged = `u.managed_by = $1 and u.publish is not null`;

/** SQL for whether the account in the row `u` is the one that $2 says; all are if it is null. */
const isWanted = '($2::bigint is null or u.id = $2)';

const spoken = statement({ parameters: ['bigint'], row: { language: 'text' } }, `select u.language ${fromUser('$1')}`);

/** The language of a user. */
export const languageOf = async (db: Database, userId: string): Promise<string> => (await runAlways(db, spoken, [userId])).language;

const open = statement({ parameters: ['bigint', 'text[]', 'text[]', 'text[]', 'integer[]', 'text', 'text'], row: { n: 'integer', id: 'bigint', username: 'text' } }, `
    with wanted as materialized (select * from unnest($2::text[], $3::text[], $4::text[], $5::integer[]) as r (username, key, hash, n)),
    made as (
        insert into users (username, username_key, password_hash, language, managed_by, publish)
        select username, key, hash, $6, $1, $7 from wanted order by n on conflict do nothing returning id, username, password_hash
    )
    select w.n, m.id, m.username from made m join wanted w on w.hash = m.password_hash`);

/** A new account. */
export interface NewManagedAccount {
    /** which of those that are wanted it is */
    n: number;
    username: string;
    key: string;
    /** of its password */
    hash: string;
}

/** Where accounts are opened. */
export interface ManagingClass {
    classId: string;
    language: string;
    publish: PublishLevel;
}

/** Opens accounts, but for those whose name is taken. */
export const openManaged = (trx: Database, { classId, language, publish }: ManagingClass, wanted: readonly NewManagedAccount[]): Promise<{ n: number; id: string; username: string }[]> =>

    run(trx, open, [classId, wanted.map(({ username }) => username), wanted.map(({ key }) => key), wanted.map(({ hash }) => hash), wanted.map(({ n }) => n), language, publish]);

const change = statement({ parameters: ['bigint', 'bigint', 'text'], row: { id: 'bigint' } }, `
    ${updateUsers('password_hash = $3')} where u.id = $2 and ${isManaged} and ${live('u')} returning u.id`);

/** Sets the hash of the password of an account. @returns whether the class manages it */
export const setManagedPassword = async (trx: Database, classId: string, userId: string, hash: string): Promise<boolean> =>
    (await run(trx, change, [classId, userId, hash])).length > 0;

const close = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint' } }, `
    with found as materialized (
        select u.id ${fromUsers(`${isManaged} and ${live('u')} and ${isWanted}`)} order by u.id for no key update
    )
    ${closeAccounts} from found f where u.id = f.id returning u.id`);

/** Closes accounts. @param only the one account; null for all @returns their ids */
export const closeManaged = async (trx: Database, classId: string, only: string | null): Promise<string[]> =>
    (await run(trx, close, [classId, only])).map(({ id }) => id);

const release = statement({ parameters: ['bigint', 'bigint'] }, `${updateUsers('publish = null')} where u.managed_by = $1 and ${isWanted}`);

/** Makes accounts that a class manages ordinary ones. @param only the one account; null for all */
export const releaseAccounts = (trx: Database, classId: string, only: string | null): Promise<unknown> =>
    run(trx, release, [classId, only]);
