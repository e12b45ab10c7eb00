-- The changes of projects: one row leads from a revision to a later one. No foreign keys, as the check would cost each write more than
-- the row; the purge deletes what belongs to a project.
create table project_changes (
    project_id bigint not null,
    revision integer not null,
    from_revision integer not null,
    at timestamptz(3) not null,
    author_id bigint,
    kind text not null,
    counts integer[] not null,
    label text constraint project_changes_label_length check (char_length(label) between 1 and 100),
    -- whether points in between are gone
    merged boolean not null default false,
    app_id bigint,
    constraint project_changes_forward check (from_revision < revision),
    primary key (project_id, revision)
);
-- Rows are added in the order of time, so this index is tiny and costs a write nothing.
create index project_changes_at_idx on project_changes using brin (at);

-- The values before each change: one row for each column that it set. The value at revision R is that of the first row with to_revision >
-- R, or the present one if there is none (docs/decisions/history.md).
create table versions (
    project_id bigint not null,
    type thing not null,
    id bigint not null,
    field text not null,
    to_revision integer not null,
    from_revision integer not null,
    revision integer not null,
    updated_at timestamptz(3) not null,
    deleted boolean not null,
    value json,
    primary key (project_id, type, id, field, to_revision)
);

-- What was there from one revision to another, and is gone for good.
create table history_gaps (
    project_id bigint not null,
    from_revision integer not null,
    to_revision integer not null
);
create index history_gaps_project_id_idx on history_gaps (project_id);

-- A write says in the row what it does (`written`, `changed_by`, …); these keep it, so that no write can forget it.
create function projects_made() returns trigger language plpgsql as $$
begin
    insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, app_id)
        select id, revision, 0, updated_at, coalesce(changed_by, user_id), coalesce(change_kind, 'create'), coalesce(change_counts, '{1,0,0,0,0,0,0}'), changed_app from new_rows;
    return null;
end $$;
create trigger projects_history_insert after insert on projects
    referencing new table as new_rows for each statement
    execute function projects_made();

-- Each row is in both tables. A plan is made for the first statement of a connection, of one row perhaps, and kept: for many rows only
-- that of a full join is fast, and for few it is slower by a fifteenth.
create function projects_changed() returns trigger language plpgsql as $$
begin
    if exists (select from new_rows offset 50) then
        insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged, app_id)
            select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false,
                case when n.changed_app_revision = n.revision then n.changed_app end
            from old_rows o full join new_rows n on n.id = o.id where n.revision is distinct from o.revision;
        insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
            select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field
                when 'title' then to_json(o.title) when 'description' then to_json(o.description) when 'tags' then to_json(o.tags)
                when 'thumbnail' then o.thumbnail when 'remixed_revision' then to_json(o.remixed_revision) end
            from old_rows o full join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
            where n.revision is distinct from o.revision and w.field <> 'self';
    else
        insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged, app_id)
            select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false,
                case when n.changed_app_revision = n.revision then n.changed_app end
            from old_rows o join new_rows n on n.id = o.id where n.revision <> o.revision;
        insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
            select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field
                when 'title' then to_json(o.title) when 'description' then to_json(o.description) when 'tags' then to_json(o.tags)
                when 'thumbnail' then o.thumbnail when 'remixed_revision' then to_json(o.remixed_revision) end
            from old_rows o join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
            where n.revision <> o.revision and w.field <> 'self';
    end if;
    return null;
end $$;
create trigger projects_history_update after update on projects
    referencing old table as old_rows new table as new_rows for each statement
    execute function projects_changed();

-- Each row is in both tables. A plan is made for the first statement of a connection, of one row perhaps, and kept; only that of a full
-- join is also fast for ten thousand rows.
create function pages_changed() returns trigger language plpgsql as $$
begin
    insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
        select n.project_id, 'page', n.id, w.field, n.project_revision, coalesce(o.project_revision, 0), o.revision, o.updated_at, o.deleted_at is not null, case w.field
            when 'x' then to_json(o.x) when 'y' then to_json(o.y) when 'styles' then o.styles end
        from old_rows o full join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
        where n.project_revision is distinct from o.project_revision;
    return null;
end $$;
create trigger pages_history_update after update on pages
    referencing old table as old_rows new table as new_rows for each statement
    execute function pages_changed();

create function elements_changed() returns trigger language plpgsql as $$
begin
    insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
        select n.project_id, 'element', n.id, w.field, n.project_revision, coalesce(o.project_revision, 0), o.revision, o.updated_at, o.deleted_at is not null, case w.field
            when 'attributes' then o.attributes when 'styles' then o.styles end
        from old_rows o full join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
        where n.project_revision is distinct from o.project_revision;
    return null;
end $$;
create trigger elements_history_update after update on elements
    referencing old table as old_rows new table as new_rows for each statement
    execute function elements_changed();

-- For rows that are written without their place in the history, as tests do.
create function project_of_older_release() returns trigger language plpgsql as $$
begin
    new.change_revision := new.revision;
    new.change_kind := case when new.remixed_from is null then 'create' else 'remix' end;
    return new;
end $$;
create trigger projects_prepare_insert before insert on projects for each row
    when (new.change_revision is null)
    execute function project_of_older_release();

-- The project has its new revision already if this transaction has written it.
create function project_revision_of(project bigint) returns integer language sql as $$
    select case when xmin = pg_current_xact_id()::xid then revision else revision + 1 end from projects where id = project
$$;

create function page_of_older_release() returns trigger language plpgsql as $$
begin
    new.created_revision := coalesce(project_revision_of(new.project_id), 1);
    new.project_revision := new.created_revision;
    return new;
end $$;
create trigger pages_prepare_insert before insert on pages for each row
    when (new.created_revision is null)
    execute function page_of_older_release();

create function element_of_older_release() returns trigger language plpgsql as $$
begin
    new.project_id := (select project_id from pages where id = new.page_id);
    new.created_revision := coalesce(project_revision_of(new.project_id), 1);
    new.project_revision := new.created_revision;
    return new;
end $$;
create trigger elements_prepare_insert before insert on elements for each row
    when (new.created_revision is null)
    execute function element_of_older_release();
