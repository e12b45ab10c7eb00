import type { Plugin } from '@hapi/hapi';

import { respondWith, sharedResponse } from '../request/shared-responses';
import type { SharedResponse } from '../request/shared-responses';
import { describe } from './document';
import type { NamedSettings } from './document';
import { descriptionOperation } from './route-settings';

/** Serves the description of the API. Registered after all routes that it describes. */
export const description: Plugin<{ config: NamedSettings }> = {
    name: 'description',
    register(server, { config }) {
        let made: SharedResponse | undefined;

        server.route({
            method: 'GET',
            path: '/openapi.json',
            options: { ...descriptionOperation('getDescription'), app: { cost: 'cheap' } },
            handler: (request, h) => {
                // Made once for each server, at the first request.
                made ??= sharedResponse(describe(server, config));
                return respondWith(h, request, made);
            }
        });
    }
};
