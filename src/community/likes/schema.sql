-- Who likes which project. Only its author reads how many. No foreign keys, as in comments.
create table project_likes (
    project_id bigint not null,
    user_id bigint not null,
    since timestamptz(3) not null default now(),
    -- whether their account is: it is not counted then
    closed boolean not null default false,
    primary key (project_id, user_id)
);
create index project_likes_user_id_idx on project_likes (user_id);
create index project_likes_counted_idx on project_likes (project_id) where not closed;

create function likes_forgotten() returns trigger language plpgsql as $$
begin
    delete from project_likes where user_id = old.id;
    return null;
end $$;
create trigger users_likes_forgotten after delete on users for each row execute function likes_forgotten();

-- Kept here, so that whoever counts likes looks up no accounts.
create function likes_closed() returns trigger language plpgsql as $$
begin
    update project_likes set closed = new.deleted_at is not null where user_id = new.id;
    return null;
end $$;
create trigger users_likes_closed after update of deleted_at on users for each row
    when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function likes_closed();
