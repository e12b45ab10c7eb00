import type { Knex } from 'knex';

/**
 * That the page of an element exists is checked once for each statement, where a foreign key checks it for each row: half of the time of a remix, which
 * docs/decisions/elements-in-pages.md measures. A distributed table keeps its foreign key, whose triggers are in its shards.
 *
 * Milliseconds: nothing is read.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create function elements_in_pages() returns trigger language plpgsql as $$
        declare
            wanted bigint[];
            held bigint[];
        begin
            if tg_level = 'ROW' then
                wanted := array[new.page_id];
            else
                wanted := array(select distinct page_id from new_rows);
            end if;
            -- A page that is being deleted is waited for, and one that is held here cannot be deleted before these elements are committed, and then goes with them.
            held := array(select id from pages where id = any(wanted) order by id for key share);
            if cardinality(held) < cardinality(wanted) then
                raise exception 'insert or update on table "elements" violates foreign key constraint "elements_page_id_fkey"' using errcode = 'foreign_key_violation', table = 'elements',
                    constraint = 'elements_page_id_fkey', detail = format('There is no page %s.', (select min(w) from unnest(wanted) w where w <> all(held)));
            end if;
            return null;
        end $$;

        create function elements_of_pages() returns trigger language plpgsql as $$
        begin
            delete from elements where page_id = any(array(select id from old_rows));
            return null;
        end $$;

        do $$
        begin
            if to_regclass('at_project') is null then
                create trigger elements_in_pages_insert after insert on elements referencing new table as new_rows for each statement execute function elements_in_pages();
                create trigger elements_in_pages_update after update of page_id on elements for each row when (new.page_id <> old.page_id) execute function elements_in_pages();
                create trigger elements_of_pages after delete on pages referencing old table as old_rows for each statement execute function elements_of_pages();
                alter table elements drop constraint elements_page_id_fkey;
            end if;
        end $$`);
}

/** The foreign key looks at all elements once. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        do $$
        begin
            if to_regclass('at_project') is null then
                alter table elements add constraint elements_page_id_fkey foreign key (page_id) references pages on delete cascade;
            end if;
        end $$;
        drop trigger if exists elements_of_pages on pages;
        drop trigger if exists elements_in_pages_update on elements;
        drop trigger if exists elements_in_pages_insert on elements;
        drop function elements_of_pages();
        drop function elements_in_pages()`);
}
