import type { Knex } from 'knex';

/** The trigger that gives a thing that the older release makes its place in the history. @param first lines that come before, with a line break before each */
const prepareInsert = (what: 'page' | 'element', first = ''): string => `
        create function ${what}_of_older_release() returns trigger language plpgsql as $$
        begin${first}
            new.created_revision := project_revision_of(new.project_id);
            new.project_revision := new.created_revision;
            return new;
        end $$;
        create trigger ${what}s_prepare_insert before insert on ${what}s for each row
            when (new.created_revision is null)
            execute function ${what}_of_older_release();`;

/** The function that notes a change of a project that the older release made. @param first lines that come before, with a line break before each */
const prepareProject = (first = ''): string => `
        create or replace function prepare_project() returns trigger language plpgsql as $$
        begin${first}
            new.changed_by := new.user_id;
            new.change_kind := 'edit';
            new.change_counts := '{0,0,0,0,0,0,0}';
            new.change_revision := new.revision;
            new.written := coalesce(nullif(concat_ws(',', case when new.title <> old.title then 'title' end, case when new.description <> old.description then 'description' end,
                case when new.tags <> old.tags then 'tags' end, case when new.thumbnail::text <> old.thumbnail::text then 'thumbnail' end), ''), 'self');
            return new;
        end $$;`;

/**
 * What an instance of 0.2 creates during a rolling upgrade gets its place in the history, as what it changes does: it sets neither at which revision a page
 * or an element was made, nor an element's project. What it has created between migration 0009 and this one gets it now; the triggers of 0009 have noted the
 * changes, without counts, at the same time.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        ${prepareInsert('page')}
        ${prepareInsert('element', `
            new.project_id := (select project_id from pages where id = new.page_id);`)}

        -- It comes after the trigger that notices the first change of an older project, which the older release does not announce.
        ${prepareProject(`
            if old.change_revision is null then
                new.known_since := old.revision;
            end if;`)}

        update pages g set created_revision = c.revision, project_revision = coalesce(g.project_revision, c.revision)
            from project_changes c
            where c.kind = 'edit' and c.counts = '{0,0,0,0,0,0,0}' and g.project_id = c.project_id and g.created_revision is null and g.created_at = c.at;
        update elements e set created_revision = c.revision, project_revision = coalesce(e.project_revision, c.revision), project_id = c.project_id
            from project_changes c, pages g
            where c.kind = 'edit' and c.counts = '{0,0,0,0,0,0,0}' and g.project_id = c.project_id and e.page_id = g.id and e.created_revision is null and e.created_at = c.at;
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger pages_prepare_insert on pages;
        drop trigger elements_prepare_insert on elements;
        drop function page_of_older_release(), element_of_older_release();
        ${prepareProject()}
    `);
}
