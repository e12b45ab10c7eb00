import { randomBytes } from 'node:crypto';

import { hasAddress, joinAddress } from '../../accounts/mail/fragments';
import { fromActiveUser, joinActiveUser, joinUser } from '../../accounts/users/fragments';
import type { RowOf } from '../../database/declaration';
import { leaseIn } from '../../database/jobs/lease';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { MAIL_SECONDS } from '../../limits';

/*
 * Who gets a letter each day, and up to which notice the last one told. The link that switches it off has a secret of the account, which is
 * good for nothing else.
 */

const KEY_BYTES = 32;

const found = statement({ parameters: ['bigint'], row: { daily: 'boolean' } }, 'select l.daily from notice_letters l where l.user_id = $1');

/** Whether a user gets the letter. */
export const getsLetter = async (db: Database, userId: string): Promise<boolean> => (await runOne(db, found, [userId]))?.daily ?? false;

// When the next one is due stays as it is: nobody gets two a day by switching it off and on.
const write = statement({ parameters: ['bigint', 'boolean', 'bytea'] }, `
    insert into notice_letters (user_id, daily, key) select u.id, $2, $3 ${fromActiveUser('$1')}
    on conflict (user_id) do update set daily = excluded.daily`);

/** Switches the letter of a user on or off. */
export async function setLetter(db: Database, userId: string, daily: boolean): Promise<void> {
    await run(db, write, [userId, daily, randomBytes(KEY_BYTES)]);
}

const language = statement({ parameters: ['bytea'], row: { language: 'text' } }, `
    select u.language from notice_letters l ${joinUser('l.user_id')} where l.key = $1`);

/** The language of whoever has this key; undefined if nobody has. */
export async function languageOfKey(db: Database, key: Buffer): Promise<string | undefined> {
    return (await runOne(db, language, [key]))?.language;
}

const end = statement({ parameters: ['bytea'] }, 'update notice_letters set daily = false where key = $1');

/** Switches the letter of whoever has this key off. */
export const endLetters = async (db: Database, key: Buffer): Promise<void> => void await run(db, end, [key]);

const lease = leaseIn('leased_until', 2 * MAIL_SECONDS);

/** SQL for whether there is something to tell in the row: a letter that could not be sent, or unread notices of which none has told. */
const hasNews = (row: string): string => `(${row}.attempts > 0 or exists (
    select from notices n where n.user_id = ${row}.user_id
        and n.id > greatest(${row}.mailed_until, (select r.read_until from notice_readers r where r.user_id = ${row}.user_id))))`;

const postpone = statement({}, `
    update notice_letters l set due_at = now() + interval '1 hour'
    where l.daily and l.due_at <= now() and not (${hasNews('l')} and ${hasAddress('l.user_id')})`);

/** Looks later at those for whom there is nothing to tell. */
export const postponeLetters = async (db: Database): Promise<void> => void await run(db, postpone, []);

const letterColumns = {
    id: 'text', user_id: 'text', address: 'text', username: 'text', language: 'text',
    mailed_from: 'text', mailed_until: 'text', attempts: 'integer', key: 'bytea', token: 'text'
} as const;
export type LeasedLetter = RowOf<typeof letterColumns>;

const next = statement({ row: letterColumns }, `
    with ${lease.claim({
        table: 'notice_letters', joins: `${joinActiveUser('q.user_id')} ${joinAddress('q.user_id')}`, where: `q.daily and ${hasNews('q')}`,
        set: `attempts = q.attempts + 1, mailed_from = case when q.attempts = 0 then q.mailed_until else q.mailed_from end,
            mailed_until = case when q.attempts > 0 then q.mailed_until
                else (select max(n.id) from notices n where n.user_id = q.user_id) end`
    })}
    select l.id::text as id, l.user_id::text as user_id, a.address, u.username, u.language,
        l.mailed_from::text as mailed_from, l.mailed_until::text as mailed_until, l.attempts, l.key, ${lease.token('l')} as token
    from claimed l ${joinUser('l.user_id')} ${joinAddress('l.user_id')}`);

/** Leases a letter to send. */
export const leaseLetter = (db: Database): Promise<LeasedLetter | undefined> => runOne(db, next, []);

const release = statement({ parameters: ['bigint', 'timestamp with time zone', 'boolean', 'double precision'] }, `
    update notice_letters l set attempts = case when $3 then l.attempts else 0 end, leased_until = null,
        due_at = now() + make_interval(secs => $4)
    where l.id = $1 and ${lease.isHeld('l', '$2')}`);

/** Gives a letter back. @param isTriedAgain whether it could not be sent @param seconds until it is, or until the next one */
export async function releaseLetter(db: Database, { id, token }: LeasedLetter, isTriedAgain: boolean, seconds: number): Promise<void> {
    await run(db, release, [id, token, isTriedAgain, seconds]);
}
