import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { joinUser } from '../users/fragments';
import type { OffReason, WebhookEvent } from '../../api/representations/webhook-events';
import { usernameKey } from '../../api/representations/username';
import { known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { operatorWrite } from '../../rules/write';
import { MAX_PLACE_WEBHOOKS, OLD_SECRET_HOURS } from '../../limits';
import { hasReader } from './place';
import { markAll, watchNow } from './queries';
import { switchOff } from './switch-off';

/*
 * What operators do with webhooks: those of the place are theirs, and those of users they look at.
 */

const rowColumns = {
    id: 'text', url: 'text', events: 'text[]', enabled: 'boolean', reason: known<OffReason | null>('text?'), off_at: 'text?',
    failing_since: 'text?', waiting: 'integer', created_at: 'text'
} as const;
export type WebhookRow = RowOf<typeof rowColumns>;

const list = statement({ parameters: ['text'], row: rowColumns }, `
    select h.id::text as id, h.url, h.events, h.enabled, h.reason,
        ${isoTime('h.off_at')} as off_at, ${isoTime('h.failing_since')} as failing_since,
        (select count(*)::int from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting') as waiting,
            ${isoTime('h.created_at')} as created_at
    from webhooks h left ${joinUser('h.user_id')} where ${hasReader('h')} and u.username_key is not distinct from $1::text order by h.id`);

/** The webhooks of a user, or those of the place, oldest first. */
export const listAnybodys = (db: Database, username: string | null): Promise<WebhookRow[]> =>
    run(db, list, [username === null ? null : usernameKey(username)]);

const hold = statement({ parameters: ['bigint'], row: { user_id: 'text?', enabled: 'boolean', waiting: 'integer' } }, `
    select h.user_id::text as user_id, h.enabled, (select count(*)::int from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting') as waiting from webhooks h left ${joinUser('h.user_id')} where h.id = $1 and ${hasReader('h')} for no key update of h`);

/** Locks a webhook. @returns whose it is, null for the place; undefined if there is none */
export const lockAnyWebhook = (trx: Database, id: string): Promise<{ user_id: string | null; enabled: boolean; waiting: number } | undefined> => runOne(trx, hold, [id]);

// Only one operator at a time makes one, so that the limit holds.
const alone = statement({}, 'select pg_advisory_xact_lock(7243392048)');
const insert = statement({ parameters: ['text', 'text[]', 'bytea'], row: { id: 'text' } }, `
    insert into webhooks (url, events, secret) select $1, $2, $3
        where (select count(*) from webhooks o where o.user_id is null) < ${MAX_PLACE_WEBHOOKS} returning id::text as id`);

/** Makes a webhook of the place. @returns its id; undefined if there are too many */
export async function createServiceWebhook(db: Knex, url: string, events: readonly WebhookEvent[], secret: Buffer): Promise<string | undefined> {
    const id = await operatorWrite(db, async (trx) => {
        await run(trx, alone, []);
        const made = await runOne(trx, insert, [url, events, secret]);
        if (made !== undefined) {
            await watchNow(trx, made.id);
        }

        return made?.id;
    });
    if (id !== undefined) {
        await markForPlace(db);
    }

    return id;
}

/** Seconds for which this waits for transactions that may be making a project. Those of the service are over by then. */
const PATIENCE = 20;

const clock = statement({ row: { now: 'text' } }, 'select clock_timestamp()::text as now');
const older = statement({ parameters: ['timestamp with time zone'], row: { found: 'boolean' } }, `
    select exists (select from pg_stat_activity a where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid() and a.state <> 'idle' and a.xact_start < $1::timestamptz) and clock_timestamp() < $1::timestamptz + interval '${PATIENCE} seconds' as found`);

/** Notes at all projects whether somebody watches them. Whoever is making one at this moment may not know yet that it is watched, so their transactions have to end first. */
async function markForPlace(db: Knex): Promise<void> {
    const { now } = await runAlways(db, clock, []);
    while ((await runAlways(db, older, [now])).found) {
        await sleep(100);
    }

    await markAll(db);
}

const switchOn = statement({ parameters: ['bigint'] }, 'update webhooks set enabled = true, reason = null, off_at = null, failures = 0, failing_since = null, paused_until = null where id = $1');

/** Switches a webhook of the place on or off. */
export async function setEnabled(db: Knex, id: string, enabled: boolean): Promise<void> {
    await operatorWrite(db, async (trx) => {
        if (enabled) {
            await run(trx, switchOn, [id]);
            await watchNow(trx, id);
        }
        else {
            await switchOff(trx, id, null);
        }
    });
    await markForPlace(db);
}

const remove = statement({ parameters: ['bigint'] }, 'delete from webhooks where id = $1');

/** Deletes a webhook of the place, with all deliveries. */
export async function removeFromPlace(db: Knex, id: string): Promise<void> {
    await run(db, remove, [id]);
    await markForPlace(db);
}

const replace = statement({ parameters: ['bigint', 'bytea'] }, `
    update webhooks set previous_secret = secret, previous_until = now() + interval '${OLD_SECRET_HOURS} hours', secret = $2 where id = $1`);

/** Gives a webhook another secret. The one before signs too for a while. */
export const replaceSecret = async (db: Database, id: string, secret: Buffer): Promise<void> => void await run(db, replace, [id, secret]);

const deliveryColumns = {
    id: 'text', event: 'text', project_id: 'text?', state: 'text', attempts: 'integer', at: 'text', last_attempt_at: 'text?',
    response_status: 'integer?', error: 'text?'
} as const;
export type DeliveryRow = RowOf<typeof deliveryColumns>;

const deliveries = statement({ parameters: ['bigint', 'integer'], row: deliveryColumns }, `
    select d.id::text as id, d.event, d.project_id::text as project_id, d.state, d.attempts,
        ${isoTime('d.at')} as at, ${isoTime('d.last_attempt_at')} as last_attempt_at, d.response_status, d.error
    from webhook_deliveries d where d.webhook_id = $1 order by d.id desc limit $2::int`);

/** The newest deliveries of a webhook. */
export const newestDeliveries = (db: Database, id: string, count: number): Promise<DeliveryRow[]> => run(db, deliveries, [id, count]);
