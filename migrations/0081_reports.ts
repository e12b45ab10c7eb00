import type { Knex } from 'knex';

/** Reports of comments and people, and what came of reports. Instances of the previous release know nothing of it. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        -- Reports of comments and people. No foreign keys, as in comments: a comment is in the shard of its project, and people are at project 0.
        create table thing_reports (
            project_id bigint not null,
            type text not null constraint thing_reports_type_known check (type in ('comment', 'user')),
            thing_id bigint not null,
            user_id bigint not null,
            reason text not null
                constraint thing_reports_reason_known check (reason in ('spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other')),
            text text not null constraint thing_reports_text_length check (char_length(text) <= 1000),
            at timestamptz(3) not null default now(),
            -- that of the queue when this was sent: later decisions leave it behind
            round integer not null,
            -- whether its sender was of standing then (HOLD_AFTER)
            trusted boolean not null default false,
            primary key (project_id, type, thing_id, user_id)
        );
        create index thing_reports_user_idx on thing_reports (user_id, at);
        create index thing_reports_trusted_idx on thing_reports (project_id, type, thing_id, round) where trusted;

        -- A row for each comment, and each person, that was ever reported.
        create table thing_report_queue (
            project_id bigint not null,
            type text not null constraint thing_report_queue_type_known check (type in ('comment', 'user')),
            thing_id bigint not null,
            open boolean not null default false,
            -- reports since the last decision
            count bigint not null default 0,
            newest_at timestamptz(3) not null default now(),
            -- decisions so far
            round integer not null default 0,
            decided_at timestamptz(3),
            -- what was decided in each round, from the first on
            outcomes text[] not null default '{}' constraint thing_report_queue_outcomes_known check (array_remove(outcomes, null) <@ array['kept', 'held', 'removed', 'suspended']),
            primary key (project_id, type, thing_id)
        );
        create index thing_report_queue_open_idx on thing_report_queue (type, count, thing_id) where open;

        create function thing_report_forgotten() returns trigger language plpgsql as $$
        begin
            update thing_report_queue set count = count - 1 where project_id = old.project_id and type = old.type and thing_id = old.thing_id and round = old.round;
            return null;
        end $$;
        create trigger thing_reports_forgotten after delete on thing_reports for each row execute function thing_report_forgotten();

        -- For the summary of moderation.
        create function thing_report_counted() returns trigger language plpgsql as $$
        begin
            insert into moderation_counts (project_id, kind, act) values (new.project_id, new.type, 'report');
            return null;
        end $$;
        create trigger thing_reports_counted after insert on thing_reports for each row execute function thing_report_counted();

        -- With an account that is purged, its reports go, and those of it.
        create function reports_of_user_forgotten() returns trigger language plpgsql as $$
        begin
            delete from thing_reports where user_id = old.id;
            delete from thing_reports where project_id = 0 and type = 'user' and thing_id = old.id;
            delete from thing_report_queue where project_id = 0 and type = 'user' and thing_id = old.id;
            return null;
        end $$;
        create trigger users_reports_forgotten after delete on users for each row execute function reports_of_user_forgotten();

        alter table reports add column trusted boolean not null default false;
        create index reports_trusted_idx on reports (project_id, round) where trusted;
        alter table report_queue add column outcomes text[] not null default '{}' constraint report_queue_outcomes_known check (array_remove(outcomes, null) <@ array['kept', 'held', 'removed']);
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        alter table report_queue drop column outcomes;
        alter table reports drop column trusted;
        drop trigger users_reports_forgotten on users;
        drop function reports_of_user_forgotten();
        drop table thing_reports;
        drop table thing_report_queue;
        drop function thing_report_forgotten();
        drop function thing_report_counted();
    `);
}
