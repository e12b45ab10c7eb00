import type { Knex } from 'knex';

/**
 * The identity of a user of another identity provider: one subject of one issuer (OpenID Connect Core, section 2).
 * The unique index covers both, so two issuers never share an account; a local user has neither, and is not in it.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table users
            add column issuer text constraint users_issuer_length check (char_length(issuer) between 1 and 512),
            add column subject text constraint users_subject_shape check (subject ~ '^[ -~]{1,255}$'),
            add constraint users_identity_whole check ((issuer is null) = (subject is null)),
            add constraint users_identity_without_password check (issuer is null or password_hash is null);
        create unique index users_identity_key on users (issuer, subject) where issuer is not null;
    `);
}

/** Accounts of other issuers stay with all their content, but nobody can sign in to them any more. */
export async function down(db: Knex): Promise<void> {
    await db.raw('alter table users drop column issuer, drop column subject');
}
