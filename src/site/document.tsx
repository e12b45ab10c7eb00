import type { ComponentChildren, JSX } from 'preact';

import { Announcements } from './announcements';
import type { BuiltFiles, EntryName } from './built-files';
import type { PageContext } from './context';
import { languageNames } from './languages';
import { Footer, Header, NetworkLine } from './frame';

interface DocumentProps {
    page: PageContext;
    built: BuiltFiles;
    title: string;
    /** the script of this page besides that of all pages */
    script?: EntryName;
    /** further elements of the head */
    head?: ComponentChildren;
    /** for crawlers: whether the page is kept out of their indexes */
    unlisted?: boolean;
    /** whether the page is shown without the header and the footer of the site */
    bare?: boolean;
    /** whether it is shown in frames of other sites, with nothing around it */
    embedded?: boolean;
    /** what is searched for */
    query?: string;
    children?: ComponentChildren;
}

/** A whole page: head, header, what it is about, footer. */
export function Document({ page, built, title, script, head, unlisted = false, bare = false, embedded = false, query = '', children }: DocumentProps): JSX.Element {
    const { t, language, direction, place } = page;
    const names: readonly EntryName[] = ['web/page.ts', ...script === undefined ? [] : [script]];
    const scripts = names.map((name) => built.entries[name]);
    const styles = [built.entries['web/style.css'].file, ...scripts.flatMap(({ css }) => css), ...built.colors === undefined ? [] : [built.colors]];
    return (
        <html lang={language} dir={direction} data-languages={embedded || page.isArchived === true ? undefined : Object.keys(languageNames).join(' ')} data-texts={`/site/${built.languages.get(language)?.file}`}>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>{title === place.name ? title : `${title} · ${place.name}`}</title>
                <link rel="icon" href={built.logo === undefined ? '/docs/favicon-32x32.png' : `/site/${built.logo.file}`} />
                <link rel="apple-touch-icon" href={`/site/${built.icons[0]?.file}`} />
                <link rel="manifest" href={page.href('/manifest.webmanifest')} />
                {styles.map((file) => <link key={file} rel="stylesheet" href={`/site/${file}`} />)}
                {scripts.flatMap(({ imports }) => imports).map((file) => <link key={file} rel="modulepreload" href={`/site/${file}`} />)}
                {scripts.map(({ file }) => <script key={file} type="module" src={`/site/${file}`} />)}
                {unlisted && <meta name="robots" content="noindex" />}
                {head}
            </head>
            {bare || embedded ? <body class="bare">{!embedded && <Announcements page={page} built={built} />}{children}</body> : (
                <body>
                    <a class="skip" href="#content">{t('page.skip')}</a>
                    <Announcements page={page} built={built} />
                    <Header page={page} logo={built.logo} query={query} />
                    <NetworkLine page={page} />
                    <main id="content" tabIndex={-1}>{children}</main>
                    <Footer page={page} texts={[...built.placeTexts.keys()]} />
                </body>
            )}
        </html>
    );
}
