import type { Knex } from 'knex';

/**
 * Whether a writer still has what they had when their request came: the token, if it is one of ours, the account, and the moderator's rights if they write by those.
 *
 * A statement sees what was committed before it began, and not what was while it waited for a lock. A function like this one does (migration 0015). A new function alone: instances
 * of the previous release do not call it.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(`
        create function writer_present(token bytea, writer bigint, moderates boolean) returns boolean language plpgsql as $$
        begin
            return exists (
                select from users u where u.id = writer and u.deleted_at is null and (u.moderator or not moderates)
                    and (u.suspended_until > now() and not u.moderator) is not true and (u.paused_until > now()) is not true
            ) and (token is null or exists (select from tokens t where t.hash = token and t.user_id = writer));
        end $$
    `);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('drop function writer_present(bytea, bigint, boolean)');
}
