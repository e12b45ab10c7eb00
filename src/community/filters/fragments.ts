/*
 * What the statements of others say of filters (docs/decisions/fragments-of-owners.md).
 */

/** Statements that delete what is known of a project, before it is deleted for good. */
export const leavesFilters = (project: string): readonly string[] => {
    return [`delete from filter_checks where project_id = ${project}`, `delete from first_looks where project_id = ${project}`];
};

/** A statement that notes that a moderator has looked at a project for the first time. It returns `project_id` if it waited for that. */
export const notesFirstLook = (project: string): string => `update first_looks l set looked = true where l.project_id = ${project} and not l.looked returning l.project_id`;

/**
 * A statement that notes that a moderator has decided about a project that the service holds. It returns `project_id` if there was such a
 * hold.
 */
export const decidesAutomaticHold = (project: string): string => `update filter_checks f set held = false where f.project_id = ${project} and f.held returning f.project_id`;

/** SQL for whether a picture is blocked, by its hash. */
export const isBlockedPicture = (hash: string): string => `exists (select from blocked_pictures b where b.hash = ${hash})`;
