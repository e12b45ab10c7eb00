/** SQL for whether a user has a passkey. */
export const hasPasskey = (user: string): string => `exists (select from passkeys where user_id = ${user})`;
