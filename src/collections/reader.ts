import type { Request } from '@hapi/hapi';

/**
 * Reads something of which some see more than others. A token counts if it is valid; if it is not, what is for everybody is read, as without one.
 * @param read what the user with this id may see; null for whoever has no account
 * @returns undefined if there is nothing that the caller may see
 * @throws 401 if there is nothing for everybody, and the token is not valid; 503 if nobody can tell
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
