-- Passkeys, with which people sign in.
create table passkeys (
    id bigint generated always as identity primary key,
    user_id bigint not null constraint passkeys_user_id_fkey references users on delete cascade,
    credential text not null constraint passkeys_credential_length check (char_length(credential) between 1 and 1400)
        constraint passkeys_credential_key unique,
    public_key bytea not null constraint passkeys_public_key_length check (octet_length(public_key) between 1 and 4096),
    counter bigint not null constraint passkeys_counter_range check (counter between 0 and 4294967295),
    transports text[] not null,
    label text not null constraint passkeys_label_length check (char_length(label) between 1 and 100),
    created_at timestamptz(3) not null default now(),
    last_used_at timestamptz
);
create index passkeys_user_id_idx on passkeys (user_id, id desc);

-- The challenges that passkeys are about to sign.
create table passkey_challenges (
    challenge text primary key,
    user_id bigint constraint passkey_challenges_user_id_fkey references users on delete cascade,
    expires_at timestamptz not null
);
create index passkey_challenges_expires_at_idx on passkey_challenges (expires_at);
create index passkey_challenges_user_id_idx on passkey_challenges (user_id) where user_id is not null;

-- Codes for people who have lost their passkeys, as hashes.
create table recovery_codes (
    user_id bigint not null constraint recovery_codes_user_id_fkey references users on delete cascade,
    hash bytea not null constraint recovery_codes_hash_length check (octet_length(hash) = 32),
    primary key (user_id, hash)
);
