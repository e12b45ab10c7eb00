import type { Knex } from 'knex';

/**
 * Signing in with pictures: devices that a teacher has prepared for a class, and the pictures of pupils, which do nothing without such a device.
 *
 * What ends them is here, so that no route can forget it: another password, leaving the class, the end of the setting and of the class. With the pictures of a pupil, or with the
 * device, end the sign-ins that came of them. Instances of the previous release know nothing of them.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table classes add column picture_sign_in boolean not null default false;
        create table class_devices (
            id bigint generated always as identity constraint class_devices_pkey primary key,
            class_id bigint not null constraint class_devices_class_id_fkey references classes on delete cascade,
            -- of the code that prepares it; once it is prepared, of its secret
            hash bytea not null constraint class_devices_hash_key unique constraint class_devices_hash_length check (octet_length(hash) = 32),
            -- until when the code can be used; null once it is prepared
            code_expires_at timestamptz(3),
            label text constraint class_devices_label_length check (char_length(label) between 1 and 100),
            since timestamptz(3) not null default now()
        );
        create index class_devices_class_id_idx on class_devices (class_id, id);
        -- No more than one class manages an account.
        create table class_pictures (
            user_id bigint constraint class_pictures_pkey primary key,
            class_id bigint not null,
            hash text not null,
            constraint class_pictures_pupil_fkey foreign key (class_id, user_id) references class_people (class_id, user_id) on delete cascade
        );
        alter table tokens add column class_device_id bigint;
        alter table tokens add constraint tokens_class_device_id_fkey foreign key (class_device_id) references class_devices on delete cascade;
        create index tokens_class_device_id_idx on tokens (class_device_id) where class_device_id is not null;

        create function pictures_ended() returns trigger language plpgsql as $$
        begin
            delete from tokens t where t.user_id = old.user_id and t.class_device_id is not null;
            return null;
        end $$;
        create trigger class_pictures_ended after delete or update on class_pictures for each row execute function pictures_ended();
        create function password_ends_pictures() returns trigger language plpgsql as $$
        begin
            -- In the order of whoever ends pictures: nobody waits for each other in a circle.
            perform from class_pictures p where p.user_id = new.id for update;
            -- Whoever changes it goes on with the sign-in of that request, and ends all others.
            update tokens t set class_device_id = null where t.user_id = new.id and t.class_device_id is not null;
            delete from class_pictures p where p.user_id = new.id;
            return null;
        end $$;
        create trigger users_password_ends_pictures after update of password_hash on users for each row
            when (old.password_hash is distinct from new.password_hash) execute function password_ends_pictures();
        -- The pictures come first, as they do for whoever changes a password: nobody waits for each other in a circle.
        create function picture_sign_in_ended() returns trigger language plpgsql as $$
        begin
            delete from class_pictures p using class_people k where k.class_id = new.id and p.user_id = k.user_id and p.class_id = k.class_id;
            delete from class_devices d where d.class_id = new.id;
            return null;
        end $$;
        create trigger classes_picture_sign_in_ended after update on classes for each row
            when (old.picture_sign_in and (not new.picture_sign_in or new.deleted_at is not null)) execute function picture_sign_in_ended();
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger classes_picture_sign_in_ended on classes;
        drop trigger users_password_ends_pictures on users;
        delete from tokens where class_device_id is not null;
        alter table tokens drop column class_device_id;
        drop table class_pictures;
        drop table class_devices;
        drop function picture_sign_in_ended();
        drop function password_ends_pictures();
        drop function pictures_ended();
        alter table classes drop column picture_sign_in;
    `);
}
