import type { Plugin, Request } from '@hapi/hapi';

import { preflightOfOptions } from './cross-origin';
import { checkKey } from './idempotency';
import { resolveMe } from './me';
import { checkHost, checkPath } from './path';
import { expectBody, readBody } from './read-body';
import type { BodyOptions } from './read-body';
import { nameRequest } from './request-id';
import { ME } from './schema';
import { readTrace } from './trace';
import { forbidSniffing } from './responses';

/**
 * The stages of a request, in this order. Each stage is in the file that is named here, in `api/` or in `src/`. tools/request-picture.js draws this list.
 *
 *   before hapi      protection/connections      too many connections: closed
 *                    protection/connections      too many requests that wait behind another in their connection: closed
 *                    protection/bytes            a large body without a token, from an address that sends too much: 429
 *                    protection/requests         too many requests in hand: 503, before anything is read
 *   onRequest        request/lifecycle           id, trace, headers of every response, host, path
 *                    files/imports               a story for POST …/projects takes the way of an import
 *   onPreAuth        request/shared-responses    a public list that is kept is answered here; send-again then ends the request
 *   authentication   auth/strategy               the token; then its scope
 *   payload          hapi                        the body as a stream, decompressed
 *   onPostAuth       protection/cost             too much in progress that is not cheap: 429, or 503
 *                    request/read-body           the body's bytes, up to the route's limit and the caller's share, then as JSON
 *                    request/me                  `me` in the path becomes the id of the token's user
 *   validation       request/validation-errors   parameters, query and body against their schemas: 400 with every error
 *   onPreHandler     protection/rate-limits      429
 *   handler          protection/cost             what is not cheap waits for its turn
 *                    the resource                access, queries, representation
 *   onPreResponse    request/cross-origin        405 with Allow, OPTIONS, cross-origin headers
 *                    request/error-response      the body of every error; large responses are charged to their caller
 *   response         request/request-log         one line in the log
 *                    request/metrics             if there is a METRICS_PORT
 *                    projects/live/routes        after a write, sends the change to the event streams of this process
 */
const arrival: readonly ((request: Request) => void)[] = [nameRequest, readTrace, forbidSniffing, checkHost, checkPath, preflightOfOptions];

/** Runs the stages of `onRequest` and `onPostAuth`. Those of one event share an extension: hapi takes 1.5 µs for each that there is. */
export const lifecycle: Plugin<BodyOptions & { queues: { admitWhole: (request: Request) => void }; arrivals: readonly ((request: Request) => void)[] }> = {
    name: 'lifecycle',
    register(server, { queues, arrivals, ...bodyOptions }) {
        const first = [...arrival, ...arrivals];
        server.ext('onRequest', (request, h) => {
            for (const stage of first) {
                stage(request);
            }

            return h.continue;
        });

        server.ext('onPostAuth', async (request, h) => {
            const { headers: { 'idempotency-key': key }, method, params, route } = request;
            const { app } = route.settings;
            queues.admitWhole(request);

            expectBody(request);
            // A 405 needs neither of them.
            if (route.method !== '*') {
                if (method !== 'get' && method !== 'head' && !app?.readsBody) {
                    await readBody(request, bodyOptions);
                    // Some handlers look who it is before they do what is done once.
                    if (key !== undefined && route.settings.plugins?.description?.().errors.includes('key_reused')) {
                        checkKey(String(key));
                    }
                }

                if (params.user === ME) {
                    await resolveMe(request);
                }
            }

            return h.continue;
        });
    }
};
