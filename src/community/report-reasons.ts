/**
 * The reasons for which something can be reported, which are the rules that decisions go by. The constraints reports_reason_known,
 * guest_reports_reason_known, thing_reports_reason_known and statements_rule_known have the same, and the site has a text
 * `player.reason_…` for each.
 */
export const reportReasons = ['spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other'] as const;

export type Rule = typeof reportReasons[number];
