import type { Knex } from 'knex';

/**
 * Assignments of classes, and the works of pupils. A work names points of the history of its project; nothing is copied. These points have a label, so they are not thinned, and while
 * a work names them they are not deleted for good (rules/handed-in.ts). There are no foreign keys to projects, which are in shards on a cluster.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table assignments (
            id bigint generated always as identity constraint assignments_pkey primary key,
            class_id bigint not null constraint assignments_class_id_fkey references classes on delete cascade,
            title text not null constraint assignments_title_length check (char_length(title) between 1 and 100),
            text text not null constraint assignments_text_length check (char_length(text) <= 5000),
            -- the project that works begin with, and the teacher who may read it
            template_id bigint,
            template_by bigint,
            due_at timestamptz(3),
            revision integer not null default 1 constraint assignments_revision_positive check (revision > 0),
            created_at timestamptz(3) not null default now(),
            updated_at timestamptz(3) not null default now(),
            -- of one that has works; without works, the row goes
            deleted_at timestamptz(3)
        );
        create index assignments_class_id_idx on assignments (class_id, id);
        create table works (
            id bigint generated always as identity constraint works_pkey primary key,
            assignment_id bigint not null constraint works_assignment_id_fkey references assignments on delete cascade,
            -- null if the account is gone for good
            user_id bigint constraint works_user_id_fkey references users on delete set null,
            -- null if the project is gone for good: the work is withdrawn
            project_id bigint,
            state text not null constraint works_state_known check (state in ('started', 'handed_in', 'returned', 'accepted')),
            -- the revisions of the project that were handed in and not taken back, the last one last
            points integer[] not null default '{}',
            handed_in_at timestamptz(3),
            note text not null default '' constraint works_note_length check (char_length(note) <= 2000),
            revision integer not null default 1 constraint works_revision_positive check (revision > 0),
            created_at timestamptz(3) not null default now(),
            updated_at timestamptz(3) not null default now(),
            constraint works_pupil_key unique (assignment_id, user_id)
        );
        create index works_project_id_idx on works (project_id);
        create index works_user_id_idx on works (user_id);
    `);
}

/** The points keep their labels. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop table works;
        drop table assignments;
    `);
}
