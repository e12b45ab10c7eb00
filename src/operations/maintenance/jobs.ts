import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { byLookup, inAllShards, known, writing } from '../../database/declaration';
import type { ShardTarget } from '../../database/declaration';
import { workInSteps } from '../../database/jobs/in-steps';
import { leaseIn } from '../../database/jobs/lease';
import { startPolling } from '../../database/jobs/poll';
import type { AssetStorage } from '../../files/assets/storage';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import type { Statement } from '../../database/statements/statement';
import { NOTICE_DAYS } from '../../community/notices';
import { KEPT_DELIVERY_DAYS, MAIL_DAYS } from '../../limits';
import { TRENDS } from '../../projects/lists';
import { purgeSome, purgeUsers } from './purge';
import { removeUnusedAssets } from './unused-assets';
import { projectsToThin, thinHistory } from './thin';
import type { Limits } from './thin';

/** Settings of the maintenance. */
export interface Keeping extends Limits {
    /** days that what was removed can be restored */
    trashDays: number;
    /** the bytes of assets */
    assets: AssetStorage;
}

/** Milliseconds between two checks whether the maintenance is due. */
const LOOK_EVERY = 60_000;

const SECONDS_A_DAY = 24 * 3600;

/** A step takes less. */
const lease = leaseIn('claimed_until', 300);

const claim = statement({ parameters: ['boolean'], row: { since: 'text', now: 'text', token: 'text' } }, `
    insert into maintenance as m (name, claimed_until) values ('hourly', ${lease.until})
    on conflict (name) do update set claimed_until = excluded.claimed_until where ${lease.isFree('m')} and (m.due_at <= now() or $1)
    returning done_until::text as since, now()::text as now, ${lease.token('m')} as token`);
const renew = statement({ parameters: ['timestamp with time zone'], row: { token: 'text' } }, `
    update maintenance m set claimed_until = ${lease.until}
    where name = 'hourly' and ${lease.isHeld('m', '$1')} returning ${lease.token('m')} as token`);
const release = statement({ parameters: ['timestamp with time zone', 'timestamp with time zone'] }, `
    update maintenance m set claimed_until = now() - interval '1 second', done_until = coalesce($2, done_until),
        due_at = case when $2::timestamptz is null then due_at else now() + interval '1 hour' end
    where name = 'hourly' and ${lease.isHeld('m', '$1')}`);

const oldTrash = statement({ parameters: ['integer', 'bigint'], row: { id: 'text', type: known<'project' | 'page' | 'element'>('text'), thing_id: 'text' }, place: inAllShards({ kind: 'first', count: 500 }) }, `
    select id::text as id, type::text as type, thing_id::text as thing_id from trash
    where deleted_at < now() - make_interval(days => $1::int) and id > $2::bigint order by trash.id limit 500`);

const oldUsers = statement({ parameters: ['integer'], row: { id: 'text', projects: 'text[]' }, place: byLookup }, `
    select u.id::text as id, coalesce((select array_agg(p.id::text) from projects p where p.user_id = u.id), '{}') as projects
    from users u where u.deleted_at < now() - make_interval(days => $1::int) limit 20`);

const removing = (sql: string, place?: ShardTarget): Statement<{ count: number }> => statement({ row: { count: 'integer' }, place }, `with gone as (${sql} returning 1) select count(*)::int as count from gone`);

