import type { Knex } from 'knex';

import { joinUser } from '../users/fragments';
import { known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { exclusiveLock, exclusively } from '../../database/jobs/exclusive';
import { leaseIn } from '../../database/jobs/lease';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { ADDRESS_LINK_HOURS, MAIL_DAYS, MAIL_SECONDS, MAX_MAILS_AN_HOUR, MAX_MAILS_A_DAY, MAX_WAITING_MAILS, PASSWORD_LINK_MINUTES } from '../../limits';
import { mailboxOf } from './keys';

/*
 * The outbox: what is to be sent is written in the transaction that it tells of. Any instance sends it, each mail by one at a time. The secret of a link is
 * made for each attempt, so that it is nowhere but in the mail.
 */

/** Kinds of mail. The constraint mails_kind_known has the same ones. */
export const mailKinds = ['confirm', 'password', 'password_changed', 'address_changed', 'address_removed'] as const;
export type MailKind = (typeof mailKinds)[number];

/** Whether it was sent. The constraint mails_state_known has the same ones. */
export const mailStates = ['waiting', 'sent', 'refused'] as const;

/** Purposes of links. The constraint mail_links_purpose_known has the same ones. */
export const linkPurposes = ['confirm', 'password'] as const satisfies readonly MailKind[];

/** SQL for how many mails in the rows `m` there were in the last hour and in the last day, beside so many that are to follow. */
const tooMany = (more: string): string => `(count(*) filter (where m.created_at > now() - interval '1 hour') + ${more} > ${MAX_MAILS_AN_HOUR} or count(*) + ${more} > ${MAX_MAILS_A_DAY})`;
const ofLastDay = `m.created_at > now() - interval '1 day'`;

const insert = statement({ parameters: ['text', 'bigint', 'text', 'bytea'] }, 'insert into mails (kind, user_id, address, mailbox) values ($1, $2, $3, $4)');

/** Puts a mail into the outbox, in the transaction of what it tells of. */
export async function post(trx: Database, kind: MailKind, userId: string, address: string): Promise<void> {
    await run(trx, insert, [kind, userId, address, mailboxOf(address)]);
}

const room = statement({ parameters: ['bigint', 'bytea'], row: { full: 'boolean', too_many: 'boolean' } }, `
    select (select count(*) from (select from mails where state = 'waiting' limit ${MAX_WAITING_MAILS}) w) = ${MAX_WAITING_MAILS} as full,
        (select ${tooMany('1')} from mails m where m.kind = 'confirm' and m.user_id = $1 and ${ofLastDay}) or (select ${tooMany('1')} from mails m where m.kind = 'confirm' and m.mailbox = $2 and ${ofLastDay}) as too_many`);
const lockMailbox = statement({ parameters: ['bytea'] }, `select pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 49))`);

/** Whether one more mail may be sent to confirm an address. Needs a transaction, in which nobody else puts one for this account or mailbox into the outbox from then on. */
export async function hasRoom(trx: Database, userId: string, address: string): Promise<'full' | 'too many' | 'yes'> {
    const mailbox = mailboxOf(address);
    await run(trx, lockMailbox, [mailbox]);
    const { full, too_many: tooManyAlready } = await runAlways(trx, room, [userId, mailbox]);
    return full ? 'full' : tooManyAlready ? 'too many' : 'yes';
}

const ask = statement({ parameters: ['text'], row: { id: 'bigint' } }, `
    insert into password_requests (account) select $1 where (select count(*) from (select from password_requests limit ${MAX_WAITING_MAILS}) r) < ${MAX_WAITING_MAILS} returning id`);

/**
 * Notes that somebody wants a new password. Whether there is such an account is looked up later, so that nobody can tell by the response or its time.
 * @param account the key of a username or of an address
 * @returns whether there was room
 */
export const askForPassword = async (db: Database, account: string): Promise<boolean> => await runOne(db, ask, [account]) !== undefined;

/** Requests that are looked at in one transaction. */
const BATCH = 200;

const lock = exclusiveLock(7243392049);
const take = statement({ row: { account: 'text' } }, `
    delete from password_requests where id in (select id from password_requests order by id limit ${BATCH})
        and (select count(*) from (select from mails where state = 'waiting' limit ${MAX_WAITING_MAILS}) w) < ${MAX_WAITING_MAILS} returning account`);

// An account without a password signs in at another provider, or with a passkey: a mail is no way around that. What a class manages has no address.
const answer = statement({ parameters: ['text[]'] }, `
    with wanted as (
        select u.id from users u where u.username_key = any($1) union select a.user_id from mail_addresses a where a.key = any($1)
    ), numbered as (
        select u.id, a.address, a.mailbox, row_number() over (partition by a.mailbox order by u.id) as nth
        from wanted w join users u on u.id = w.id and ${live('u')} and u.password_hash is not null and u.publish is null join mail_addresses a on a.user_id = u.id and a.address is not null
        where not exists (select from mails m where m.user_id = u.id and m.kind = 'password' and m.state = 'waiting')
    )
    insert into mails (kind, user_id, address, mailbox) select 'password', n.id, n.address, n.mailbox from numbered n
    where not (select ${tooMany('n.nth')} from mails m where m.kind = 'password' and m.mailbox = n.mailbox and ${ofLastDay})`);

/** Puts a mail into the outbox for each request for a new password that is of an account with an address, if not too many were sent there. Does nothing if another instance does it. */
export async function answerRequests(db: Knex): Promise<void> {
    for (let count: number | undefined = BATCH; count === BATCH;) {
        count = await exclusively(db, lock, async (trx) => {
            const requests = await run(trx, take, []);
            await run(trx, answer, [requests.map(({ account }) => account)]);
            return requests.length;
        });
    }
}

const lease = leaseIn('leased_until', 2 * MAIL_SECONDS);

/** SQL for whether the mail in the row waits, and not for so many days that it is given up. */
const waits = (row: string): string => `${row}.state = 'waiting' and ${row}.address is not null and ${row}.created_at > now() - interval '${MAIL_DAYS} days'`;

const work = statement({ row: { asked: 'boolean', due: 'boolean' } }, `
    select exists (select from password_requests) as asked, exists (select from mails m where ${waits('m')} and ${lease.isDue('m')}) as due`);

/** Whether somebody has asked for a new password, and whether there is something to send. */
export const findWork = (db: Database): Promise<{ asked: boolean; due: boolean }> => runAlways(db, work, []);

const mailColumns = { id: 'text', kind: known<MailKind>('text'), address: 'text', attempts: 'integer', username: 'text', language: 'text', token: 'text' } as const;
export type LeasedMail = RowOf<typeof mailColumns>;

const next = statement({ row: mailColumns }, `
    with ${lease.claim({ table: 'mails', where: waits('q'), set: 'attempts = q.attempts + 1' })}
    select m.id::text as id, m.kind, m.address, m.attempts, u.username, u.language, ${lease.token('m')} as token from claimed m ${joinUser('m.user_id')}`);

/** Leases a mail to send. */
export const leaseMail = (db: Database): Promise<LeasedMail | undefined> => runOne(db, next, []);

/** SQL for what is kept of a password's hash in the row `u`. */
export const passwordDigest = `sha256(convert_to(u.password_hash, 'UTF8'))`;

const link = statement({ parameters: ['bigint', 'bytea'], row: { id: 'text' } }, `
    insert into mail_links (hash, user_id, purpose, address, password, expires_at)
    select $2, u.id, m.kind, m.address, ${passwordDigest}, now() + case m.kind when 'confirm' then interval '${ADDRESS_LINK_HOURS} hours' else interval '${PASSWORD_LINK_MINUTES} minutes' end
    from mails m join users u on u.id = m.user_id and ${live('u')} and u.password_hash is not null and u.publish is null join mail_addresses a on a.user_id = u.id
    where m.id = $1 and m.address = case m.kind when 'confirm' then a.pending else a.address end
    returning user_id::text as id`);

/** Keeps the hash of the link in a mail. @returns whether it is still wanted: the account may have another address by now, or be gone */
export const keepLink = async (db: Database, mailId: string, hash: Buffer): Promise<boolean> => await runOne(db, link, [mailId, hash]) !== undefined;

const drop = statement({ parameters: ['bigint'] }, 'delete from mails where id = $1');

/** Deletes a mail that nobody wants any more. */
export const dropMail = async (db: Database, id: string): Promise<void> => void await run(db, drop, [id]);

const end = statement({ parameters: ['bigint', 'text'] }, 'update mails set state = $2, address = null where id = $1');

/** Notes that a mail was sent, or that the server will never take it. */
export const endMail = async (db: Database, id: string, state: 'sent' | 'refused'): Promise<void> => void await run(db, end, [id, state]);

const retry = statement({ parameters: ['bigint', 'timestamp with time zone', 'double precision'] }, `
    update mails m set due_at = now() + make_interval(secs => $3), leased_until = null where m.id = $1 and ${lease.isHeld('m', '$2')}`);

/** Notes that a mail could not be sent, and when to try again, unless another instance tries by now. @param seconds from now */
export const retryMail = async (db: Database, { id, token }: LeasedMail, seconds: number): Promise<void> => void await run(db, retry, [id, token, seconds]);
