-- The schema of 0.3.0, as pg_dump writes it. It stays as it is: migrations lead from here to what the files schema.sql say.

SET LOCAL check_function_bodies = false;

CREATE TYPE thing AS ENUM (
    'project',
    'page',
    'element'
);

CREATE TYPE visibility AS ENUM (
    'public',
    'unlisted',
    'private'
);

CREATE FUNCTION asset_set_uses_ended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            perform from assets a where a.hash in (select m.hash from asset_set_members m where m.set_id in (select set_id from old_rows)) order by a.hash for no key update;
            update assets a set unused_since = now() where a.hash in (select m.hash from asset_set_members m where m.set_id in (select set_id from old_rows));
            perform from asset_sets s where s.id in (select set_id from old_rows) order by s.id for update;
            with gone as (
                delete from asset_sets s where s.id in (select set_id from old_rows) and not exists (select from asset_set_uses u where u.set_id = s.id) returning s.id)
            delete from asset_set_members m using gone where m.set_id = gone.id;
            return null;
        end $$;

CREATE FUNCTION asset_uses_ended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            perform from assets a where a.hash in (select hash from old_rows) order by a.hash for no key update;
            update assets a set unused_since = now() where a.hash in (select hash from old_rows);
            return null;
        end $$;

CREATE FUNCTION assets_doubted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into asset_doubts (project_id)
                select u.project_id from asset_uses u where u.project_id in (select project_id from old_rows)
                union select u.project_id from asset_set_uses u where u.project_id in (select project_id from old_rows)
                order by project_id
                on conflict do nothing;
            return null;
        end $$;

CREATE FUNCTION assets_in(content text) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE
    AS $$
            select lower(left(piece, 64) collate "C") from unnest(string_to_array(replace(content, '\"asset:', ' '), '"asset:')) as piece where substr(piece, 65, 1) = '"'
        $$;

CREATE FUNCTION assets_shown(thumbnail text) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE STRICT
    AS $_$
            select distinct left(piece, 64)
            from (select piece, n from unnest(string_to_array(thumbnail, '/assets/')) with ordinality as pieces (piece, n)) found
            where n > 1 and left(piece, 64) ~ '^[0-9a-f]{64}$'
        $_$;

CREATE FUNCTION element_of_older_release() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            new.project_id := (select project_id from pages where id = new.page_id);
            new.created_revision := project_revision_of(new.project_id);
            new.project_revision := new.created_revision;
            return new;
        end $$;

CREATE FUNCTION element_trashed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if new.deleted_at is null then
                delete from trash where type = 'element' and thing_id = new.id;
            else
                perform trashed('element', new.id, new.project_id, new.deleted_at);
            end if;
            return null;
        end $$;

CREATE FUNCTION element_uses_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        declare
            wanted text[];
        begin
            wanted := array(select a from (select assets_in(new.attributes::text) as a union select assets_in(new.styles::text)) s
                where not exists (select from asset_uses u where u.project_id = new.project_id and u.hash = a));
            if cardinality(wanted) > 0 then
                perform use_assets(array_fill(new.project_id, array[cardinality(wanted)]), wanted, true);
            end if;
            return null;
        end $$;

CREATE FUNCTION elements_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
                select n.project_id, 'element', n.id, w.field, n.project_revision, coalesce(o.project_revision, 0), o.revision, o.updated_at, o.deleted_at is not null, case w.field
                    when 'attributes' then o.attributes when 'styles' then o.styles end
                from old_rows o full join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
                where n.project_revision is distinct from o.project_revision;
            return null;
        end $$;

CREATE FUNCTION elements_use_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        declare
            remix bigint;
            projects bigint[];
            wanted text[];
        begin
            if not exists (select from new_rows n where position('"asset:' in n.attributes::text) > 0 or position('"asset:' in n.styles::text) > 0) then
                return null;
            end if;
            remix := (select n.project_id from new_rows n limit 1);
            if not exists (select from new_rows n where n.copied_from is null or n.created_revision > 1 or n.project_id <> remix) then
                wanted := array(
                    select a.hash from new_rows n, assets_in(n.attributes::text) as a (hash) where position('"asset:' in n.attributes::text) > 0
                    union select a.hash from new_rows n, assets_in(n.styles::text) as a (hash) where position('"asset:' in n.styles::text) > 0
                    order by hash);
                -- For a few, rows of their own cost less.
                if cardinality(wanted) > 4 then
                    perform use_asset_set(remix, wanted);
                    return null;
                end if;
            end if;
            -- A plan is made for the first statement of a connection, and kept: with "offset 0" it never reads all uses.
            select array_agg(s.project_id), array_agg(s.hash) into projects, wanted from (
                select n.project_id, a.hash from new_rows n, assets_in(n.attributes::text) as a (hash) where position('"asset:' in n.attributes::text) > 0
                union select n.project_id, a.hash from new_rows n, assets_in(n.styles::text) as a (hash) where position('"asset:' in n.styles::text) > 0
                except select n.project_id, u.hash from (select distinct project_id from new_rows) n, lateral (select hash from asset_uses where project_id = n.project_id offset 0) u) s;
            if projects is not null then
                perform use_assets(projects, wanted, true);
            end if;
            return null;
        end $$;

CREATE FUNCTION featured_tags_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            -- Locked in one order, so that two who feature at once do not wait for each other in a circle.
            if tg_op <> 'INSERT' then
                perform from featured_tags where md5(tag) in (select md5(t) from unnest(old.tags) as t) order by md5(tag) for update;
                update featured_tags f set projects = f.projects - 1 from unnest(old.tags) as t where md5(f.tag) = md5(t);
                delete from featured_tags f using unnest(old.tags) as t where md5(f.tag) = md5(t) and f.projects = 0;
            end if;
            if tg_op <> 'DELETE' then
                insert into featured_tags as f (tag, projects) select t, 1 from unnest(new.tags) as t order by md5(t)
                    on conflict (md5(tag)) do update set projects = f.projects + 1;
            end if;
            return null;
        end $$;

CREATE FUNCTION key_of_older_release() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            begin
                new.username_key := lower(new.username collate "C");
                return new;
            end $$;

CREATE FUNCTION log_act(moderator bigint, act text, type text, thing bigint, project bigint, owner bigint, reason text) RETURNS void
    LANGUAGE sql
    AS $$
            insert into moderation_log (moderator_id, moderator_name, act, type, thing_id, project_id, owner_id, owner_name, reason) values (
                log_act.moderator, (select username from users where id = log_act.moderator), act, type, thing, project, owner, (select username from users where id = owner), reason)
        $$;

CREATE FUNCTION moderation_log_kept() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            raise exception 'The moderation log can only grow' using errcode = 'restrict_violation';
        end $$;

