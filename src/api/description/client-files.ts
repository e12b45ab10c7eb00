import { readFile } from 'node:fs/promises';

import type { Plugin, ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { fault, notFound } from '../errors/errors';
import { respondWith, sharedResponse } from '../request/shared-responses';
import type { SharedResponse } from '../request/shared-responses';
import { version } from './version';

const script = 'text/javascript; charset=utf-8';
const types = 'text/typescript; charset=utf-8';

/** The client, what signs people in, and the renderer with their types, and the package of them all, as `npm run build` makes them; no other file can be read. */
const files: ReadonlyMap<string, { type: string; types?: string }> = new Map([
    ['pagewright.js', { type: script, types: './pagewright.d.ts' }],
    ['pagewright.d.ts', { type: types }],
    ['auth.js', { type: script, types: './auth.d.ts' }],
    ['auth.d.ts', { type: types }],
    ['render.js', { type: script, types: './render.d.ts' }],
    ['render.d.ts', { type: types }],
    ['pagewright-client.tgz', { type: 'application/gzip' }]
]);

const [FOR_GOOD, ASK_FIRST] = ['public, max-age=31536000, immutable', 'no-cache'];

/** Scripts of any origin, without a token. */
const options = { app: { cost: 'cheap' }, cors: { origin: 'ignore' } } as const;

/**
 * `/client/pagewright.js`: the client as a module that pages of any origin can import. An address with the version never
 * changes. The one without is asked for again each time (it is 304 if it is the same). It does not redirect: during an upgrade, an instance
 * of the release before would answer 404 there.
 */
export const clientFiles: Plugin<void> = {
    name: 'client-files',
    register(server) {
        const read = new Map<string, Promise<SharedResponse>>();

        const send = async <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: Pick<Request, 'headers' | 'path' | 'query'>, name: string, caching: string): Promise<ResponseObject> => {
            const file = files.get(name);
            if (file === undefined) {
                throw notFound('file');
            }

            // Read once, at the first request.
            const content = read.get(name) ?? readFile(require.resolve(`#site/client/${name}`)).then((bytes) => sharedResponse(bytes));
            read.set(name, content);
            const response = respondWith(h, request, await content).type(file.type).header('cache-control', caching).header('cross-origin-resource-policy', 'cross-origin');
            return file.types === undefined ? response : response.header('x-typescript-types', file.types);
        };

        server.route<{ Params: { file: string } }>({ method: 'GET', path: '/client/{file}', options, handler: (request, h) => send(h, request, request.params.file, ASK_FIRST) });
        server.route<{ Params: { version: string; file: string } }>({
            method: 'GET', path: '/client/{version}/{file}', options,
            handler: (request, h) => {
                if (request.params.version !== version) {
                    throw fault('not_found', `This service has version ${version} of the client: /client/${version}/pagewright.js.`);
                }

                return send(h, request, request.params.file, FOR_GOOD);
            }
        });
    }
};
