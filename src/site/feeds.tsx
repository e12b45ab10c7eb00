import { renderToString } from 'preact-render-to-string';

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

/** An entry as HTML: its picture or its title, which lead to it, and its description. */
function htmlOf({ title, description, picture }: Entry, url: string, origin: string): string {
    return renderToString(
        <div>
            <p><a href={url}>{picture === undefined ? title : <img src={`${origin}${picture}`} alt={title} width="160" height="240" />}</a></p>
            {description !== '' && <p>{description}</p>}
        </div>
    );
}

/** The time of the newest change; the beginning of time if there is no entry, so that the feed stays the same. */
const lastUpdate = (entries: readonly Entry[]): string =>
    entries.reduce((last, { updated }) => (updated > last ? updated : last), '1970-01-01T00:00:00.000Z');

type WriteFeed = (feed: Feed, origin: string) => Promise<string>;

/** Writes a feed as Atom (RFC 4287). The library is loaded when it is first needed. */
const atom: WriteFeed = async ({ title, description, home, address, entries }, origin) => {
    const { generateAtomFeed } = await import('feedsmith');
    return generateAtomFeed({
        id: `${origin}${address}`,
        title: { value: clean(title) },
        ...description === '' ? {} : { subtitle: { value: clean(description) } },
        updated: new Date(lastUpdate(entries)),
        links: [{ href: `${origin}${home}`, rel: 'alternate', type: 'text/html' }, { href: `${origin}${address}/feed.atom`, rel: 'self', type: 'application/atom+xml' }],
        generator: { text: 'Pagewright' },
        entries: entries.map((entry) => {
            const url = `${origin}/p/${entry.id}`;
            return {
                id: url,
                title: { value: entry.title },
                published: new Date(entry.created),
                updated: new Date(entry.updated),
                authors: [{ name: entry.author, uri: `${origin}/u/${encodeURIComponent(entry.author)}` }],
                links: [{ href: url, rel: 'alternate', type: 'text/html' }],
                categories: entry.tags.map((term) => ({ term })),
                content: { type: 'html', value: htmlOf(entry, url, origin) }
            };
        })
    });
};

/** Writes a feed as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
const json: WriteFeed = async ({ title, description, home, address, entries }, origin) => {
    const { generateJsonFeed } = await import('feedsmith');
    // The library leaves out empty lists, and this one is needed.
    return JSON.stringify(Object.assign({ items: [] }, generateJsonFeed({
        title,
        ...description === '' ? {} : { description },
        home_page_url: `${origin}${home}`,
        feed_url: `${origin}${address}/feed.json`,
        items: entries.map((entry) => {
            const url = `${origin}/p/${entry.id}`;
            return {
                id: url,
                url,
                title: entry.title,
                content_html: htmlOf(entry, url, origin),
                ...entry.picture === undefined ? {} : { image: `${origin}${entry.picture}` },
                date_published: new Date(entry.created),
                date_modified: new Date(entry.updated),
                authors: [{ name: entry.author, url: `${origin}/u/${encodeURIComponent(entry.author)}` }],
                tags: [...entry.tags]
            };
        })
    })));
};

/** The formats of feeds, by the endings of their files. */
export const feedFormats = [{ ending: 'atom', type: 'application/atom+xml', write: atom }, { ending: 'json', type: 'application/feed+json', write: json }] as const;
