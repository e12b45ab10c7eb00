import type { Knex } from 'knex';

/** Users and their tokens. Times are stored to the millisecond, as the API shows them. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table users (
            id bigint generated always as identity primary key,
            username text not null
                constraint users_username_shape check (username ~ '^[A-Za-z0-9_-]{1,20}$'),
            language text not null default 'en'
                constraint users_language_length check (char_length(language) between 2 and 20),
            password_hash text,
            staff boolean not null default false,
            moderator boolean not null default false,
            revision integer not null default 1 constraint users_revision_positive check (revision > 0),
            created_at timestamptz(3) not null default now(),
            updated_at timestamptz(3) not null default now(),
            deleted_at timestamptz(3)
        );

        -- A deleted user's name stays taken until the row is purged, so the index includes deleted users.
        create unique index users_username_key on users (lower(username));

        create table tokens (
            id bigint generated always as identity primary key,
            user_id bigint not null constraint tokens_user_id_fkey references users on delete cascade,
            hash bytea not null constraint tokens_hash_key unique
                constraint tokens_hash_length check (octet_length(hash) = 32),
            scope text[] not null
                constraint tokens_scope_known check (scope <@ array['user', 'projects'] and cardinality(scope) > 0),
            label text constraint tokens_label_length check (char_length(label) between 1 and 100),
            created_at timestamptz(3) not null default now(),
            expires_at timestamptz(3) not null
        );
        create index tokens_user_id_idx on tokens (user_id, id desc);
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('drop table tokens, users');
}