CREATE FUNCTION page_of_older_release() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            new.created_revision := project_revision_of(new.project_id);
            new.project_revision := new.created_revision;
            return new;
        end $$;

CREATE FUNCTION page_trashed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if new.deleted_at is null then
                delete from trash where type = 'page' and thing_id = new.id;
            else
                perform trashed('page', new.id, new.project_id, new.deleted_at);
            end if;
            return null;
        end $$;

CREATE FUNCTION page_uses_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        declare
            wanted text[];
        begin
            wanted := array(select a from assets_in(new.styles::text) as a
                where not exists (select from asset_uses u where u.project_id = new.project_id and u.hash = a));
            if cardinality(wanted) > 0 then
                perform use_assets(array_fill(new.project_id, array[cardinality(wanted)]), wanted, true);
            end if;
            return null;
        end $$;

CREATE FUNCTION pages_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
                select n.project_id, 'page', n.id, w.field, n.project_revision, coalesce(o.project_revision, 0), o.revision, o.updated_at, o.deleted_at is not null, case w.field
                    when 'x' then to_json(o.x) when 'y' then to_json(o.y) when 'styles' then o.styles end
                from old_rows o full join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
                where n.project_revision is distinct from o.project_revision;
            return null;
        end $$;

CREATE FUNCTION pages_use_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        declare
            projects bigint[];
            wanted text[];
        begin
            if not exists (select from new_rows n where position('asset:' in n.styles::text) > 0) then
                return null;
            end if;
            select array_agg(s.project_id), array_agg(s.hash) into projects, wanted from (
                select distinct n.project_id, a.hash from new_rows n, lateral assets_in(n.styles::text) as a (hash) where position('asset:' in n.styles::text) > 0
                except select u.project_id, u.hash from asset_uses u where u.project_id in (select project_id from new_rows)) s;
            if projects is not null then
                perform use_assets(projects, wanted, true);
            end if;
            return null;
        end $$;

CREATE FUNCTION prepare_element() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            new.project_id := (select project_id from pages where id = new.page_id);
            new.project_revision := project_revision_of(new.project_id);
            new.written := coalesce(nullif(concat_ws(',', case when new.attributes::text <> old.attributes::text then 'attributes' end,
                case when new.styles::text <> old.styles::text then 'styles' end), ''), 'self');
            return new;
        end $$;

CREATE FUNCTION prepare_page() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            new.project_revision := project_revision_of(new.project_id);
            new.written := coalesce(nullif(concat_ws(',', case when new.x <> old.x then 'x' end, case when new.y <> old.y then 'y' end,
                case when new.styles::text <> old.styles::text then 'styles' end), ''), 'self');
            return new;
        end $$;

CREATE FUNCTION prepare_project() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if old.change_revision is null then
                new.known_since := old.revision;
            end if;
            new.changed_by := new.user_id;
            new.change_kind := 'edit';
            new.change_counts := '{0,0,0,0,0,0,0}';
            new.change_revision := new.revision;
            new.written := coalesce(nullif(concat_ws(',', case when new.title <> old.title then 'title' end, case when new.description <> old.description then 'description' end,
                case when new.tags <> old.tags then 'tags' end, case when new.thumbnail::text <> old.thumbnail::text then 'thumbnail' end), ''), 'self');
            return new;
        end $$;

CREATE FUNCTION present_assets(wanted text[], must_exist boolean) RETURNS text[]
    LANGUAGE plpgsql
    AS $_$
        declare
            present text[] := array(select a.hash from assets a where a.hash = any(wanted) order by a.hash for key share);
            absent text;
        begin
            if must_exist then
                select w.hash into absent from unnest(wanted) with ordinality as w (hash, n)
                    where not exists (select from unnest(present) p where p = w.hash) and w.hash ~ '^[0-9a-f]{64}$' order by n limit 1;
                if absent is not null then
                    raise exception 'There is no asset %', absent using errcode = 'integrity_constraint_violation', constraint = 'assets_exist', detail = absent;
                end if;
            end if;
            return present;
        end $_$;

CREATE FUNCTION project_featured() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            perform log_act(new.changed_by, case when new.featured then 'feature' else 'unfeature' end, 'project', new.id, new.id, new.user_id, null);
            return null;
        end $$;

CREATE FUNCTION project_first_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            new.known_since := old.revision;
            return new;
        end $$;

CREATE FUNCTION project_remix_viewed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into project_views (day, project_id, viewer, weight)
                select (now() at time zone 'UTC')::date, id, sha256(convert_to('remix ' || new.user_id, 'UTF8')), 4
                from projects where id = new.remixed_from and user_id <> new.user_id
                on conflict do nothing;
            return null;
        end $$;

CREATE FUNCTION project_revision_of(project bigint) RETURNS integer
    LANGUAGE sql
    AS $$
            select case when xmin = pg_current_xact_id()::xid then revision else revision + 1 end from projects where id = project
        $$;

CREATE FUNCTION project_search_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into search_queue (project_id) values (new.id);
            return null;
        end $$;

CREATE FUNCTION project_shows_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        declare
            wanted text[];
        begin
            wanted := array(select a from assets_shown(new.thumbnail::text) as a
                where not exists (select from asset_uses u where u.project_id = new.id and u.hash = a));
            if cardinality(wanted) > 0 then
                perform use_assets(array_fill(new.id, array[cardinality(wanted)]), wanted, false);
            end if;
            return null;
        end $$;

CREATE FUNCTION project_thumbnail_authored() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if (select count(*) > 0 and bool_and(coalesce(a.made, false)) from assets_shown(new.thumbnail::text) as h (hash) left join assets a on a.hash = h.hash) then
                new.thumbnail := '{}';
            end if;
            return new;
        end $$;

CREATE FUNCTION project_trashed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if new.deleted_at is null then
                delete from trash where type = 'project' and thing_id = new.id;
            elsif new.deletion_id is null then
                perform trashed('project', new.id, new.id, new.deleted_at);
            end if;
            return null;
        end $$;

CREATE FUNCTION project_writer_present() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if not exists (select from project_members m where m.project_id = new.id and m.user_id = new.changed_by and m.role = 'editor')
                and not exists (select from users u where u.id = new.changed_by and u.moderator and (new.change_kind <> 'edit' or (
        new.change_counts[2] + new.change_counts[3] + new.change_counts[5] + new.change_counts[6] = 0 and (new.change_counts[1] = 0 or new.deleted_at is not null)))) then
                raise exception 'The writer is no editor any more' using errcode = 'serialization_failure';
            end if;
            return null;
        end $$;

