/** A statement that counts one use of the sign-up code with this hash, if it still opens accounts. */
export const spendsCode = (hash: string): string => `
    update sign_up_codes set uses_left = uses_left - 1 where hash = ${hash} and uses_left > 0 and expires_at > now() returning uses_left`;
