-- What is counted against guessing, in the format of rate-limiter-flexible.
create table rate_limits (
    key varchar(255) primary key,
    points integer not null default 0,
    expire bigint
);
create index rate_limits_expire_idx on rate_limits (expire);