CREATE FUNCTION projects_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts, merged)
                select n.id, n.revision, o.revision, n.updated_at, n.changed_by, n.change_kind, n.change_counts, false
                from old_rows o join new_rows n on n.id = o.id where n.revision <> o.revision
                union all
                select o.id, o.revision, 0, o.updated_at, o.user_id, case when o.remixed_from is null then 'create' else 'remix' end, '{1,0,0,0,0,0,0}', o.revision > 1
                from old_rows o join new_rows n on n.id = o.id where o.change_revision is null and n.revision <> o.revision;
            insert into versions (project_id, type, id, field, to_revision, from_revision, revision, updated_at, deleted, value)
                select n.id, 'project', n.id, w.field, n.revision, 0, o.revision, o.updated_at, o.deleted_at is not null, case w.field
                    when 'title' then to_json(o.title) when 'description' then to_json(o.description) when 'tags' then to_json(o.tags) when 'thumbnail' then o.thumbnail when 'remixed_revision' then to_json(o.remixed_revision) end
                from old_rows o join new_rows n on n.id = o.id, unnest(string_to_array(n.written, ',')) as w (field)
                where n.revision <> o.revision and w.field <> 'self';
            return null;
        end $$;

CREATE FUNCTION projects_featured() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            delete from featured_projects where project_id = new.id;
            if new.deleted_at is null and new.visibility = 'public' and new.held_at is null and new.featured then
                insert into featured_projects (project_id, user_id, tags, language, created_at)
                    select new.id, new.user_id, new.tags, lower(u.language), new.created_at from users u where u.id = new.user_id;
            end if;
            return null;
        end $$;

CREATE FUNCTION projects_made() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts)
                select id, revision, 0, updated_at, coalesce(changed_by, user_id), coalesce(change_kind, 'create'), coalesce(change_counts, '{1,0,0,0,0,0,0}') from new_rows
                where change_revision is not null;
            return null;
        end $$;

CREATE FUNCTION projects_remixed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if new.deleted_at is null and new.visibility = 'public' and new.held_at is null then
                insert into project_stats as s (project_id, remixes)
                    select id, 1 from projects where id = new.remixed_from
                    on conflict (project_id) do update set remixes = s.remixes + 1;
            else
                update project_stats set remixes = remixes - 1 where project_id = new.remixed_from;
            end if;
            return null;
        end $$;

CREATE FUNCTION projects_tagged() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            if tg_op = 'UPDATE' then
                delete from project_tags where project_id = new.id;
                update featured_projects set tags = new.tags where project_id = new.id;
            end if;
            if new.deleted_at is null and new.visibility = 'public' and new.held_at is null then
                insert into project_tags (tag, created_at, project_id)
                    select tag, new.created_at, new.id from unnest(new.tags) as tag;
            end if;
            return null;
        end $$;

CREATE FUNCTION projects_viewed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            -- Two of them together, at a and b, are worth as much as one at the later time and as many days later as the logarithm of their sum says.
            insert into trending as t (project_id, at)
                select project_id, now() + interval '24 hours' * (ln(sum(weight)) / ln(2.0)) from new_rows group by project_id order by project_id
                on conflict (project_id) do update set at = greatest(t.at, excluded.at) + interval '24 hours' * (
                    ln(1 + power(2::float8, -least(60, abs(extract(epoch from t.at - excluded.at)::float8) / 86400))) / ln(2::float8));
            return null;
        end $$;

CREATE FUNCTION removal_moderated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            perform log_act(new.deleted_by, 'remove', new.type::text, new.thing_id, new.project_id, new.user_id, nullif(current_setting('pagewright.reason', true), ''));
            return null;
        end $$;

CREATE FUNCTION report_forgotten() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            update report_queue set count = count - 1 where project_id = old.project_id and round = old.round;
            return null;
        end $$;

CREATE FUNCTION size_limit_exceeded() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            raise exception 'more bytes than allowed' using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name, constraint = tg_name;
        end $$;

CREATE FUNCTION trashed(thing thing, id bigint, project bigint, since timestamp with time zone) RETURNS void
    LANGUAGE sql
    AS $$
            insert into trash (user_id, project_id, type, thing_id, deleted_at, deleted_by, moderated)
                select p.user_id, p.id, thing, trashed.id, since, p.changed_by, p.changed_by is distinct from p.user_id
                    and not exists (select from project_members m where m.project_id = p.id and m.user_id = p.changed_by and m.role = 'editor') from projects p where p.id = project
        $$;

