import { fromUsers, joinActiveUser } from '../accounts/users/fragments';
import { live } from '../database/statements/deletion';

/*
 * What the statements of others say of classes (docs/decisions/fragments-of-owners.md). The row of a class is called `c`, that of somebody
 * in it `k`.
 */

/** SQL for whether the user in a row can teach. `everybody` is an expression for whether all can whom no class manages (`TEACHERS=open`). */
export const canTeach = (row: string, everybody: string): string => `(${row}.publish is null and (${row}.teacher or ${everybody}))`;

/** SQL that joins a teacher of the class in the row `c`, in the rows `me` and `mu`. */
export const joinTeacher = (user: string, everybody: string): string => `
    join class_people me on me.class_id = c.id and me.user_id = ${user} and me.role = 'teacher' ${joinActiveUser('me.user_id', 'mu')} and ${canTeach('mu', everybody)}`;

/** SQL for whether a user is in a class. */
export const isInClass = (classId: string, user: string): string =>
    `exists (select from class_people k where k.class_id = ${classId} and k.user_id = ${user})`;

/** SQL for whether a user may find the account in the row `u` by its name: one that a class manages is there for the people of that class alone. */
export const isNamedFor = (user: string): string => `(u.publish is null or ${isInClass('u.managed_by', user)})`;

/** SQL that reads the classes of which a user is a teacher. */
export const fromTaughtClasses = (user: string): string =>
    `from classes c join class_people k on k.class_id = c.id and k.user_id = ${user} and k.role = 'teacher' where ${live('c')}`;

/** SQL for whether somebody else than a user teaches the class in the row `c`. */
export const hasOtherTeacher = (user: string, everybody: string): string =>
    `exists (select from class_people o ${joinActiveUser('o.user_id')} and ${canTeach('u', everybody)} where o.class_id = c.id and o.role = 'teacher' and o.user_id <> ${user})`;

/** SQL that reads the classes that manage any of these accounts, in the order in which they are locked. */
export const fromManagingClasses = (users: string): string => `
    from classes c where c.id = any(array(select u.managed_by ${fromUsers(`u.id = any(${users})`)} and u.publish is not null))
        order by c.id`;

/**
 * SQL for whether classes let two people talk to each other, that is comment on what is the other's, or mention them: a managed account
 * talks with the people of its class alone, and only if that allows comments. A teacher whose permission has ended is not one of them.
 */
export const classesLetTalk = (one: string, other: string, everybody: string): string => `not exists (
    select ${fromUsers(`m.id in (${one}, ${other})`, 'm')} and m.publish is not null and not exists (
        select from classes c where c.id = m.managed_by and ${live('c')} and c.comments and not exists (
            select from unnest(array[${one}, ${other}]) as a (id) where not exists (
                select from class_people k ${joinActiveUser('k.user_id')} and (k.role = 'pupil' or ${canTeach('u', everybody)})
                    where k.class_id = c.id and k.user_id = a.id))))`;

/** Statements that take a project out of all classes, before it is deleted for good. */
export const leavesClasses = (project: string): readonly string[] =>
    [`delete from class_projects where project_id = ${project}`, `delete from class_hidden_projects where project_id = ${project}`];
