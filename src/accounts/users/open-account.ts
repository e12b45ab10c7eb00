import { createHash } from 'node:crypto';

import type { Request } from '@hapi/hapi';

import type { CurrentUser, Identity } from '../../api/request/caller';
import { currentIdentity, currentUser, maybeUser } from '../../api/request/caller';
import type { Config } from '../../config';
import type { Database } from '../../database/statements/connection';
import { transaction } from '../../database/statements/transaction';
import { fault } from '../../api/errors/errors';
import { ME, language } from '../../api/request/schema';
import { openAccount } from './queries';
import type { Opened } from './queries';
import { neededCode } from './sign-up';

type SignUp = Pick<Config, 'signUp'>;

/** Maximum characters of a username. */
const LONGEST = 20;

/**
 * Possible usernames for a user of an external provider, best first, always the same for the same user: the preferred name up to
 * an @, with accents removed and other characters replaced by hyphens; then, in case it is taken, the same with six digits of a
 * hash of the identity.
 */
function usernamesOf({ issuer, subject, username }: Identity): string[] {
    const name = username.replace(/@.*/s, '').normalize('NFKD').replace(/\p{M}/gu, '').replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '').slice(0, LONGEST);
    const digits = createHash('sha256').update(JSON.stringify([issuer, subject])).digest('hex');
    const numbered = [0, 6, 12, 18, 24, 30, 36, 42, 48, 54].map((at) => `${(name || 'user').slice(0, LONGEST - 7)}-${digits.slice(at, at + 6)}`);
    return name === '' ? numbered : [name, ...numbered];
}

/**
 * The account of the user of an external provider's token. It is opened with the token's claims if there is none yet.
 * @throws 401 if it was deleted
 */
export async function openedAccount(db: Database, identity: Identity): Promise<Opened> {
    const { value, error } = language.validate(identity.locale);
    const account = await openAccount(db, identity, { usernames: usernamesOf(identity), language: error === undefined ? value : 'en' });
    if (account.deleted) {
        throw fault('invalid_token', 'This account has been deleted.');
    }

    return account;
}

/**
 * Does a write under the user in the path. If that is `me` and the caller has no account yet, the account is opened in the
 * write's own transaction, so that a failed write leaves no account.
 * @throws 403 if the caller has no account and the path names a user by id, or sign-up is closed or needs a code
 */
export function writeUnder<Result>(
    db: Database, request: Pick<Request, 'app' | 'auth'> & { params: { user: string } }, config: SignUp,
    write: (db: Database, user: string, caller: CurrentUser) => Promise<Result>
): Promise<Result> {
    const { user } = request.params;
    return user !== ME ? write(db, user, currentUser(request)) : transaction(db, request.app.traceId, async (trx) => {
        const id = await openByWriting(trx, request, config);
        return write(trx, id, { id, moderator: false });
    });
}

/**
 * The id of the caller who creates something of their own. If they have no account yet, it is opened in the same transaction.
 * @throws 403 if sign-up is closed or needs a code
 */
export async function authorIn(db: Database, request: Pick<Request, 'app' | 'auth'>, config: SignUp): Promise<string> {
    return maybeUser(request)?.id ?? await openByWriting(db, request, config);
}

async function openByWriting(db: Database, request: Pick<Request, 'app'>, { signUp }: SignUp): Promise<string> {
    neededCode(signUp, undefined);
    const { id } = await openedAccount(db, currentIdentity(request));
    return id;
}
