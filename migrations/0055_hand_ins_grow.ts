import type { Knex } from 'knex';

/** What was handed in only grows: taking a work back is a state with a time, and its points stay. They leave with the project or the account alone. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        alter table works add column taken_back_at timestamptz(3);
        create function works_points_grow() returns trigger language plpgsql as $$
        begin
            raise exception 'Points that were handed in stay in the work' using errcode = 'check_violation', constraint = 'works_points_grow';
        end $$;
        create trigger works_points_grow before update of points, project_id on works for each row
            when (old.points <> '{}' and new.project_id is not null and (new.project_id is distinct from old.project_id or not new.points @> old.points)) execute function works_points_grow();
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger works_points_grow on works;
        drop function works_points_grow();
        alter table works drop column taken_back_at;
    `);
}
