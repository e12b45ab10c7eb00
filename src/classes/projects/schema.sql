-- Projects that are in a class, and who of it reads them besides. Whoever ends the class, or takes the owner out of it, removes the rows
-- in the same transaction. No foreign keys, as on a cluster it is a table of projects.
create table class_projects (
    class_id bigint not null,
    project_id bigint not null,
    audience text not null constraint class_projects_audience_known check (audience in ('teachers', 'class')),
    since timestamptz(3) not null default now(),
    -- what its teachers let the class see of it
    state text not null default 'shown' constraint class_projects_state_known check (state in ('shown', 'waiting', 'hidden')),
    reason text,
    primary key (class_id, project_id),
    constraint class_projects_reason_there check ((reason is not null) = (state = 'hidden'))
);
create index class_projects_project_id_idx on class_projects (project_id, class_id);

-- That a project is hidden in a class, also if its owner takes it out and puts it in again.
create table class_hidden_projects (
    class_id bigint not null,
    project_id bigint not null,
    reason text not null constraint class_hidden_projects_reason_length check (char_length(reason) between 1 and 500),
    primary key (class_id, project_id)
);
create index class_hidden_projects_project_id_idx on class_hidden_projects (project_id);

-- As what somebody reads a project because of its classes: as a pupil of one, or else as a teacher, if they still may teach; null if they
-- do not.
create function audience_role(project bigint, reader bigint) returns text language plpgsql stable as $$
begin
    return (
        select k.role from class_projects a join class_people k on k.class_id = a.class_id and k.user_id = reader
        where a.project_id = project and (k.role = 'teacher' or (a.audience = 'class' and a.state = 'shown')) order by k.role limit 1
    );
end $$;

create function audience_bounded() returns trigger language plpgsql as $$
declare
    owner bigint;
    owner_publish text;
begin
    select u.id, u.publish into owner, owner_publish from projects p join users u on u.id = p.user_id where p.id = new.project_id for share of u;
    perform from class_people k where k.class_id = new.class_id and k.user_id = owner for share;
    if not found then
        raise exception 'The owner is not of this class' using errcode = 'check_violation', constraint = 'audience_bound';
    end if;
    if owner_publish = 'nobody' and new.audience <> 'teachers' then
        raise exception 'The class of this account lets its teachers alone read it' using errcode = 'check_violation', constraint = 'publish_bound';
    end if;
    return new;
end $$;
create trigger class_projects_bounded before insert or update of audience on class_projects for each row execute function audience_bounded();
