import type { Knex } from 'knex';

import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { leaseIn } from '../../database/jobs/lease';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { isoTime } from '../../database/statements/json-sql';
import { lookup, run, runAlways, runOne, statement } from '../../database/statements/statement';
import { transaction } from '../../database/statements/transaction';
import { KEPT_DELIVERIES, WEBHOOK_RETRY_DAYS } from '../../limits';
import { isOpen, maySee } from '../../rules/visibility';
import type { OffReason, TEST_EVENT, WebhookEvent } from '../../api/representations/webhook-events';
import { hasReader } from './place';
import { switchOff } from './switch-off';

/** An attempt takes less. */
const lease = leaseIn('leased_until', 20);

/** How many webhooks of one user are sent to at the same time. */
const OF_ONE = 2;

/** So many attempts that fail one after the other are no chance: once one succeeds again, all that waits is sent at once. */
const BROKEN = 3;

const work = lookup({ row: { watched: 'boolean', due: 'boolean' } }, `
    select exists (select from webhook_watches) as watched, exists (select from webhooks h where ${lease.isDue('h')}) as due`);

/** Whether anybody watches anything, and whether there is something to send. */
export const findWork = (db: Database): Promise<{ watched: boolean; due: boolean }> => runAlways(db, work, []);

const leasedColumns = { id: 'text', user_id: 'text?', failures: 'integer', slow: 'boolean', token: 'text' } as const;
export type Leased = RowOf<typeof leasedColumns>;

/** SQL for whether the last attempt at the webhook in the row failed or took long, so that the next one may hang. */
const isSlow = (row: string): string => `(${row}.failures > 0 or ${row}.slow)`;

const claim = statement({ parameters: ['boolean', 'boolean'], row: leasedColumns }, `
    with ${lease.claim({
        table: 'webhooks', joins: 'left join users u on u.id = q.user_id',
        where: `q.enabled and ${hasReader('q')} and case when ${isSlow('q')} then $2::boolean else $1::boolean end`,
        owner: { column: 'user_id', most: OF_ONE }, first: isSlow('q')
    })}
    select h.id::text as id, h.user_id::text as user_id, h.failures, ${isSlow('h')} as slow, ${lease.token('h')} as token from claimed h`);

/** Leases a webhook to send to. @param free whether it may be one that is quick, as far as is known, and whether it may be another */
export function leaseWebhook(db: Database, { quick, slow }: { quick: boolean; slow: boolean }): Promise<Leased | undefined> {
    return runOne(db, claim, [quick, slow]);
}

const nextColumns = {
    id: 'text', message: 'text', project_id: 'text?', event: known<WebhookEvent | typeof TEST_EVENT>('text'), from_revision: 'integer?', at: 'text', data: 'text', attempts: 'integer', revision: 'integer?',
    url: 'text', secret: 'bytea', previous_secret: 'bytea?', token: 'text'
} as const;
export type Next = RowOf<typeof nextColumns>;

/** SQL for whether nothing that is older about the same project waits for the same webhook as the delivery in the row `d`. */
const isFirst = `not exists (select from webhook_deliveries e where e.webhook_id = d.webhook_id and e.project_id = d.project_id and e.state = 'waiting' and e.id < d.id)`;

// It counts as an attempt before it is sent, so that nothing joins it from now on.
const next = statement({ parameters: ['bigint', 'timestamp with time zone'], row: nextColumns }, `
    with first as (
        select d.id from webhook_deliveries d
        where d.webhook_id = $1 and d.state = 'waiting' and d.due_at <= now() and ${isFirst} order by d.id limit 1
    ), h as (
        update webhooks h set leased_until = ${lease.until} from first
        where h.id = $1 and ${lease.isHeld('h', '$2')} and h.enabled returning h.*
    )
    update webhook_deliveries d set attempts = d.attempts + 1, last_attempt_at = now(), first_attempt_at = coalesce(d.first_attempt_at, now()) from first, h where d.id = first.id
    returning d.id::text as id, 'msg_' || d.message as message, d.project_id::text as project_id, d.event, d.from_revision, ${isoTime('d.at')} as at, d.data, d.attempts, d.revision,
        h.url, h.secret, case when h.previous_until > now() then h.previous_secret end as previous_secret, ${lease.token('h')} as token`);

/** The next delivery of a webhook that can be sent, for which its lease goes on; undefined if there is none, or the lease was lost. */
export const nextDelivery = (db: Database, id: string, token: string): Promise<Next | undefined> => runOne(db, next, [id, token]);

