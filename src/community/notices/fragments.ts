/*
 * What the statements of others say of notices (docs/decisions/fragments-of-owners.md).
 */

/**
 * SQL that notes for whom there is a notice, in the transaction of what it tells of: the project that it is about (0 for none), who is
 * told, its kind, who did it (null for nobody who is named), and the comment, statement, remix or assignment. Who is blocked, or may not
 * read it, is left out later; nobody is told of what they did themselves.
 */
export const insertNotices = 'insert into notice_events (project_id, user_id, kind, by_id, thing_id)';
