-- Which instance does the maintenance, and what is done.
create table maintenance (
    name text primary key,
    claimed_until timestamptz not null,
    due_at timestamptz not null default now(),
    -- everything older than this was looked at
    done_until timestamptz not null default '-infinity',
    -- for instances of 0.3
    filled_to bigint not null default 0
);
