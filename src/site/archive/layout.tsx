import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';

import type { SiteConfig } from '../../config/site';
import type { BuiltFiles } from '../built-files';
import type { PageContext } from '../context';
import { directionOf } from '../languages';
import type { Translate } from '../text-options';
import type { ArchiveFolder } from './folder';
import { between, fileOf } from './names';

/** How the files of an archive are made. */
export interface ArchiveLook {
    folder: ArchiveFolder;
    built: BuiltFiles;
    place: SiteConfig;
    language: string;
    t: Translate;
}

/** The files of all pages. */
export const STYLES = 'site/style.css';
export const MISSING = fileOf('/missing');

/** A page loads nothing but its styles and pictures. The scheme is for files of a disk: there, browsers do not agree on what `'self'` is. */
const POLICY = `default-src 'none'; style-src 'self' file:; img-src 'self' file: data:; base-uri 'none'; form-action 'none'`;

/** Parts of the archive, by their addresses, with the keys of their names. */
const parts = { '/browse/featured': 'gallery.featured', '/browse/new': 'gallery.new', '/tags': 'gallery.tags', '/people': 'archive.people', '/languages': 'page.languages', '/collections': 'person.collections' } as const;

/** The page in a file, as components know it: its links lead to other files. */
export function pageIn(file: string, { place, language, t }: ArchiveLook): PageContext {
    return {
        t,
        language,
        direction: directionOf(language),
        place: { ...place, welcome: place.welcome === '' ? t('archive.text') : place.welcome },
        origin: '',
        path: '',
        isArchived: true,
        announcements: [],
        href: (address) => between(file, fileOf(address))
    };
}

/** The top of each page: the name of the place, and the parts of the archive. @param logo its address, if the page shows it */
export function Top({ page: { t, href, place }, logo }: { page: PageContext; logo?: JSX.Element | undefined }): JSX.Element {
    return (
        <>
            <a class="skip" href="#content">{t('page.skip')}</a>
            <header class="top">
                <a class="brand" href={href('/')}>{logo}<bdi>{place.name}</bdi></a>
                <nav class="parts" aria-label={t('archive.parts')}>
                    <ul>{Object.entries(parts).map(([address, key]) => <li key={key}><a href={href(address)}>{t(key)}</a></li>)}</ul>
                </nav>
            </header>
        </>
    );
}

/** The bottom of each page: what this is, and the texts of the operators. */
export function Bottom({ page: { t, href, place }, built }: { page: PageContext; built: BuiltFiles }): JSX.Element {
    return (
        <footer class="bottom">
            <p>{t('archive.note', { name: place.name })}</p>
            {built.placeTexts.size > 0 && (
                <nav aria-label={t('page.more')}>
                    <ul>{[...built.placeTexts.keys()].map((name) => <li key={name}><a href={href(`/${name}`)}>{t(`page.${name}`)}</a></li>)}</ul>
                </nav>
            )}
        </footer>
    );
}

/** Writes a page. */
export async function writePage(look: ArchiveLook, file: string, title: string, content: (page: PageContext) => ComponentChildren | Promise<ComponentChildren>): Promise<void> {
    const page = pageIn(file, look);
    const { built, folder } = look;
    const { language, direction, place } = page;
    const logo = built.logo && <img class="logo" src={between(file, `site/${built.logo.file}`)} alt="" width={built.logo.width} height={built.logo.height} />;
    const document = (
        <html lang={language} dir={direction}>
            <head>
                <meta charset="utf-8" />
                <meta http-equiv="Content-Security-Policy" content={POLICY} />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="referrer" content="no-referrer" />
                <title>{title === place.name ? title : `${title} · ${place.name}`}</title>
                <link rel="icon" href="data:," />
                <link rel="stylesheet" href={between(file, STYLES)} />
            </head>
            <body>
                <Top page={page} logo={logo} />
                <main id="content" tabIndex={-1}>{await content(page)}</main>
                <Bottom page={page} built={built} />
            </body>
        </html>
    );
    await folder.write(file, `<!doctype html>${renderToString(document)}\n`);
}
