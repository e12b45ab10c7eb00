-- Who has which project open in an editor, and where in it they are. A row counts for seconds: an unlogged table writes nothing to the
-- log of PostgreSQL, and is empty after a crash.
create unlogged table project_presence (
    project_id bigint not null,
    user_id bigint not null,
    at timestamptz not null,
    page_id bigint,
    cursor_left integer,
    cursor_top integer,
    selected bigint[] not null,
    primary key (project_id, user_id)
) with (fillfactor = 50);
