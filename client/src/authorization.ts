import type { Renewing } from './renewal.js';
import type { Send } from './retries.js';
import type { KeptSession } from './session.js';

/** Reads that need a token, or show more with one. To other origins, other reads are sent without it, because it would cause a preflight; and then with it, if they find nothing. */
const guardedReads = new Set([
    '/users/{user}/notices', '/users/{user}/notices/events', '/users/{user}/notices/letter',
    '/projects/{project}/like', '/users/{user}/blocks', '/users/{user}/following', '/users/{user}/feed',
    '/collections/{collection}', '/classes/{class_id}', '/classes/{class_id}/assignments', '/classes/{class_id}/assignments/{assignment}',
    '/classes/{class_id}/assignments/{assignment}/work', '/classes/{class_id}/takeout', '/classes/{class_id}/devices',
    '/classes/{class_id}/projects', '/classes/{class_id}/events', '/users/{user}/classes', '/users/{user}/projects/{project}/classes',
    '/users/{user}', '/users/{user}/address', '/tokens', '/moderation/reports', '/users/{user}/reports', '/moderation/appeals',
    '/moderation/summary', '/moderation/log', '/users/{user}/statements', '/admin/users', '/admin/users/{user}', '/admin/log',
    '/admin/moderation-log', '/admin/statistics', '/admin/maintenance', '/admin/announcements', '/admin/apps', '/admin/webhooks',
    '/admin/sign-up-codes', '/users/{user}/assets', '/users/{user}/takeout', '/users/{user}/passkeys', '/users/{user}/identities',
    '/users/{user}/trash', '/users/{user}/apps', '/users/{user}/webhooks', '/users/{user}/webhooks/{webhook}/deliveries',
    '/users/{user}/authorizations', '/users/{user}/shared', '/users/{user}/projects/{project}/members',
    '/users/{user}/projects/{project}/invitations', '/users/{user}/projects/{project}/history',
    '/users/{user}/projects/{project}/history/{revision}'
]);

/** Projects that the client remembers to send the token for at once. */
const MAX_NOT_PUBLIC = 1000;

/** Sends a request, with the token of whoever is signed in where it needs one. The path is as the description spells it. */
export type SendAs = (transport: Send, request: Request, path: string, inPath: Readonly<Record<string, unknown>>) => Promise<Response>;

/** Puts the token into the requests that need one, and renews it if it was refused. @param isSameOrigin whether the token costs no preflight */
export function authorizing(session: KeptSession, renewed: Renewing, isSameOrigin: boolean): SendAs {
    /** projects that were found with a token only */
    const notPublic = new Set<unknown>();
    return async (transport, request, path, { user, project }) => {
        if (session.read() === null || request.headers.has('Authorization')) {
            return await transport(request);
        }

        const signed = async (): Promise<Response> => {
            const current = await renewed.current();
            if (current === null) {
                return transport(request);
            }

            request.headers.set('Authorization', `token ${current.token}`);
            const response = await transport(request);
            const next = response.status === 401 && current.renewal !== undefined && !request.bodyUsed ? await renewed.after(current.token) : null;
            if (next === null || next.token === current.token) {
                return response;
            }

            request.headers.set('Authorization', `token ${next.token}`);
            return transport(request);
        };

        if (request.method !== 'GET' || guardedReads.has(path) || user === 'me' || notPublic.has(project) || (isSameOrigin && project !== undefined)) {
            return await signed();
        }

        const response = await transport(request);
        if (response.status !== 404 || project === undefined) {
            return response;
        }

        const own = await signed();
        if (own.ok && notPublic.size < MAX_NOT_PUBLIC) {
            notPublic.add(project);
        }

        return own;
    };
}
