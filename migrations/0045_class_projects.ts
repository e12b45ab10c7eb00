import type { Knex } from 'knex';

/**
 * Projects that are in a class, and who of the class reads them beside whoever may anyway: its teachers alone, or all of it. A row is there only while its class is, and its
 * owner is of the class: whoever ends either, with the class locked, removes the rows in the same transaction.
 *
 * On a cluster it is a table of projects, so it has no foreign keys: a project that is purged takes its rows along (operations/maintenance/purge.ts).
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table class_projects (
            class_id bigint not null,
            project_id bigint not null,
            audience text not null constraint class_projects_audience_known check (audience in ('teachers', 'class')),
            since timestamptz(3) not null default now(),
            constraint class_projects_pkey primary key (class_id, project_id)
        );
        create index class_projects_project_id_idx on class_projects (project_id, class_id);

        -- As what somebody reads a project because of its classes: as a pupil of one, or else as a teacher, if they still may teach; null if they do not.
        create function audience_role(project bigint, reader bigint) returns text language plpgsql stable as $$
        begin
            return (
                select k.role from class_projects a join class_people k on k.class_id = a.class_id and k.user_id = reader
                where a.project_id = project and (k.role = 'teacher' or a.audience = 'class') order by k.role limit 1
            );
        end $$;

        create function audience_bounded() returns trigger language plpgsql as $$
        declare
            owner bigint;
            owner_publish text;
        begin
            select u.id, u.publish into owner, owner_publish from projects p join users u on u.id = p.user_id where p.id = new.project_id for share of u;
            perform from class_people k where k.class_id = new.class_id and k.user_id = owner for share;
            if not found then
                raise exception 'The owner is not of this class' using errcode = 'check_violation', constraint = 'audience_bound';
            end if;
            if owner_publish = 'nobody' and new.audience <> 'teachers' then
                raise exception 'The class of this account lets its teachers alone read it' using errcode = 'check_violation', constraint = 'publish_bound';
            end if;
            return new;
        end $$;
        create trigger class_projects_bounded before insert or update of audience on class_projects for each row execute function audience_bounded();
    `);
}

/** A release without them shows nothing to a class: what is in one is read by whoever else may. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop table class_projects;
        drop function audience_bounded();
        drop function audience_role(bigint, bigint);
    `);
}
