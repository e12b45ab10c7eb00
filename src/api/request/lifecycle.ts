import type { Plugin, Request } from '@hapi/hapi';

import { preflightOfOptions } from './cross-origin';
import { resolveMe } from './me';
import { checkHost, checkPath } from './path';
import { expectBody, readBody } from './read-body';
import type { BodyOptions } from './read-body';
import { nameRequest } from './request-id';
import { ME } from './schema';
import { readTrace } from './trace';
import { forbidSniffing } from './responses';

/**
 * What happens to a request, in this order. Each stage is in the file of `api/` that is named here.
 *
 *   before hapi       api/protection/listener         too many connections: closed
 *                     api/protection/pipelines        too many requests that wait behind another in their connection: closed
 *                     api/protection/byte-budgets     a large body without a token, from an address that sends too much: 429
 *                     api/protection/overload         too many requests in hand: 503, before anything is read
 *   onRequest         `arrival`, below                id, trace, headers of every response, host, path
 *   onPreAuth         shared-responses                a public list that is kept is answered here (by its routes); send-again then ends the request
 *   authentication    api/auth/strategy               the token; then its scope
 *   payload           hapi                            the body as a stream, decompressed
 *   onPostAuth        api/protection/cost             too much in progress that is not cheap: 429, or 503
 *                     read-body                       the body's bytes, up to the route's limit and the caller's share, then as JSON
 *                     me                              `me` in the path becomes the id of the token's user
 *   validation        validation-errors               parameters, query and body against their schemas: 400 with every error
 *   onPreHandler      api/protection/rate-limits      429
 *   handler           api/protection/cost             what is not cheap waits for its turn
 *                     the resource                    access, queries, representation
 *   onPreResponse     methods                         405 with Allow, OPTIONS, cross-origin headers
 *                     error-response                  the body of every error; large responses are charged to their caller
 *   response          request-log                     one line in the log
 *                     metrics                         if there is a METRICS_PORT
 *                     projects/live/routes            after a write, sends the change to the event streams of this process
 */
const arrival: readonly ((request: Request) => void)[] = [nameRequest, readTrace, forbidSniffing, checkHost, checkPath, preflightOfOptions];

/** Runs the stages of `onRequest` and `onPostAuth`. Those of one event share an extension: hapi takes 1.5 µs for each that there is. */
export const lifecycle: Plugin<BodyOptions & { queues: { admit: (request: Request) => void } }> = {
    name: 'lifecycle',
    register(server, { queues, ...bodyOptions }) {
        server.ext('onRequest', (request, h) => {
            for (const stage of arrival) {
                stage(request);
            }

            return h.continue;
        });

        server.ext('onPostAuth', async (request, h) => {
            const { method, params, route } = request;
            const { app } = route.settings;
            if (app?.cost !== 'cheap') {
                queues.admit(request);
            }

            expectBody(request);
            // A 405 needs neither of them.
            if (route.method !== '*') {
                if (method !== 'get' && method !== 'head' && !app?.readsBody) {
                    await readBody(request, bodyOptions);
                }

                if (params.user === ME) {
                    await resolveMe(request);
                }
            }

            return h.continue;
        });
    }
};
