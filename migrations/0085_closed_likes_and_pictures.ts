import type { Knex } from 'knex';

/** Statements about pictures, and likes of closed accounts. Instances of the previous release state nothing about pictures, and count such likes. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table statements drop constraint statements_type_known;
        alter table statements add constraint statements_type_known check (type in ('project', 'page', 'element', 'comment', 'user', 'picture'));
        -- the SHA-256 of the picture that it is about
        alter table statements add column picture text;
        alter table statements add constraint statements_picture_named check ((type = 'picture') = (picture is not null));
        create index statements_picture_idx on statements (project_id, picture) where picture is not null;
        drop function add_statement(bigint, bigint, text, text, bigint, text, text, text, bigint, timestamptz, timestamptz);
        drop function end_statements(bigint, text, text, bigint, bigint);
        create function add_statement(
            of_project bigint, person bigint, of_decision text, of_type text, of_thing bigint, of_rule text, of_reason text, of_facts text, by_id bigint, ends timestamptz, reported timestamptz,
            of_picture text default null
        ) returns bigint language plpgsql as $$
        declare
            made bigint;
        begin
            select s.id into made from statements s
                where s.project_id = of_project and s.type = of_type and s.thing_id = of_thing and s.decision = of_decision and s.ended_at is null
                    and s.user_id = person and s.moderator_id = by_id and s.rule = of_rule and s.reason = of_reason and s.until is not distinct from ends
                    and s.picture is not distinct from of_picture;
            if found then
                return made;
            end if;
            update statements set ended_at = now()
                where project_id = of_project and type = of_type and thing_id = of_thing and decision = of_decision and ended_at is null
                    and picture is not distinct from of_picture;
            insert into statements (project_id, user_id, decision, type, thing_id, rule, reason, facts, moderator_id, until, picture)
                values (of_project, person, of_decision, of_type, of_thing, of_rule, of_reason, of_facts, by_id, ends, of_picture) returning id into made;
            insert into notice_events (project_id, user_id, kind, by_id, thing_id) values (of_project, person, 'decision', null, made);
            insert into moderation_counts (project_id, kind, act, hours) values (
                of_project, case when of_type in ('comment', 'user') then of_type else 'project' end, of_decision, ceil(extract(epoch from now() - reported) / 3600)::integer);
            return made;
        end $$;
        create function end_statements(
            of_project bigint, of_decision text, of_type text, of_thing bigint, taken_back_by bigint, of_picture text default null
        ) returns void language plpgsql as $$
        declare
            s record;
            is_open boolean;
        begin
            for s in
                select * from statements
                    where project_id = of_project and type = of_type and (picture = of_picture or of_picture is null and thing_id = of_thing) and decision = of_decision
                        and (ended_at is null or (appealed_at is not null and outcome is null))
                    order by id for update
            loop
                is_open := s.appealed_at is not null and s.outcome is null;
                if is_own_decision(taken_back_by, s.user_id, case when is_open then s.moderator_id end) then
                    raise exception 'Somebody else has to decide' using errcode = 'check_violation', constraint = 'statements_own_decision';
                end if;
                update statements set ended_at = coalesce(ended_at, now()) where project_id = s.project_id and id = s.id;
                if is_open then
                    update statements set outcome = 'reversed', decided_by = taken_back_by, decided_at = now() where project_id = s.project_id and id = s.id;
                    insert into notice_events (project_id, user_id, kind, by_id, thing_id) values (s.project_id, s.user_id, 'appeal', null, s.id);
                end if;
            end loop;
        end $$;
        -- whether their account is: it is not counted then
        alter table project_likes add column closed boolean not null default false;
        create index project_likes_counted_idx on project_likes (project_id) where not closed;
        update project_likes set closed = true where user_id in (select id from users where deleted_at is not null);
        create function likes_closed() returns trigger language plpgsql as $$
        begin
            update project_likes set closed = new.deleted_at is not null where user_id = new.id;
            return null;
        end $$;
        create trigger users_likes_closed after update of deleted_at on users for each row
            when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function likes_closed();
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger users_likes_closed on users;
        drop function likes_closed();
        drop index project_likes_counted_idx;
        alter table project_likes drop column closed;
        drop function add_statement(bigint, bigint, text, text, bigint, text, text, text, bigint, timestamptz, timestamptz, text);
        drop function end_statements(bigint, text, text, bigint, bigint, text);
        delete from statements where type = 'picture';
        drop index statements_picture_idx;
        alter table statements drop constraint statements_picture_named;
        alter table statements drop column picture;
        alter table statements drop constraint statements_type_known;
        alter table statements add constraint statements_type_known check (type in ('project', 'page', 'element', 'comment', 'user'));
        create function add_statement(
            of_project bigint, person bigint, of_decision text, of_type text, of_thing bigint, of_rule text, of_reason text, of_facts text, by_id bigint, ends timestamptz, reported timestamptz
        ) returns bigint language plpgsql as $$
        declare
            made bigint;
        begin
            select s.id into made from statements s
                where s.project_id = of_project and s.type = of_type and s.thing_id = of_thing and s.decision = of_decision and s.ended_at is null
                    and s.user_id = person and s.moderator_id = by_id and s.rule = of_rule and s.reason = of_reason and s.until is not distinct from ends;
            if found then
                return made;
            end if;
            update statements set ended_at = now()
                where project_id = of_project and type = of_type and thing_id = of_thing and decision = of_decision and ended_at is null;
            insert into statements (project_id, user_id, decision, type, thing_id, rule, reason, facts, moderator_id, until)
                values (of_project, person, of_decision, of_type, of_thing, of_rule, of_reason, of_facts, by_id, ends) returning id into made;
            insert into notice_events (project_id, user_id, kind, by_id, thing_id) values (of_project, person, 'decision', null, made);
            insert into moderation_counts (project_id, kind, act, hours) values (
                of_project, case when of_type in ('comment', 'user') then of_type else 'project' end, of_decision, ceil(extract(epoch from now() - reported) / 3600)::integer);
            return made;
        end $$;
        create function end_statements(of_project bigint, of_decision text, of_type text, of_thing bigint, taken_back_by bigint) returns void language plpgsql as $$
        declare
            s record;
            is_open boolean;
        begin
            for s in
                select * from statements
                    where project_id = of_project and type = of_type and thing_id = of_thing and decision = of_decision
                        and (ended_at is null or (appealed_at is not null and outcome is null))
                    order by id for update
            loop
                is_open := s.appealed_at is not null and s.outcome is null;
                if is_own_decision(taken_back_by, s.user_id, case when is_open then s.moderator_id end) then
                    raise exception 'Somebody else has to decide' using errcode = 'check_violation', constraint = 'statements_own_decision';
                end if;
                update statements set ended_at = coalesce(ended_at, now()) where project_id = s.project_id and id = s.id;
                if is_open then
                    update statements set outcome = 'reversed', decided_by = taken_back_by, decided_at = now() where project_id = s.project_id and id = s.id;
                    insert into notice_events (project_id, user_id, kind, by_id, thing_id) values (s.project_id, s.user_id, 'appeal', null, s.id);
                end if;
            end loop;
        end $$;
    `);
}