CREATE FUNCTION use_asset_set(project bigint, wanted text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
        declare
            wanted_set bytea := sha256(convert_to(array_to_string(wanted, ''), 'UTF8'));
            present text[];
        begin
            loop
                perform from asset_sets s where s.id = wanted_set for key share;
                exit when found;
                present := present_assets(wanted, true);
                insert into asset_sets (id) values (wanted_set) on conflict do nothing;
                if found then
                    insert into asset_set_members (set_id, hash) select wanted_set, p from unnest(present) as p;
                end if;
            end loop;
            insert into asset_set_uses (project_id, set_id) values (project, wanted_set);
        end $$;

CREATE FUNCTION use_assets(projects bigint[], wanted text[], must_exist boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
        declare
            present text[] := present_assets(wanted, must_exist);
            crowded boolean;
        begin
            insert into asset_uses (project_id, hash)
                select distinct w.project_id, w.hash from unnest(projects, wanted) as w (project_id, hash) join unnest(present) as p (hash) on p.hash = w.hash
                order by w.project_id, w.hash
                on conflict do nothing;
            select true into crowded where exists (
                select from (
                    select u.project_id, u.hash from asset_uses u where u.project_id = any(projects)
                    union select u.project_id, m.hash from asset_set_uses u join asset_set_members m on m.set_id = u.set_id where u.project_id = any(projects)
                ) u group by u.project_id having count(*) > 5000);
            if crowded then
                raise exception 'A project uses at most 5000 assets' using errcode = 'check_violation', constraint = 'projects_asset_limit';
            end if;
        end $$;

CREATE FUNCTION user_search_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            insert into search_authors (user_id, done_from) values (new.id, 9223372036854775807)
                on conflict (user_id) do update set done_from = excluded.done_from;
            return null;
        end $$;

CREATE FUNCTION users_language_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
            update featured_projects set language = lower(new.language) where user_id = new.id;
            return null;
        end $$;

CREATE TABLE asset_doubts (
    project_id bigint NOT NULL
);

CREATE TABLE asset_owner (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    place text
);

CREATE TABLE asset_set_members (
    set_id bytea NOT NULL,
    hash text NOT NULL
);

CREATE TABLE asset_set_uses (
    project_id bigint NOT NULL,
    set_id bytea NOT NULL
);

CREATE TABLE asset_sets (
    id bytea NOT NULL
);

CREATE TABLE asset_uses (
    project_id bigint NOT NULL,
    hash text NOT NULL
);

CREATE TABLE assets (
    hash text NOT NULL,
    type text NOT NULL,
    size integer NOT NULL,
    width integer,
    height integer,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    unused_since timestamp(3) with time zone DEFAULT now() NOT NULL,
    made boolean DEFAULT false NOT NULL,
    CONSTRAINT assets_hash CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT assets_size CHECK ((size > 0))
);

CREATE TABLE collection_projects (
    collection_id bigint NOT NULL,
    project_id bigint NOT NULL,
    place bigint NOT NULL
);

CREATE TABLE collections (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    visibility text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT collections_description_length CHECK ((char_length(description) <= 1000)),
    CONSTRAINT collections_title_length CHECK (((char_length(title) >= 1) AND (char_length(title) <= 256))),
    CONSTRAINT collections_visibility CHECK ((visibility = ANY (ARRAY['public'::text, 'unlisted'::text, 'private'::text])))
);

ALTER TABLE collections ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME collections_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE deletions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE elements (
    id bigint NOT NULL,
    page_id bigint NOT NULL,
    type text NOT NULL,
    attributes json DEFAULT '{}'::json NOT NULL,
    styles json DEFAULT '{}'::json NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    project_id bigint,
    project_revision integer,
    created_revision integer,
    written text,
    copied_from bigint,
    CONSTRAINT elements_attributes_object CHECK ((json_typeof(attributes) = 'object'::text)),
    CONSTRAINT elements_attributes_size CHECK ((octet_length((attributes)::text) <= (2097152 + 128))),
    CONSTRAINT elements_revision_positive CHECK ((revision > 0)),
    CONSTRAINT elements_styles_object CHECK ((json_typeof(styles) = 'object'::text)),
    CONSTRAINT elements_styles_size CHECK ((octet_length((styles)::text) <= 2097152)),
    CONSTRAINT elements_type_length CHECK (((char_length(type) >= 1) AND (char_length(type) <= 64)))
)
WITH (fillfactor='80');

ALTER TABLE elements ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME elements_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE featured_projects (
    project_id bigint NOT NULL,
    user_id bigint NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    language text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE featured_tags (
    tag text NOT NULL,
    projects bigint NOT NULL,
    CONSTRAINT featured_tags_projects CHECK ((projects >= 0))
);

CREATE TABLE history_gaps (
    project_id bigint NOT NULL,
    from_revision integer NOT NULL,
    to_revision integer NOT NULL
);

CREATE TABLE idempotency_keys (
    id bytea NOT NULL,
    user_id bigint,
    answer bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_keys_id_length CHECK ((octet_length(id) = 32))
);

CREATE TABLE made_thumbnails (
    project_id bigint NOT NULL,
    revision integer NOT NULL,
    mark uuid NOT NULL,
    private boolean NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE maintenance (
    name text NOT NULL,
    claimed_until timestamp with time zone NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    done_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    filled_to bigint DEFAULT 0 NOT NULL
);

CREATE TABLE moderation_log (
    id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    moderator_id bigint,
    moderator_name text,
    act text NOT NULL,
    type text NOT NULL,
    thing_id bigint NOT NULL,
    project_id bigint,
    owner_id bigint NOT NULL,
    owner_name text NOT NULL,
    reason text,
    CONSTRAINT moderation_log_reason_length CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 1000)))
);

ALTER TABLE moderation_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME moderation_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE pages (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    x integer NOT NULL,
    y integer NOT NULL,
    styles json DEFAULT '{}'::json NOT NULL,
    element_count integer DEFAULT 0 NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    page_bytes bigint DEFAULT 0 NOT NULL,
    project_revision integer,
    created_revision integer,
    written text,
    copied_from bigint,
    CONSTRAINT pages_element_limit CHECK (((element_count >= 0) AND (element_count <= 1000))),
    CONSTRAINT pages_revision_positive CHECK ((revision > 0)),
    CONSTRAINT pages_styles_object CHECK ((json_typeof(styles) = 'object'::text)),
    CONSTRAINT pages_styles_size CHECK ((octet_length((styles)::text) <= 2097152))
)
WITH (fillfactor='80');

ALTER TABLE pages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME pages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE project_changes (
    project_id bigint NOT NULL,
    revision integer NOT NULL,
    from_revision integer NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    author_id bigint,
    kind text NOT NULL,
    counts integer[] NOT NULL,
    label text,
    merged boolean DEFAULT false NOT NULL,
    CONSTRAINT project_changes_forward CHECK ((from_revision < revision)),
    CONSTRAINT project_changes_label_length CHECK (((char_length(label) >= 1) AND (char_length(label) <= 100)))
);

CREATE TABLE project_invitations (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    role text NOT NULL,
    hash bytea NOT NULL,
    uses_left integer NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT project_invitations_hash_length CHECK ((octet_length(hash) = 32)),
    CONSTRAINT project_invitations_role CHECK ((role = ANY (ARRAY['editor'::text, 'viewer'::text]))),
    CONSTRAINT project_invitations_uses CHECK ((uses_left >= 0))
);

ALTER TABLE project_invitations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME project_invitations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE project_members (
    project_id bigint NOT NULL,
    user_id bigint NOT NULL,
    role text NOT NULL,
    since timestamp(3) with time zone DEFAULT now() NOT NULL,
    invitation_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    CONSTRAINT project_members_role CHECK ((role = ANY (ARRAY['editor'::text, 'viewer'::text])))
);

CREATE UNLOGGED TABLE project_presence (
    project_id bigint NOT NULL,
    user_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    page_id bigint,
    cursor_left integer,
    cursor_top integer,
    selected bigint[] NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE project_search (
    project_id bigint NOT NULL,
    words tsvector NOT NULL
);

CREATE TABLE project_stats (
    project_id bigint NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    remixes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT project_stats_counts CHECK (((views >= 0) AND (remixes >= 0)))
)
WITH (fillfactor='50');

CREATE TABLE project_tags (
    tag text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    project_id bigint NOT NULL
);

CREATE TABLE project_views (
    day date NOT NULL,
    project_id bigint NOT NULL,
    viewer bytea NOT NULL,
    weight smallint DEFAULT 1 NOT NULL,
    CONSTRAINT project_views_viewer_length CHECK ((octet_length(viewer) = 32))
);

CREATE TABLE projects (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    remixed_from bigint,
    version text NOT NULL,
    title text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    thumbnail json DEFAULT '{}'::json NOT NULL,
    featured boolean DEFAULT false NOT NULL,
    page_count integer DEFAULT 0 NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    project_bytes bigint DEFAULT 0 NOT NULL,
    counted_revision integer DEFAULT 0 NOT NULL,
    deletion_id bigint,
    written text,
    changed_by bigint,
    change_kind text,
    change_counts integer[],
    change_revision integer,
    remixed_revision integer,
    known_since integer DEFAULT 0 NOT NULL,
    visibility visibility DEFAULT 'public'::visibility NOT NULL,
    held_at timestamp(3) with time zone,
    held_reason text,
    credits json,
    made_thumbnail text,
    CONSTRAINT projects_description_length CHECK ((char_length(description) <= 1000)),
    CONSTRAINT projects_page_limit CHECK (((page_count >= 0) AND (page_count <= 1000))),
    CONSTRAINT projects_revision_positive CHECK ((revision > 0)),
    CONSTRAINT projects_thumbnail_object CHECK ((json_typeof(thumbnail) = 'object'::text)),
    CONSTRAINT projects_title_length CHECK (((char_length(title) >= 1) AND (char_length(title) <= 256)))
)
WITH (fillfactor='80');

ALTER TABLE projects ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME projects_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE rate_limits (
    key character varying(255) NOT NULL,
    points integer DEFAULT 0 NOT NULL,
    expire bigint
);

CREATE TABLE report_queue (
    project_id bigint NOT NULL,
    open boolean DEFAULT false NOT NULL,
    count bigint DEFAULT 0 NOT NULL,
    newest_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    decided_revision integer
);

CREATE TABLE reports (
    project_id bigint NOT NULL,
    user_id bigint NOT NULL,
    reason text NOT NULL,
    text text NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    round integer NOT NULL,
    CONSTRAINT reports_reason_known CHECK ((reason = ANY (ARRAY['spam'::text, 'hurtful'::text, 'dangerous'::text, 'copyright'::text, 'personal'::text, 'other'::text]))),
    CONSTRAINT reports_text_length CHECK ((char_length(text) <= 1000))
);

CREATE TABLE search_authors (
    user_id bigint NOT NULL,
    done_from bigint NOT NULL
);

CREATE TABLE search_progress (
    unfilled bigint NOT NULL
);

CREATE TABLE search_queue (
    id bigint NOT NULL,
    project_id bigint NOT NULL
);

ALTER TABLE search_queue ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME search_queue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE sent_assets (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    hash text NOT NULL,
    size integer NOT NULL,
    sent_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE sent_assets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME sent_assets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE sign_up_codes (
    hash bytea NOT NULL,
    uses_left integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sign_up_codes_hash_length CHECK ((octet_length(hash) = 32)),
    CONSTRAINT sign_up_codes_uses CHECK ((uses_left >= 0))
);

CREATE TABLE thumbnail_progress (
    origin text DEFAULT ''::text NOT NULL,
    claimed_until timestamp with time zone DEFAULT now() NOT NULL,
    done_until timestamp with time zone DEFAULT now() NOT NULL,
    filled_to bigint DEFAULT 0 NOT NULL
);

CREATE TABLE tokens (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    hash bytea NOT NULL,
    scope text[] NOT NULL,
    label text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT tokens_hash_length CHECK ((octet_length(hash) = 32)),
    CONSTRAINT tokens_label_length CHECK (((char_length(label) >= 1) AND (char_length(label) <= 100))),
    CONSTRAINT tokens_scope_known CHECK (((scope <@ ARRAY['user'::text, 'projects'::text]) AND (cardinality(scope) > 0)))
);

ALTER TABLE tokens ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE trash (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    project_id bigint NOT NULL,
    type thing NOT NULL,
    thing_id bigint NOT NULL,
    deleted_at timestamp(3) with time zone NOT NULL,
    deleted_by bigint,
    moderated boolean NOT NULL
);

ALTER TABLE trash ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME trash_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE trending (
    project_id bigint NOT NULL,
    at timestamp(3) with time zone NOT NULL
);

CREATE VIEW used_assets AS
 SELECT asset_uses.project_id,
    asset_uses.hash
   FROM asset_uses
UNION
 SELECT u.project_id,
    m.hash
   FROM (asset_set_uses u
     JOIN asset_set_members m ON ((m.set_id = u.set_id)));

CREATE TABLE users (
    id bigint NOT NULL,
    username text NOT NULL,
    language text DEFAULT 'en'::text NOT NULL,
    password_hash text,
    staff boolean DEFAULT false NOT NULL,
    moderator boolean DEFAULT false NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp(3) with time zone,
    issuer text,
    subject text,
    deletion_id bigint,
    suspended_until timestamp(3) with time zone,
    suspension_reason text,
    username_key text NOT NULL,
    about text DEFAULT ''::text NOT NULL,
    CONSTRAINT users_identity_whole CHECK (((issuer IS NULL) = (subject IS NULL))),
    CONSTRAINT users_identity_without_password CHECK (((issuer IS NULL) OR (password_hash IS NULL))),
    CONSTRAINT users_issuer_length CHECK (((char_length(issuer) >= 1) AND (char_length(issuer) <= 512))),
    CONSTRAINT users_language_length CHECK (((char_length(language) >= 2) AND (char_length(language) <= 20))),
    CONSTRAINT users_revision_positive CHECK ((revision > 0)),
    CONSTRAINT users_subject_shape CHECK ((subject ~ '^[ -~]{1,255}$'::text)),
    CONSTRAINT users_username_shape CHECK (((char_length(username) >= 1) AND (char_length(username) <= 20)))
);

ALTER TABLE users ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE versions (
    project_id bigint NOT NULL,
    type thing NOT NULL,
    id bigint NOT NULL,
    field text NOT NULL,
    to_revision integer NOT NULL,
    from_revision integer NOT NULL,
    revision integer NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    deleted boolean NOT NULL,
    value json
);

CREATE TABLE view_salts (
    day date NOT NULL,
    salt bytea NOT NULL,
    CONSTRAINT view_salts_length CHECK ((octet_length(salt) = 32))
);

INSERT INTO asset_owner DEFAULT VALUES;

INSERT INTO search_progress VALUES (9223372036854775807);

INSERT INTO thumbnail_progress DEFAULT VALUES;

ALTER TABLE ONLY asset_doubts
    ADD CONSTRAINT asset_doubts_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY asset_set_members
    ADD CONSTRAINT asset_set_members_pkey PRIMARY KEY (set_id, hash);

ALTER TABLE ONLY asset_set_uses
    ADD CONSTRAINT asset_set_uses_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY asset_sets
    ADD CONSTRAINT asset_sets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY asset_uses
    ADD CONSTRAINT asset_uses_pkey PRIMARY KEY (project_id, hash);

ALTER TABLE ONLY assets
    ADD CONSTRAINT assets_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY collection_projects
    ADD CONSTRAINT collection_projects_pkey PRIMARY KEY (collection_id, project_id);

ALTER TABLE ONLY collections
    ADD CONSTRAINT collections_pkey PRIMARY KEY (id);

ALTER TABLE ONLY elements
    ADD CONSTRAINT elements_pkey PRIMARY KEY (id);

ALTER TABLE ONLY featured_projects
    ADD CONSTRAINT featured_projects_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY made_thumbnails
    ADD CONSTRAINT made_thumbnails_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY maintenance
    ADD CONSTRAINT maintenance_pkey PRIMARY KEY (name);

ALTER TABLE ONLY moderation_log
    ADD CONSTRAINT moderation_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pages
    ADD CONSTRAINT pages_coordinates_key EXCLUDE USING btree (project_id WITH =, x WITH =, y WITH =) WHERE ((deleted_at IS NULL)) DEFERRABLE;

ALTER TABLE ONLY pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (id);

ALTER TABLE ONLY project_changes
    ADD CONSTRAINT project_changes_pkey PRIMARY KEY (project_id, revision);

ALTER TABLE ONLY project_invitations
    ADD CONSTRAINT project_invitations_hash_key UNIQUE (hash);

ALTER TABLE ONLY project_invitations
    ADD CONSTRAINT project_invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY project_members
    ADD CONSTRAINT project_members_pkey PRIMARY KEY (project_id, user_id);

ALTER TABLE ONLY project_presence
    ADD CONSTRAINT project_presence_pkey PRIMARY KEY (project_id, user_id);

ALTER TABLE ONLY project_search
    ADD CONSTRAINT project_search_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY project_stats
    ADD CONSTRAINT project_stats_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY project_views
    ADD CONSTRAINT project_views_pkey PRIMARY KEY (project_id, viewer, day);

ALTER TABLE ONLY projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);

ALTER TABLE ONLY report_queue
    ADD CONSTRAINT report_queue_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (project_id, user_id);

ALTER TABLE ONLY search_authors
    ADD CONSTRAINT search_authors_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY search_queue
    ADD CONSTRAINT search_queue_pkey PRIMARY KEY (id);

ALTER TABLE ONLY sent_assets
    ADD CONSTRAINT sent_assets_pkey PRIMARY KEY (user_id, hash) INCLUDE (size);

ALTER TABLE ONLY sign_up_codes
    ADD CONSTRAINT sign_up_codes_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);

ALTER TABLE ONLY tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY trash
    ADD CONSTRAINT trash_pkey PRIMARY KEY (id);

ALTER TABLE ONLY trash
    ADD CONSTRAINT trash_thing_key UNIQUE (type, thing_id);

ALTER TABLE ONLY trending
    ADD CONSTRAINT trending_pkey PRIMARY KEY (project_id);

ALTER TABLE users
    ADD CONSTRAINT users_about_length CHECK ((char_length(about) <= 200)) NOT VALID;

ALTER TABLE ONLY users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE users
    ADD CONSTRAINT users_suspension_whole CHECK (
CASE
    WHEN (suspended_until IS NULL) THEN (suspension_reason IS NULL)
    ELSE COALESCE(((char_length(suspension_reason) >= 1) AND (char_length(suspension_reason) <= 1000)), false)
END) NOT VALID;

ALTER TABLE ONLY versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (project_id, type, id, field, to_revision);

ALTER TABLE ONLY view_salts
    ADD CONSTRAINT view_salts_pkey PRIMARY KEY (day);

CREATE INDEX asset_set_members_hash_idx ON asset_set_members USING btree (hash);

CREATE INDEX asset_set_uses_set_id_idx ON asset_set_uses USING btree (set_id);

CREATE INDEX asset_uses_hash_idx ON asset_uses USING btree (hash);

CREATE INDEX assets_unused_since_idx ON assets USING btree (unused_since);

CREATE INDEX collection_projects_place_idx ON collection_projects USING btree (collection_id, place);

CREATE INDEX collection_projects_project_id_idx ON collection_projects USING btree (project_id);

CREATE INDEX collections_user_newest_idx ON collections USING btree (user_id, id);

CREATE INDEX elements_page_id_idx ON elements USING btree (page_id, id);

CREATE INDEX featured_language_idx ON featured_projects USING btree (language, created_at, project_id);

CREATE INDEX featured_newest_idx ON featured_projects USING btree (created_at DESC, project_id DESC);

CREATE INDEX featured_tags_most_used_idx ON featured_tags USING btree (projects DESC, "left"(tag, 100));

CREATE UNIQUE INDEX featured_tags_tag_key ON featured_tags USING btree (md5(tag));

CREATE INDEX featured_user_id_idx ON featured_projects USING btree (user_id);

CREATE INDEX history_gaps_project_id_idx ON history_gaps USING btree (project_id);

CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys USING btree (created_at);

CREATE INDEX idempotency_keys_user_id_idx ON idempotency_keys USING btree (user_id);

CREATE INDEX moderation_log_reads_idx ON moderation_log USING btree (moderator_id, act, thing_id, at) WHERE (act ~~ 'read%'::text);

CREATE INDEX pages_project_id_idx ON pages USING btree (project_id, id);

CREATE INDEX project_changes_at_idx ON project_changes USING brin (at);

CREATE INDEX project_invitations_expires_at_idx ON project_invitations USING btree (expires_at);

CREATE INDEX project_invitations_project_id_idx ON project_invitations USING btree (project_id);

CREATE INDEX project_members_user_id_idx ON project_members USING btree (user_id, project_id);

CREATE INDEX project_search_words_idx ON project_search USING gin (words) WITH (fastupdate=off);

CREATE INDEX project_tags_newest_idx ON project_tags USING btree (hashtextextended(tag, (0)::bigint), created_at, project_id);

CREATE INDEX project_tags_project_id_idx ON project_tags USING btree (project_id);

CREATE INDEX project_views_day_idx ON project_views USING btree (day);

CREATE INDEX projects_listed_newest_idx ON projects USING btree (created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (visibility = 'public'::visibility) AND (held_at IS NULL));

CREATE INDEX projects_listed_remixes_newest_idx ON projects USING btree (remixed_from, created_at, id) WHERE ((deleted_at IS NULL) AND (visibility = 'public'::visibility) AND (held_at IS NULL) AND (remixed_from IS NOT NULL));

CREATE INDEX projects_listed_user_newest_idx ON projects USING btree (user_id, created_at, id) WHERE ((deleted_at IS NULL) AND (visibility = 'public'::visibility) AND (held_at IS NULL));

CREATE INDEX projects_newest_idx ON projects USING btree (created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX projects_remixes_newest_idx ON projects USING btree (remixed_from, created_at, id) WHERE ((deleted_at IS NULL) AND (remixed_from IS NOT NULL));

CREATE INDEX projects_user_newest_idx ON projects USING btree (user_id, created_at, id);

CREATE INDEX rate_limits_expire_idx ON rate_limits USING btree (expire);

CREATE INDEX report_queue_open_idx ON report_queue USING btree (count, project_id) WHERE open;

CREATE INDEX reports_user_idx ON reports USING btree (user_id, at);

CREATE INDEX sent_assets_hash_idx ON sent_assets USING btree (hash);

CREATE INDEX sent_assets_newest_idx ON sent_assets USING btree (user_id, id);

CREATE INDEX tokens_user_id_idx ON tokens USING btree (user_id, id DESC);

CREATE INDEX trash_deleted_at_idx ON trash USING btree (deleted_at);

CREATE INDEX trash_user_newest_idx ON trash USING btree (user_id, id);

CREATE INDEX trending_newest_idx ON trending USING btree (at, project_id);

CREATE UNIQUE INDEX users_identity_key ON users USING btree (issuer, subject) WHERE (issuer IS NOT NULL);

CREATE INDEX users_moderators_idx ON users USING btree (id) WHERE (moderator AND (deleted_at IS NULL));

CREATE UNIQUE INDEX users_username_key ON users USING btree (lower(username));

CREATE UNIQUE INDEX users_username_key_key ON users USING btree (username_key);

CREATE TRIGGER asset_set_uses_delete AFTER DELETE ON asset_set_uses REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION asset_set_uses_ended();

CREATE TRIGGER asset_uses_delete AFTER DELETE ON asset_uses REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION asset_uses_ended();

CREATE TRIGGER elements_assets_delete AFTER DELETE ON elements REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION assets_doubted();

CREATE TRIGGER elements_assets_insert AFTER INSERT ON elements REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION elements_use_assets();

CREATE TRIGGER elements_assets_update AFTER UPDATE OF attributes, styles ON elements FOR EACH ROW WHEN ((((POSITION(('attributes'::text) IN (new.written)) > 0) AND (POSITION(('asset:'::text) IN ((new.attributes)::text)) > 0)) OR ((POSITION(('styles'::text) IN (new.written)) > 0) AND (POSITION(('asset:'::text) IN ((new.styles)::text)) > 0)))) EXECUTE FUNCTION element_uses_assets();

CREATE TRIGGER elements_history_update AFTER UPDATE ON elements REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION elements_changed();

CREATE TRIGGER elements_prepare BEFORE UPDATE ON elements FOR EACH ROW WHEN (((new.revision <> old.revision) AND (NOT (new.project_revision IS DISTINCT FROM old.project_revision)))) EXECUTE FUNCTION prepare_element();

CREATE TRIGGER elements_prepare_insert BEFORE INSERT ON elements FOR EACH ROW WHEN ((new.created_revision IS NULL)) EXECUTE FUNCTION element_of_older_release();

CREATE TRIGGER elements_trash AFTER UPDATE OF deleted_at ON elements FOR EACH ROW WHEN (((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL))) EXECUTE FUNCTION element_trashed();

CREATE TRIGGER featured_projects_tags AFTER INSERT OR DELETE OR UPDATE OF tags ON featured_projects FOR EACH ROW EXECUTE FUNCTION featured_tags_counted();

CREATE TRIGGER moderation_log_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON moderation_log FOR EACH STATEMENT EXECUTE FUNCTION moderation_log_kept();

CREATE TRIGGER pages_assets_delete AFTER DELETE ON pages REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION assets_doubted();

CREATE TRIGGER pages_assets_insert AFTER INSERT ON pages REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION pages_use_assets();

CREATE TRIGGER pages_assets_update AFTER UPDATE OF styles ON pages FOR EACH ROW WHEN (((POSITION(('styles'::text) IN (new.written)) > 0) AND (POSITION(('asset:'::text) IN ((new.styles)::text)) > 0))) EXECUTE FUNCTION page_uses_assets();

CREATE TRIGGER pages_history_update AFTER UPDATE ON pages REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION pages_changed();

CREATE TRIGGER pages_prepare BEFORE UPDATE ON pages FOR EACH ROW WHEN (((new.revision <> old.revision) AND (NOT (new.project_revision IS DISTINCT FROM old.project_revision)))) EXECUTE FUNCTION prepare_page();

CREATE TRIGGER pages_prepare_insert BEFORE INSERT ON pages FOR EACH ROW WHEN ((new.created_revision IS NULL)) EXECUTE FUNCTION page_of_older_release();

CREATE TRIGGER pages_size_limit AFTER UPDATE OF page_bytes ON pages FOR EACH ROW WHEN (((new.page_bytes > 33554432) AND (new.page_bytes > old.page_bytes) AND (new.revision <> old.revision))) EXECUTE FUNCTION size_limit_exceeded();

CREATE TRIGGER pages_size_limit_new AFTER INSERT ON pages FOR EACH ROW WHEN ((new.page_bytes > 33554432)) EXECUTE FUNCTION size_limit_exceeded();

CREATE TRIGGER pages_trash AFTER UPDATE OF deleted_at ON pages FOR EACH ROW WHEN (((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL))) EXECUTE FUNCTION page_trashed();

CREATE TRIGGER project_views_trend AFTER INSERT ON project_views REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION projects_viewed();

CREATE TRIGGER projects_assets_insert AFTER INSERT ON projects FOR EACH ROW WHEN ((POSITION(('/assets/'::text) IN ((new.thumbnail)::text)) > 0)) EXECUTE FUNCTION project_shows_assets();

CREATE TRIGGER projects_assets_update AFTER UPDATE OF thumbnail ON projects FOR EACH ROW WHEN (((POSITION(('thumbnail'::text) IN (new.written)) > 0) AND (POSITION(('/assets/'::text) IN ((new.thumbnail)::text)) > 0))) EXECUTE FUNCTION project_shows_assets();

CREATE TRIGGER projects_feature_logged AFTER UPDATE OF featured ON projects FOR EACH ROW WHEN (((old.featured <> new.featured) AND (new.change_kind = 'feature'::text))) EXECUTE FUNCTION project_featured();

CREATE TRIGGER projects_featured_insert AFTER INSERT ON projects FOR EACH ROW WHEN (new.featured) EXECUTE FUNCTION projects_featured();

CREATE TRIGGER projects_featured_update AFTER UPDATE OF featured, deleted_at, visibility, held_at ON projects FOR EACH ROW WHEN (((old.featured IS DISTINCT FROM new.featured) OR (((old.deleted_at IS NULL) AND (old.visibility = 'public'::visibility) AND (old.held_at IS NULL)) IS DISTINCT FROM ((new.deleted_at IS NULL) AND (new.visibility = 'public'::visibility) AND (new.held_at IS NULL))))) EXECUTE FUNCTION projects_featured();

CREATE TRIGGER projects_history_begins BEFORE UPDATE ON projects FOR EACH ROW WHEN (((old.change_revision IS NULL) AND (new.change_revision IS NOT NULL))) EXECUTE FUNCTION project_first_changed();

CREATE TRIGGER projects_history_insert AFTER INSERT ON projects REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION projects_made();

CREATE TRIGGER projects_history_update AFTER UPDATE ON projects REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION projects_changed();

CREATE TRIGGER projects_prepare BEFORE UPDATE ON projects FOR EACH ROW WHEN (((new.revision <> old.revision) AND (new.change_revision IS DISTINCT FROM new.revision))) EXECUTE FUNCTION prepare_project();

CREATE TRIGGER projects_remix_insert AFTER INSERT ON projects FOR EACH ROW WHEN (((new.remixed_from IS NOT NULL) AND (new.deleted_at IS NULL) AND (new.visibility = 'public'::visibility) AND (new.held_at IS NULL))) EXECUTE FUNCTION projects_remixed();

CREATE TRIGGER projects_remix_update AFTER UPDATE OF deleted_at, visibility, held_at ON projects FOR EACH ROW WHEN (((new.remixed_from IS NOT NULL) AND (((old.deleted_at IS NULL) AND (old.visibility = 'public'::visibility) AND (old.held_at IS NULL)) IS DISTINCT FROM ((new.deleted_at IS NULL) AND (new.visibility = 'public'::visibility) AND (new.held_at IS NULL))))) EXECUTE FUNCTION projects_remixed();

CREATE TRIGGER projects_search_insert AFTER INSERT ON projects FOR EACH ROW WHEN ((new.visibility = 'public'::visibility)) EXECUTE FUNCTION project_search_changed();

CREATE TRIGGER projects_search_update AFTER UPDATE OF title, description, tags, visibility, held_at, deleted_at ON projects FOR EACH ROW WHEN ((((((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description)) OR (old.visibility IS DISTINCT FROM new.visibility)) OR ((old.held_at IS NULL) IS DISTINCT FROM (new.held_at IS NULL))) OR ((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL)))) EXECUTE FUNCTION project_search_changed();

CREATE TRIGGER projects_size_limit AFTER UPDATE OF project_bytes ON projects FOR EACH ROW WHEN (((new.project_bytes > 268435456) AND (new.project_bytes > old.project_bytes) AND (new.revision <> old.revision))) EXECUTE FUNCTION size_limit_exceeded();

CREATE TRIGGER projects_size_limit_new AFTER INSERT ON projects FOR EACH ROW WHEN ((new.project_bytes > 268435456)) EXECUTE FUNCTION size_limit_exceeded();

CREATE TRIGGER projects_tags_insert AFTER INSERT ON projects FOR EACH ROW WHEN ((cardinality(new.tags) > 0)) EXECUTE FUNCTION projects_tagged();

CREATE TRIGGER projects_tags_update AFTER UPDATE OF tags, deleted_at, visibility, held_at ON projects FOR EACH ROW WHEN (((old.tags IS DISTINCT FROM new.tags) OR (((old.deleted_at IS NULL) AND (old.visibility = 'public'::visibility) AND (old.held_at IS NULL)) IS DISTINCT FROM ((new.deleted_at IS NULL) AND (new.visibility = 'public'::visibility) AND (new.held_at IS NULL))))) EXECUTE FUNCTION projects_tagged();

CREATE TRIGGER projects_thumbnail_insert BEFORE INSERT ON projects FOR EACH ROW WHEN ((POSITION(('/assets/'::text) IN ((new.thumbnail)::text)) > 0)) EXECUTE FUNCTION project_thumbnail_authored();

CREATE TRIGGER projects_thumbnail_update BEFORE UPDATE ON projects FOR EACH ROW WHEN (((POSITION(('/assets/'::text) IN ((new.thumbnail)::text)) > 0) AND ((new.thumbnail)::text <> (old.thumbnail)::text))) EXECUTE FUNCTION project_thumbnail_authored();

CREATE TRIGGER projects_trash AFTER UPDATE OF deleted_at ON projects FOR EACH ROW WHEN (((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL))) EXECUTE FUNCTION project_trashed();

CREATE TRIGGER projects_view_insert AFTER INSERT ON projects FOR EACH ROW WHEN ((new.remixed_from IS NOT NULL)) EXECUTE FUNCTION project_remix_viewed();

CREATE TRIGGER projects_writer_present AFTER UPDATE OF revision ON projects FOR EACH ROW WHEN (((new.revision > old.revision) AND (new.changed_by <> new.user_id))) EXECUTE FUNCTION project_writer_present();

CREATE TRIGGER reports_forgotten AFTER DELETE ON reports FOR EACH ROW EXECUTE FUNCTION report_forgotten();

CREATE TRIGGER trash_removal_logged AFTER INSERT ON trash FOR EACH ROW WHEN (new.moderated) EXECUTE FUNCTION removal_moderated();

CREATE TRIGGER users_key_of_older_release BEFORE INSERT OR UPDATE OF username ON users FOR EACH ROW WHEN ((new.username ~ '^[A-Za-z0-9_-]+$'::text)) EXECUTE FUNCTION key_of_older_release();

CREATE TRIGGER users_language_update AFTER UPDATE OF language ON users FOR EACH ROW WHEN ((old.language IS DISTINCT FROM new.language)) EXECUTE FUNCTION users_language_changed();

CREATE TRIGGER users_search_update AFTER UPDATE OF username, language ON users FOR EACH ROW WHEN (((old.username IS DISTINCT FROM new.username) OR (old.language IS DISTINCT FROM new.language))) EXECUTE FUNCTION user_search_changed();

CREATE TRIGGER versions_assets_delete AFTER DELETE ON versions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION assets_doubted();

ALTER TABLE ONLY collection_projects
    ADD CONSTRAINT collection_projects_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(id) ON DELETE CASCADE;

ALTER TABLE ONLY collection_projects
    ADD CONSTRAINT collection_projects_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY collections
    ADD CONSTRAINT collections_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY elements
    ADD CONSTRAINT elements_page_id_fkey FOREIGN KEY (page_id) REFERENCES pages(id) ON DELETE CASCADE;

ALTER TABLE ONLY featured_projects
    ADD CONSTRAINT featured_projects_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT idempotency_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY pages
    ADD CONSTRAINT pages_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY project_invitations
    ADD CONSTRAINT project_invitations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY project_members
    ADD CONSTRAINT project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY project_members
    ADD CONSTRAINT project_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY project_stats
    ADD CONSTRAINT project_stats_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY project_tags
    ADD CONSTRAINT project_tags_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY project_views
    ADD CONSTRAINT project_views_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY projects
    ADD CONSTRAINT projects_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY report_queue
    ADD CONSTRAINT report_queue_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY reports
    ADD CONSTRAINT reports_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY reports
    ADD CONSTRAINT reports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY sent_assets
    ADD CONSTRAINT sent_assets_hash_fkey FOREIGN KEY (hash) REFERENCES assets(hash) ON DELETE CASCADE;

ALTER TABLE ONLY sent_assets
    ADD CONSTRAINT sent_assets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY tokens
    ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY trash
    ADD CONSTRAINT trash_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
