import type { Plugin } from '@hapi/hapi';

import { conditional, holdsTag } from '../http/entity-tags';
import { share } from '../http/shared-responses';
import type { Shared } from '../http/shared-responses';
import { describe } from './document';
import { operation } from './route-settings';

/** What the service can do, told by its own routes. Registered after all of them. */
export const description: Plugin<void> = {
    name: 'description',
    register(server) {
        let made: Shared | undefined;

        server.route({
            method: 'GET',
            path: '/openapi.json',
            options: operation('getDescription'),
            handler: (request, h) => {
                // Once for each server, for the first who asks.
                made ??= share(JSON.stringify(describe(server)));
                return conditional(h, made.tag, holdsTag(request, made.tag) ? null : made.body);
            }
        });
    }
};
