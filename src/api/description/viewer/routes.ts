import { readFile } from 'node:fs/promises';

import type { Plugin, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';

import { respondWith, sharedResponse } from '../../request/shared-responses';
import type { SharedResponse } from '../../request/shared-responses';
import { PROBLEMS_PATH } from '../../request/problem';
import type { Services } from '../../services';
import { errorsPage } from './errors-page';
import { docsPage } from './page';

/** The files that the page loads, by the last part of their path; no other file can be read. `npm run build` makes those of `#site`. */
const files: Readonly<Record<string, { module: string; type: string }>> = {
    'swagger-ui.css': { module: 'swagger-ui-dist/swagger-ui.css', type: 'text/css; charset=utf-8' },
    'swagger-ui-bundle.js': { module: 'swagger-ui-dist/swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
    'favicon-32x32.png': { module: 'swagger-ui-dist/favicon-32x32.png', type: 'image/png' },
    'docs.css': { module: '#site/docs.css', type: 'text/css; charset=utf-8' },
    'docs.js': { module: '#site/docs.js', type: 'text/javascript; charset=utf-8' }
};

/** No other host, no inline script, and no frame on another site. Swagger UI has its icons in `data:` URLs. */
const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The query with which people come back who have signed in (RFC 6749 section 4.1.2, RFC 9207). */
const comingBack = Joi.object(Object.fromEntries(['code', 'state', 'iss', 'error', 'error_description'].map((name) => [name, Joi.string().allow('')])));

/** `/docs`: the description of the API, where requests can be tried out. Without a site, `/` redirects to it. */
export const docs: Plugin<Services> = {
    name: 'docs',
    register(server, { config }) {
        if (config.site === null) {
            server.route({ method: 'GET', path: '/', options: { app: { cost: 'cheap' } }, handler: (_request, h) => h.redirect('/docs') });
        }

        const html = sharedResponse(docsPage(config.auth.provider !== 'local' ? 'elsewhere' : config.site === null ? 'local' : 'signsIn'));
        server.route({ method: 'GET', path: '/docs', options: { app: { cost: 'cheap' }, validate: { query: comingBack } }, handler: (_request, h) => answer(h, html, 'text/html; charset=utf-8') });

        const errors = sharedResponse(errorsPage);
        server.route({ method: 'GET', path: PROBLEMS_PATH, options: { app: { cost: 'cheap' } }, handler: (_request, h) => answer(h, errors, 'text/html; charset=utf-8') });

        for (const [name, { module, type }] of Object.entries(files)) {
            let read: Promise<SharedResponse> | undefined;
            server.route({
                method: 'GET',
                path: `/docs/${name}`,
                options: { app: { cost: 'cheap' } },
                handler: async (_request, h) => {
                    // Read once, at the first request.
                    read ??= readFile(require.resolve(module)).then((content) => sharedResponse(content));
                    return answer(h, await read, type);
                }
            });
        }
    }
};

const answer = (h: ResponseToolkit, response: SharedResponse, type: string): ResponseObject => respondWith(h, h.request, response).type(type)
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer');
