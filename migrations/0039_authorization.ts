import type { Knex } from 'knex';

/**
 * What people let apps do, the tokens of apps, and the short-lived state of the authorization server. Instances of the previous release
 * take the token of an app as one of a sign-in with its scope, so there is none before all instances are new: the pages that make one are new as well.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table authorizations (
            id text constraint authorizations_pkey primary key,
            user_id bigint not null constraint authorizations_user_id_fkey references users on delete cascade,
            app_id bigint not null constraint authorizations_app_id_fkey references apps on delete cascade,
            scope text[] not null,
            payload text not null,
            created_at timestamptz(3) not null default now(),
            last_used_at timestamptz,
            expires_at timestamptz(3) not null
        );
        create index authorizations_user_id_idx on authorizations (user_id, app_id);
        create index authorizations_app_id_idx on authorizations (app_id);
        create index authorizations_expires_at_idx on authorizations (expires_at);

        create table authorization_states (
            hash bytea constraint authorization_states_pkey primary key
                constraint authorization_states_hash_length check (octet_length(hash) = 32),
            kind text not null,
            authorization_id text constraint authorization_states_authorization_id_fkey references authorizations on delete cascade,
            app_id bigint constraint authorization_states_app_id_fkey references apps on delete cascade,
            user_code_hash bytea constraint authorization_states_user_code_hash_key unique,
            payload text not null,
            decided boolean not null default false,
            consumed_at timestamptz(3),
            polled_at timestamptz(3),
            expires_at timestamptz(3) not null
        );
        create index authorization_states_authorization_id_idx on authorization_states (authorization_id);
        create index authorization_states_app_id_idx on authorization_states (app_id);
        create index authorization_states_expires_at_idx on authorization_states (expires_at);

        create table signing_keys (
            generation integer constraint signing_keys_pkey primary key,
            jwk text not null,
            created_at timestamptz(3) not null default now()
        );

        alter table tokens add column app_id bigint;
        alter table tokens add column authorization_id text;
        alter table tokens add constraint tokens_app_id_fkey foreign key (app_id) references apps on delete cascade not valid;
        alter table tokens add constraint tokens_authorization_id_fkey foreign key (authorization_id) references authorizations on delete cascade not valid;
        create index tokens_app_id_idx on tokens (app_id) where app_id is not null;
        create index tokens_authorization_id_idx on tokens (authorization_id, id desc) where authorization_id is not null;
        alter table tokens drop constraint tokens_scope_known;
        alter table tokens add constraint tokens_scope_known check (scope <@ array['user', 'projects', 'read'] and (cardinality(scope) > 0 or app_id is not null)) not valid;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        delete from tokens where app_id is not null or 'read' = any(scope);
        alter table tokens drop constraint tokens_scope_known;
        alter table tokens add constraint tokens_scope_known check (scope <@ array['user', 'projects'] and cardinality(scope) > 0);
        alter table tokens drop column app_id;
        alter table tokens drop column authorization_id;
        drop table signing_keys, authorization_states, authorizations;
    `);
}
