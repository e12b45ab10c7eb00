import { joinElements, joinPages } from '../projects/pages/fragments';
import { joinUser } from '../accounts/users/fragments';
import { live } from '../database/statements/deletion';
import { mayRead } from './visibility';
import type { ReaderExpressions } from './visibility';

/*
 * SQL for the chain user (u) → project (p) → page (g) → element (e). A thing exists if neither it nor anything above it is
 * deleted. The user need not be checked: the projects of a deleted user are deleted with them.
 * What a reader may not see does not exist for them, so every path is looked up for a reader (visibility.ts).
 */

/** The ids in the path of a project, a page and an element. */
export type ProjectIds = { user: string; project: string };
export type PageIds = ProjectIds & { page: string };
export type ElementIds = PageIds & { element: string };

/** Ids in order, from the user down: the chain of a thing, and of a project. */
export type Chain = readonly [user: string, project: string, ...more: string[]];
export type ProjectChain = readonly [user: string, project: string];
export const projectOf = ({ user, project }: ProjectIds): [string, string] => [user, project];
export const pageOf = (ids: PageIds): [string, string, string] => [...projectOf(ids), ids.page];
export const elementOf = (ids: ElementIds): [string, string, string, string] => [...pageOf(ids), ids.element];

/** Joins the page of the element in the row `e`, by its id: for a page each, whatever PostgreSQL expects of all of them. */
export const joinPage = `cross join lateral (select * from pages g where g.id = e.page_id and ${live('g')} offset 0) g`;

const path = 'p.user_id = $1 and p.id = $2';

/**
 * The project in a path, in the row `p`, if the reader may see it; and the conditions of a query that begins with it.
 * If a token has to be checked, it is also checked if the project does not exist. So the response time does not reveal whether it does.
 */
const projectIn = (reader: ReaderExpressions, ids = path): { from: string; where: string } => (reader.token === undefined ? {
    from: 'from projects p', where: `where ${ids} and ${live('p')} and ${mayRead('p', reader)}`
} : {
    from: `from (
        select p.* from (select) asked left join projects p on ${ids} and ${live('p')}
        where case when ${mayRead('p', reader)} then p.id is not null end offset 0
    ) p`, where: 'where true'
});

/** The project and its user in a path whose ids are $1 and $2, if nothing else is said, if the reader may see it. */
export function projectChain(reader: ReaderExpressions, more = '', ids = path): string {
    const { from, where } = projectIn(reader, ids);
    return `${from} ${joinUser('p.user_id')} ${more} ${where}`;
}

/** The project and the page in a path whose ids are $1 to $3. */
export function pageChain(reader: ReaderExpressions): string {
    const { from, where } = projectIn(reader);
    return `${from} ${joinPages} ${where} and g.id = $3`;
}

/** The project, the page and the element in a path whose ids are $1 to $4. */
export function elementChain(reader: ReaderExpressions): string {
    const { from, where } = projectIn(reader);
    return `${from} ${joinPages} ${joinElements} ${where} and g.id = $3 and e.id = $4`;
}
