import type { Plugin } from '@hapi/hapi';

import { publishedSchemas } from './schemas';

/** Publishes the JSON Schemas of files. */
export const schemas: Plugin<object> = {
    name: 'schemas',
    register(server) {
        for (const [name, schema] of Object.entries(publishedSchemas)) {
            const text = `${JSON.stringify(schema, null, 2)}\n`;
            server.route({
                method: 'GET',
                path: `/schemas/${name}`,
                options: { app: { cost: 'cheap' } },
                handler: (_request, h) => h.response(text).type('application/schema+json; charset=utf-8').header('cache-control', 'public, max-age=300')
            });
        }
    }
};
