import type { Knex } from 'knex';

/** SQL for the trigger functions of migrations 0009 and 0014 that keep the history of projects, to the letter, with a further column and the values of it. */
const historyOfProjects = ({ column, made, changed, first }: { column: string; made: string; changed: string; first: string }): string => `
        create or replace function projects_made() returns trigger language plpgsql as $$
        begin
            insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts${column})
                select id, revision, 0, updated_at, coalesce(changed_by, user_id), coalesce(change_kind, 'create'), coalesce(change_counts, '{1,0,0,0,0,0,0}')${made} from new_rows
                where change_revision is not null;
            return null;
        end $$;
        create or replace function projects_changed() returns trigger language plpgsql as $$
        begin
            insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged${column})
                select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false${changed}
                from old_rows o join new_rows n on n.id = o.id where n.revision <> o.revision
                union all
                select o.id, o.revision, 0, o.updated_at, o.user_id, case when o.remixed_from is null then 'create' else 'remix' end, '{1,0,0,0,0,0,0}', o.revision > 1${first}
                from old_rows o join new_rows n on n.id = o.id where o.change_revision is null and n.revision <> o.revision;
            insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
                select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field
                    when 'title' then to_json(o.title) when 'description' then to_json(o.description) when 'tags' then to_json(o.tags) when 'thumbnail' then o.thumbnail when 'remixed_revision' then to_json(o.remixed_revision) end
                from old_rows o join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
                where n.revision <> o.revision and w.field <> 'self';
            return null;
        end $$;`;

/**
 * The history remembers by which app's token a change was made. As in all of the history there is no foreign key, whose check would cost each write more
 * than the row: the id of an app that was deleted finds none any more.
 *
 * An instance of the previous release leaves `projects.changed_app` as it is, so `changed_app_revision` says which change that is of.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table projects add column changed_app bigint;
        alter table projects add column changed_app_revision integer;
        alter table project_changes add column app_id bigint;
        ${historyOfProjects({ column: ', app_id', made: ', changed_app', changed: ', case when n.changed_app_revision = n.revision then n.changed_app end', first: ', null' })}
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        ${historyOfProjects({ column: '', made: '', changed: '', first: '' })}
        alter table project_changes drop column app_id;
        alter table projects drop column changed_app;
        alter table projects drop column changed_app_revision;
    `);
}
