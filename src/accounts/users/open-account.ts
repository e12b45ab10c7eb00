import { createHash } from 'node:crypto';

import type { Request } from '@hapi/hapi';

import type { CurrentUser, Identity } from '../../api/request/caller';
import { currentIdentity, currentUser, maybeUser } from '../../api/request/caller';
import type { Config } from '../../config';
import type { Database } from '../../database/statements/connection';
import { fault } from '../../api/errors/errors';
import { usernameFault } from '../../api/representations/username';
import { ME, language } from '../../api/request/schema';
import { MAX_USERNAME } from '../../limits';
import { openAccount } from './queries';
import type { Opened } from './queries';
import { checkSignUpCode } from './sign-up';

type SignUp = Pick<Config, 'signUp'>;

/** The first characters of a text. Marks that are cut off leave their letter as it is. */
const cut = (text: string, most: number): string => [...text].slice(0, most).join('');

/** A text without what cannot be in a username: hyphens are there instead. */
const hyphenated = (text: string, other: RegExp): string => cut(text.replace(other, '-').replace(/^-+|(?<!-)-+$/g, ''), MAX_USERNAME);

/**
 * Possible usernames for a user of an external provider, best first, always the same for the same user: the preferred name up to
 * an @, with hyphens in place of other characters, or, if nobody may be named so, its letters A to Z; then, in case it is taken,
 * the same with six digits of a hash of the identity.
 */
function usernamesOf({ issuer, subject, username }: Identity): string[] {
    const preferred = username.replace(/@.*/s, '');
    const full = hyphenated(preferred.normalize('NFKC'), /[^\p{L}\p{Mn}\p{Mc}\p{Nd}_-]+/gu);
    const name = usernameFault(full) === undefined ? full : hyphenated(preferred.normalize('NFKD').replace(/\p{M}/gu, ''), /[^A-Za-z0-9_-]+/g);
    const digits = createHash('sha256').update(JSON.stringify([issuer, subject])).digest('hex');
    const numbered = [0, 6, 12, 18, 24, 30, 36, 42, 48, 54].map((at) =>
        `${cut(name || 'user', MAX_USERNAME - 7)}-${digits.slice(at, at + 6)}`);
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

/** Whether a write opens the account of its caller, who has none yet, so that it is a transaction: the path says `me`. */
export const opensAccount = ({ params }: { params: { user: string } }): boolean => params.user === ME;

/**
 * The caller, and the user in the path. If that is `me` and the caller has no account yet, the account is opened in the
 * write's own transaction, so that a failed write leaves no account.
 * @throws 403 if the caller has no account and the path names a user by id, or sign-up is closed or needs a code
 */
export async function accountOf(db: Database, request: Pick<Request, 'app' | 'auth'> & { params: { user: string } }, config: SignUp): Promise<{ user: string; caller: CurrentUser }> {
    if (!opensAccount(request)) {
        return { user: request.params.user, caller: currentUser(request) };
    }

    const id = await openByWriting(db, request, config);
    return { user: id, caller: { id, moderator: false } };
}

/**
 * The id of the caller who creates something of their own. If they have no account yet, it is opened in the same transaction.
 * @throws 403 if sign-up is closed or needs a code
 */
export async function authorIn(db: Database, request: Pick<Request, 'app' | 'auth'>, config: SignUp): Promise<string> {
    return maybeUser(request)?.id ?? await openByWriting(db, request, config);
}

async function openByWriting(db: Database, request: Pick<Request, 'app'>, { signUp }: SignUp): Promise<string> {
    checkSignUpCode(signUp, undefined);
    const { id } = await openedAccount(db, currentIdentity(request));
    return id;
}
