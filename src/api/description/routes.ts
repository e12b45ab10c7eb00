import type { Plugin } from '@hapi/hapi';

import { compressed, respondCompressed } from './compressed';
import type { Compressed } from './compressed';
import { describe } from './document';
import type { NamedSettings } from './document';
import { descriptionOperation } from './route-settings';

/** Serves the description of the API. Registered after all routes that it describes. */
export const description: Plugin<{ config: NamedSettings }> = {
    name: 'description',
    register(server, { config }) {
        let made: Promise<Compressed> | undefined;

        server.route({
            method: 'GET',
            path: '/openapi.json',
            options: { ...descriptionOperation('getDescription'), app: { cost: 'cheap' } },
            handler: async (request, h) => {
                // Made and compressed once for each server, at the first request.
                made ??= compressed(describe(server, config));
                return respondCompressed(h, request, await made);
            }
        });
    }
};
