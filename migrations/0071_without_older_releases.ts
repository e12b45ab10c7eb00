import type { Knex } from 'knex';

/*
 * Triggers that noted what instances of 0.2 changed go, and what rows from before the history needed: 0.4 takes databases of 0.3 alone, in which every row has its
 * place in the history since migration 0036, and instances of 0.3 note their changes themselves. Their names are found by `username_key`.
 */

/** Rows of one statement up to which a plan for a single row is the fastest (migration 0052). */
const FEW = 50;

/** What the history of projects keeps. @param first what it does for the first change of a project from before the history */
const kept = (joined: 'full join' | 'join', changed: 'is distinct from' | '<>', first: string): string => `
                insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged, app_id)
                    select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false, case when n.changed_app_revision = n.revision then n.changed_app end
                    from old_rows o ${joined} new_rows n on n.id = o.id where n.revision ${changed} o.revision${first};
                insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
                    select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field
                        when 'title' then to_json(o.title) when 'description' then to_json(o.description) when 'tags' then to_json(o.tags) when 'thumbnail' then o.thumbnail
                        when 'remixed_revision' then to_json(o.remixed_revision) end
                    from old_rows o ${joined} new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
                    where n.revision ${changed} o.revision and w.field <> 'self';`;

const firstOf = (joined: string, changed: string): string => `
                    union all
                    select o.id, o.revision, 0, o.updated_at, o.user_id, case when o.remixed_from is null then 'create' else 'remix' end, '{1,0,0,0,0,0,0}', o.revision > 1, null
                    from old_rows o ${joined} new_rows n on n.id = o.id where o.change_revision is null and n.revision ${changed} o.revision`;

/** @param old whether a project may be from before the history */
const history = (old: boolean): string => `
        create or replace function projects_made() returns trigger language plpgsql as $$
        begin
            insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, app_id)
                select id, revision, 0, updated_at, coalesce(changed_by, user_id), coalesce(change_kind, 'create'), coalesce(change_counts, '{1,0,0,0,0,0,0}'), changed_app from new_rows${old ? `
                where change_revision is not null` : ''};
            return null;
        end $$;
        create or replace function projects_changed() returns trigger language plpgsql as $$
        begin
            if exists (select from new_rows offset ${FEW}) then${kept('full join', 'is distinct from', old ? firstOf('full join', 'is distinct from') : '')}
            else${kept('join', '<>', old ? firstOf('join', '<>') : '')}
            end if;
            return null;
        end $$;`;

export async function up(db: Knex): Promise<void> {
    await db.raw(`
        ${history(false)}
        drop trigger if exists projects_prepare on projects;
        drop trigger if exists projects_history_begins on projects;
        drop trigger if exists pages_prepare on pages;
        drop trigger if exists elements_prepare on elements;
        drop function prepare_project();
        drop function project_first_changed();
        drop function prepare_page();
        drop function prepare_element();
        drop index users_username_key;
    `);
}

const changed = (names: readonly string[], text: string): string => names.map((name) => `case when new.${name}${text} <> old.${name}${text} then '${name}' end`).join(', ');

/** The trigger of a page or an element. @param project a line that comes first */
const prepare = (thing: 'page' | 'element', names: string, project: string): string => `
        create function prepare_${thing}() returns trigger language plpgsql as $$
        begin${project}
            new.project_revision := project_revision_of(new.project_id);
            new.written := coalesce(nullif(concat_ws(',', ${names}), ''), 'self');
            return new;
        end $$;
        create trigger ${thing}s_prepare before update on ${thing}s for each row
            when (new.revision <> old.revision and new.project_revision is not distinct from old.project_revision)
            execute function prepare_${thing}();`;

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        ${history(true)}
        create function project_first_changed() returns trigger language plpgsql as $$
        begin
            new.known_since := old.revision;
            return new;
        end $$;
        create trigger projects_history_begins before update on projects for each row
            when (old.change_revision is null and new.change_revision is not null)
            execute function project_first_changed();
        create function prepare_project() returns trigger language plpgsql as $$
        begin
            if old.change_revision is null then
                new.known_since := old.revision;
            end if;
            new.changed_by := new.user_id;
            new.change_kind := 'edit';
            new.change_counts := '{0,0,0,0,0,0,0}';
            new.change_revision := new.revision;
            new.written := coalesce(nullif(concat_ws(',', ${changed(['title', 'description', 'tags'], '')}, ${changed(['thumbnail'], '::text')}), ''), 'self');
            return new;
        end $$;
        create trigger projects_prepare before update on projects for each row
            when (new.revision <> old.revision and new.change_revision is distinct from new.revision)
            execute function prepare_project();
        ${prepare('page', `${changed(['x', 'y'], '')}, ${changed(['styles'], '::text')}`, '')}
        ${prepare('element', changed(['attributes', 'styles'], '::text'), `
            new.project_id := (select project_id from pages where id = new.page_id);`)}
        create unique index users_username_key on users (lower(username));
    `);
}
