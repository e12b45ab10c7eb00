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

/** How many projects after the special ones have 20 pages of 10 elements, as one of those has: more than the service keeps. */
export const richProjects = (projects: number): number => Math.min(1000, Math.floor(projects / 20));

/** Projects in one transaction. */
const AT_ONCE = 250_000;

/**
 * Fills a migrated database without projects with a community of so many, skewed as communities are: a few people
 * own much, one tag is on everything, one project in a hundred is featured. All in sets, triggers off.
 */
export async function fill(db: Knex, projects: number, log: (message: string) => void): Promise<void> {
    const authors = Math.max(100, Math.floor(projects / 10));
    await inSets(db, (trx) => trx.raw(`
        insert into users (username, username_key, language)
        select 'author-' || n, 'author-' || n, (array['en', 'es', 'pt-BR', 'pt', 'ru', 'ar', 'ja', 'hi'])[1 + (n % 8)] from generate_series(1, ?::int) n`, [authors]));
    for (let first = 1; first <= projects; first += AT_ONCE) {
        const last = Math.min(projects, first + AT_ONCE - 1);
        await inSets(db, (trx) => fillRange(trx, { first, last, authors, rich: 3 + richProjects(projects) }));
        log(`filled ${last} of ${projects} projects`);
    }

    await db.raw(`
        insert into featured_tags (tag, projects) select tag, count(*) from featured_projects, unnest(tags) as tag group by tag;
        select setval(pg_get_serial_sequence('projects', 'id'), (select max(id) from projects))`);
    await db.raw('vacuum analyze');
}

async function inSets(db: Knex, work: (trx: Knex.Transaction) => Promise<unknown>): Promise<void> {
    await db.transaction(async (trx) => {
        await trx.raw('set local session_replication_role = replica');
        await trx.raw('set local synchronous_commit = off');
        await work(trx);
    });
}

async function fillRange(trx: Knex.Transaction, range: { first: number; last: number; authors: number; rich: number }): Promise<void> {
    const among = { first: range.first, last: range.last };
    await trx.raw(`
        insert into projects (id, user_id, version, title, description, tags, featured, page_count, created_at, updated_at, change_revision)
        select n, case when n <= 3 then 1 else 1 + floor(power(random(), 3) * (:authors - 1))::bigint end, '1', 'Project number ' || n,
            'Made for the bench #all' || case when n % 1000 = 0 then ' #rare' else '' end || ' #kind' || n % 50,
            array['all'] || case when n % 1000 = 0 then array['rare'] else array[]::text[] end || array['kind' || n % 50],
            n % 100 = 0, case when n = 2 then 100 when n = 3 then 1 when n <= :rich then 20 else 1 end,
            '2026-01-01'::timestamptz + n * interval '1 second', '2026-01-01'::timestamptz + n * interval '1 second', 1
        from generate_series(:first::int, :last::int) n`, range);
    await trx.raw(`
        insert into project_changes (project_id, revision, from_revision, at, author_id, kind, counts)
        select id, 1, 0, created_at, user_id, 'create', '{1,0,0,0,0,0,0}' from projects where id between :first and :last`, among);
    await trx.raw(`
        insert into project_tags (tag, created_at, project_id)
        select tag, created_at, id from projects, unnest(tags) as tag where id between :first and :last`, among);
    await trx.raw(`
        insert into featured_projects (project_id, user_id, tags, language, created_at)
        select p.id, p.user_id, p.tags, lower(u.language), p.created_at
        from projects p join users u on u.id = p.user_id where p.featured and p.id between :first and :last`, among);
    await trx.raw(`
        insert into project_stats (project_id, views, remixes) select id, id % 1000, 0 from projects where id between :first and :last`, among);
    await trx.raw(`
        insert into pages (project_id, project_revision, created_revision, x, y, element_count)
        select p.id, 1, 1, n, 0, case when p.id = 2 then 50 when p.page_count > 1 then 10 else 1 end
        from projects p, generate_series(0, p.page_count - 1) n where p.id between :first and :last order by p.id, n`, among);
    await trx.raw(`
        insert into elements (page_id, project_id, project_revision, created_revision, type, attributes, styles)
        select g.id, g.project_id, 1, 1, 'text', json_build_object('text', 'Some words of element ' || n || ' that a person may have written'),
            json_build_object('left', n, 'top', 2 * n, 'color', '#336699')
        from pages g, generate_series(1, g.element_count) n where g.project_id between :first and :last order by g.id, n`, among);
    // As the service's own writes count it. It would count each project at its first edit, which is no part of an edit.
    await trx.raw(`
        update pages g set page_bytes = octet_length(g.styles::text) + (
            select coalesce(sum(octet_length(e.attributes::text) + octet_length(e.styles::text)), 0) from elements e where e.page_id = g.id)
        where g.project_id between :first and :last`, among);
    await trx.raw(`
        update projects p set counted_revision = p.revision, project_bytes = (select sum(g.page_bytes) from pages g where g.project_id = p.id)
        where p.id between :first and :last`, among);
}

/** The source of these functions, which identifies how a database was filled. */
export const fillText = [fill, fillRange, richProjects].join('\n');
