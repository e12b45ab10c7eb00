-- The mail address of an account, and the one that is to take its place.
create table mail_addresses (
    user_id bigint primary key constraint mail_addresses_user_id_fkey references users on delete cascade,
    -- the one that is confirmed, in lower case as a key, and its mailbox as a hash; null if there is none yet
    address text constraint mail_addresses_address_length check (char_length(address) between 3 and 254),
    key text,
    mailbox bytea,
    confirmed_at timestamptz(3),
    -- the one that is to be confirmed
    pending text constraint mail_addresses_pending_length check (char_length(pending) between 3 and 254),
    pending_since timestamptz(3)
);
create index mail_addresses_key_idx on mail_addresses (key) where key is not null;
create index mail_addresses_pending_since_idx on mail_addresses (pending_since) where pending_since is not null;

-- Links that were sent by mail, as hashes.
create table mail_links (
    hash bytea primary key constraint mail_links_hash_length check (octet_length(hash) = 32),
    user_id bigint not null constraint mail_links_user_id_fkey references users on delete cascade,
    purpose text not null constraint mail_links_purpose_known check (purpose in ('confirm', 'password')),
    -- it ends if the address of the account is another one
    address text not null,
    -- a hash of what is kept of the password: it ends with that
    password bytea not null,
    expires_at timestamptz not null
);
create index mail_links_user_id_idx on mail_links (user_id);
create index mail_links_expires_at_idx on mail_links (expires_at);

-- The outbox: a link is made when its mail is sent, so nothing here but an address says what was sent.
create table mails (
    id bigint generated always as identity primary key,
    kind text not null
        constraint mails_kind_known check (kind in ('confirm', 'password', 'password_changed', 'address_changed', 'address_removed')),
    user_id bigint not null constraint mails_user_id_fkey references users on delete cascade,
    -- null once it was sent
    address text,
    -- a hash, by which those to one mailbox are counted
    mailbox bytea not null,
    state text not null default 'waiting' constraint mails_state_known check (state in ('waiting', 'sent', 'refused')),
    attempts integer not null default 0,
    due_at timestamptz(3) not null default now(),
    -- until when an instance is sending it
    leased_until timestamptz(3),
    created_at timestamptz(3) not null default now()
);
create index mails_due_at_idx on mails (due_at, id) where state = 'waiting';
create index mails_mailbox_idx on mails (mailbox, created_at);
create index mails_user_id_idx on mails (user_id, created_at);
create index mails_created_at_idx on mails (created_at);

-- Requests for a new password, whether there is such an account or not.
create table password_requests (
    id bigint generated always as identity primary key,
    -- the key of a username or of an address
    account text not null
);
