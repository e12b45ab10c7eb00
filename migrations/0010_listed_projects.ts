import type { Knex } from 'knex';

/** Steps up and down. */
interface Steps {
    up(db: Knex): Promise<void>;
    down(db: Knex): Promise<void>;
}

/**
 * An index of the projects that are listed, for one public list, so that the list costs as much however many others there are. Each is a
 * migration of its own: nobody can write to a project while one is made, for about half a second with a million projects. An instance of
 * the release before goes on using the indexes of migration 0003.
 */
const index = (name: string, columns: string, condition = ''): Steps => ({
    up: async (db) => {
        await db.raw(`create index ${name} on projects (${columns}) where deleted_at is null and visibility = 'public' and held_at is null ${condition}`);
    },
    down: async (db) => {
        await db.raw(`drop index ${name}`);
    }
});

export const newest = index('projects_listed_newest_idx', 'created_at desc, id desc');
export const ofUser = index('projects_listed_user_newest_idx', 'user_id, created_at, id');
export const remixes = index('projects_listed_remixes_newest_idx', 'remixed_from, created_at, id', 'and remixed_from is not null');
