import type { Knex } from 'knex';

/** Passkeys, the challenges that they sign, and codes for whoever has lost theirs. Instances of the previous release know nothing of them. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table passkeys (
            id bigint generated always as identity constraint passkeys_pkey primary key,
            user_id bigint not null constraint passkeys_user_id_fkey references users on delete cascade,
            credential text not null constraint passkeys_credential_key unique constraint passkeys_credential_length check (char_length(credential) between 1 and 1400),
            public_key bytea not null constraint passkeys_public_key_length check (octet_length(public_key) between 1 and 4096),
            counter bigint not null constraint passkeys_counter_range check (counter between 0 and 4294967295),
            transports text[] not null,
            label text not null constraint passkeys_label_length check (char_length(label) between 1 and 100),
            created_at timestamptz(3) not null default now(),
            last_used_at timestamptz
        );
        create index passkeys_user_id_idx on passkeys (user_id, id desc);
        create table passkey_challenges (
            challenge text constraint passkey_challenges_pkey primary key,
            user_id bigint constraint passkey_challenges_user_id_fkey references users on delete cascade,
            expires_at timestamptz not null
        );
        create index passkey_challenges_expires_at_idx on passkey_challenges (expires_at);
        create index passkey_challenges_user_id_idx on passkey_challenges (user_id) where user_id is not null;
        create table recovery_codes (
            user_id bigint constraint recovery_codes_user_id_fkey references users on delete cascade,
            hash bytea constraint recovery_codes_hash_length check (octet_length(hash) = 32),
            constraint recovery_codes_pkey primary key (user_id, hash)
        );
        alter table tokens add column passkey_id bigint;
        alter table tokens add constraint tokens_passkey_id_fkey foreign key (passkey_id) references passkeys on delete cascade;
        create index tokens_passkey_id_idx on tokens (passkey_id) where passkey_id is not null;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        delete from tokens where passkey_id is not null;
        alter table tokens drop column passkey_id;
        drop table recovery_codes;
        drop table passkey_challenges;
        drop table passkeys;
    `);
}
