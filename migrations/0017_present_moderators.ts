import type { Knex } from 'knex';

import { writerPresent } from './0015_present_editors';

/**
 * A moderator who is not the owner, and no editor at that moment, may remove and feature: anything else that they were about to write as an editor ends as
 * migration 0015 says. Restoring, undoing and pulling look again themselves, once they have the project's lock; so do bulks.
 *
 * Replaces a function: milliseconds.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw(writerPresent(`u.moderator and (new.change_kind <> 'edit' or (
        new.change_counts[2] + new.change_counts[3] + new.change_counts[5] + new.change_counts[6] = 0 and (new.change_counts[1] = 0 or new.deleted_at is not null)))`));
}

export async function down(db: Knex): Promise<void> {
    await db.raw(writerPresent('u.moderator'));
}
