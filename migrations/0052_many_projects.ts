import type { Knex } from 'knex';

/** Rows of one statement up to which a plan for a single row is the fastest. */
const FEW = 50;

/** @param joined how the rows before and after are joined @param changed whether two revisions differ */
const history = (joined: 'full join' | 'join', changed: 'is distinct from' | '<>'): string => `
            insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged, app_id)
                select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false, case when n.changed_app_revision = n.revision then n.changed_app end
                from old_rows o ${joined} new_rows n on n.id = o.id where n.revision ${changed} o.revision
                union all
                select o.id, o.revision, 0, o.updated_at, o.user_id, case when o.remixed_from is null then 'create' else 'remix' end, '{1,0,0,0,0,0,0}', o.revision > 1, null
                from old_rows o ${joined} new_rows n on n.id = o.id where o.change_revision is null and n.revision ${changed} o.revision;
            insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
                select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field
                    when 'title' then to_json(o.title) when 'description' then to_json(o.description) when 'tags' then to_json(o.tags) when 'thumbnail' then o.thumbnail when 'remixed_revision' then to_json(o.remixed_revision) end
                from old_rows o ${joined} new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
                where n.revision ${changed} o.revision and w.field <> 'self';`;

const historyOfProjects = (body: string): string => `
        create or replace function projects_changed() returns trigger language plpgsql as $$
        begin${body}
            return null;
        end $$`;

/**
 * Changing thousands of projects at once takes moments. Each row is in both tables, and a plan is made for the first statement of a connection, of one row
 * perhaps, and kept. That of a join then compares each row with each other one; that of a full join never does, as in the functions for pages and
 * elements, but makes a change of one project slower by a fifteenth, as each write to a project is. So there is one for few rows, and one for many.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(historyOfProjects(`
            if exists (select from new_rows offset ${FEW}) then${history('full join', 'is distinct from')}
            else${history('join', '<>')}
            end if;`));
}

export async function down(db: Knex): Promise<void> {
    await db.raw(historyOfProjects(history('join', '<>')));
}
