-- The acts of staff and operators. It has no foreign keys and keeps the names as they were, because it outlives accounts. It can only
-- grow.
create table admin_log (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null default now(),
    -- null if a command did it
    staff_id bigint,
    staff_name text,
    act text not null,
    type text not null,
    -- null for the site itself
    thing_id bigint,
    name text constraint admin_log_name_length check (char_length(name) <= 500),
    detail text constraint admin_log_detail_length check (char_length(detail) <= 1000)
);

-- Texts on all pages of the site.
create table announcements (
    id bigint generated always as identity primary key,
    text text not null constraint announcements_text_length check (char_length(text) between 1 and 500),
    level text not null constraint announcements_level_known check (level in ('info', 'warning')),
    until timestamptz(3) not null,
    -- null if a command made it; the name as it was
    staff_name text,
    created_at timestamptz(3) not null default now()
);
create index announcements_until_idx on announcements (until);

-- The counts of each day in UTC, of all instances.
create table daily_counts (
    day date primary key,
    requests bigint not null,
    edits bigint not null,
    errors bigint not null,
    sign_ups bigint not null
);

-- One row: what was counted last, and until when one instance counts anew.
create table kept_statistics (
    name text primary key,
    at timestamptz(3),
    json text,
    claimed_until timestamptz(3) not null
);
insert into kept_statistics (name, claimed_until) values ('place', '-infinity');

create function admin_log_kept() returns trigger language plpgsql as $$
begin
    raise exception 'The log can only grow' using errcode = 'restrict_violation';
end $$;
create trigger admin_log_kept before update or delete or truncate on admin_log for each statement execute function admin_log_kept();