/** Rows that are no longer needed, at most a thousand at a time. */
const useless = [...[
    `delete from idempotency_keys where id in (select id from idempotency_keys where created_at < now() - interval '1 day' limit 1000)`,
    `delete from tokens where id in (select id from tokens where expires_at < now() limit 1000)`,
    `delete from authorization_states where hash in (select hash from authorization_states where expires_at < now() limit 1000)`,
    `delete from authorizations where id in (select id from authorizations where expires_at < now() limit 1000)`,
    `delete from apps where id in (select id from apps a where user_id is null and created_at < now() - interval '7 days' and not exists (select from authorizations g where g.app_id = a.id) limit 1000)`,
    `delete from sign_ins where hash in (select hash from sign_ins where expires_at < now() limit 1000)`,
    `delete from passkey_challenges where challenge in (select challenge from passkey_challenges where expires_at < now() limit 1000)`,
    `delete from webhook_deliveries where id in (select id from webhook_deliveries where state <> 'waiting' and created_at < now() - interval '${KEPT_DELIVERY_DAYS} days' limit 1000)`,
    `delete from mails where id in (select id from mails where created_at < now() - interval '${MAIL_DAYS} days' limit 1000)`,
    `delete from notices where id in (select id from notices where at < now() - interval '${NOTICE_DAYS} days' limit 1000)`,
    `delete from mail_links where hash in (select hash from mail_links where expires_at < now() limit 1000)`,
    `delete from rate_limits where expire < extract(epoch from now()) * 1000 and key in (select key from rate_limits where expire < extract(epoch from now()) * 1000 limit 1000)`,
    // Nobody has confirmed it, so it may be somebody else's.
    `delete from mail_addresses where user_id in (select user_id from mail_addresses where pending_since < now() - interval '${MAIL_DAYS} days' and address is null limit 1000)`,
    `update mail_addresses set pending = null, pending_since = null where user_id in (select user_id from mail_addresses where pending_since < now() - interval '${MAIL_DAYS} days' limit 1000)`,
    `delete from sign_up_codes where hash in (select hash from sign_up_codes where expires_at < now() or uses_left = 0 limit 1000)`
].map((sql) => removing(sql)), ...[
    `delete from trending where project_id = any(array(select project_id from trending where at < now() - ${TRENDS} limit 1000))`,
    `delete from project_invitations where id in (select id from project_invitations where expires_at < now() limit 1000)`,
    // Nobody watches any more.
    `delete from webhook_events where (project_id, id) in (select project_id, id from webhook_events where at < now() - interval '1 day' and not exists (select from webhook_watches) limit 1000)`,
    `delete from project_presence where (project_id, user_id) in (select project_id, user_id from project_presence where at < now() - interval '1 minute' limit 1000)`,
    `delete from project_views where ctid = any(array(select ctid from project_views where day < current_date - 1 limit 1000))`
].map((sql) => removing(sql, writing(inAllShards({ kind: 'sum' }))))];

/**
 * Does the maintenance, unless another instance does it or it is not due: thins histories, empties the trash, purges accounts and assets, and deletes what is
 * of no use any more. Each step is a short transaction, so writers wait for none of it.
 * @param signal ends it between two steps
 * @param force whether to do it even if it is not due
 * @returns whether it was done
 */
export function maintain(db: Knex, keeping: Keeping, signal: AbortSignal, force = false): Promise<boolean> {
    return workInSteps({
        claim: () => runOne(db, claim, [force]),
        steps: (claimed) => steps(db, keeping, claimed),
        renew: async (token) => (await runOne(db, renew, [token]))?.token,
        // What has failed is tried again when the lease ends.
        release: async (token, outcome, { now }) => void await (outcome !== 'failed' && run(db, release, [token, outcome === 'done' ? now : null]))
    }, signal);
}

async function* steps(db: Knex, keeping: Keeping, { since }: { since: string }): AsyncGenerator<void> {
    for (const project of await projectsToThin(db, since, keeping)) {
        yield;
        await thinHistory(db, project, keeping);
    }

    const age = keeping.trashDays * SECONDS_A_DAY;
    for (let last: string | undefined = '0'; last !== undefined;) {
        yield;
        const entries: { id: string; type: 'project' | 'page' | 'element'; thing_id: string }[] = await run(db, oldTrash, [keeping.trashDays, last]);
        for (const type of ['element', 'page', 'project'] as const) {
            await purgeSome(db, age, type, entries.filter((entry) => entry.type === type).map(({ thing_id: id }) => id));
        }

        last = entries.at(-1)?.id;
    }

    for (let users = await run(db, oldUsers, [keeping.trashDays]); users.length > 0; users = await run(db, oldUsers, [keeping.trashDays])) {
        yield;
        await purgeUsers(db, age, users.map(({ id }) => id), users.flatMap(({ projects }) => projects));
    }

    for (const sql of useless) {
        while ((await runAlways(db, sql, [])).count > 0) {
            yield;
        }
    }

    yield* removeUnusedAssets(db, keeping.assets);
}

/**
 * Does the maintenance once an hour.
 * @param every milliseconds between two checks whether it is due
 * @returns a function that ends it, after the step in progress
 */
export function maintainHourly(db: Knex, keeping: Keeping, logger: Pick<Logger, 'warn'>, every = LOOK_EVERY): () => Promise<void> {
    const failure = 'the maintenance failed, and is tried again';
    return startPolling((signal) => maintain(db, keeping, signal), { every, first: every, logger, failure }).end;
}
