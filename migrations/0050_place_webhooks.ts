import type { Knex } from 'knex';

/** SQL that makes the triggers' functions anew. @param everything what a webhook of the place watches besides, if there can be one */
const functions = (everything: string): string => `
        create or replace function projects_watched_insert() returns trigger language plpgsql as $$
        begin
            if exists (select from new_rows n join webhook_watches w on w.watched in (n.id, -n.user_id${everything})) then
                insert into webhook_events (project_id, user_id, event, revision, data)
                    select n.id, n.user_id, 'project.created', n.revision, json_build_object('project', watched_project(n.id, n.user_id, n.title, n.visibility::text, n.revision),
                        'by', coalesce(n.changed_by, n.user_id)::text, 'remixed_from', n.remixed_from::text)
                    from new_rows n where exists (select from webhook_watches w where w.watched in (n.id, -n.user_id${everything})) order by n.id;
                update projects set watched = true where id in (select n.id from new_rows n where exists (select from webhook_watches w where w.watched in (n.id, -n.user_id${everything})));
            end if;
            if exists (select from new_rows n join projects s on s.id = n.remixed_from join webhook_watches w on w.watched in (s.id, -s.user_id${everything})) then
                insert into webhook_events (project_id, user_id, event, revision, data)
                    select s.id, s.user_id, 'project.remixed', s.revision, json_build_object('project', watched_project(s.id, s.user_id, s.title, s.visibility::text, s.revision),
                        'remix', json_build_object('id', n.id::text, 'user_id', n.user_id::text))
                    from new_rows n join projects s on s.id = n.remixed_from where exists (select from webhook_watches w where w.watched in (s.id, -s.user_id${everything})) order by n.id;
            end if;
            return null;
        end $$;

        create or replace function project_watched_update() returns trigger language plpgsql as $$
        begin
            if exists (select from webhook_watches w where w.watched in (new.id, -new.user_id${everything})) then
                insert into webhook_events (project_id, user_id, event, revision, from_revision, data)
                    select new.id, new.user_id, e.event, new.revision, case when new.revision <> old.revision then old.revision end,
                        (json_build_object('project', watched_project(new.id, new.user_id, new.title, new.visibility::text, new.revision))::jsonb || e.more)::json
                    from (values
                        (1, 'project.created', old.deleted_at is not null and new.deleted_at is null, jsonb_build_object('by', new.changed_by::text, 'remixed_from', new.remixed_from::text)),
                        (2, 'project.changed', new.revision <> old.revision and old.deleted_at is null and new.deleted_at is null and new.change_kind is distinct from 'feature', jsonb_build_object('by', new.changed_by::text)),
                        (3, 'project.featured', new.featured <> old.featured and new.deleted_at is null, jsonb_build_object('featured', new.featured)),
                        (4, 'project.held', (new.held_at is null) <> (old.held_at is null) and new.deleted_at is null, jsonb_build_object('held', new.held_at is not null)),
                        (5, 'project.deleted', old.deleted_at is null and new.deleted_at is not null, jsonb_build_object('by', new.changed_by::text))
                    ) as e (nth, event, happened, more)
                    where e.happened order by e.nth;
            end if;
            return null;
        end $$`;

/**
 * Webhooks of the place, which operators make: they have no user, and watch 0, which is everything. The event that a pupil has handed in a work, which is for some
 * users alone. And when a webhook was switched off.
 *
 * Milliseconds: the columns have no default, and the constraint is checked in a small table.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table webhooks alter column user_id drop not null;
        alter table webhooks add column off_at timestamptz(3);
        alter table webhooks drop constraint webhooks_events_known;
        alter table webhooks add constraint webhooks_events_known check (
            cardinality(events) > 0 and events <@ array['project.created', 'project.changed', 'project.deleted', 'project.remixed', 'project.featured', 'project.held', 'work.handed_in']
        );
        -- the only users whose webhooks tell of it; null if it is for all that watch
        alter table webhook_events add column told bigint[];
    `);
    await db.raw(functions(', 0'));
}

/** Webhooks of the place go, and so does what has been handed in and was not told yet. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        delete from webhook_events where event = 'work.handed_in';
        delete from webhook_deliveries where event = 'work.handed_in';
        delete from webhooks where user_id is null or events = array['work.handed_in'];
        update webhooks set events = array_remove(events, 'work.handed_in');
        alter table webhook_events drop column told;
        alter table webhooks drop constraint webhooks_events_known;
        alter table webhooks add constraint webhooks_events_known check (
            cardinality(events) > 0 and events <@ array['project.created', 'project.changed', 'project.deleted', 'project.remixed', 'project.featured', 'project.held']
        );
        alter table webhooks drop column off_at;
        alter table webhooks alter column user_id set not null;
    `);
    await db.raw(functions(''));
}
