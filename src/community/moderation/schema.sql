-- Reports of projects.
create table reports (
    project_id bigint not null constraint reports_project_id_fkey references projects on delete cascade,
    user_id bigint not null constraint reports_user_id_fkey references users on delete cascade,
    reason text not null
        constraint reports_reason_known check (reason in ('spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other')),
    text text not null constraint reports_text_length check (char_length(text) <= 1000),
    at timestamptz(3) not null default now(),
    -- that of the queue when this was sent: later decisions leave it behind
    round integer not null,
    -- whether its sender was of standing then (HOLD_AFTER)
    trusted boolean not null default false,
    primary key (project_id, user_id)
);
create index reports_trusted_idx on reports (project_id, round) where trusted;
-- How many one user has sent lately.
create index reports_user_idx on reports (user_id, at);

-- Reports by people who are not signed in: one of an address for a project and a day. The address is kept as a hash with the salt of the
-- day, which nobody can trace once the salt is gone.
create table guest_reports (
    project_id bigint not null constraint guest_reports_project_id_fkey references projects on delete cascade,
    viewer bytea not null,
    reason text not null
        constraint guest_reports_reason_known check (reason in ('spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other')),
    text text not null constraint guest_reports_text_length check (char_length(text) <= 1000),
    at timestamptz(3) not null default now(),
    -- that of the queue when this was sent: later decisions leave it behind
    round integer not null,
    primary key (project_id, viewer)
);
-- How many one address has sent on a day.
create index guest_reports_viewer_idx on guest_reports (viewer);

-- A row for each project that was ever reported.
create table report_queue (
    project_id bigint primary key constraint report_queue_project_id_fkey references projects on delete cascade,
    open boolean not null default false,
    -- reports since the last decision
    count bigint not null default 0,
    newest_at timestamptz(3) not null default now(),
    -- decisions so far
    round integer not null default 0,
    -- of the project, at the last decision
    decided_revision integer,
    -- what was decided in each round, from the first on
    outcomes text[] not null default '{}' constraint report_queue_outcomes_known check (array_remove(outcomes, null) <@ array['kept', 'held', 'removed'])
);
create index report_queue_open_idx on report_queue (count, project_id) where open;

-- The acts of moderators. It has no foreign keys and keeps the names of people as they were, because it outlives accounts and projects.
-- It can only grow.
create table moderation_log (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null default now(),
    -- null if an operator did it
    moderator_id bigint,
    moderator_name text,
    act text not null,
    type text not null,
    thing_id bigint not null,
    -- the project that it is, or is in
    project_id bigint,
    owner_id bigint not null,
    owner_name text not null,
    reason text constraint moderation_log_reason_length check (char_length(reason) between 1 and 1000)
);
-- Reads are noted once an hour.
create index moderation_log_reads_idx on moderation_log (moderator_id, act, thing_id, at) where act like 'read%';

create function report_forgotten() returns trigger language plpgsql as $$
begin
    update report_queue set count = count - 1 where project_id = old.project_id and round = old.round;
    return null;
end $$;
-- With an account that is purged, its reports go.
create trigger reports_forgotten after delete on reports for each row execute function report_forgotten();

create function moderation_log_kept() returns trigger language plpgsql as $$
begin
    raise exception 'The moderation log can only grow' using errcode = 'restrict_violation';
end $$;
create trigger moderation_log_kept before update or delete or truncate on moderation_log for each statement execute function moderation_log_kept();

create function log_act(moderator bigint, act text, type text, thing bigint, project bigint, owner bigint, reason text) returns void language sql as $$
    insert into moderation_log (moderator_id, moderator_name, act, type, thing_id, project_id, owner_id, owner_name, reason) values (
        log_act.moderator, (select username from users where id = log_act.moderator), act, type, thing, project, owner, (select username from users where id = owner), reason)
$$;

create function project_featured() returns trigger language plpgsql as $$
begin
    perform log_act(new.changed_by, case when new.featured then 'feature' else 'unfeature' end, 'project', new.id, new.id, new.user_id, null);
    return null;
end $$;
create trigger projects_feature_logged after update of featured on projects for each row
    when (old.featured <> new.featured and new.change_kind = 'feature') execute function project_featured();

-- A decision about reports says why, for its own transaction.
create function removal_moderated() returns trigger language plpgsql as $$
begin
    perform log_act(new.deleted_by, 'remove', new.type::text, new.thing_id, new.project_id, new.user_id, nullif(current_setting('pagewright.reason', true), ''));
    return null;
end $$;
create trigger trash_removal_logged after insert on trash for each row when (new.moderated) execute function removal_moderated();
