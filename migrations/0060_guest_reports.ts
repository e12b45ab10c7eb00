import type { Knex } from 'knex';

/**
 * Reports of projects by people who are not signed in: one of an address for a project and a day. The address is kept as a hash with the salt of the day (migration 0003), which nobody can trace once the salt is gone.
 *
 * A new table alone: an instance of the previous release does not show these reports, and counts them.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table guest_reports (
            project_id bigint not null constraint guest_reports_project_id_fkey references projects on delete cascade,
            viewer bytea not null,
            reason text not null constraint guest_reports_reason_known check (reason in ('spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other')),
            text text not null constraint guest_reports_text_length check (char_length(text) <= 1000),
            at timestamptz(3) not null default now(),
            -- that of the queue when this was sent: later decisions leave it behind
            round integer not null,
            primary key (project_id, viewer)
        );
        -- How many one address has sent on a day.
        create index guest_reports_viewer_idx on guest_reports (viewer);
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('drop table guest_reports');
}
