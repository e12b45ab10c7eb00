import type { Knex } from 'knex';

/** Ids that scenarios ask for, by what is at them. */
export const special = {
    user: '1',
    /** 20 pages of 10 elements */
    pages: '1',
    /** 100 pages of 50 elements */
    large: '2',
    /** one that everybody views */
    viral: '3'
} as const;

/** The tag that every project carries, and one that every thousandth does. */
export const tags = { common: 'all', rare: 'rare' } as const;

/**
 * Fills an empty, migrated database with a community of so many projects, skewed as communities are: a few people
 * own much, one tag is on everything, one project in a hundred is featured. All in sets, triggers off.
 */
export async function fill(db: Knex, projects: number): Promise<void> {
    const authors = Math.max(100, Math.floor(projects / 10));
    await db.transaction(async (trx) => {
        await trx.raw('set local session_replication_role = replica');
        await trx.raw(`
            insert into users (username, language)
            select 'author-' || n, (array['en', 'es', 'pt-BR', 'pt', 'ru', 'ar', 'ja', 'hi'])[1 + (n % 8)] from generate_series(1, ?::int) n`, [authors]);
        await trx.raw(`
            insert into projects (user_id, version, title, description, tags, featured, page_count, created_at, updated_at)
            select case when n <= 3 then 1 else 1 + floor(power(random(), 3) * (:authors - 1))::bigint end, '1', 'Project number ' || n,
                'Made for the bench #all' || case when n % 1000 = 0 then ' #rare' else '' end || ' #kind' || n % 50,
                array['all'] || case when n % 1000 = 0 then array['rare'] else array[]::text[] end || array['kind' || n % 50],
                n % 100 = 0, case n when 1 then 20 when 2 then 100 else 1 end,
                '2026-01-01'::timestamptz + n * interval '1 second', '2026-01-01'::timestamptz + n * interval '1 second'
            from generate_series(1, :projects::int) n`, { authors, projects });
        await trx.raw(`
            insert into project_tags (tag, created_at, project_id) select tag, created_at, id from projects, unnest(tags) as tag`);
        await trx.raw(`
            insert into featured_projects (project_id, user_id, language, created_at)
            select p.id, p.user_id, lower(u.language), p.created_at from projects p join users u on u.id = p.user_id where p.featured`);
        await trx.raw(`
            insert into project_stats (project_id, views, remixes) select id, id % 1000, 0 from projects`);
        await trx.raw(`
            insert into pages (project_id, x, y, element_count)
            select p.id, n, 0, case p.id when 1 then 10 when 2 then 50 else 1 end from projects p, generate_series(0, p.page_count - 1) n order by p.id, n`);
        await trx.raw(`
            insert into elements (page_id, type, attributes, styles)
            select g.id, 'text', json_build_object('text', 'Some words of element ' || n || ' that a person may have written'),
                json_build_object('left', n, 'top', 2 * n, 'color', '#336699')
            from pages g, generate_series(1, g.element_count) n order by g.id, n`);
    });
    await db.raw('vacuum analyze');
}
