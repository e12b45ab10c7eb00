/** SQL for whether a user has an identity of one of these providers. */
export const hasIdentity = (user: string, issuers: string): string => `exists (select from identities where user_id = ${user} and issuer = any(${issuers}))`;
