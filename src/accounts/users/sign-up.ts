import { spendsCode } from '../../community/administration/fragments';
import { hashCode } from '../../api/auth/secrets';
import type { Config } from '../../config';
import type { Database } from '../../database/statements/connection';
import { runOne, statement } from '../../database/statements/statement';
import { fault } from '../../api/errors/errors';

const spend = statement({ parameters: ['bytea'], row: { uses_left: 'integer' } }, spendsCode('$1'));

/**
 * Counts one use of a sign-up code, as a part of the transaction that opens the account: it does not count if that fails.
 * @param hash the code's hash; null if no code is needed
 * @throws 403 if the code is wrong, has expired or is used up
 */
export async function spendCode(trx: Database, hash: Buffer | null): Promise<void> {
    if (hash !== null && await runOne(trx, spend, [hash]) === undefined) {
        throw fault('invitation_invalid');
    }
}

/**
 * Checks that a new account may be opened.
 * @param code the code in the request
 * @returns the hash of the code that will be used up; null if no code is needed
 * @throws 403 if sign-up is closed, or needs a code and there is none
 */
export function checkSignUpCode(signUp: Config['signUp'], code: string | undefined): Buffer | null {
    if (signUp === 'closed') {
        throw fault('sign_up_closed');
    }

    if (signUp === 'open') {
        return null;
    }

    if (code === undefined) {
        throw fault('invitation_needed');
    }

    return hashCode(code);
}
