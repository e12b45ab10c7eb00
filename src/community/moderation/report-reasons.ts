/** The reasons for which a project can be reported. The constraint reports_reason_known has the same, and the site has a text `player.reason_…` for each. */
export const reportReasons = ['spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other'] as const;
