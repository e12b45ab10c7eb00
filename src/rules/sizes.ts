import { fault } from '../api/errors/errors';
import { live } from '../database/statements/deletion';
import { MAX_OBJECT_BYTES, MAX_PAGE_BYTES, MAX_PROJECT_BYTES } from '../limits';

/** Bytes of an element or a page besides its attributes and styles, roughly. */
export const FRAME = 256;

/** SQL for about how many bytes a JSON value has, at most. It is not read for that, as what is compressed may be gigabytes in all. */
export const estimated = (json: string): string => `
    case when pg_column_compression(${json}) is null then pg_column_size(${json}) else least(pg_column_size(${json})::bigint * 100, ${MAX_OBJECT_BYTES}) end`;

/** SQL for about how many bytes the JSON text of the element in the row `e` has. */
export const elementWeight = `(${FRAME} + ${estimated('e.attributes')} + ${estimated('e.styles')})::float8`;

/** SQL for about how many bytes the JSON text of the page in the row `g` has. */
export const pageWeight = `(g.page_bytes + ${FRAME} * (1 + g.element_count))::float8`;

/** SQL for the bytes of a JSON value as it is stored; null for null. */
export const bytes = (json: string): string => `octet_length((${json})::text)`;

/** SQL for the bytes of an element in the row `e`. */
export const elementBytes = `(${bytes('e.attributes')} + ${bytes('e.styles')})`;

/** SQL for how much a JSON value grows where a parameter replaces it, 0 where that is null. */
export const growth = (value: string, parameter: string): string => `coalesce(${bytes(`${parameter}::json`)} - ${bytes(value)}, 0)`;

/** SQL for the bytes of the project in the row `p`, and of its largest page: the columns `sizeColumns`. */
export const sizes = `p.project_bytes::float8 as project_bytes, coalesce((select max(g.page_bytes) from pages g where g.project_id = p.id and ${live('g')}), 0)::float8 as page_bytes`;

export const sizeColumns = { project_bytes: 'double precision', page_bytes: 'double precision' } as const;

/** @throws 409 if a page, or its project, has more bytes than allowed. Triggers say the same of whatever grows by a statement */
export function refuseSizes(pageBytes: number, projectBytes: number): void {
    if (pageBytes > MAX_PAGE_BYTES) {
        throw fault('page_size_limit');
    }

    if (projectBytes > MAX_PROJECT_BYTES) {
        throw fault('project_size_limit');
    }
}
