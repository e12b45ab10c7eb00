-- Whose new public projects people want to find in their feed.
create table follows (
    user_id bigint not null constraint follows_user_id_fkey references users on delete cascade,
    followed_id bigint not null constraint follows_followed_id_fkey references users on delete cascade,
    since timestamptz(3) not null default now(),
    primary key (user_id, followed_id),
    constraint follows_others check (user_id <> followed_id)
);
create index follows_followed_id_idx on follows (followed_id);
