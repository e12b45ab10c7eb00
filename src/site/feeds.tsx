import { renderToString } from 'preact-render-to-string';

import { escapedHtml } from '../api/representations/escaped-html';
import { titleIn } from './shown';
import type { ShownList } from './shown';
import type { Translate } from './text-options';

/** A project in a feed. */
interface Entry {
    id: string;
    title: string;
    description: string;
    tags: readonly string[];
    author: string;
    /** in ISO 8601 */
    created: string;
    updated: string;
    /** path of its thumbnail, if it has one */
    picture: string | undefined;
}

/** A feed, in whichever format. */
export interface Feed {
    title: string;
    /** what it is about; empty if nobody has said so */
    description: string;
    /** the path of the page that shows the same */
    home: string;
    /** the path that the feeds are below */
    address: string;
    entries: readonly Entry[];
}

/** Characters barred from XML 1.0, also if escaped. */
const notInXml = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const clean = (text: string): string => text.replace(notInXml, '');

/** The projects of a list as the entries of a feed. */
export function entriesOf({ projects, thumbnails }: Pick<ShownList, 'projects' | 'thumbnails'>, t: Translate): Entry[] {
    return projects.map(({ id, title, description, tags, author: { username }, history: { created_at: created, updated_at: updated } }) => ({
        id, title: titleIn(t, clean(title)), description: clean(description), tags, author: username, created, updated,
        picture: thumbnails.get(id)
    }));
}

/** An entry with its addresses, and as HTML: its picture or its title, which lead to it, and its description. */
function linked(entry: Entry, origin: string): Entry & { url: string; authorUrl: string; html: string } {
    const { id, title, author, description, picture } = entry;
    const url = `${origin}/p/${id}`;
    const html = renderToString(
        <div>
            <p><a href={url}>{picture === undefined ? title : <img src={`${origin}${picture}`} alt={title} width="160" height="240" />}</a></p>
            {description !== '' && <p>{description}</p>}
        </div>
    );
    return { ...entry, url, authorUrl: `${origin}/u/${encodeURIComponent(author)}`, html };
}

/** The time of the newest change; the beginning of time if there is no entry, so that the feed stays the same. */
const lastUpdate = (entries: readonly Entry[]): string =>
    entries.reduce((last, { updated }) => (updated > last ? updated : last), '1970-01-01T00:00:00.000Z');

type WriteFeed = (feed: Feed, origin: string) => string;

const escapedXml = (text: string): string => escapedHtml(text).replaceAll('>', '&gt;');

/** An element of XML. @param inside XML */
function element(name: string, attributes: Readonly<Record<string, string>>, inside: readonly string[] = []): string {
    const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapedXml(value)}"`)].join(' ');
    return inside.length === 0 ? `<${start}/>` : `<${start}>${inside.join('')}</${name}>`;
}

/** Writes a feed as Atom (RFC 4287). */
const atom: WriteFeed = ({ title, description, home, address, entries }, origin) => {
    const text = (name: string, value: string, attributes = {}): string => element(name, attributes, [escapedXml(value)]);
    return `<?xml version="1.0" encoding="utf-8"?>\n${element('feed', { xmlns: 'http://www.w3.org/2005/Atom' }, [
        text('id', `${origin}${address}`), text('title', clean(title)), ...description === '' ? [] : [text('subtitle', clean(description))],
        text('updated', new Date(lastUpdate(entries)).toISOString()),
        element('link', { href: `${origin}${home}`, rel: 'alternate', type: 'text/html' }),
        element('link', { href: `${origin}${address}/feed.atom`, rel: 'self', type: 'application/atom+xml' }),
        text('generator', 'Pagewright'),
        ...entries.map((entry) => linked(entry, origin)).map((entry) => element('entry', {}, [
            text('id', entry.url), text('title', entry.title),
            text('published', new Date(entry.created).toISOString()), text('updated', new Date(entry.updated).toISOString()),
            element('author', {}, [text('name', entry.author), text('uri', entry.authorUrl)]),
            element('link', { href: entry.url, rel: 'alternate', type: 'text/html' }),
            ...entry.tags.map((term) => element('category', { term })),
            text('content', entry.html, { type: 'html' })
        ]))
    ])}`;
};

/** Writes a feed as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
const json: WriteFeed = ({ title, description, home, address, entries }, origin) => JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1', title, ...description === '' ? {} : { description },
    home_page_url: `${origin}${home}`, feed_url: `${origin}${address}/feed.json`,
    items: entries.map((entry) => linked(entry, origin)).map((entry) => ({
        id: entry.url, url: entry.url, title: entry.title,
        content_html: entry.html,
        ...entry.picture === undefined ? {} : { image: `${origin}${entry.picture}` },
        date_published: new Date(entry.created), date_modified: new Date(entry.updated),
        authors: [{ name: entry.author, url: entry.authorUrl }],
        tags: entry.tags
    }))
});

/** The formats of feeds, by the endings of their files. */
export const feedFormats = [{ ending: 'atom', type: 'application/atom+xml', write: atom }, { ending: 'json', type: 'application/feed+json', write: json }] as const;
