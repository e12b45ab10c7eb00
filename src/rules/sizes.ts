import { MOST_OBJECT_BYTES } from '../limits';

/** Bytes of an element or a page besides its attributes and styles, roughly. */
export const FRAME = 256;

/** SQL for about how many bytes a JSON value has, at most. It is not read for that, as what is compressed may be gigabytes in all. */
export const estimated = (json: string): string => `
    case when pg_column_compression(${json}) is null then pg_column_size(${json}) else least(pg_column_size(${json})::bigint * 100, ${MOST_OBJECT_BYTES}) end`;

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
