import type { Knex } from 'knex';

/**
 * An id for each deletion, so that an account is restored with exactly what was deleted with it; and the codes that open
 * an account if sign-up is by invitation.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create sequence deletions_id_seq;
        alter table users add column deletion_id bigint;
        alter table projects add column deletion_id bigint;

        -- Before this migration, an account and its projects were deleted in one transaction, so they have the same time.
        update users set deletion_id = nextval('deletions_id_seq') where deleted_at is not null;
        update projects p set deletion_id = u.deletion_id from users u where u.id = p.user_id and u.deleted_at = p.deleted_at;

        create table sign_up_codes (
            -- the SHA-256 of the code: the code itself is not kept
            hash bytea primary key constraint sign_up_codes_hash_length check (octet_length(hash) = 32),
            uses_left integer not null constraint sign_up_codes_uses check (uses_left >= 0),
            created_at timestamptz(3) not null default now(),
            expires_at timestamptz(3) not null
        );
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop table sign_up_codes;
        alter table users drop column deletion_id;
        alter table projects drop column deletion_id;
        drop sequence deletions_id_seq;
    `);
}
