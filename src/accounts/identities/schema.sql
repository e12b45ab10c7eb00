-- Identities at other providers, with which people sign in. An account can have several, beside a password and passkeys.
create table identities (
    id bigint generated always as identity primary key,
    user_id bigint not null constraint identities_user_id_fkey references users on delete cascade,
    issuer text not null constraint identities_issuer_length check (char_length(issuer) between 1 and 512),
    subject text not null constraint identities_subject_shape check (subject ~ '^[ -~]{1,255}$'),
    name text not null constraint identities_name_length check (char_length(name) <= 256),
    created_at timestamptz(3) not null default now(),
    last_used_at timestamptz,
    constraint identities_subject_key unique (issuer, subject)
);
create index identities_user_id_idx on identities (user_id, id desc);

-- Sign-ins at other providers that have begun.
create table sign_ins (
    hash bytea primary key constraint sign_ins_hash_length check (octet_length(hash) = 32),
    provider text not null,
    user_id bigint constraint sign_ins_user_id_fkey references users on delete cascade,
    expires_at timestamptz not null
);
create index sign_ins_expires_at_idx on sign_ins (expires_at);
create index sign_ins_user_id_idx on sign_ins (user_id) where user_id is not null;
