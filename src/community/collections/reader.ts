import type { Request } from '@hapi/hapi';

/**
 * Reads something of which some users see more than others. A valid token is used; with an invalid one, the public part is read, as without a token.
 * @param read reads what the user with this id may see; null for a caller without an account
 * @returns undefined if there is nothing that the caller may see
 * @throws 401 if nothing is public and the token is not valid; 503 if the token cannot be checked
 */
export async function readForCaller<Found>(request: Pick<Request, 'app' | 'callerOfHeader' | 'headers'>, read: (readerId: string | null) => Promise<Found | undefined>): Promise<Found | undefined> {
    // Also if there is nothing: a private collection is answered as one that does not exist.
    request.app.isPrivate = true;
    const caller = request.headers.authorization === undefined ? undefined : await request.callerOfHeader().catch((error: Error) => error);
    if (caller === undefined || caller instanceof Error) {
        const found = await read(null);
        if (found === undefined && caller !== undefined) {
            throw caller;
        }

        request.app.isPrivate = found === undefined;
        return found;
    }

    const { user, mayReadProjects } = caller;
    return await read(user !== undefined && mayReadProjects ? user.id : null);
}
