import { joinActiveUser } from '../../accounts/users/fragments';
import { live } from '../../database/statements/deletion';
import { canTeach } from '../fragments';

/*
 * What the statements of others say of assignments (docs/decisions/fragments-of-owners.md). The row of an assignment is called `a`.
 */

/** SQL that joins an assignment, if a user is of its class: a teacher whose permission has ended is not. */
export const assignmentFor = (id: string, user: string, everybody: string): string => `
    join assignments a on a.id = ${id} and ${live('a')} join classes c on c.id = a.class_id and ${live('c')}
    join class_people k on k.class_id = c.id and k.user_id = ${user}
    ${joinActiveUser('k.user_id', 'ku')} and (k.role = 'pupil' or ${canTeach('ku', everybody)})`;
