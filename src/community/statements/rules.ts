/**
 * The rules that a decision goes by, which are the reasons for which something can be reported. The constraints statements_rule_known,
 * reports_reason_known and guest_reports_reason_known have the same, and the site has a text `player.reason_…` for each.
 */
export const rules = ['spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other'] as const;

export type Rule = typeof rules[number];
