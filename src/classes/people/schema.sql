-- Teachers and pupils of classes.
create table class_people (
    class_id bigint not null constraint class_people_class_id_fkey references classes on delete cascade,
    user_id bigint not null constraint class_people_user_id_fkey references users on delete cascade,
    role text not null constraint class_people_role_known check (role in ('teacher', 'pupil')),
    -- by which the class knows a pupil; null if no teacher has written one
    name text constraint class_people_name_length check (char_length(name) between 1 and 60),
    since timestamptz(3) not null default now(),
    paused_until timestamptz(3),
    primary key (class_id, user_id)
);
create index class_people_user_id_idx on class_people (user_id, class_id);

-- The longest pause of a pupil is copied to the account, where each request finds it.
create function pauses_kept() returns trigger language plpgsql as $$
begin
    update users u set paused_until = (select max(k.paused_until) from class_people k where k.user_id = u.id and k.role = 'pupil') where u.id = old.user_id;
    return null;
end $$;
create trigger class_people_pause_ended after delete on class_people for each row when (old.paused_until is not null) execute function pauses_kept();
create trigger class_people_pause_changed after update on class_people for each row
    when (old.paused_until is distinct from new.paused_until or (old.role <> new.role and new.paused_until is not null)) execute function pauses_kept();

-- What a managed account makes visible is bounded here, so that no route can forget it. The bound is in the row of the account, which a
-- writer locks: whoever tightens it waits for them, and sees what they made.
create function publish_bounded() returns trigger language plpgsql as $$
declare
    bound text;
begin
    select u.publish into bound from users u where u.id = new.user_id for share;
    if bound <> 'everybody' then
        raise exception 'The class of this account lets it make nothing visible' using errcode = 'check_violation', constraint = 'publish_bound';
    end if;
    return new;
end $$;
create trigger projects_bounded_insert before insert on projects for each row when (new.visibility <> 'private') execute function publish_bounded();
create trigger projects_bounded_update before update of visibility, deleted_at on projects for each row
    when (new.visibility <> 'private' and new.deleted_at is null and (old.visibility = 'private' or old.deleted_at is not null))
    execute function publish_bounded();
create trigger collections_bounded_insert before insert on collections for each row when (new.visibility <> 'private') execute function publish_bounded();
create trigger collections_bounded_update before update of visibility on collections for each row
    when (new.visibility <> 'private' and old.visibility = 'private')
    execute function publish_bounded();

-- A managed account is a member of what people of its class own, and lets nobody else in than its class lets it.
create function members_bounded() returns trigger language plpgsql as $$
declare
    owner bigint;
    owner_class bigint;
    owner_publish text;
    member_class bigint;
    member_publish text;
begin
    select u.id, u.managed_by, u.publish into owner, owner_class, owner_publish from projects p join users u on u.id = p.user_id where p.id = new.project_id for share of u;
    select u.managed_by, u.publish into member_class, member_publish from users u where u.id = new.user_id for share;
    if member_publish is not null then
        perform from class_people k where k.class_id = member_class and k.user_id = owner for share;
        if not found then
            raise exception 'The owner is not of the class of this account' using errcode = 'check_violation', constraint = 'members_bound';
        end if;
    end if;
    if owner_publish in ('nobody', 'class') then
        perform from class_people k where k.class_id = owner_class and k.user_id = new.user_id and (owner_publish = 'class' or k.role = 'teacher') for share;
        if not found then
            raise exception 'The member is not of the class of this account' using errcode = 'check_violation', constraint = 'members_bound';
        end if;
    end if;
    return new;
end $$;
create trigger project_members_bounded before insert on project_members for each row execute function members_bounded();
