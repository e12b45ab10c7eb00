-- What is in the history and in the trash.
create type thing as enum ('project', 'page', 'element');

-- Who sees a project, besides its members.
create type visibility as enum ('public', 'unlisted', 'private');

-- A row above the limit may stay, change and shrink, but not grow. Counting again keeps the revision, so it does not count as growth.
create function size_limit_exceeded() returns trigger language plpgsql as $$
begin
    raise exception 'more bytes than allowed' using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name, constraint = tg_name;
end $$;
