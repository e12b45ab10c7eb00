import type { ReqRef, ReqRefDefaults, Request, UserCredentials } from '@hapi/hapi';

import type { Scope } from '../../config/scopes';
import { fault, forbidden } from '../errors/errors';
import type { PublishLevel } from '../../classes/publish-levels';

/** The user of an external identity provider's token, and the scope of the token. */
export interface Identity {
    issuer: string;
    /** never given to another user of the same issuer (OpenID Connect Core, section 2) */
    subject: string;
    scope: Scope[];
    /** the provider's claims about the user, for the account that is opened */
    username: string;
    locale: string;
}

/** An identity without its name, if nobody may be named so: an account is opened with a name that says nothing then. */
export const withFitName = (identity: Identity, isBlocked: (text: string) => boolean): Identity => (isBlocked(identity.username) ? { ...identity, username: '' } : identity);

/** Why, and until when, an account may not write. */
export interface Suspension {
    reason: string;
    /** ISO 8601 in UTC; null if no end was set */
    until: string | null;
    /** whether it is only a pause, which a teacher has set */
    isPause?: true;
}

/** The user of a valid token. */
export type CurrentUser = UserCredentials;

/** Whom a valid token stands for. */
export interface TokenCaller {
    /** undefined for somebody of another provider who has no account here yet */
    user: CurrentUser | undefined;
    /** whether the token has the scope for projects */
    mayReadProjects: boolean;
}

declare module '@hapi/hapi' {
    // An interface that is added to has to have the same parameters.
    interface Request<Refs extends ReqRef = ReqRefDefaults> {
        /** The caller by the token in the `Authorization` header, on a route that does not authenticate. @throws 401 without a valid token */
        callerOfHeader(): Promise<TokenCaller>;
    }
    interface UserCredentials {
        id: string;
        /** whether they have a moderator's rights by this token */
        moderator: boolean;
        /** whether they have the rights of the staff by this token; not set for whom this request made an account */
        staff?: boolean;
        /** whether they can teach classes; not set for whom this request made an account */
        teaches?: boolean;
        /** whether they signed in for it; not set for tokens of another provider */
        signedIn?: boolean;
        /** ids of the only projects that it is for */
        projects?: readonly string[] | null;
        /** id of the app that it was given to */
        app?: string | null;
        /** the hash of it, if it is one of ours */
        tokenHash?: Buffer | null;
        /** what the class that manages the account lets it make visible; null or not set if no class does */
        publish?: PublishLevel | null;
    }
    interface RequestApplicationState {
        /** the user of an external provider's token, who may have no account here yet */
        identity?: Identity;
        /** the hash of the token that was sent, if it is one of ours */
        tokenHash?: Buffer;
        /** the token's user may not write */
        suspension?: Suspension;
    }
}

/**
 * The caller. hapi types credentials as always present, but a public route has none.
 * @throws 401 if the request has no valid token
 * @throws 403 if the user of the token has no account yet
 */
export function currentUser(request: Pick<Request, 'auth'>): CurrentUser {
    const user = maybeUser(request);
    if (user === undefined) {
        throw request.auth.isAuthenticated ? noAccount() : tokenNeeded();
    }

    return user;
}

/** The id of the caller, who is the user in the path. @throws 403 with this message for anybody else, and as `currentUser` does */
export function ownId(request: Pick<Request, 'auth'> & { params: { user: string } }, message: string): string {
    const { id } = currentUser(request);
    if (id !== request.params.user) {
        throw forbidden(message);
    }

    return id;
}

/** The caller, if a token is optional or there may be no account yet. */
export function maybeUser(request: Pick<Request, 'auth'>): CurrentUser | undefined {
    return request.auth.isAuthenticated ? request.auth.credentials.user : undefined;
}

/** Whether the token of a request that writes is one that may only read. */
export function onlyReads({ auth: { credentials: { scope } } }: Pick<Request, 'auth'>): boolean {
    const has = [scope].flat();
    return has.includes('read') && !has.includes('projects');
}

/**
 * The identity of the caller at the external provider.
 * @throws 401 if the request has no such token
 */
export function currentIdentity({ app: { identity } }: Pick<Request, 'app'>): Identity {
    if (identity === undefined) {
        throw tokenNeeded();
    }

    return identity;
}

export const noAccount = (): Error => fault('no_account');

const tokenNeeded = (): Error => fault('invalid_token', 'A valid token is needed: send "Authorization: token <token>".');
