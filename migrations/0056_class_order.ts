import type { Knex } from 'knex';

const audienceRole = (shown: string): string => `
        create or replace function audience_role(project bigint, reader bigint) returns text language plpgsql stable as $$
        begin
            return (
                select k.role from class_projects a join class_people k on k.class_id = a.class_id and k.user_id = reader
                where a.project_id = project and (k.role = 'teacher' or ${shown}) order by k.role limit 1
            );
        end $$;`;

/**
 * What keeps a class in order: teachers look at projects before the class sees them, hide some, and pause pupils.
 *
 * The state of a project in a class is in the row by which the class reads it. That a project is hidden is also remembered beside it, as its owner can take the project out and put it
 * in again. A pause is in the row of the pupil in the class; a trigger copies the longest of each account to the account, where each request finds it.
 *
 * An instance of the previous release shows projects that are hidden or wait until it is replaced: it has the function below, but not the condition of the gallery.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table classes add column show text not null default 'at once';
        alter table classes add constraint classes_show_known check (show in ('at once', 'after a look'));
        alter table class_projects add column state text not null default 'shown';
        alter table class_projects add constraint class_projects_state_known check (state in ('shown', 'waiting', 'hidden'));
        alter table class_projects add column reason text;
        alter table class_projects add constraint class_projects_reason_there check ((reason is not null) = (state = 'hidden'));
        create table class_hidden_projects (
            class_id bigint not null,
            project_id bigint not null,
            reason text not null constraint class_hidden_projects_reason_length check (char_length(reason) between 1 and 500),
            constraint class_hidden_projects_pkey primary key (class_id, project_id)
        );
        create index class_hidden_projects_project_id_idx on class_hidden_projects (project_id);
        ${audienceRole(`(a.audience = 'class' and a.state = 'shown')`)}
        alter table users add column paused_until timestamptz(3);
        alter table class_people add column paused_until timestamptz(3);
        create function pauses_kept() returns trigger language plpgsql as $$
        begin
            update users u set paused_until = (select max(k.paused_until) from class_people k where k.user_id = u.id and k.role = 'pupil') where u.id = old.user_id;
            return null;
        end $$;
        create trigger class_people_pause_ended after delete on class_people for each row when (old.paused_until is not null) execute function pauses_kept();
        create trigger class_people_pause_changed after update on class_people for each row
            when (old.paused_until is distinct from new.paused_until or (old.role <> new.role and new.paused_until is not null)) execute function pauses_kept();
    `);
}

/** A release without them shows a project to the class by its audience alone, so those that the class was not to see are for its teachers. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger class_people_pause_changed on class_people;
        drop trigger class_people_pause_ended on class_people;
        drop function pauses_kept();
        alter table class_people drop column paused_until;
        alter table users drop column paused_until;
        ${audienceRole(`a.audience = 'class'`)}
        update class_projects set audience = 'teachers' where state <> 'shown' and audience <> 'teachers';
        drop table class_hidden_projects;
        alter table class_projects drop column reason;
        alter table class_projects drop column state;
        alter table classes drop column show;
    `);
}
