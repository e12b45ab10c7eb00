import { joinUser } from '../accounts/users/fragments';
import { live } from '../database/statements/deletion';

/*
 * What the statements of others say of projects (docs/decisions/fragments-of-owners.md). The row of a project is called `p` if nothing else
 * is said. It is there until the project is purged; a live one is not deleted. Who may see it: rules/visibility.ts.
 */

/** SQL that joins a project by its id. */
export const joinProject = (id: string, as = 'p'): string => `join projects ${as} on ${as}.id = ${id}`;

/** SQL that joins a live project by its id. */
export const joinLiveProject = (id: string, as = 'p'): string => `${joinProject(id, as)} and ${live(as)}`;

/** SQL that reads the projects for which a condition holds; further ones may follow, as after all below. */
export const fromProjects = (condition: string): string => `from projects p where ${condition}`;

/** SQL that reads a project by its id. */
export const fromProject = (id: string): string => fromProjects(`p.id = ${id}`);

/** SQL that reads a live project by its id. */
export const fromLiveProject = (id: string): string => `${fromProject(id)} and ${live('p')}`;

/** SQL that reads the projects of a user. */
export const fromProjectsOf = (user: string): string => fromProjects(`p.user_id = ${user}`);

/** SQL that reads projects and their authors, in the rows `p` and `u`. */
export const fromProjectsWithAuthor = `from projects p ${joinUser('p.user_id')}`;

/** SQL that changes projects, beside their content; what follows says which. */
export const updateProjects = (set: string): string => `update projects p set ${set}`;

/** SQL that changes what a history says of changes, in the rows `c`; what follows says which. */
export const updateChanges = (set: string): string => `update project_changes c set ${set}`;

/** SQL that joins the counters of the project in the row `p`; a new one has none. */
export const joinStats = 'join project_stats s on s.project_id = p.id';

/** SQL that adds the views in the rows of a query, of `project_id` and a number, to the counters of projects. */
export const addViews = (rows: string): string => `insert into project_stats as s (project_id, views)
        ${rows}
        on conflict (project_id) do update set views = s.views + excluded.views`;

/** SQL that reads what histories say of changes, in the rows `c`, and the projects, in `p`. */
export const fromChangesOfProjects = 'from project_changes c join projects p on p.id = c.project_id';

/** SQL that reads all tags of listed projects. */
export const fromTags = 'from project_tags t';

/** SQL that ends memberships `m` in the projects `p` of users `u` for whom a condition holds; further ones may follow. */
export const endMemberships = (condition: string): string =>
    `delete from project_members m using projects p, users u where p.id = m.project_id and u.id = p.user_id and ${condition}`;