const readable = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text' }, place: inProject(1) }, `
    select p.id::text as id from projects p where p.id = $1 and ${maySee('p', { id: '$2::bigint', moderator: 'false' })}`);
const visible = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text' }, place: inProject(1) }, `
    select p.id::text as id from projects p where p.id = $1 and ${live('p')} and (${isOpen('p')} or ${maySee('p', { id: '$2::bigint', moderator: 'false' })})`);

/** Whether a user may be told of a project of their own, or that they are a member of, at this moment; also if it was deleted. */
export const mayBeTold = async (db: Database, projectId: string, userId: string): Promise<boolean> => await runOne(db, readable, [projectId, userId]) !== undefined;

/** Whether a user may read a project of anybody. */
export const canSee = async (db: Database, projectId: string, userId: string): Promise<boolean> => await runOne(db, visible, [projectId, userId]) !== undefined;

const forget = statement({ parameters: ['bigint'] }, 'delete from webhook_deliveries where id = $1');

/** Deletes a delivery that its webhook's user may not be told of any more. */
export const forgetDelivery = async (db: Database, id: string): Promise<void> => void await run(db, forget, [id]);

const delivered = statement({ parameters: ['bigint', 'bigint', 'integer', 'integer', 'boolean'] }, `
    with before as (select failures from webhooks where id = $1 for no key update),
    h as (update webhooks set failures = 0, failing_since = null, paused_until = null, slow = $5 where id = $1 and (failing_since is not null or slow <> $5)),
    retried as (update webhook_deliveries set due_at = now() where webhook_id = $1 and id <> $2 and state = 'waiting' and due_at > now() and (select failures from before) >= ${BROKEN})
    update webhook_deliveries set state = 'delivered', response_status = $3, duration_ms = $4, error = null where id = $2`);

/** Notes that a delivery has arrived. @param slow whether that took long */
export const noteDelivered = async (db: Database, webhookId: string, id: string, status: number, duration: number, slow: boolean): Promise<void> => void await run(db, delivered, [webhookId, id, status, duration, slow]);

export interface Failure {
    /** null if there was no answer */
    status: number | null;
    /** milliseconds */
    duration: number;
    /** in words */
    error: string;
    /** seconds after which this delivery is tried again, and anything else is sent to the webhook */
    again: number;
    pause: number;
    /** the receiver wants nothing any more */
    gone: boolean;
}

const failed = statement({ parameters: ['bigint', 'bigint', 'integer', 'integer', 'text', 'double precision', 'double precision'], row: { gave_up: 'boolean', hopeless: 'boolean' } }, `
    with h as (
        update webhooks set failures = failures + 1, failing_since = coalesce(failing_since, now()), paused_until = now() + make_interval(secs => $7) where id = $1
        returning failing_since < now() - make_interval(days => ${WEBHOOK_RETRY_DAYS}) as hopeless
    )
    update webhook_deliveries d set response_status = $3, duration_ms = $4, error = $5, due_at = now() + make_interval(secs => $6),
        state = case when d.first_attempt_at < now() - make_interval(days => ${WEBHOOK_RETRY_DAYS}) then 'failed' else d.state end
    from h where d.id = $2 returning d.state = 'failed' as gave_up, h.hopeless`);

/** Notes that an attempt has failed. What has failed for days is given up, and with it the webhook, if nothing else arrived in these days. @returns why it was switched off, if it was */
export function noteFailed(db: Knex, webhookId: string, id: string, { status, duration, error, again, pause, gone }: Failure): Promise<OffReason | undefined> {
    return transaction(db, undefined, async (trx) => {
        const noted = await runOne(trx, failed, [webhookId, id, status, duration, error.slice(0, 200), again, pause]);
        const why = gone ? 'gone' : noted?.gave_up === true && noted.hopeless ? 'failing' : undefined;
        if (why !== undefined) {
            await switchOff(trx, webhookId, why);
        }

        return why;
    });
}

const hold = statement({ parameters: ['bigint', 'timestamp with time zone'], row: { id: 'text' } }, `
    select h.id::text as id from webhooks h where h.id = $1 and ${lease.isHeld('h', '$2')} for no key update`);
const release = statement({ parameters: ['bigint'] }, `
    update webhooks h set leased_until = null, due_at = case when h.enabled then (
        select greatest(h.paused_until, min(d.due_at), now()) from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting' and ${isFirst} having count(*) > 0) end
    where h.id = $1`);
const surplus = statement({ parameters: ['bigint'] }, `
    delete from webhook_deliveries where webhook_id = $1 and state <> 'waiting' and id < (
        select id from webhook_deliveries where webhook_id = $1 and state <> 'waiting' order by id desc offset ${KEPT_DELIVERIES - 1} limit 1)`);

/** Gives a webhook back, and notes when it is due next. First it is locked: what comes to wait for it meanwhile is seen. */
export function releaseWebhook(db: Knex, id: string, token: string): Promise<void> {
    return transaction(db, undefined, async (trx) => {
        if (await runOne(trx, hold, [id, token]) !== undefined) {
            await run(trx, release, [id]);
            await run(trx, surplus, [id]);
        }
    });
}
