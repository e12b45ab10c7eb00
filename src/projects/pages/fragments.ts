import { live } from '../../database/statements/deletion';

/*
 * What the statements of others say of pages and elements (docs/decisions/fragments-of-owners.md): the rows `g` and `e`.
 */

/** SQL that joins the pages of the project in the row `p`. */
export const joinPages = `join pages g on g.project_id = p.id and ${live('g')}`;

/** SQL that joins the elements of the page in the row `g`. */
export const joinElements = `join elements e on e.page_id = g.id and ${live('e')}`;

/** SQL that reads the pages of the project in the row `p`; further conditions may follow. */
export const fromPages = `from pages g where g.project_id = p.id and ${live('g')}`;

/** SQL that reads the elements of a page; further conditions may follow. */
export const fromElements = (page: string): string => `from elements e where e.page_id = ${page} and ${live('e')}`;
