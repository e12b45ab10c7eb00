import type { JSX } from 'preact';

import { respondWith, sharedResponse, tagOf } from '../api/request/shared-responses';
import type { PageContext } from './context';
import { grounds, readableOn } from './colors';
import { Document } from './document';
import { languageNames } from './languages';
import type { Site } from './pages';
import { workerPolicy } from './policy';
import type { SiteConfig } from '../config/site';

/** The accent colour of `web/style.css`. */
const ACCENT = '#a8440f';

/** Shown without a network instead of a page that this device has no copy of. Of a project, a script may know more. */
function NothingKept({ page: { t, href } }: { page: PageContext }): JSX.Element {
    return (
        <div class="message" data-nothing-kept>
            <h1>{t('offline.title')}</h1>
            <p>{t('offline.text')}</p>
            <p class="ways-in"><a class="button" href={href('/account')}>{t('page.your_account')}</a> <a class="button quiet" href={href('/')}>{t('missing.back')}</a></p>
        </div>
    );
}

/** Routes of the app that opens without a network: its manifest, its service worker, and a page for what was never opened. */
export function offlineRoutes({ server, built, options, respond, respondFile }: Site, place: SiteConfig): void {
    const { app, validate } = options('cheap');
    const color = place.color === null ? ACCENT : readableOn(grounds.light, place.color);
    const release = tagOf(JSON.stringify([built.release, place])).slice(0, 16);
    const files = [...built.files.keys()].filter((name) => /\.(?:js|css|json)$/.test(name)).map((name) => `/site/${name}`);
    const worker = sharedResponse(`const builtSite=${JSON.stringify({ release, files, languages: Object.keys(languageNames) })};\n${built.worker}`);

    server.route({
        method: 'GET',
        path: '/manifest.webmanifest',
        options: { app, validate },
        handler: (request, h) => respondFile(h, request, 'application/manifest+json', ({ t, language, direction, href }) => Promise.resolve({
            state: null,
            make: () => JSON.stringify({
                id: '/', name: place.name, short_name: place.name, description: place.welcome === '' ? t('gallery.text') : place.welcome,
                lang: language, dir: direction,
                start_url: href('/'), scope: '/', display: 'standalone', background_color: grounds.light, theme_color: color,
                icons: built.icons.map(({ file, ...icon }) => ({ src: `/site/${file}`, type: 'image/png', ...icon }))
            })
        }))
    });

    server.route({
        method: 'GET',
        path: '/service-worker.js',
        options: { app, validate },
        handler: (request, h) => respondWith(h, request, worker).type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').header('content-security-policy', workerPolicy)
    });

    server.route({
        method: 'GET',
        path: '/offline',
        options: options('cheap'),
        handler: (request, h) => respond(h, request, (page) => Promise.resolve(<Document page={page} built={built} title={page.t('offline.title')} script="web/player/main.tsx" unlisted><NothingKept page={page} /></Document>))
    });
}
