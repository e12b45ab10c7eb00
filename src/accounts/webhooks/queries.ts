import type { Knex } from 'knex';

import { fromProjects, fromProjectsOf, updateProjects } from '../../projects/fragments';
import { fromActiveUser, joinActiveUser } from '../users/fragments';
import { boundedPageColumns, newestPage } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import { inAllShards, inEachProject, writing } from '../../database/declaration';
import type { ListPlace } from '../../api/request/pagination';
import type { ShortPlace, ShortRow } from '../../api/request/short-lists';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_WAITING, MAX_WEBHOOKS, OLD_SECRET_HOURS } from '../../limits';
import { maySee } from '../../rules/visibility';
import { deliveryJson, webhookJson } from './json';
import { TEST_EVENT } from '../../api/representations/webhook-events';
import type { WebhookFields } from './json';
import { EVERYTHING, isWatched } from './place';
import { switchOff } from './switch-off';

/** Projects that are marked at a time: others wait for them for a moment. And the ids of such that are read at a time. */
const MARKED = 1000;
const MAX_READ = 10_000;

/** SQL for the webhook in the row `h` that is of the user $1, who is there, and has the id $2. */
const own = `from webhooks h ${joinActiveUser('h.user_id')} where h.user_id = $1 and h.id = $2`;

const list = statement({ parameters: ['bigint', 'bigint', 'integer'], row: { id: 'text', json: 'text' } }, `
    select h.id::text as id, ${webhookJson} as json from webhooks h ${joinActiveUser('h.user_id')}
    where h.user_id = $1 and h.id < $2 order by h.id desc limit $3::int + 1`);

/** A user's webhooks, newest first, and one more than the page has. */
export const listWebhooks = (db: Database, userId: string, { beforeId, count }: ShortPlace): Promise<ShortRow[]> =>
    run(db, list, [userId, beforeId, count]);

const found = statement({ parameters: ['bigint', 'bigint'], row: { webhook: 'text' } }, `select ${webhookJson} as webhook ${own}`);

/** The JSON text of a webhook of a user; undefined if there is none. */
export const findWebhook = async (db: Database, userId: string, id: string): Promise<string | undefined> =>
    (await runOne(db, found, [userId, id]))?.webhook;

const readable = statement({ parameters: ['bigint[]', 'bigint'], row: { id: 'text' }, place: inEachProject(1) }, `
    select p.id::text as id ${fromProjects('p.id = any($1::bigint[])')}
        and ${live('p')} and ${maySee('p', { id: '$2::bigint', moderator: 'false' })}`);

/** Those of some projects that are not the user's, and that the user is not a member of. */
export async function othersAmong(db: Database, userId: string, projects: readonly string[]): Promise<string[]> {
    const known = await run(db, readable, [projects, userId]);
    return projects.filter((project) => !known.some(({ id }) => id === project));
}

// The strongest lock: whoever makes a project meanwhile waits, and then sees what the webhook watches.
const holdOwner = statement({ parameters: ['bigint'], row: { id: 'bigint' } }, `select u.id ${fromActiveUser('$1')} for update`);
const holdOwn = statement({ parameters: ['bigint', 'bigint'], row: { id: 'bigint' } }, `select h.id ${own} for update of u, h`);

// Written anew with each change, so that it always follows the webhook.
const unwatch = statement({ parameters: ['bigint'] }, 'delete from webhook_watches where webhook_id = $1');
const watch = statement({ parameters: ['bigint'], row: { projects: 'text[]' } }, `
    with h as (select * from webhooks where id = $1),
    w as (insert into webhook_watches (watched, webhook_id) select unnest(coalesce(h.projects, array[coalesce(-h.user_id, ${EVERYTHING})])), h.id from h where h.enabled)
    select coalesce(h.projects, '{}')::text[] as projects from h where h.enabled`);
const marked = (which: string, wrong: string): string => `
    with turned as materialized (select p.id ${fromProjects(which)} and ${wrong} order by p.id for no key update)
    ${updateProjects('watched = not p.watched')} from turned t where p.id = t.id`;
const mark = statement({ parameters: ['bigint', 'bigint[]'], place: writing(inAllShards()) }, marked('(p.user_id = $1 or p.id = any($2::bigint[]))', 'not p.watched'));
const unmarked = statement({ parameters: ['bigint'], row: { id: 'text' }, place: inAllShards({ kind: 'first', count: MAX_READ }) }, `select p.id::text as id ${fromProjectsOf('$1')} and not p.watched order by p.id limit ${MAX_READ}`);

