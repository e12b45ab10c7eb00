import type { Knex } from 'knex';

/**
 * Tokens say where they came from, when they were last used, and which projects they are for. Instances of the previous release take every
 * token as one of a sign-in, and as one for all projects.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table tokens add column origin text not null default 'sign_in';
        alter table tokens add constraint tokens_origin_known check (origin in ('sign_in', 'passkey', 'personal', 'app')) not valid;
        alter table tokens add column last_used_at timestamptz;
        alter table tokens add column projects bigint[];
        alter table tokens add constraint tokens_projects_count check (cardinality(projects) between 1 and 100) not valid;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        delete from tokens where origin <> 'sign_in';
        alter table tokens drop column origin;
        alter table tokens drop column last_used_at;
        alter table tokens drop column projects;
    `);
}
