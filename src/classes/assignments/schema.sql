-- Assignments of classes.
create table assignments (
    id bigint generated always as identity primary key,
    class_id bigint not null constraint assignments_class_id_fkey references classes on delete cascade,
    title text not null constraint assignments_title_length check (char_length(title) between 1 and 100),
    text text not null constraint assignments_text_length check (char_length(text) <= 5000),
    -- the project that works begin with, and the teacher who may read it
    template_id bigint,
    template_by bigint,
    due_at timestamptz(3),
    revision integer not null default 1 constraint assignments_revision_positive check (revision > 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    -- of one that has works; without works, the row goes
    deleted_at timestamptz(3)
);
create index assignments_class_id_idx on assignments (class_id, id);
