import Joi from 'joi';

import { parseLike } from '../database/samples';
import { knownUsername } from '../api/representations/user';
import { placeOf } from '../api/request/pagination';
import type { ListRow } from '../api/request/pagination';
import { idPattern, text } from '../api/request/schema';
import { findCollection } from '../community/collections/queries';
import { listFeatured, listTagged, listUserProjects } from '../projects/lists';
import { normalTag } from '../rules/tags';
import type { PageContext } from './context';
import { entriesOf, feedFormats } from './feeds';
import type { Feed } from './feeds';
import type { Site } from './pages';
import { findPerson } from './queries';
import { shownList } from './shown-lists';

/** Projects in a feed: the newest ones, or the first ones of a collection. */
const MAX_ENTRIES = 30;

/** The head of a feed, and its list. */
interface Found extends Omit<Feed, 'entries'> {
    row: ListRow;
}

type Params = Readonly<Record<string, string>>;

/** The paths of a page and of its feeds below it. */
const at = (path: string): Pick<Feed, 'address' | 'home'> => ({ home: path, address: path });

/**
 * The feeds of lists, as Atom and as JSON Feed. What they say is read for each request, so a project that is hidden, held or deleted is gone from
 * them at once; they are written anew only if it has changed.
 */
export function feedRoutes({ server, db, options, respondFile }: Site): void {
    const place = placeOf({ count: MAX_ENTRIES });

    const add = (path: string, params: Joi.ObjectSchema | undefined, find: (params: Params, page: PageContext) => Promise<Found | undefined>): void => {
        for (const { ending, type, write } of feedFormats) {
            const { app, validate } = options('cheap', params);
            server.route<{ Params: Params }>({
                method: 'GET',
                path: `${path}/feed.${ending}`,
                options: { app, validate },
                handler: (request, h) => respondFile(h, request, type, async (page) => {
                    const found = await find(request.params, page);
                    if (found === undefined) {
                        return undefined;
                    }

                    const { row, title, ...rest } = found;
                    const feed = { ...rest, title: `${title} · ${page.place.name}`, entries: entriesOf(await shownList(db, row), page.t) };
                    return { state: feed, make: () => write(feed, page.origin) };
                })
            });
        }
    };

    add('/discover', undefined, async (_params, { t }) => ({ title: t('gallery.featured'), description: '', home: '/browse/featured', address: '/discover', row: await listFeatured(db, place) }));

    add('/tags/{tag}', Joi.object({ tag: text(1, 1000) }), async ({ tag: given = '' }) => {
        const tag = normalTag(given.replace(/^#/, ''));
        return { title: `#${tag}`, description: '', ...at(`/tags/${encodeURIComponent(tag)}`), row: await listTagged(db, tag, place) };
    });

    add('/u/{username}', Joi.object({ username: knownUsername }), async ({ username: given = '' }) => {
        const person = await findPerson(db, given);
        return person && { title: person.username, description: person.about, ...at(`/u/${encodeURIComponent(person.username)}`), row: await listUserProjects(db, person.id, place) };
    });

    add('/c/{collection}', Joi.object({ collection: Joi.string().pattern(idPattern) }), async ({ collection: id = '' }) => {
        const found = await findCollection(db, id, place, null);
        if (found === undefined) {
            return undefined;
        }

        const { title, description } = parseLike<{ title: string; description: string }>(found.json, { title: '', description: '' });
        return { title, description, ...at(`/c/${id}`), row: found };
    });
}
