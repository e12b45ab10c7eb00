import type { Knex } from 'knex';

/**
 * The words of an author's name have a place of their own in the index of the search, where one statement changes them in many projects. All
 * projects are indexed again in the background, the newest first; until then they are found as before.
 */
export async function up(db: Knex): Promise<void> {
    await db.raw('update search_progress set unfilled = 9223372036854775807');
}

export const down = up;
