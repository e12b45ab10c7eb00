-- What people let apps do.
create table authorizations (
    id text primary key,
    user_id bigint not null constraint authorizations_user_id_fkey references users on delete cascade,
    app_id bigint not null constraint authorizations_app_id_fkey references apps on delete cascade,
    scope text[] not null,
    payload text not null,
    created_at timestamptz(3) not null default now(),
    last_used_at timestamptz,
    expires_at timestamptz(3) not null
);
create index authorizations_user_id_idx on authorizations (user_id, app_id);
create index authorizations_app_id_idx on authorizations (app_id);
create index authorizations_expires_at_idx on authorizations (expires_at);

-- What the authorization server keeps for a short time: codes, refresh tokens and the like, by the hash of each.
create table authorization_states (
    hash bytea primary key constraint authorization_states_hash_length check (octet_length(hash) = 32),
    kind text not null,
    authorization_id text constraint authorization_states_authorization_id_fkey references authorizations on delete cascade,
    app_id bigint constraint authorization_states_app_id_fkey references apps on delete cascade,
    user_code_hash bytea constraint authorization_states_user_code_hash_key unique,
    payload text not null,
    decided boolean not null default false,
    consumed_at timestamptz(3),
    polled_at timestamptz(3),
    expires_at timestamptz(3) not null
);
create index authorization_states_authorization_id_idx on authorization_states (authorization_id);
create index authorization_states_app_id_idx on authorization_states (app_id);
create index authorization_states_expires_at_idx on authorization_states (expires_at);

-- The keys that sign ID tokens, the newest last.
create table signing_keys (
    generation integer primary key,
    jwk text not null,
    created_at timestamptz(3) not null default now()
);
