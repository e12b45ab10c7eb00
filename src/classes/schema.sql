-- Classes of teachers and pupils.
create table classes (
    id bigint generated always as identity primary key,
    title text not null constraint classes_title_length check (char_length(title) between 1 and 100),
    publish text not null constraint classes_publish_known check (publish in ('nobody', 'class', 'everybody')),
    comments boolean not null,
    -- to join by; teachers see it, so it is no hash
    code text not null constraint classes_code_length check (char_length(code) = 12) constraint classes_code_key unique,
    revision integer not null default 1 constraint classes_revision_positive check (revision > 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3),
    show text not null default 'at once' constraint classes_show_known check (show in ('at once', 'after a look')),
    -- whether pupils sign in with pictures
    picture_sign_in boolean not null default false
);
create index classes_deleted_at_idx on classes (deleted_at) where deleted_at is not null;
