-- The works of pupils. A work names points of the history of its project, which therefore stay (rules/handed-in.ts); nothing is copied.
-- No foreign keys to projects, which are in shards on a cluster.
create table works (
    id bigint generated always as identity primary key,
    assignment_id bigint not null constraint works_assignment_id_fkey references assignments on delete cascade,
    -- null if the account is gone for good
    user_id bigint constraint works_user_id_fkey references users on delete set null,
    -- null if the project is gone for good: the work is withdrawn
    project_id bigint,
    state text not null constraint works_state_known check (state in ('started', 'handed_in', 'returned', 'accepted')),
    -- the revisions of the project that were handed in, the last one last
    points integer[] not null default '{}',
    handed_in_at timestamptz(3),
    note text not null default '' constraint works_note_length check (char_length(note) <= 2000),
    revision integer not null default 1 constraint works_revision_positive check (revision > 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    taken_back_at timestamptz(3),
    constraint works_pupil_key unique (assignment_id, user_id)
);
create index works_project_id_idx on works (project_id);
create index works_user_id_idx on works (user_id);

-- What was handed in only grows: taking a work back is a state with a time. Points leave with the project or the account alone.
create function works_points_grow() returns trigger language plpgsql as $$
begin
    raise exception 'Points that were handed in stay in the work' using errcode = 'check_violation', constraint = 'works_points_grow';
end $$;
create trigger works_points_grow before update of points, project_id on works for each row
    when (old.points <> '{}' and new.project_id is not null and (new.project_id is distinct from old.project_id or not new.points @> old.points)) execute function works_points_grow();
