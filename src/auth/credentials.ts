import type { Request, UserCredentials } from '@hapi/hapi';

import { fault } from '../http/faults';

export type Scope = 'user' | 'projects';
export const scopes: readonly Scope[] = ['user', 'projects'];

/** Whoever a valid token stands for. */
export type CurrentUser = UserCredentials;

declare module '@hapi/hapi' {
    interface UserCredentials {
        id: string;
        moderator: boolean;
    }
}

/**
 * The caller. hapi types credentials as always there, though a public route has none.
 * @throws 401 where the request carries no valid token
 */
export function currentUser(request: Pick<Request, 'auth'>): CurrentUser {
    const user = maybeUser(request);
    if (user === undefined) {
        throw fault(401, 'invalid_token', 'A valid token is needed: send "Authorization: token <token>".');
    }

    return user;
}

/** The caller, where a token is optional. */
export function maybeUser(request: Pick<Request, 'auth'>): CurrentUser | undefined {
    return request.auth.isAuthenticated ? request.auth.credentials.user : undefined;
}