/**
 * Notes at all projects of a user that somebody may watch them, so many at a time, before a webhook says so: in its own transaction it
 * locks the user, and all who write for the user would wait for it with a connection each. A project that is marked and not watched is only
 * asked for once more when it changes, so no mark is taken off.
 */
export async function markProjectsInBatches(db: Database, userId: string): Promise<void> {
    for (let projects = await run(db, unmarked, [userId]); projects.length > 0; projects = await run(db, unmarked, [userId])) {
        for (let from = 0; from < projects.length; from += MARKED) {
            const some = projects.slice(from, from + MARKED).map(({ id }) => id);
            await run(db, mark, [null, some]);
        }
    }
}

/** Notes what a webhook watches. @returns the ids of projects, none for all of its user's; undefined if it is switched off or not there */
export async function watchNow(trx: Knex.Transaction, id: string): Promise<string[] | undefined> {
    await run(trx, unwatch, [id]);
    return (await runOne(trx, watch, [id]))?.projects;
}

/** Notes what a webhook watches, here and at the projects that have no mark yet. */
async function watchAsStated(trx: Knex.Transaction, userId: string, id: string): Promise<void> {
    const projects = await watchNow(trx, id);
    if (projects !== undefined) {
        await run(trx, mark, [projects.length === 0 ? userId : null, projects]);
    }
}

const some = statement({ parameters: ['bigint'], row: { id: 'text' }, place: inAllShards({ kind: 'first', count: MARKED }) }, `select p.id::text as id ${fromProjects('p.id > $1')} order by p.id limit ${MARKED}`);
const markSome = statement({ parameters: ['bigint[]'], place: writing(inEachProject(1)) }, marked('p.id = any($1::bigint[])', `p.watched <> ${isWatched('p')}`));

/** Notes at all projects whether somebody watches them, so many at a time. It can be repeated. */
export async function markAll(db: Database): Promise<void> {
    for (let projects = await run(db, some, ['0']); projects.length > 0; projects = await run(db, some, [projects.at(-1)?.id])) {
        await run(db, markSome, [projects.map(({ id }) => id)]);
    }
}

const insert = statement({ parameters: ['bigint', 'text', 'text[]', 'bigint[]', 'bytea'], row: { id: 'text', webhook: 'text' } }, `
    with h as (
        insert into webhooks (user_id, url, events, projects, secret) select u.id, $2, $3, $4, $5
        ${fromActiveUser('$1')} and (select count(*) from webhooks o where o.user_id = $1) < ${MAX_WEBHOOKS}
        returning *
    )
    select h.id::text as id, ${webhookJson} as webhook from h`);

/** Makes a webhook. In a transaction, so that the limit holds for simultaneous requests. @returns undefined if the user has too many, or was deleted meanwhile */
export async function insertWebhook(trx: Knex.Transaction, userId: string, { url, events, projects }: WebhookFields, secret: Buffer): Promise<{ id: string; webhook: string } | undefined> {
    await run(trx, holdOwner, [userId]);
    const made = await runOne(trx, insert, [userId, url, events, projects, secret]);
    if (made !== undefined) {
        await watchAsStated(trx, userId, made.id);
    }

    return made;
}

/** Changes of a webhook; the rest stays. */
export interface WebhookChanges extends Partial<WebhookFields> {
    enabled?: boolean;
}

// Whoever switches it on again begins anew: what waited was given up when it was switched off.
const update = statement({ parameters: ['bigint', 'text', 'text[]', 'boolean', 'bigint[]', 'boolean', 'bytea'] }, `
    update webhooks h set url = coalesce($2, h.url), events = coalesce($3, h.events), projects = case when $4 then $5 else h.projects end, enabled = coalesce($6, h.enabled),
        reason = case when $6 is null then h.reason end, off_at = case when $6 then null else h.off_at end,
        failures = case when $2 is null and $6 is null then h.failures else 0 end, failing_since = case when $2 is null and $6 is null then h.failing_since end,
        paused_until = case when $2 is null and $6 is null then h.paused_until end,
        due_at = case when coalesce($6, h.enabled) and ($2 is not null or $6) and exists (select from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting') then now() else h.due_at end,
        secret = coalesce($7, h.secret), previous_secret = case when $7 is null then h.previous_secret else h.secret end,
        previous_until = case when $7 is null then h.previous_until else now() + interval '${OLD_SECRET_HOURS} hours' end
    where h.id = $1`);
