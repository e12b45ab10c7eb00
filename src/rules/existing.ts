import { notFound } from '../api/errors/errors';

/** The thing that was looked up. @throws 404 if there is none */
export function existing<Found>(found: Found | undefined, what: string): Found {
    if (found === undefined) {
        throw notFound(what);
    }

    return found;
}
