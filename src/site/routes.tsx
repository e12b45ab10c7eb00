import type { Plugin, Request, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';
import type { VNode } from 'preact';

import { drawingPolicy } from '../files/assets/serving';
import { listAnnouncements } from '../community/administration/announcements';
import { publicSummary } from '../community/statements';
import { respondWith } from '../api/request/shared-responses';
import { idPattern } from '../api/request/schema';
import type { Services } from '../api/services';
import { hasModerator } from '../accounts/users/permissions';
import { readBuiltFiles } from './built-files';
import type { PageContext } from './context';
import { crawlerRoutes } from './crawler-routes';
import { currentAnnouncements } from './current-announcements';
import { Document } from './document';
import { feedRoutes } from './feed-routes';
import { FirstSteps } from './first-steps';
import { listRoutes } from './list-routes';
import { offlineRoutes } from './offline-routes';
import { sitePages } from './pages';
import type { Site } from './pages';
import type { SiteConfig } from '../config/site';
import { playerRoutes } from './player-routes';
import { Failed, MaybeOwn, NotFound, Refused, ShellContent, Text, shells } from './shells';
import { Transparency } from './transparency';

/** A year. A file with another content has another name. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** The schema of a path's parameter, if it is an id. */
function idIn(path: string): Joi.ObjectSchema | undefined {
    const [, name] = /\{(project|class_id)\}/.exec(path) ?? [];
    return name === undefined ? undefined : Joi.object({ [name]: Joi.string().pattern(idPattern) });
}

/** The pages that people look at. They are no part of the API: `SITE=off` leaves them out. */
export const site: Plugin<Services & { place: SiteConfig }> = {
    name: 'site',
    async register(server, { place, ...services }) {
        const built = await readBuiltFiles(place);
        // If a project is not for everybody, the script asks for it again with the token of the person who is signed in.
        const missing = (page: PageContext): VNode => (
            <Document page={page} built={built} title={page.t('missing.title')} script={page.path.startsWith('/p/') ? 'web/player/main.tsx' : undefined}>{page.path.startsWith('/p/') ? <MaybeOwn page={page} /> : <NotFound page={page} />}</Document>
        );
        const failed = (page: PageContext, id: string): VNode =>
            <Document page={page} built={built} title={page.t('failed.title')} unlisted><Failed page={page} id={id} /></Document>;
        const announcements = currentAnnouncements(async () => JSON.parse(`[${await listAnnouncements(services.db, false)}]`), services.config.listMaxAge, services.now);
        const pages = sitePages(services.config, place, built, announcements, { missing, failed });
        server.expose('errorPage', pages.errorPage);
        server.expose('refusedPage', (request: Request, h: ResponseToolkit, reason: string, isOver: boolean) => (
            pages.show(h, request, (page) => <Document page={page} built={built} title={page.t('authorization.title')} unlisted><Refused page={page} reason={reason} isOver={isOver} /></Document>).code(400).header('cache-control', 'no-store')
        ));
        const kit: Site = {
            ...services, ...pages, server, built,
            options: (cost, params, query = {}, app = {}) => ({
                ext: pages.ext,
                app: { cost, ...app },
                validate: {
                    params,
                    // Other sites add parameters to links: they are ignored.
                    query: Joi.object({ lang: Joi.string(), ...query }).options({ stripUnknown: true }),
                    failAction: pages.invalid
                }
            })
        };

        for (const { path, script, title, bare, records = false } of shells.filter(({ ofApps, ofMail }) => (ofApps !== true || services.config.auth.provider === 'local') && (ofMail !== true || services.config.mail !== null))) {
            server.route({
                method: 'GET',
                path,
                options: kit.options('cheap', idIn(path), undefined, { records }),
                handler: (request, h) => pages.respond(h, request, (page) => Promise.resolve(
                    <Document page={page} built={built} title={page.t(title)} script={script} bare={bare}><ShellContent page={page} config={services.config} /></Document>
                ))
            });
        }

        for (const [name, text] of built.placeTexts) {
            server.route({
                method: 'GET',
                path: `/${name}`,
                options: kit.options('cheap'),
                handler: (request, h) => pages.respond(h, request, (page) => Promise.resolve(
                    <Document page={page} built={built} title={page.t(`page.${name}`)}><Text title={page.t(`page.${name}`)} html={text} /></Document>
                ))
            });
        }

        server.route({
            method: 'GET',
            path: '/transparency',
            options: kit.options('cheap'),
            handler: (request, h) => pages.respond(h, request, async (page) => {
                const months = await publicSummary(services.db, services.now());
                return <Document page={page} built={built} title={page.t('transparency.title')}>
                    <Transparency page={page} months={months} /></Document>;
            })
        });

        server.route({
            method: 'GET',
            path: '/welcome',
            options: kit.options('cheap'),
            handler: (request, h) => pages.respondKept(h, request, async () => {
                const isModerated = await hasModerator(services.db);
                return {
                    state: isModerated,
                    make: (page) => <Document page={page} built={built} title={page.t('first.title')} unlisted><FirstSteps page={page} signUp={services.config.signUp} hasModerator={isModerated} /></Document>
                };
            })
        });

        server.route<{ Params: { file: string } }>({
            method: 'GET',
            path: '/site/{file}',
            options: kit.options('cheap'),
            handler: (request, h) => {
                const found = built.files.get(request.params.file);
                return found === undefined ? pages.respond(h, request, () => Promise.resolve(undefined)) :
                    respondWith(h, request, found.response).type(found.type).header('cache-control', FOR_GOOD).header('content-security-policy', drawingPolicy);
            }
        });

        listRoutes(kit);
        feedRoutes(kit);
        crawlerRoutes(kit);
        playerRoutes(kit);
        offlineRoutes(kit, place);
    }
};
