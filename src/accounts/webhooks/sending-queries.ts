import type { Knex } from 'knex';

import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
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

/** How long an instance may send to a webhook without saying that it goes on: longer than an attempt can take. */
const LEASE = `interval '20 seconds'`;

/** How many webhooks of one user are sent to at the same time. */
const OF_ONE = 2;

/** So many attempts that fail one after the other are no chance: once one succeeds again, all that waits is sent at once. */
const BROKEN = 3;

const isDue = `h.due_at <= now() and (h.leased_until is null or h.leased_until < now())`;

const work = lookup({ row: { watched: 'boolean', due: 'boolean' } }, `
    select exists (select from webhook_watches) as watched, exists (select from webhooks h where ${isDue}) as due`);

/** Whether anybody watches anything, and whether there is something to send. */
export const findWork = (db: Database): Promise<{ watched: boolean; due: boolean }> => runAlways(db, work, []);

const leasedColumns = { id: 'text', user_id: 'text?', failures: 'integer', slow: 'boolean' } as const;
export type Leased = RowOf<typeof leasedColumns>;

/** SQL for whether the last attempt at the webhook in the row `h` failed or took long, so that the next one may hang. */
const isSlow = '(h.failures > 0 or h.slow)';

// Owners take turns: first those to whom nothing is sent, then by how long a webhook is due. One that was given back is due anew.
const lease = statement({ parameters: ['uuid', 'boolean', 'boolean'], row: leasedColumns }, `
    with next as (
        select h.id from webhooks h left join users u on u.id = h.user_id
        cross join lateral (select count(*) as leases from webhooks o where o.user_id = h.user_id and o.leased_until > now()) own
        where h.enabled and ${hasReader} and ${isDue} and case when ${isSlow} then $3::boolean else $2::boolean end and own.leases < ${OF_ONE}
        order by ${isSlow}, own.leases, h.due_at limit 1 for no key update of h skip locked
    )
    update webhooks h set lease = $1, leased_until = now() + ${LEASE} from next where h.id = next.id returning h.id::text as id, h.user_id::text as user_id, h.failures, ${isSlow} as slow`);

/** Takes a webhook to send to, which nobody else sends to meanwhile. @param quick whether it may be one that is quick, as far as is known @param slow whether it may be another */
export const leaseWebhook = (db: Database, by: string, quick: boolean, slow: boolean): Promise<Leased | undefined> => runOne(db, lease, [by, quick, slow]);

const nextColumns = {
    id: 'text', message: 'text', project_id: 'text?', event: known<WebhookEvent | typeof TEST_EVENT>('text'), from_revision: 'integer?', at: 'text', data: 'text', attempts: 'integer', revision: 'integer?',
    url: 'text', secret: 'bytea', previous_secret: 'bytea?'
} as const;
export type Next = RowOf<typeof nextColumns>;

/** SQL for whether nothing that is older about the same project waits for the same webhook as the delivery in the row `d`. */
const isFirst = `not exists (select from webhook_deliveries e where e.webhook_id = d.webhook_id and e.project_id = d.project_id and e.state = 'waiting' and e.id < d.id)`;

// It counts as an attempt before it is sent, so that nothing joins it from now on.
const next = statement({ parameters: ['bigint', 'uuid'], row: nextColumns }, `
    with h as (update webhooks set leased_until = now() + ${LEASE} where id = $1 and lease = $2 and enabled returning *),
    first as (select d.id from h join webhook_deliveries d on d.webhook_id = h.id and d.state = 'waiting' and d.due_at <= now() where ${isFirst} order by d.id limit 1)
    update webhook_deliveries d set attempts = d.attempts + 1, last_attempt_at = now(), first_attempt_at = coalesce(d.first_attempt_at, now()) from first, h where d.id = first.id
    returning d.id::text as id, 'msg_' || d.message as message, d.project_id::text as project_id, d.event, d.from_revision, ${isoTime('d.at')} as at, d.data, d.attempts, d.revision,
        h.url, h.secret, case when h.previous_until > now() then h.previous_secret end as previous_secret`);

/** The next delivery of a webhook that can be sent; undefined if there is none, or if somebody else has the webhook. */
export const nextDelivery = (db: Database, { id }: Leased, by: string): Promise<Next | undefined> => runOne(db, next, [id, by]);

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

const hold = statement({ parameters: ['bigint', 'uuid'], row: { id: 'text' } }, 'select id::text as id from webhooks where id = $1 and lease = $2 for no key update');
const release = statement({ parameters: ['bigint'] }, `
    update webhooks h set lease = null, leased_until = null, due_at = case when h.enabled then (
        select greatest(h.paused_until, min(d.due_at), now()) from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting' and ${isFirst} having count(*) > 0) end
    where h.id = $1`);
const surplus = statement({ parameters: ['bigint'] }, `
    delete from webhook_deliveries where webhook_id = $1 and state <> 'waiting' and id < (
        select id from webhook_deliveries where webhook_id = $1 and state <> 'waiting' order by id desc offset ${KEPT_DELIVERIES - 1} limit 1)`);

/** Gives a webhook back, and notes when it is due next. First it is locked: what comes to wait for it meanwhile is seen. */
export function releaseWebhook(db: Knex, { id }: Leased, by: string): Promise<void> {
    return transaction(db, undefined, async (trx) => {
        if (await runOne(trx, hold, [id, by]) !== undefined) {
            await run(trx, release, [id]);
            await run(trx, surplus, [id]);
        }
    });
}
