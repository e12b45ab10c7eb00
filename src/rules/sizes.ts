import { inEachProject, writing } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { live } from '../database/statements/deletion';
import { run, statement } from '../database/statements/statement';
import { MOST_OBJECT_BYTES } from '../limits';

/** SQL for whether the sizes of the project in the row `p` and of its pages are right: they are counted for one revision. */
export const isCounted = 'p.counted_revision = p.revision';

/** Bytes of an element or a page besides its attributes and styles, roughly. */
export const FRAME = 256;

/** SQL for about how many bytes a JSON value has, at most. It is not read for that, as what is compressed may be gigabytes in all. */
export const estimated = (json: string): string => `
    case when pg_column_compression(${json}) is null then pg_column_size(${json}) else least(pg_column_size(${json})::bigint * 100, ${MOST_OBJECT_BYTES}) end`;

/** SQL for about how many bytes the JSON text of the element in the row `e` has. */
export const elementWeight = `(${FRAME} + ${estimated('e.attributes')} + ${estimated('e.styles')})::float8`;

/** SQL for about how many bytes the JSON text of the page in the row `g` has, if its project is counted. */
export const countedWeight = `(g.page_bytes + ${FRAME} * (1 + g.element_count))`;

/** The same for any project, in the row `p`: one that is not counted is estimated, for a read must not write. */
export const pageWeight = `(case when ${isCounted} then ${countedWeight} else ${FRAME} + ${estimated('g.styles')} + coalesce((
    select sum(${elementWeight}) from elements e where e.page_id = g.id and ${live('e')}), 0) end)::float8`;

/** SQL for the bytes of a JSON value as it is stored; null for null. */
export const bytes = (json: string): string => `octet_length((${json})::text)`;

/** SQL for the bytes of an element in the row `e`. */
export const elementBytes = `(${bytes('e.attributes')} + ${bytes('e.styles')})`;

/** SQL for how much a JSON value grows where a parameter replaces it, 0 where that is null. */
export const growth = (value: string, parameter: string): string => `coalesce(${bytes(`${parameter}::json`)} - ${bytes(value)}, 0)`;

// All of it is read before the project is locked, so that a large one does not keep its writers waiting. It is not written where somebody
// else has written meanwhile, as the project has another revision then.
const count = statement({ parameters: ['bigint[]'], place: writing(inEachProject(1)) }, `
    with sized as materialized (
        select g.id, g.project_id, ${live('g')} as live, ${bytes('g.styles')}::bigint + coalesce((
            select sum(${elementBytes}) from elements e where e.page_id = g.id and ${live('e')}), 0) as bytes
        from pages g where g.project_id = any($1)
    ), found as materialized (
        select p.id, (select coalesce(sum(bytes) filter (where live), 0) from sized s where s.project_id = p.id) as bytes
        from projects p join projects seen on seen.id = p.id and seen.revision = p.revision
        where p.id = any($1) order by p.id for no key update of p
    ), pages_sized as (
        update pages g set page_bytes = s.bytes from sized s join found f on f.id = s.project_id where g.id = s.id and g.page_bytes <> s.bytes
    )
    update projects p set project_bytes = f.bytes, counted_revision = p.revision from found f where p.id = f.id`);

/**
 * Counts the bytes of projects and of each of their pages. It moves no revision. Where somebody else writes to a project
 * meanwhile, nothing is stored for that one, unless the caller holds its lock.
 */
export async function countProjects(db: Database, ids: readonly string[]): Promise<void> {
    await run(db, count, [ids]);
}

/**
 * Runs a statement that needs the size of a project, and says by `counted: false` that it did nothing as the size is not
 * known at the project's present revision: it is counted then, and the statement is run again. That is so once for a project
 * of an older release, and after an instance of an older release has written to one.
 */
export async function whenCounted<Row extends { counted: boolean }>(db: Database, projectId: string, work: () => Promise<Row | undefined>): Promise<Row | undefined> {
    for (;;) {
        const row = await work();
        if (row?.counted !== false) {
            return row;
        }

        await countProjects(db, [projectId]);
    }
}
