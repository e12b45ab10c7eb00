-- Tokens, as hashes: of sign-ins, of apps, and those that people make for scripts.
create table tokens (
    id bigint generated always as identity primary key,
    user_id bigint not null constraint tokens_user_id_fkey references users on delete cascade,
    hash bytea not null constraint tokens_hash_length check (octet_length(hash) = 32) constraint tokens_hash_key unique,
    scope text[] not null,
    label text constraint tokens_label_length check (char_length(label) between 1 and 100),
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    app_id bigint constraint tokens_app_id_fkey references apps on delete cascade,
    authorization_id text constraint tokens_authorization_id_fkey references authorizations on delete cascade,
    origin text not null default 'sign_in' constraint tokens_origin_known check (origin in ('sign_in', 'passkey', 'personal', 'app')),
    last_used_at timestamptz,
    -- the only projects that it is for; null for all
    projects bigint[] constraint tokens_projects_count check (cardinality(projects) between 1 and 100),
    passkey_id bigint constraint tokens_passkey_id_fkey references passkeys on delete cascade,
    identity_id bigint constraint tokens_identity_id_fkey references identities on delete cascade,
    -- the device of a class with which a pupil signed in by pictures; classes/pictures/ says what it refers to
    class_device_id bigint,
    constraint tokens_scope_known check (scope <@ array['user', 'projects', 'read'] and (cardinality(scope) > 0 or app_id is not null))
);
create index tokens_user_id_idx on tokens (user_id, id desc);
create index tokens_app_id_idx on tokens (app_id) where app_id is not null;
create index tokens_authorization_id_idx on tokens (authorization_id, id desc) where authorization_id is not null;
create index tokens_passkey_id_idx on tokens (passkey_id) where passkey_id is not null;
create index tokens_identity_id_idx on tokens (identity_id) where identity_id is not null;
create index tokens_class_device_id_idx on tokens (class_device_id) where class_device_id is not null;

-- Whether a writer still has what they had when their request came: the token, if it is one of ours, the account, and the moderator's
-- rights if they write by those. A statement sees what was committed before it began, and not what was while it waited for a lock; a
-- function like this one does.
create function writer_present(token bytea, writer bigint, moderates boolean) returns boolean language plpgsql as $$
begin
    return exists (
        select from users u where u.id = writer and u.deleted_at is null and (u.moderator or not moderates)
            and (u.suspended_until > now() and not u.moderator) is not true and (u.paused_until > now()) is not true
    ) and (token is null or exists (select from tokens t where t.hash = token and t.user_id = writer));
end $$;
