import type { Knex } from 'knex';

/**
 * Whoever changes a project that is not theirs must be one of its editors, or a moderator, at that moment.
 *
 * A statement finds out who may write before it waits for the project's lock, and does not see what was committed while it waited: somebody who was
 * removed meanwhile would still write. A function like this sees that. It ends the write as if two transactions were in each other's way,
 * so the service tries it again (src/database/statements/retry.ts), and then finds out what the caller may do now. It looks at nothing if an owner writes.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        ${writerPresent('u.moderator')};
        create trigger projects_writer_present after update of revision on projects for each row
            when (new.revision > old.revision and new.changed_by <> new.user_id)
            execute function project_writer_present();
    `);
}

/** SQL for the function. `otherwise` is a condition for a writer, the user in the row `u`, who is no editor. */
export const writerPresent = (otherwise: string): string => `
        create or replace function project_writer_present() returns trigger language plpgsql as $$
        begin
            if not exists (select from project_members m where m.project_id = new.id and m.user_id = new.changed_by and m.role = 'editor')
                and not exists (select from users u where u.id = new.changed_by and ${otherwise}) then
                raise exception 'The writer is no editor any more' using errcode = 'serialization_failure';
            end if;
            return null;
        end $$`;

export async function down(db: Knex): Promise<void> {
    await db.raw(`
        drop trigger projects_writer_present on projects;
        drop function project_writer_present();
    `);
}
