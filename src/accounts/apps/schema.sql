-- Programs of others that sign people in. Those that registered themselves have no owner.
create table apps (
    id bigint generated always as identity primary key,
    user_id bigint constraint apps_user_id_fkey references users on delete cascade,
    name text not null constraint apps_name_length check (char_length(name) between 1 and 80),
    url text not null constraint apps_url_length check (char_length(url) between 1 and 512),
    redirect_uris text[] not null constraint apps_redirect_uris_count check (cardinality(redirect_uris) between 1 and 10),
    secret_hash bytea constraint apps_secret_hash_length check (octet_length(secret_hash) = 32),
    trusted boolean not null default false,
    created_at timestamptz(3) not null default now()
);
create index apps_user_id_idx on apps (user_id, id desc);
