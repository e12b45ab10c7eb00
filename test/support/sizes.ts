import type { Knex } from 'knex';

/** SQL for a JSON object that has this many bytes as text, and takes little space in the database. */
export const jsonOf = (bytes: number): string => `('{"a":"' || repeat('x', ${bytes - 8}) || '"}')::json`;

/** Counts the bytes of a project and of its pages, after things were inserted by SQL. */
export async function recount(db: Knex, projectId: string): Promise<void> {
    await db.raw(`
        update pages g set page_bytes = octet_length(g.styles::text) + coalesce((
            select sum(octet_length(e.attributes::text) + octet_length(e.styles::text)) from elements e where e.project_id = g.project_id and e.page_id = g.id and e.deleted_at is null), 0)
        where g.project_id = ?`, [projectId]);
    await db.raw('update projects p set project_bytes = coalesce((select sum(g.page_bytes) from pages g where g.project_id = p.id and g.deleted_at is null), 0) where p.id = ?', [projectId]);
}

/** Inserts elements with attributes of this many bytes by SQL. */
export async function putElements(db: Knex, pageId: string, count: number, bytes: number, stylesBytes = 8): Promise<void> {
    await db.raw(`
        insert into elements (page_id, project_id, project_revision, created_revision, type, attributes, styles)
        select g.id, g.project_id, 1, 1, 'text', ${jsonOf(bytes)}, ${jsonOf(stylesBytes)} from pages g, generate_series(1, ?) where g.id = ?`, [count, pageId]);
    await db.raw('update pages set element_count = element_count + ? where id = ?', [count, pageId]);
    const { rows: [page] } = await db.raw<{ rows: { project_id: string }[] }>('select project_id from pages where id = ?', [pageId]);
    await recount(db, String(page?.project_id));
}

/** Inserts a number of pages into a project by SQL. */
export async function putPages(db: Knex, projectId: string, count: number): Promise<string[]> {
    const { rows } = await db.raw<{ rows: { id: string }[] }>('insert into pages (project_id, project_revision, created_revision, x, y) select ?, 1, 1, x, 7 from generate_series(1, ?) x returning id', [projectId, count]);
    await db.raw('update projects set page_count = page_count + ? where id = ?', [count, projectId]);
    await recount(db, projectId);
    return rows.map(({ id }) => id);
}

/** All wrong counters in the database; empty if there are none. */
export async function wrongSizes(db: Knex): Promise<object[]> {
    const { rows } = await db.raw<{ rows: object[] }>(`
        with real as (
            select g.id, g.project_id, g.deleted_at, g.page_bytes, octet_length(g.styles::text) + coalesce((
                select sum(octet_length(e.attributes::text) + octet_length(e.styles::text)) from elements e where e.page_id = g.id and e.deleted_at is null), 0) as bytes
            from pages g
        )
        select 'page' as what, r.id, page_bytes as counted, bytes from real r join projects p on p.id = r.project_id
            where p.counted_revision = p.revision and page_bytes <> bytes
        union all
        select 'project', p.id, p.project_bytes, coalesce(sum(r.bytes) filter (where r.deleted_at is null), 0) from projects p left join real r on r.project_id = p.id
            where p.counted_revision = p.revision group by p.id, p.project_bytes having p.project_bytes <> coalesce(sum(r.bytes) filter (where r.deleted_at is null), 0)`);
    return rows;
}
