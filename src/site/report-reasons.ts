/** Why a project can be reported, as the API has it. */
export const reportReasons = ['spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other'] as const;
