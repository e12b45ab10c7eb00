import { fromUser, joinActiveUser, updateUsers } from '../users/fragments';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { addressJson } from './json';
import { somebodyJson } from '../../api/representations/user';
import { MAX_ACCOUNTS_OF_ADDRESS } from '../../limits';
import { holdUser } from '../../rules/hold-user';
import { deleteTokens } from '../tokens/queries';
import { addressKey, mailboxOf } from './keys';
import { hasRoom, passwordDigest, post } from './outbox';

const found = statement({ parameters: ['bigint'], row: { address: 'text' } }, `
    select ${addressJson} as address from (select u.id ${fromUser('$1')}) u left join mail_addresses a on a.user_id = u.id`);

/** The JSON text of a user's addresses. */
export const findAddress = async (db: Database, userId: string): Promise<string> => (await runAlways(db, found, [userId])).address;

const hold = statement({ parameters: ['bigint', 'text'], row: { key: 'text?' } }, `
    select (select a.key from mail_addresses a where a.user_id = u.id) as key ${fromUser('$1')} and u.password_hash = $2 and ${live('u')} for no key update`);
const keep = statement({ parameters: ['bigint', 'text'] }, `
    insert into mail_addresses (user_id, pending, pending_since) values ($1, $2, now()) on conflict (user_id) do update set pending = excluded.pending, pending_since = excluded.pending_since`);
const stay = statement({ parameters: ['bigint'] }, 'update mail_addresses set pending = null, pending_since = null where user_id = $1');

/**
 * Notes an address that is to be confirmed, and has a mail sent to it. One that is confirmed already stays.
 * @param passwordHash that was checked
 * @returns why not, if it could not be done
 */
export async function proposeAddress(trx: Database, userId: string, passwordHash: string | null, address: string): Promise<'changed' | 'full' | 'too many' | 'done'> {
    const held = await runOne(trx, hold, [userId, passwordHash]);
    if (held === undefined) {
        return 'changed';
    }

    if (held.key === addressKey(address)) {
        await run(trx, stay, [userId]);
        return 'done';
    }

    const room = await hasRoom(trx, userId, address);
    if (room !== 'yes') {
        return room;
    }

    await run(trx, keep, [userId, address]);
    await post(trx, 'confirm', userId, address);
    return 'done';
}

/** SQL for whether the link in the row `l` still works, with its user in `u` and their addresses in `a`. */
const works = `l.expires_at > now() and u.publish is null and l.password = ${passwordDigest} and a.user_id = l.user_id and l.address = case l.purpose when 'confirm' then a.pending else a.address end`;

const take = statement({ parameters: ['bytea', 'text', 'bigint'], row: { address: 'text' } }, `
    delete from mail_links l using mail_addresses a ${joinActiveUser('a.user_id')} where l.hash = $1 and l.purpose = $2 and l.user_id = $3 and ${works} returning l.address`);
const endLinks = statement({ parameters: ['bigint'] }, 'delete from mail_links where user_id = $1');

/** Takes a link, which works once. All other links of the user end with it. Needs a transaction that has locked the user. @returns the address that it was sent to; undefined if it does not work */
async function takeLink(trx: Database, hash: Buffer, purpose: 'confirm' | 'password', userId: string): Promise<string | undefined> {
    const taken = await runOne(trx, take, [hash, purpose, userId]);
    if (taken !== undefined) {
        await run(trx, endLinks, [userId]);
    }

    return taken?.address;
}

const lockKey = statement({ parameters: ['text'] }, 'select pg_advisory_xact_lock(hashtextextended($1, 49))');
const others = statement({ parameters: ['text'], row: { count: 'integer' } }, 'select count(*)::int as count from mail_addresses where key = $1');
const before = statement({ parameters: ['bigint'], row: { address: 'text?' } }, 'select address from mail_addresses where user_id = $1');
const confirm = statement({ parameters: ['bigint', 'text', 'text', 'bytea'] }, `
    update mail_addresses set address = $2, key = $3, mailbox = $4, confirmed_at = now(), pending = null, pending_since = null where user_id = $1`);

/**
 * Confirms the address to which a link was sent. The one before is told.
 * @returns why not, if it could not be done; then nothing is to be changed
 */
export async function confirmAddress(trx: Database, userId: string, hash: Buffer): Promise<'invalid' | 'limit' | 'done'> {
    await holdUser(trx, userId);
    const address = await takeLink(trx, hash, 'confirm', userId);
    if (address === undefined) {
        return 'invalid';
    }

    const key = addressKey(address);
    await run(trx, lockKey, [key]);
    if ((await runAlways(trx, others, [key])).count >= MAX_ACCOUNTS_OF_ADDRESS) {
        return 'limit';
    }

    const earlier = (await runAlways(trx, before, [userId])).address;
    await run(trx, confirm, [userId, address, key, mailboxOf(address)]);
    if (earlier !== null) {
        await post(trx, 'address_changed', userId, earlier);
    }

    return 'done';
}

const remove = statement({ parameters: ['bigint'], row: { address: 'text?' } }, 'delete from mail_addresses where user_id = $1 returning address');

/** Removes the addresses of a user, and all links. The one that was confirmed is told. @returns their JSON text, as they were; undefined if there was none */
export async function removeAddress(trx: Database, userId: string): Promise<string | undefined> {
    await holdUser(trx, userId);
    const address = await findAddress(trx, userId);
    const removed = await runOne(trx, remove, [userId]);
    if (removed === undefined) {
        return undefined;
    }

    await run(trx, endLinks, [userId]);
    if (removed.address !== null) {
        await post(trx, 'address_removed', userId, removed.address);
    }

    return address;
}

const owner = statement({ parameters: ['bytea'], row: { id: 'text' } }, `
    select u.id::text as id from mail_links l join mail_addresses a on a.user_id = l.user_id ${joinActiveUser('a.user_id')} where l.hash = $1 and l.purpose = 'password' and ${works}`);

/** The id of the user whose password a link replaces; undefined if it does not work. */
export const findOwner = async (db: Database, hash: Buffer): Promise<string | undefined> => (await runOne(db, owner, [hash]))?.id;

const renew = statement({ parameters: ['bigint', 'text'], row: { user: 'text' } }, `${updateUsers('password_hash = $2')} where u.id = $1 returning ${somebodyJson} as user`);

/**
 * Takes the link to a new password, and sets the hash of that. All sign-ins end, those of scripts and apps too. Needs a transaction.
 * @returns the JSON text of the user; undefined if the link does not work any more
 */
export async function replacePassword(trx: Database, userId: string, link: Buffer, hash: string): Promise<string | undefined> {
    await holdUser(trx, userId);
    const address = await takeLink(trx, link, 'password', userId);
    if (address === undefined) {
        return undefined;
    }

    const { user } = await runAlways(trx, renew, [userId, hash]);
    await deleteTokens(trx, [userId]);
    await post(trx, 'password_changed', userId, address);
    return user;
}
