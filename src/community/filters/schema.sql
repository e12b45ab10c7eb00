-- Which state of a project that others see was looked at for blocked words.
create table filter_checks (
    project_id bigint primary key,
    revision integer not null,
    -- that of the list of words
    version text not null,
    -- words that it was held for: it is not held for these again
    found text[] not null default '{}',
    -- whether the service holds it, until a moderator has decided
    held boolean not null default false
);

-- One row: how far the changes were looked at.
create table filter_progress (
    -- all changes that are older were looked at
    done_until timestamptz not null default now(),
    -- the list of words with which projects up to this id were looked at
    version text not null default '',
    filled_to bigint not null default 0,
    -- until when an instance looks
    claimed_until timestamptz not null default now()
);
insert into filter_progress default values;

-- Pictures that a moderator has blocked.
create table blocked_pictures (
    hash text primary key constraint blocked_pictures_hash check (hash ~ '^[0-9a-f]{64}$'),
    -- of how it looks, 64 bits; null for what has too little to see, and what is no picture of pixels
    looks bit(64),
    reason text not null constraint blocked_pictures_reason_length check (char_length(reason) between 1 and 1000),
    -- null if an operator did it
    moderator_id bigint,
    at timestamptz(3) not null default now()
);

-- One row: for how many days after an account was opened its projects are unlisted until a moderator has looked; null if they are listed at once.
create table filter_settings (
    look_days integer
);
insert into filter_settings values (null);

-- Projects that are unlisted until a moderator has looked, and those at which one has.
create table first_looks (
    project_id bigint primary key,
    looked boolean not null default false
);

-- What a new account makes public is unlisted at first, so that no list has to ask for it. Whoever makes it less visible means that.
create function project_awaits_look() returns trigger language plpgsql as $$
begin
    if new.visibility <> 'public' then
        delete from first_looks l where l.project_id = new.id and not l.looked;
    elsif exists (select from filter_settings s join users u on u.created_at > now() - make_interval(days => s.look_days) where u.id = new.user_id and not u.moderator)
        and not exists (select from first_looks l where l.project_id = new.id and l.looked) then
        new.visibility := 'unlisted';
        insert into first_looks (project_id) values (new.id) on conflict do nothing;
    end if;
    return new;
end $$;
create trigger projects_unlisted_insert before insert on projects for each row
    when (new.visibility = 'public')
    execute function project_awaits_look();
create trigger projects_unlisted_update before update of visibility on projects for each row
    when (new.visibility <> old.visibility)
    execute function project_awaits_look();

create function project_look_asked() returns trigger language plpgsql as $$
begin
    insert into report_queue (project_id, open) select l.project_id, true from first_looks l where l.project_id = new.id and not l.looked
        on conflict (project_id) do update set open = true;
    return null;
end $$;
create trigger projects_look_insert after insert on projects for each row
    when (new.visibility = 'unlisted')
    execute function project_look_asked();
create trigger projects_look_update after update of visibility on projects for each row
    when (new.visibility = 'unlisted' and new.revision <> old.revision)
    execute function project_look_asked();
