-- Which state of a project that others see was looked at for blocked words.
create table filter_checks (
    project_id bigint primary key,
    revision integer not null,
    -- that of the list of words
    version text not null,
    -- words that it was held for: it is not held for these again
    found text[] not null default '{}',
    -- whether the service holds it, until a moderator has decided
    held boolean not null default false
);

-- One row: how far the changes were looked at.
create table filter_progress (
    -- all changes that are older were looked at
    done_until timestamptz not null default now(),
    -- the list of words with which projects up to this id were looked at
    version text not null default '',
    filled_to bigint not null default 0,
    -- until when an instance looks
    claimed_until timestamptz not null default now()
);
insert into filter_progress default values;

-- Pictures that a moderator has blocked.
create table blocked_pictures (
    hash text primary key constraint blocked_pictures_hash check (hash ~ '^[0-9a-f]{64}$'),
    -- of how it looks, 64 bits; null for what has too little to see, and what is no picture of pixels
    looks bit(64),
    reason text not null constraint blocked_pictures_reason_length check (char_length(reason) between 1 and 1000),
    -- null if an operator did it
    moderator_id bigint,
    at timestamptz(3) not null default now()
);
