import Joi from 'joi';

import type { Site } from './pages';
import { shells } from './shells';
import { findListed, findSitemaps, writeIndex, writeSitemap } from './sitemaps';

const XML = 'application/xml';
const TEXT = 'text/plain';

/** Paths of what is for people who are signed in, or is made anew for each question. */
const notForCrawlers = [...new Set([...shells.map(({ path }) => path.replace(/\{.*/, '')), '/find', '/oauth/', '/mcp'])];

/** Milliseconds for which /.well-known/security.txt is good. It is written anew each day; RFC 9116 advises less than a year. */
const GOOD_FOR = 180 * 24 * 3600 * 1000;
const DAY = 24 * 3600 * 1000;

/** Files for crawlers and people who report weaknesses: /robots.txt, the sitemaps and /.well-known/security.txt. */
export function crawlerRoutes({ server, built, config, db, now, options, respondFile }: Site): void {
    const pages = ['/', '/browse/featured', '/browse/trending', '/browse/new', ...[...built.placeTexts.keys()].map((name) => `/${name}`)].map((path) => ({ path }));
    const { app, validate } = options('cheap');
    const cheap = { app, validate };

    server.route({
        method: 'GET',
        path: '/robots.txt',
        options: cheap,
        handler: (request, h) => respondFile(h, request, TEXT, ({ origin }) => Promise.resolve({
            state: null,
            make: () => `User-agent: *\n${notForCrawlers.map((path) => `Disallow: ${path}\n`).join('')}\nSitemap: ${origin}/sitemap.xml\n`
        }))
    });

    server.route({
        method: 'GET',
        path: '/sitemap.xml',
        options: { ...cheap, app: { ...app, cost: 'heavy' } },
        handler: (request, h) => respondFile(h, request, XML, async ({ origin }) => {
            const numbers = await findSitemaps(db);
            return { state: numbers, make: () => writeIndex(origin, numbers) };
        })
    });

    server.route({
        method: 'GET',
        path: '/sitemaps/pages.xml',
        options: cheap,
        handler: (request, h) => respondFile(h, request, XML, ({ origin }) => Promise.resolve({ state: null, make: () => writeSitemap(origin, pages) }))
    });

    const { validate: numbered } = options('heavy', Joi.object({ number: Joi.string().pattern(/^[1-9][0-9]{0,11}$/) }));
    server.route<{ Params: { number: string } }>({
        method: 'GET',
        path: '/sitemaps/{number}.xml',
        options: { validate: numbered, app: { ...app, cost: 'heavy' } },
        handler: (request, h) => respondFile(h, request, XML, async ({ origin }) => {
            const found = await findListed(db, Number(request.params.number));
            return found.length === 0 ? undefined : { state: found, make: () => writeSitemap(origin, found.map(({ id, updated }) => ({ path: `/p/${id}`, updated }))) };
        })
    });

    const contact = config.site?.securityContact ?? null;
    if (contact !== null) {
        const path = '/.well-known/security.txt';
        server.route({
            method: 'GET',
            path,
            options: cheap,
            handler: (request, h) => respondFile(h, request, TEXT, ({ origin }) => {
                const expires = new Date(Math.floor(now() / DAY) * DAY + GOOD_FOR).toISOString();
                return Promise.resolve({ state: expires, make: () => `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${origin}${path}\n` });
            })
        });
    }
}
