/** The roles of members. The constraints project_members_role and project_invitations_role have the same, and the site has a text `editor.role_…` for each. */
export const memberRoles = ['editor', 'viewer'] as const;

export type MemberRole = typeof memberRoles[number];

/** The role that was chosen in a form; the first one if it is none. */
export const memberRoleOf = (value: unknown): MemberRole => memberRoles.find((role) => role === value) ?? memberRoles[0];
