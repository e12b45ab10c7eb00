import type { default as OidcProvider } from 'oidc-provider' with { 'resolution-mode': 'import' };

import { checkStillSignedIn } from '../../api/auth/queries';
import { fault, notFound } from '../../api/errors/errors';
import { appScopes } from '../../config/scopes';
import type { Database } from '../../database/statements/connection';
import { endAuthorization, findAskingApp } from '../apps/authorizations';

/** A decision about an app that asks to be let in. */
export interface Decision {
    allow: boolean;
    /** what it may do, of what it asks for; all of it if left out */
    scope?: string[];
}

/** The scopes that an app asks for, in the order of the page. */
export function askedScope(scope: unknown): string[] {
    const asked = typeof scope === 'string' ? scope.split(' ') : [];
    return appScopes.filter((name) => asked.includes(name));
}

/** Where people come back to, as a page names it: a host, or the scheme of a program on their device; null if they stay. */
export function destinationOf(redirectUri: unknown): string | null {
    if (typeof redirectUri !== 'string') {
        return null;
    }

    const { host, protocol } = new URL(redirectUri);
    return host === '' ? protocol.slice(0, -1) : host;
}

/** Who decides, and the hash of the token that they signed in for. */
export interface Decider {
    id: string;
    tokenHash: Buffer;
}

/**
 * The app that asks to be let in. @throws 404 if it was deleted, 403 if a class manages the account and the operator does not trust the
 * app, or if they signed in with pictures, which an app would outlive
 */
async function findAllowed(
    db: Database, appId: string, { id, tokenHash }: Decider, scope: readonly string[]
): Promise<{ app: string; skip: boolean }> {
    const found = await findAskingApp(db, appId, id, scope, tokenHash);
    if (found === undefined) {
        throw notFound('app');
    }

    if (!found.allowed) {
        throw fault('managed_account', 'A class manages this account, so it lets in only apps that the operator of this site trusts. Ask your teacher.');
    }

    if (found.pictures) {
        throw fault('managed_account', 'Whoever signed in with pictures lets no app in. Sign in with your pass-phrase, and try again.');
    }

    return found;
}

/** JSON text of what a page shows of an app that asks to be let in. Who comes back to a program on their device is asked each time, as another program can pose as it (RFC 8252 section 8.6). @throws as `findAllowed` does */
export async function askedJson(
    db: Database, decider: Decider, appId: string, scope: readonly string[], redirectUri: unknown
): Promise<string> {
    const found = await findAllowed(db, appId, decider, scope);
    const isWeb = typeof redirectUri === 'string' && redirectUri.startsWith('https:');
    return `{"status":"success","app":${found.app},"scope":${JSON.stringify(scope)},"destination":${JSON.stringify(destinationOf(redirectUri))},"skip":${found.skip && isWeb}}`;
}

/** The parts of it that the user allows; none if the app is not let in. */
export const allowedScope = (asked: readonly string[], { allow, scope = [...asked] }: Decision): string[] => (allow ? asked.filter((name) => scope.includes(name)) : []);

/**
 * Stores what a user lets an app do.
 * @returns its id
 * @throws as `findAllowed` does; 401 if their sign-in has ended meanwhile, as another password does: that has ended what apps may do before this was stored
 */
export async function makeGrant(
    provider: OidcProvider, db: Database, decider: Decider, appId: string, asked: readonly string[], allowed: readonly string[]
): Promise<string> {
    const { id, tokenHash } = decider;
    await findAllowed(db, appId, decider, allowed);
    const grant = new provider.Grant({ accountId: id, clientId: appId });
    grant.addOIDCScope(allowed.join(' '));
    const rest = asked.filter((name) => !allowed.includes(name));
    if (rest.length > 0) {
        grant.rejectOIDCScope(rest.join(' '));
    }

    const grantId = await grant.save();
    await checkStillSignedIn(db, tokenHash).catch(async (error) => {
        await endAuthorization(db, grantId);
        throw error;
    });
    return grantId;
}
