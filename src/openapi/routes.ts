import type { Plugin } from '@hapi/hapi';

import { respondWith, sharedResponse } from '../http/shared-responses';
import type { SharedResponse } from '../http/shared-responses';
import { describe } from './document';
import { operation } from './route-settings';

/** What the service can do, told by its own routes. Registered after all of them. */
export const description: Plugin<void> = {
    name: 'description',
    register(server) {
        let made: SharedResponse | undefined;

        server.route({
            method: 'GET',
            path: '/openapi.json',
            options: operation('getDescription'),
            handler: (request, h) => {
                // Once for each server, for the first who asks.
                made ??= sharedResponse(JSON.stringify(describe(server)));
                return respondWith(h, request, made);
            }
        });
    }
};
