import { live } from '../../database/statements/deletion';
import { joinTeacher } from '../fragments';

/*
 * What the statements of others say of works (docs/decisions/fragments-of-owners.md). The row of a work is called `w`; its points are
 * revisions of its project that were handed in.
 */

/** SQL for whether something of a project was handed in. The project is not purged then. */
export const hasHandedIn = (project: string): string => `exists (select from works w where w.project_id = ${project} and w.points <> '{}')`;

/** SQL for whether a point of a project was handed in. */
export const isHandedIn = (project: string, revision: string): string =>
    `exists (select from works w where w.project_id = ${project} and ${revision} = any(w.points))`;

/** SQL that joins each point of a project that was handed in, as `h.at`. */
export const joinPoints = (project: string): string => `join works w on w.project_id = ${project} cross join unnest(w.points) as h (at)`;

/** SQL that reads the works of the classes that a user teaches. */
export const fromTaughtWorks = (user: string, everybody: string): string => `
    from works w join assignments a on a.id = w.assignment_id join classes c on c.id = a.class_id and ${live('c')}${joinTeacher(user, everybody)}`;

const withdrawn = `project_id = null, points = '{}', handed_in_at = null, taken_back_at = null`;
const changed = 'revision = w.revision + 1, updated_at = now()';

/** SQL that says of the works of a project that it is gone for good. */
export const withdrawsWorks = (project: string): string => `update works w set ${withdrawn}, ${changed} where w.project_id = ${project}`;

/** SQL, as a common table expression, that says of the works of users in the rows `gone` that the accounts are gone for good. */
export const worksWithdrawn = `
    withdrawn as (
        update works w set user_id = null, ${withdrawn}, note = '', ${changed} from gone where w.user_id = gone.id
    )`;
