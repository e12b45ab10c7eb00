import { createHash } from 'node:crypto';

import type { Request } from '@hapi/hapi';

import type { CurrentUser, Identity } from '../http/caller';
import { currentIdentity, currentUser, maybeUser } from '../http/caller';
import type { Config } from '../config';
import type { Database } from '../db/connection';
import { transaction } from '../db/transaction';
import { fault } from '../errors/errors';
import { ME, language } from '../http/schema';
import { openAccount } from './queries';
import type { Opened } from './queries';
import { neededCode } from './sign-up';

type SignUp = Pick<Config, 'signUp'>;

/** Most characters of a username. */
const LONGEST = 20;

/**
 * The names for an account of another provider's user, best first, always the same for the same user: the preferred one
 * without what comes after an @, accents taken off and other characters made hyphens; then, should it be taken, the same
 * with six digits of a hash of whom it stands for, and again with others.
 */
function usernamesOf({ issuer, subject, username }: Identity): string[] {
    const name = username.replace(/@.*/s, '').normalize('NFKD').replace(/\p{M}/gu, '').replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '').slice(0, LONGEST);
    const digits = createHash('sha256').update(JSON.stringify([issuer, subject])).digest('hex');
    const numbered = [0, 6, 12, 18, 24, 30, 36, 42, 48, 54].map((at) => `${(name || 'user').slice(0, LONGEST - 7)}-${digits.slice(at, at + 6)}`);
    return name === '' ? numbered : [name, ...numbered];
}

/**
 * The account of whoever a token of another provider stands for, opened with what it says of them if they have none yet.
 * @throws 401 where it has been deleted
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
 * Does a write under the user in the path. Where that is `me`, for a caller who has no account yet, the account is opened
 * in the write's own transaction, so that a write that fails leaves none behind.
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
 * The id of the user who makes something of their own. If they have no account yet it is opened, as part of the transaction.
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
