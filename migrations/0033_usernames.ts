import type { Knex } from 'knex';

/*
 * Usernames in any script. The service writes the key of a name, by which users are found and which no two have: it knows more of Unicode than PostgreSQL
 * can be relied on. Each step is a migration, so that none holds a lock on all accounts for longer than it takes.
 */

/** An instance of the release before writes no key, and only names in ASCII, whose key is the name in small letters. Its index on lower(username) stays until the next release. */
export const names = {
    async up(db: Knex): Promise<void> {
        await db.raw(`
            alter table users add column username_key text;
            alter table users drop constraint users_username_shape;
            alter table users add constraint users_username_shape check (char_length(username) between 1 and 20);
            create function key_of_older_release() returns trigger language plpgsql as $$
            begin
                new.username_key := lower(new.username collate "C");
                return new;
            end $$;
            create trigger users_key_of_older_release before insert or update of username on users for each row
                when (new.username ~ '^[A-Za-z0-9_-]+$')
                execute function key_of_older_release();
        `);
    },

    /** The release before can do nothing with other names, so who has one gets one in ASCII. */
    async down(db: Knex): Promise<void> {
        await db.raw(`
            update users set username = 'user-' || left(md5('name of user ' || id), 15), revision = revision + 1, updated_at = now() where username !~ '^[A-Za-z0-9_-]+$';
            drop trigger users_key_of_older_release on users;
            drop function key_of_older_release();
            alter table users drop constraint users_username_shape;
            alter table users add constraint users_username_shape check (username ~ '^[A-Za-z0-9_-]{1,20}$');
            alter table users drop column username_key;
        `);
    }
};

export const keys = {
    async up(db: Knex): Promise<void> {
        await db.raw(`update users set username_key = lower(username collate "C") where username_key is null`);
    },

    down: (): Promise<void> => Promise.resolve()
};

export const uniqueness = {
    async up(db: Knex): Promise<void> {
        await db.raw(`
            create unique index users_username_key_key on users (username_key);
            alter table users alter column username_key set not null;
        `);
    },

    async down(db: Knex): Promise<void> {
        await db.raw(`
            drop index users_username_key_key;
            alter table users alter column username_key drop not null;
        `);
    }
};
