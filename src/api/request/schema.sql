-- First responses to requests with an `Idempotency-Key`, so that a repeated request is not done again.
create table idempotency_keys (
    -- a SHA-256 of the user and the key
    id bytea primary key constraint idempotency_keys_id_length check (octet_length(id) = 32),
    user_id bigint constraint idempotency_keys_user_id_fkey references users on delete cascade,
    -- encrypted with the key, which is not stored, because it may contain a token
    answer bytea not null,
    created_at timestamptz(3) not null default now()
);
create index idempotency_keys_user_id_idx on idempotency_keys (user_id);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
