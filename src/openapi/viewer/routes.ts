import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Plugin, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { respondWith, sharedResponse } from '../../http/shared-responses';
import type { SharedResponse } from '../../http/shared-responses';
import type { Services } from '../../services';
import { page } from './page';

/** What the page loads, by the last part of its path. There is no way to another file. */
const files: Readonly<Record<string, { file: string; type: string }>> = {
    'swagger-ui.css': { file: require.resolve('swagger-ui-dist/swagger-ui.css'), type: 'text/css; charset=utf-8' },
    'swagger-ui-bundle.js': { file: require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), type: 'text/javascript; charset=utf-8' },
    'favicon-32x32.png': { file: require.resolve('swagger-ui-dist/favicon-32x32.png'), type: 'image/png' },
    'viewer.js': { file: join(__dirname, 'viewer.js'), type: 'text/javascript; charset=utf-8' }
};

/** No other host, no script out of the page's text, and no other site's frame around it. Swagger UI keeps its icons in `data:` URLs. */
const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** `/docs`: the description of the API in a browser, where it can be tried out. `/` leads there. */
export const docs: Plugin<Services> = {
    name: 'docs',
    register(server, { config }) {
        server.route({ method: 'GET', path: '/', handler: (_request, h) => h.redirect('/docs') });

        const html = sharedResponse(page(config.auth.provider === 'local'));
        server.route({ method: 'GET', path: '/docs', handler: (_request, h) => answer(h, html, 'text/html; charset=utf-8') });

        for (const [name, { file, type }] of Object.entries(files)) {
            let read: Promise<SharedResponse> | undefined;
            server.route({
                method: 'GET',
                path: `/docs/${name}`,
                handler: async (_request, h) => {
                    // Once for each server, for the first who asks.
                    read ??= readFile(file).then((content) => sharedResponse(content));
                    return answer(h, await read, type);
                }
            });
        }
    }
};

const answer = (h: ResponseToolkit, response: SharedResponse, type: string): ResponseObject => respondWith(h, h.request, response).type(type)
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer');
