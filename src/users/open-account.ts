import { createHash } from 'node:crypto';

import type { Request } from '@hapi/hapi';

import type { Identity } from '../http/caller';
import { currentIdentity, maybeUser } from '../http/caller';
import type { Database } from '../db/connection';
import { fault } from '../errors/errors';
import { language } from '../http/schema';
import { openAccount } from './queries';
import type { Opened } from './queries';

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
        throw fault(401, 'invalid_token', 'This account has been deleted.');
    }

    return account;
}

/** The id of whoever makes something of their own. Where they have no account yet it is opened, as part of the transaction. */
export async function authorIn(db: Database, request: Pick<Request, 'app' | 'auth'>): Promise<string> {
    const { id } = maybeUser(request) ?? await openedAccount(db, currentIdentity(request));
    return id;
}
