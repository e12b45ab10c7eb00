import { hashSecret, newSecret } from '../../api/auth/secrets';
import { fault } from '../../api/errors/errors';
import { fieldOf } from '../../api/json/is-object';
import { withSecret } from '../tokens/json';
import { withFitName } from '../../api/request/caller';
import type { Identity } from '../../api/request/caller';
import type { AuthoringServices, Sender } from '../../rules/write';
import { fullScope } from '../../config/scopes';
import type { Config } from '../../config';
import type { Database } from '../../database/statements/connection';
import { insertToken } from '../tokens/queries';
import { openedAccount } from '../users/open-account';
import { checkSignUpCode, spendCode } from '../users/sign-up';
import { detachIdentity, insertIdentity, useIdentity } from './queries';

/**
 * The account of an identity, which is opened if there is none, and the id of the identity. Needs a transaction.
 * @returns undefined if another request gave the identity an account at the same moment
 * @throws 401 if the account was deleted, 403 if none may be opened
 */
async function accountOf(trx: Database, identity: Identity, signUp: Config['signUp'], code: string | undefined): Promise<{ userId: string; identityId: string } | undefined> {
    const known = await useIdentity(trx, identity);
    if (known?.deleted) {
        throw fault('invalid_token', 'This account has been deleted.');
    }

    if (known !== undefined) {
        return { userId: known.user_id, identityId: known.id };
    }

    const account = await openedAccount(trx, identity);
    if (account.opened) {
        await spendCode(trx, checkSignUpCode(signUp, code));
        await detachIdentity(trx, account.id);
    }

    const used = await insertIdentity(trx, account.id, identity) && await useIdentity(trx, identity);
    return used && { userId: used.user_id, identityId: used.id };
}

/**
 * Signs somebody in, whoever they are by their identity, never by an e-mail address.
 * @returns the JSON text of the response
 * @throws as `accountOf` does; 503 if other requests were in the way
 */
export function signInWith(
    { config: { signUp, tokenTtl }, write, isBlocked }: AuthoringServices, request: Sender, identity: Identity,
    { code, label }: { code?: string; label?: string }
): Promise<string> {
    const once = (): Promise<string> => write.together(request, async (trx) => {
        const found = await accountOf(trx, withFitName(identity, isBlocked), signUp, code);
        const secret = newSecret();
        const made = found && await insertToken(trx, { ...found, passwordHash: null, hash: hashSecret(secret), scope: fullScope, label: label ?? null, origin: 'sign_in', projects: null, expiresIn: tokenTtl });
        if (made === undefined) {
            throw fault('try_again');
        }

        return `{"status":"created","token":${withSecret(made.token, secret)},"user":${made.user}}`;
    });

    // The same person may sign in elsewhere for the first time at the same moment.
    return once().catch((error: unknown) => {
        if (fieldOf(fieldOf(error, 'data'), 'code') === 'try_again') {
            return once();
        }

        throw error;
    });
}
