/** The roles of members. The constraints project_members_role and project_invitations_role have the same, and the site has a text `editor.role_…` for each. */
export const memberRoles = ['editor', 'viewer'] as const;

export type MemberRole = typeof memberRoles[number];
