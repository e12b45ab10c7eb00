import type { Request } from '@hapi/hapi';

/**
 * Reads something of which some users see more than others. A valid token is used; with an invalid one, the public part is read, as without a token.
 * @param read reads what the user with this id may see; null for a caller without an account
 * @returns undefined if there is nothing that the caller may see
 * @throws 401 if nothing is public and the token is not valid; 503 if the token cannot be checked
 */
export async function readForCaller<Found>(request: Pick<Request, 'app' | 'callerOfHeader' | 'headers'>, read: (readerId: string | null) => Promise<Found | undefined>): Promise<Found | undefined> {
    if (request.headers.authorization === undefined) {
        return await read(null);
    }

    const caller = await request.callerOfHeader().catch((error: Error) => error);
    if (caller instanceof Error) {
        const found = await read(null);
        if (found === undefined) {
            throw caller;
        }

        return found;
    }

    const { user, mayReadProjects } = caller;
    request.app.isPrivate = true;
    return await read(user !== undefined && mayReadProjects ? user.id : null);
}
