import type { Knex } from 'knex';

/** Notes by which invitations a member joined, so that a removal can withdraw them. A member from before joined by none that is known. A column with a default, which takes no time. */
export async function up(db: Knex): Promise<void> {
    await db.raw(`alter table project_members add column invitation_ids bigint[] not null default '{}'`);
}

export async function down(db: Knex): Promise<void> {
    await db.raw('alter table project_members drop column invitation_ids');
}
