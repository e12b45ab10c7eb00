-- One row: the key that signs the cookies of browsers which have signed in before (devices.ts).
create table device_key (
    key bytea not null constraint device_key_length check (octet_length(key) = 32)
);
insert into device_key (key) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
