import type { Knex } from 'knex';

/** SQL for the trigger function of migration 0009 that keeps the history of projects, to the letter, with further columns that it keeps. */
const projectsChanged = (more: string): string => `
        create or replace function projects_changed() returns trigger language plpgsql as $$
        begin
            insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged)
                select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false
                from old_rows o join new_rows n on n.id = o.id where n.revision <> o.revision
                union all
                select o.id, o.revision, 0, o.updated_at, o.user_id, case when o.remixed_from is null then 'create' else 'remix' end, '{1,0,0,0,0,0,0}', o.revision > 1
                from old_rows o join new_rows n on n.id = o.id where o.change_revision is null and n.revision <> o.revision;
            insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
                select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field
                    when 'title' then to_json(o.title) when 'description' then to_json(o.description) when 'tags' then to_json(o.tags) when 'thumbnail' then o.thumbnail${more} end
                from old_rows o join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
                where n.revision <> o.revision and w.field <> 'self';
            return null;
        end $$;`;

/**
 * Remixes remember whom they are owed to, and can take in what their source changed.
 *
 * `credits` is a JSON array of all that a project was remixed from, nearest first, as that was when the remix was made: `{id}`, with `title` and
 * `author` (the id of a user) if it was public then. Names of users are not in it, so that it shows their present name, and none after their account
 * is purged. It is null in projects that are no remixes, and in remixes of an older release until their source is purged.
 *
 * `projects.remixed_revision` (migration 0009) moves on as the changes of the source are pulled. It is part of the history, so that
 * undoing a pull, or restoring what was before it, takes it back.
 *
 * The new column is null in the rows that exist, so no row is written.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw('alter table projects add column credits json');
    await db.raw(projectsChanged(` when 'remixed_revision' then to_json(o.remixed_revision)`));
}

export async function down(db: Knex): Promise<void> {
    await db.raw(projectsChanged(''));
    await db.raw(`
        delete from versions where type = 'project' and field = 'remixed_revision';
        alter table projects drop column credits;
    `);
}
