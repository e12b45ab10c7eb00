import { live } from '../db/deletion';
import { mayRead } from './visibility';
import type { ReaderExpressions } from './visibility';

/*
 * SQL for the chain user (u) → project (p) → page (g) → element (e). A thing is there if neither it nor anything above it is
 * deleted. Whether the user is need not be looked at: the projects of a deleted user are deleted with them.
 * What somebody may not see is not there for them, so every path is looked up for a reader (visibility.ts).
 */

/** Joins the pages of the project in the row `p`. */
export const joinPages = `join pages g on g.project_id = p.id and ${live('g')}`;

/** Joins the elements of the page in the row `g`. */
export const joinElements = `join elements e on e.page_id = g.id and ${live('e')}`;

/** Joins the project of the page in the row `g`. */
export const joinProject = `join projects p on p.id = g.project_id and ${live('p')}`;

/** Joins the page of the element in the row `e`. */
export const joinPage = `join pages g on g.id = e.page_id and ${live('g')}`;

/** The project and its user in a path whose ids are $1 and $2, if the reader may see it. */
export const projectChain = (reader: ReaderExpressions, more = ''): string => `
    from projects p join users u on u.id = p.user_id ${more}
    where p.user_id = $1 and p.id = $2 and ${live('p')} and ${mayRead('p', reader)}`;

/** The project and the page in a path whose ids are $1 to $3. */
export const pageChain = (reader: ReaderExpressions): string => `
    from projects p ${joinPages}
    where p.user_id = $1 and p.id = $2 and g.id = $3 and ${live('p')} and ${mayRead('p', reader)}`;

/** The project, the page and the element in a path whose ids are $1 to $4. */
export const elementChain = (reader: ReaderExpressions): string => `
    from projects p ${joinPages} ${joinElements}
    where p.user_id = $1 and p.id = $2 and g.id = $3 and e.id = $4 and ${live('p')} and ${mayRead('p', reader)}`;
