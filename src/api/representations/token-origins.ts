/** Where a token of ours can come from. The constraint tokens_origin_known has the same values, and the texts of the site. */
export const origins = ['sign_in', 'passkey', 'personal', 'app'] as const;
export type TokenOrigin = (typeof origins)[number];

/** Whether somebody signed in to get it: only with such a token can one moderate, and make other tokens. */
export const isSignIn = (origin: TokenOrigin): boolean => origin === 'sign_in' || origin === 'passkey';