const dueNow = statement({ parameters: ['bigint'] }, `update webhook_deliveries set due_at = now() where webhook_id = $1 and state = 'waiting' and due_at > now()`);

/** Changes a webhook of a user. @param secret a new one, or null @returns its JSON text; undefined if the user has no such webhook */
export async function updateWebhook(trx: Knex.Transaction, userId: string, id: string, { url, events, projects, enabled }: WebhookChanges, secret: Buffer | null): Promise<string | undefined> {
    if (await runOne(trx, holdOwn, [userId, id]) === undefined) {
        return undefined;
    }

    await run(trx, update, [id, url ?? null, events ?? null, projects !== undefined, projects ?? null, enabled ?? null, secret]);
    if (enabled === false) {
        await switchOff(trx, id, null);
    }

    if (projects !== undefined || enabled !== undefined) {
        await watchAsStated(trx, userId, id);
    }

    if (url !== undefined || enabled === true) {
        await run(trx, dueNow, [id]);
    }

    return findWebhook(trx, userId, id);
}

const remove = statement({ parameters: ['bigint'] }, 'delete from webhooks where id = $1');

/** Deletes a webhook of a user, with all deliveries. @returns its JSON text; undefined if the user has no such webhook */
export async function deleteWebhook(trx: Knex.Transaction, userId: string, id: string): Promise<string | undefined> {
    const held = await runOne(trx, holdOwn, [userId, id]);
    const webhook = await findWebhook(trx, userId, id);
    if (held !== undefined) {
        await run(trx, remove, [id]);
        await watchNow(trx, id);
    }

    return webhook;
}

const deliveries = statement({ parameters: ['bigint', 'bigint', 'integer'], row: boundedPageColumns }, newestPage('select d.* from webhook_deliveries d where d.webhook_id = $1', 'd', deliveryJson, ['$2::bigint', '$3::int']));

/** Deliveries of a webhook that are older than the given one, newest first. */
export const listDeliveries = (db: Database, webhookId: string, { beforeId, count }: ListPlace): Promise<BoundedPage> => runAlways(db, deliveries, [webhookId, beforeId, count]);

const hold = statement({ parameters: ['bigint', 'bigint'], row: { enabled: 'boolean', waiting: 'integer' } }, `
    select h.enabled, (select count(*)::int from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting') as waiting ${own}
        for no key update of h`);

/** Locks a webhook of a user. @returns whether it can get one more delivery; undefined if the user has no such webhook */
export async function holdWebhook(trx: Knex.Transaction, userId: string, id: string): Promise<'off' | 'full' | 'ready' | undefined> {
    const held = await runOne(trx, hold, [userId, id]);
    return held && (!held.enabled ? 'off' : held.waiting >= MAX_WAITING ? 'full' : 'ready');
}

const due = statement({ parameters: ['bigint'] }, 'update webhooks set due_at = now(), paused_until = null where id = $1');

const again = statement({ parameters: ['bigint', 'bigint'], row: { delivery: 'text' } }, `
    update webhook_deliveries d set state = 'waiting', due_at = now(), first_attempt_at = null
        where d.webhook_id = $1 and d.id = $2 returning ${deliveryJson} as delivery`);

/** Has a delivery sent again at once, with the same id. Needs a transaction that has locked the webhook. @returns its JSON text; undefined if there is none */
export async function sendAgain(trx: Knex.Transaction, webhookId: string, id: string): Promise<string | undefined> {
    await run(trx, due, [webhookId]);
    return (await runOne(trx, again, [webhookId, id]))?.delivery;
}

const test = statement({ parameters: ['bigint'], row: { delivery: 'text' } }, `
    with d as (insert into webhook_deliveries (webhook_id, event, at, data) values ($1, '${TEST_EVENT}', now(), '{"webhook_id": "' || $1::bigint || '"}') returning *) select ${deliveryJson} as delivery from d`);

/** Has a test sent. Needs a transaction that has locked the webhook. @returns its JSON text */
export async function sendTest(trx: Knex.Transaction, webhookId: string): Promise<string> {
    await run(trx, due, [webhookId]);
    return (await runAlways(trx, test, [webhookId])).delivery;
}
