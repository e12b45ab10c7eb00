import type { Knex } from 'knex';

/**
 * Identities at other providers, with which people sign in, and sign-ins that have begun. An account can have several, beside a password and passkeys.
 * Instances of the previous release know nothing of them.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table identities (
            id bigint generated always as identity constraint identities_pkey primary key,
            user_id bigint not null constraint identities_user_id_fkey references users on delete cascade,
            issuer text not null constraint identities_issuer_length check (char_length(issuer) between 1 and 512),
            subject text not null constraint identities_subject_shape check (subject ~ '^[ -~]{1,255}$'),
            name text not null constraint identities_name_length check (char_length(name) <= 256),
            created_at timestamptz(3) not null default now(),
            last_used_at timestamptz,
            constraint identities_subject_key unique (issuer, subject)
        );
        create index identities_user_id_idx on identities (user_id, id desc);
        create table sign_ins (
            hash bytea constraint sign_ins_pkey primary key constraint sign_ins_hash_length check (octet_length(hash) = 32),
            provider text not null,
            user_id bigint constraint sign_ins_user_id_fkey references users on delete cascade,
            expires_at timestamptz not null
        );
        create index sign_ins_expires_at_idx on sign_ins (expires_at);
        create index sign_ins_user_id_idx on sign_ins (user_id) where user_id is not null;
        alter table tokens add column identity_id bigint;
        alter table tokens add constraint tokens_identity_id_fkey foreign key (identity_id) references identities on delete cascade;
        create index tokens_identity_id_idx on tokens (identity_id) where identity_id is not null;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        delete from tokens where identity_id is not null;
        alter table tokens drop column identity_id;
        drop table sign_ins;
        drop table identities;
    `);
}
