import type { Knex } from 'knex';

/**
 * Classes, their teachers and pupils, and accounts that a class manages. What those make visible is bounded here, by triggers, so that no route can forget it:
 * projects, collections and members. The bound of an account is in its own row, which a writer locks: whoever tightens it waits for them, and sees what they made.
 *
 * Instances of the previous release know nothing of classes. The triggers bound what they write, too.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create table classes (
            id bigint generated always as identity constraint classes_pkey primary key,
            title text not null constraint classes_title_length check (char_length(title) between 1 and 100),
            publish text not null constraint classes_publish_known check (publish in ('nobody', 'class', 'everybody')),
            comments boolean not null,
            -- to join by; teachers see it, so it is no hash
            code text not null constraint classes_code_key unique constraint classes_code_length check (char_length(code) = 12),
            revision integer not null default 1 constraint classes_revision_positive check (revision > 0),
            created_at timestamptz(3) not null default now(),
            updated_at timestamptz(3) not null default now(),
            deleted_at timestamptz(3)
        );
        create index classes_deleted_at_idx on classes (deleted_at) where deleted_at is not null;
        create table class_people (
            class_id bigint not null constraint class_people_class_id_fkey references classes on delete cascade,
            user_id bigint not null constraint class_people_user_id_fkey references users on delete cascade,
            role text not null constraint class_people_role_known check (role in ('teacher', 'pupil')),
            -- by which the class knows a pupil; null if no teacher has written one
            name text constraint class_people_name_length check (char_length(name) between 1 and 60),
            since timestamptz(3) not null default now(),
            constraint class_people_pkey primary key (class_id, user_id)
        );
        create index class_people_user_id_idx on class_people (user_id, class_id);
        alter table users add column teacher boolean not null default false;
        -- the class that manages the account, and what it lets it make visible; the latter is null for all other accounts
        alter table users add column managed_by bigint;
        alter table users add column publish text;
        alter table users add constraint users_managed_by_fkey foreign key (managed_by) references classes on delete set null;
        alter table users add constraint users_publish_known check (publish in ('nobody', 'class', 'everybody')) not valid;
        create index users_managed_by_idx on users (managed_by) where managed_by is not null;

        create function publish_bounded() returns trigger language plpgsql as $$
        declare
            bound text;
        begin
            select u.publish into bound from users u where u.id = new.user_id for share;
            if bound <> 'everybody' then
                raise exception 'The class of this account lets it make nothing visible' using errcode = 'check_violation', constraint = 'publish_bound';
            end if;
            return new;
        end $$;
        create trigger projects_bounded_insert before insert on projects for each row when (new.visibility <> 'private') execute function publish_bounded();
        create trigger projects_bounded_update before update of visibility, deleted_at on projects for each row
            when (new.visibility <> 'private' and new.deleted_at is null and (old.visibility = 'private' or old.deleted_at is not null))
            execute function publish_bounded();
        create trigger collections_bounded_insert before insert on collections for each row when (new.visibility <> 'private') execute function publish_bounded();
        create trigger collections_bounded_update before update of visibility on collections for each row
            when (new.visibility <> 'private' and old.visibility = 'private')
            execute function publish_bounded();

        -- A managed account is a member of what people of its class own, and lets nobody else in than its class lets it.
        create function members_bounded() returns trigger language plpgsql as $$
        declare
            owner bigint;
            owner_class bigint;
            owner_publish text;
            member_class bigint;
            member_publish text;
        begin
            select u.id, u.managed_by, u.publish into owner, owner_class, owner_publish from projects p join users u on u.id = p.user_id where p.id = new.project_id for share of u;
            select u.managed_by, u.publish into member_class, member_publish from users u where u.id = new.user_id for share;
            if member_publish is not null then
                perform from class_people k where k.class_id = member_class and k.user_id = owner for share;
                if not found then
                    raise exception 'The owner is not of the class of this account' using errcode = 'check_violation', constraint = 'members_bound';
                end if;
            end if;
            if owner_publish in ('nobody', 'class') then
                perform from class_people k where k.class_id = owner_class and k.user_id = new.user_id and (owner_publish = 'class' or k.role = 'teacher') for share;
                if not found then
                    raise exception 'The member is not of the class of this account' using errcode = 'check_violation', constraint = 'members_bound';
                end if;
            end if;
            return new;
        end $$;
        create trigger project_members_bounded before insert on project_members for each row execute function members_bounded();
    `);
}

/** A release without classes knows no bounds: what they hide is private, and stays so. The accounts become ordinary ones. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger project_members_bounded on project_members;
        drop trigger projects_bounded_insert on projects;
        drop trigger projects_bounded_update on projects;
        drop trigger collections_bounded_insert on collections;
        drop trigger collections_bounded_update on collections;
        drop function members_bounded();
        drop function publish_bounded();
        alter table users drop column publish;
        alter table users drop column managed_by;
        alter table users drop column teacher;
        drop table class_people;
        drop table classes;
    `);
}
