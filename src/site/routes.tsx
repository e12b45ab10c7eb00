import type { Plugin, RouteOptions } from '@hapi/hapi';
import Joi from 'joi';
import type { VNode } from 'preact';

import type { SiteConfig } from '../config';
import { respondWith } from '../http/shared-responses';
import { idPattern } from '../http/schema';
import type { Services } from '../services';
import { readBuiltFiles } from './built-files';
import type { PageContext } from './context';
import { Document } from './document';
import { sitePages } from './pages';
import { NotFound, ShellContent, shells } from './shells';

/** A year. A file with another content has another name. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** The pages that people look at. They are no part of the API: `SITE=off` leaves them out. */
export const site: Plugin<Services & { place: SiteConfig }> = {
    name: 'site',
    register(server, { config, place }) {
        const built = readBuiltFiles();
        const missing = (page: PageContext): VNode => <Document page={page} built={built} title={page.t('missing.title')}><NotFound page={page} /></Document>;
        const pages = sitePages(config, place, built, missing);

        /** Options of a page. Queries that it does not know, as other sites add to links, change nothing. */
        const options = (params?: Joi.ObjectSchema, query: Joi.SchemaMap = {}): RouteOptions => ({
            ext: pages.ext,
            validate: {
                params,
                query: Joi.object({ lang: Joi.string(), ...query }).options({ stripUnknown: true }),
                failAction: pages.invalid
            }
        });

        for (const { path, script, title, bare } of shells) {
            const params = path.includes('{project}') ? Joi.object({ project: Joi.string().pattern(idPattern) }) : undefined;
            server.route({
                method: 'GET',
                path,
                options: options(params),
                handler: (request, h) => pages.respond(h, request, (page) => Promise.resolve(
                    <Document page={page} built={built} title={page.t(title)} script={script} bare={bare}><ShellContent page={page} config={config} /></Document>
                ))
            });
        }

        server.route<{ Params: { file: string } }>({
            method: 'GET',
            path: '/site/{file}',
            options: { validate: { failAction: pages.invalid } },
            handler: (request, h) => {
                const found = built.files.get(request.params.file);
                return found === undefined ? pages.respond(h, request, () => Promise.resolve(undefined)) : respondWith(h, request, found.response).type(found.type).header('cache-control', FOR_GOOD);
            }
        });

        server.route({
            method: 'GET',
            path: '/',
            options: options(),
            handler: (request, h) => pages.respond(h, request, (page) => Promise.resolve(
                <Document page={page} built={built} title={page.place.name}><h1>{page.t('gallery.title')}</h1></Document>
            ))
        });
    }
};
