import type { Request } from '@hapi/hapi';

import { notFound } from '../../api/errors/errors';

/**
 * Reads something of which some users see more than others. A valid token is used; with an invalid one, the public part is read, as without a token.
 * @param what it is, in words
 * @param read reads what the user with this id may see; null for a caller without an account
 * @throws 404 if there is nothing that the caller may see; 401 if nothing is public and the token is not valid; 503 if the token cannot be checked
 */
export async function readForCaller<Found>(
    request: Pick<Request, 'app' | 'callerOfHeader' | 'headers'>, what: string, read: (readerId: string | null) => Promise<Found | undefined>
): Promise<Found> {
    // Also if there is nothing: a private collection is answered as one that does not exist.
    request.app.isPrivate = true;
    const caller = request.headers.authorization === undefined ? undefined : await request.callerOfHeader().catch((error: Error) => error);
    const isKnown = caller !== undefined && !(caller instanceof Error);
    const found = await read(isKnown && caller.user !== undefined && caller.mayReadProjects ? caller.user.id : null);
    if (found === undefined) {
        throw caller instanceof Error ? caller : notFound(what);
    }

    request.app.isPrivate = isKnown;
    return found;
}
