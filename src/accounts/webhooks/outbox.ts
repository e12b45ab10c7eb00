import type { Knex } from 'knex';

import { inAllShards, inProjectOfEachRow, known, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { exclusiveLock, exclusively } from '../../database/jobs/exclusive';
import { isoTime } from '../../database/statements/json-sql';
import { run, statement } from '../../database/statements/statement';
import type { WebhookEvent } from '../../api/representations/webhook-events';
import { MAX_WAITING } from '../../limits';
import { EVERYTHING, hasReader, idsIn } from './place';
import { switchOff } from './switch-off';

/*
 * From the outbox, which triggers fill in the transaction of each change (schema.sql), to the deliveries of webhooks. One instance at a time does it, in
 * the order of events, in one transaction: what is taken out of the one is in the other, or neither is.
 */

/** Events in one transaction. */
const BATCH = 500;

const eventColumns = {
    id: 'text', project_id: 'text', user_id: 'text', event: known<WebhookEvent>('text'), revision: 'integer', from_revision: 'integer?', at: 'text', data: 'text',
    /** the only users whose webhooks tell of it; null if it is for all that watch */
    told: 'text[]?'
} as const;
type Event = RowOf<typeof eventColumns>;

const lock = exclusiveLock(7243392047);

const events = statement({ row: eventColumns, place: inAllShards({ kind: 'first', count: BATCH }) }, `
    select e.id::text as id, e.project_id::text as project_id, e.user_id::text as user_id, e.event, e.revision, e.from_revision, ${isoTime('e.at')} as at, e.data::text as data, e.told::text[] as told
    from webhook_events e order by e.id limit ${BATCH}`);

const taken = statement({ parameters: ['bigint[]', 'bigint[]'], place: writing(inProjectOfEachRow(1)) }, `
    delete from webhook_events e using unnest($1::bigint[], $2::bigint[]) as t (project_id, id) where e.project_id = t.project_id and e.id = t.id`);

const watcherColumns = { id: 'text', user_id: 'text?', events: 'text[]', projects: 'text[]?', since: 'text', waiting: 'integer' } as const;
type Watcher = RowOf<typeof watcherColumns>;

// Whoever writes to deliveries has locked their webhook first.
const watchers = statement({ parameters: ['bigint[]'], row: watcherColumns }, `
    select h.id::text as id, h.user_id::text as user_id, h.events, h.projects::text[] as projects, ${isoTime('h.created_at')} as since,
        (select count(*)::int from webhook_deliveries d where d.webhook_id = h.id and d.state = 'waiting') as waiting
    from webhooks h left join users u on u.id = h.user_id
    where h.enabled and ${hasReader('h')} and h.id in (select w.webhook_id from webhook_watches w where w.watched = any($1)) order by h.id for no key update of h`);

// What changes a project further joins what tells of a change and was not sent yet, if nothing about the project comes between.
const store = statement({ parameters: ['bigint[]', 'bigint[]', 'text[]', 'integer[]', 'integer[]', 'text[]', 'text[]'] }, `
    with n as materialized (
        select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[]) with ordinality as n (webhook_id, project_id, event, revision, from_revision, at, data, nth)
    ), joined as (
        update webhook_deliveries d set revision = n.revision, at = n.at::timestamptz, data = n.data from n
        where n.event = 'project.changed' and d.webhook_id = n.webhook_id and d.project_id = n.project_id and d.event = n.event and d.state = 'waiting' and d.attempts = 0
            and d.id = (select max(l.id) from webhook_deliveries l where l.webhook_id = n.webhook_id and l.project_id = n.project_id and l.state = 'waiting')
            and n.nth = (select min(f.nth) from n f where f.webhook_id = n.webhook_id and f.project_id = n.project_id)
        returning n.nth
    ), added as (
        insert into webhook_deliveries (webhook_id, project_id, event, revision, from_revision, at, data)
        select webhook_id, project_id, event, revision, from_revision, at::timestamptz, data from n where nth not in (select nth from joined) order by nth
    )
    update webhooks h set due_at = least(h.due_at, greatest(now(), h.paused_until)) where h.id in (select webhook_id from n)`);

/** A delivery to be. */
type Made = Omit<Event, 'id' | 'user_id' | 'told'> & { webhook_id: string };

/** Whether something is for a webhook. One of the place is told of everything. */
function wants({ user_id: userId, events: wanted, projects, since }: Watcher, event: Event): boolean {
    if (!wanted.includes(event.event) || since > event.at) {
        return false;
    }

    if (userId === null) {
        return true;
    }

    const isFor = event.told === null ? projects !== null || event.user_id === userId : event.told.includes(userId);
    return isFor && (projects === null || projects.includes(event.project_id));
}

/** A webhook's deliveries of these events. Changes of a project that follow each other are one. */
function deliveriesOf(watcher: Watcher, all: readonly Event[]): Made[] {
    const made: Made[] = [];
    const last = new Map<string, Made>();
    for (const event of all.filter((one) => wants(watcher, one))) {
        const before = last.get(event.project_id);
        const data = watcher.user_id === null ? idsIn(event.data) : event.data;
        if (before?.event === 'project.changed' && event.event === 'project.changed') {
            Object.assign(before, { revision: event.revision, at: event.at, data });
            continue;
        }

        const { id: _id, user_id: _user, told: _told, ...rest } = event;
        const delivery = { ...rest, data, webhook_id: watcher.id };
        last.set(event.project_id, delivery);
        made.push(delivery);
    }

    return made;
}

/** Moves some events. @returns how many */
async function moveSome(trx: Knex.Transaction): Promise<number> {
    const all: Event[] = await run(trx, events, []);
    if (all.length === 0) {
        return 0;
    }

    const watched = [EVERYTHING, ...new Set(all.flatMap(({ project_id: project, user_id: user, told }) => [project, ...(told ?? [user]).map((id) => `-${id}`)]))];
    const made: Made[] = [];
    for (const watcher of await run(trx, watchers, [watched])) {
        const own = deliveriesOf(watcher, all);
        if (watcher.waiting + own.length > MAX_WAITING) {
            await switchOff(trx, watcher.id, 'overfull');
        }
        else {
            made.push(...own);
        }
    }

    await run(trx, store, [
        made.map((one) => one.webhook_id), made.map((one) => one.project_id), made.map((one) => one.event), made.map((one) => one.revision), made.map((one) => one.from_revision), made.map((one) => one.at), made.map((one) => one.data)
    ]);
    await run(trx, taken, [all.map((one) => one.project_id), all.map((one) => one.id)]);
    return all.length;
}

/** Moves all that is there, unless another instance does. @param signal ends it between two steps @returns whether there was anything */
export async function moveEvents(db: Knex, signal: AbortSignal): Promise<boolean> {
    let isMoved = false;
    for (let count = BATCH; count === BATCH && !signal.aborted;) {
        count = await exclusively(db, lock, moveSome) ?? 0;
        isMoved ||= count > 0;
    }

    return isMoved;
}
