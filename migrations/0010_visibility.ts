import type { Knex } from 'knex';

/** What decides whether public lists show a project: SQL for that, given a row, and the columns that it looks at. */
interface Rule {
    shows(row: 'new' | 'old'): string;
    columns: string;
}

const live: Rule = { shows: (row) => `${row}.deleted_at is null`, columns: 'deleted_at' };

/** `isListed` (src/rules/visibility.ts) says the same. */
const listed: Rule = { shows: (row) => `${row}.deleted_at is null and ${row}.visibility = 'public' and ${row}.held_at is null`, columns: 'deleted_at, visibility, held_at' };

/** SQL that makes the tables of discovery (migration 0003) follow the rule. */
function follow({ shows, columns }: Rule): string {
    const moved = `(${shows('old')}) is distinct from (${shows('new')})`;
    return `
        create or replace function projects_tagged() returns trigger language plpgsql as $$
        begin
            if tg_op = 'UPDATE' then
                delete from project_tags where project_id = new.id;
                update featured_projects set tags = new.tags where project_id = new.id;
            end if;
            if ${shows('new')} then
                insert into project_tags (tag, created_at, project_id)
                    select tag, new.created_at, new.id from unnest(new.tags) as tag;
            end if;
            return null;
        end $$;
        drop trigger projects_tags_update on projects;
        create trigger projects_tags_update after update of tags, ${columns} on projects for each row
            when (old.tags is distinct from new.tags or ${moved})
            execute function projects_tagged();

        create or replace function projects_featured() returns trigger language plpgsql as $$
        begin
            delete from featured_projects where project_id = new.id;
            if ${shows('new')} and new.featured then
                insert into featured_projects (project_id, user_id, tags, language, created_at)
                    select new.id, new.user_id, new.tags, lower(u.language), new.created_at from users u where u.id = new.user_id;
            end if;
            return null;
        end $$;
        drop trigger projects_featured_update on projects;
        create trigger projects_featured_update after update of featured, ${columns} on projects for each row
            when (old.featured is distinct from new.featured or ${moved})
            execute function projects_featured();

        create or replace function projects_remixed() returns trigger language plpgsql as $$
        begin
            if ${shows('new')} then
                insert into project_stats as s (project_id, remixes)
                    select id, 1 from projects where id = new.remixed_from
                    on conflict (project_id) do update set remixes = s.remixes + 1;
            else
                update project_stats set remixes = remixes - 1 where project_id = new.remixed_from;
            end if;
            return null;
        end $$;
        drop trigger projects_remix_insert on projects;
        create trigger projects_remix_insert after insert on projects for each row
            when (new.remixed_from is not null and ${shows('new')})
            execute function projects_remixed();
        drop trigger projects_remix_update on projects;
        create trigger projects_remix_update after update of ${columns} on projects for each row
            when (new.remixed_from is not null and ${moved})
            execute function projects_remixed();`;
}

/** SQL for the function that makes an entry of the trash. `others` is a condition for that it was somebody else who removed the thing. */
const trashes = (others: string): string => `
        create or replace function trashed(thing thing, id bigint, project bigint, since timestamptz) returns void language sql as $$
            insert into trash (user_id, project_id, type, thing_id, deleted_at, deleted_by, moderated)
                select p.user_id, p.id, thing, trashed.id, since, p.changed_by, ${others} from projects p where p.id = project
        $$;`;

const notOwner = 'p.changed_by is distinct from p.user_id';

/**
 * Who may see a project: its visibility, its members, and whether moderators hold it. What is kept for the public lists follows
 * "is listed" from now on, where it followed "is not deleted".
 *
 * The new columns have constants as their defaults, so no row is written.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create type visibility as enum ('public', 'unlisted', 'private');
        alter table projects
            add column visibility visibility not null default 'public',
            -- null if the project is not held
            add column held_at timestamptz(3),
            add column held_reason text;

        create table project_members (
            project_id bigint not null constraint project_members_project_id_fkey references projects on delete cascade,
            user_id bigint not null constraint project_members_user_id_fkey references users on delete cascade,
            role text not null constraint project_members_role check (role in ('editor', 'viewer')),
            since timestamptz(3) not null default now(),
            primary key (project_id, user_id)
        );
        create index project_members_user_id_idx on project_members (user_id, project_id);

        create table project_invitations (
            id bigint generated by default as identity primary key,
            project_id bigint not null constraint project_invitations_project_id_fkey references projects on delete cascade,
            role text not null constraint project_invitations_role check (role in ('editor', 'viewer')),
            -- the SHA-256 of the code
            hash bytea not null constraint project_invitations_hash_key unique constraint project_invitations_hash_length check (octet_length(hash) = 32),
            uses_left integer not null constraint project_invitations_uses check (uses_left >= 0),
            expires_at timestamptz(3) not null
        );
        create index project_invitations_project_id_idx on project_invitations (project_id);
        create index project_invitations_expires_at_idx on project_invitations (expires_at);
    `);
    // What an editor of the project removes is the owner's to restore, as what the owner removes is.
    await db.raw(follow(listed) + trashes(`${notOwner}
                    and not exists (select from project_members m where m.project_id = p.id and m.user_id = p.changed_by and m.role = 'editor')`));
}

/** A release without visibility would show everything to everybody, so what is not for everybody goes to its author's trash; what is held, as removed by a moderator. */
export async function down(db: Knex): Promise<void> {
    await db.raw(`
        update projects set deleted_at = now(), changed_by = case when held_at is null then user_id end
            where deleted_at is null and (visibility = 'private' or held_at is not null);
        update projects set visibility = 'public' where visibility = 'unlisted';
    `);
    await db.raw(follow(live) + trashes(notOwner));
    await db.raw(`
        drop table project_invitations, project_members;
        alter table projects drop column visibility, drop column held_at, drop column held_reason;
        drop type visibility;
    `);
}
