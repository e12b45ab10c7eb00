import type { Request } from '@hapi/hapi';

import { maybeUser, noAccount } from './caller';
import { ME } from './schema';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** a write that opens the account of a caller who has none yet: for them its path still says `me` */
        opensAccount?: boolean;
    }
}

/**
 * Replaces `me` by the id of the token's user, in the path and its parameters. Whatever comes after this, caches and links
 * included, sees the id alone. The response needs no `Vary: Authorization` (RFC 9110 section 12.5.5).
 * @throws 401 without a valid token, also where the route needs none
 * @throws 403 `no_account` if the token's user has no account yet, unless the route opens it
 */
export async function resolveMe(request: Request): Promise<void> {
    const user = request.auth.isAuthenticated ? maybeUser(request) : (await request.callerOfHeader()).user;
    if (user !== undefined) {
        const { params, path } = request;
        params.user = user.id;
        Object.assign(request, { path: path.replace(`/users/${ME}`, `/users/${user.id}`) });
    }
    else if (request.route.settings.app?.opensAccount !== true) {
        throw noAccount();
    }
}
