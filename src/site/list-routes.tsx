import Joi from 'joi';
import type { Knex } from 'knex';

import type { Visibility } from '../api/representations/visibility';
import { parseLike } from '../database/samples';
import { readerOf } from '../database/statements/replica';
import { normalTag } from '../rules/tags';
import { findCollection, listCollections } from '../community/collections/queries';
import { mostUsedTags } from '../community/discovery/featured-tags';
import type { ListQuery } from '../api/request/list-url';
import { feedQuery, placeOf } from '../api/request/pagination';
import { idPattern, text } from '../api/request/schema';
import { listFeaturedFor, listProjects, listTagged, listTrending, listUserProjects } from '../projects/lists';
import { knownUsername } from '../api/representations/user';
import { search } from '../community/search/queries';
import { hasModerator } from '../accounts/users/permissions';
import { Document } from './document';
import { FeedLinks } from './feed-links';
import { CollectionHeading, Gallery, Listing, Person } from './gallery';
import type { Site } from './pages';
import { findPerson, findUsername } from './queries';
import { firstOf, inLanguageFirst, shownList } from './shown-lists';

/** Projects of each list on the first page, and on the page of a list. */
const FEW = 6;
const MANY = 24;

/** Collections on the page of a person. */
const MAX_COLLECTIONS = 50;

const after = feedQuery.extract('after');

/** The gallery, and all other pages that list projects. They lag as the public lists do. */
export function listRoutes({ server, built, config, db, replica, options, respond, respondKept }: Site): void {
    const read = readerOf(db, replica);

    const lists = {
        featured: (from: Knex, query: ListQuery, language: string) => listFeaturedFor(from, language, placeOf(query)),
        trending: (from: Knex, query: ListQuery) => listTrending(from, placeOf(query)),
        new: (from: Knex, query: ListQuery) => listProjects(from, placeOf(query))
    };

    server.route({
        method: 'GET',
        path: '/',
        options: options('cheap'),
        handler: (request, h) => respond(h, request, async (page) => {
            const shown = await Promise.all((['featured', 'trending', 'new'] as const).map(async (name) => {
                const list = await firstOf(FEW, async (next) => await shownList(db, await read((from) => lists[name](from, { count: MANY, after: next }, page.language))));
                return { name, list: inLanguageFirst(list, page.language, FEW) };
            }));
            const tags = config.featuredTags.length > 0 ? config.featuredTags : await read(mostUsedTags);
            return <Document page={page} built={built} title={page.place.name} head={<FeedLinks page={page} address="/discover" title={page.t('gallery.featured')} />}><Gallery page={page} lists={shown} tags={tags} hasModerator={await hasModerator(db)} /></Document>;
        })
    });

    server.route<{ Params: { list: keyof typeof lists }; Query: ListQuery }>({
        method: 'GET',
        path: '/browse/{list}',
        options: options('cheap', Joi.object({ list: Joi.valid(...Object.keys(lists)) }), { after }),
        handler: (request, h) => respond(h, request, async (page) => {
            const { params: { list: name }, query } = request;
            const list = await shownList(db, await lists[name](db, { ...query, count: MANY }, page.language));
            const title = page.t(`gallery.${name}`);
            const feeds = name === 'featured' && <FeedLinks page={page} address="/discover" title={title} />;
            return <Document page={page} built={built} title={title} head={feeds}><Listing page={page} list={list} address={`/browse/${name}`}><h1>{title}</h1></Listing></Document>;
        })
    });

    server.route<{ Params: { tag: string }; Query: ListQuery }>({
        method: 'GET',
        path: '/tags/{tag}',
        options: options('cheap', Joi.object({ tag: text(1, 1000) }), { after }),
        handler: (request, h) => respond(h, request, async (page) => {
            const tag = normalTag(request.params.tag.replace(/^#/, ''));
            const list = await shownList(db, await listTagged(db, tag, placeOf({ ...request.query, count: MANY })));
            const address = `/tags/${encodeURIComponent(tag)}`;
            return <Document page={page} built={built} title={`#${tag}`} head={<FeedLinks page={page} address={address} title={`#${tag}`} />}><Listing page={page} list={list} address={address}><h1>#<bdi>{tag}</bdi></h1></Listing></Document>;
        })
    });

    server.route<{ Query: ListQuery & { q: string } }>({
        method: 'GET',
        path: '/find',
        options: options('heavy', undefined, { q: text(1, 200).pattern(/\S/).required(), after }),
        handler: (request, h) => respond(h, request, async (page) => {
            const { q, ...query } = request.query;
            const row = await read((from) => search(from, { q }, placeOf({ ...query, count: MANY })));
            const title = page.t('find.title', { q });
            return (
                <Document page={page} built={built} title={title} query={q} unlisted>
                    <Listing page={page} list={await shownList(db, row)} address={`/find?q=${encodeURIComponent(q)}`}><h1><bdi>{title}</bdi></h1></Listing>
                </Document>
            );
        })
    });

    server.route<{ Params: { username: string }; Query: ListQuery }>({
        method: 'GET',
        path: '/u/{username}',
        options: options('cheap', Joi.object({ username: knownUsername }), { after }),
        handler: (request, h) => respond(h, request, async (page) => {
            const person = await findPerson(db, request.params.username);
            if (person === undefined) {
                return undefined;
            }

            const list = await shownList(db, await listUserProjects(db, person.id, placeOf({ ...request.query, count: MANY })));
            const found = await listCollections(db, person.id, placeOf({ count: MAX_COLLECTIONS }), null);
            const collections = parseLike<{ id: string; title: string; projects: number }[]>(`[${found?.items ?? ''}]`, [{ id: '', title: '', projects: 1 }]);
            const address = `/u/${encodeURIComponent(person.username)}`;
            return (
                <Document page={page} built={built} title={person.username} script="web/people/person.ts"
                    head={<FeedLinks page={page} address={address} title={person.username} />}>
                    <Listing page={page} list={list} address={address}><Person page={page} person={person} collections={collections} /></Listing>
                </Document>
            );
        })
    });

    server.route<{ Params: { collection: string }; Query: ListQuery }>({
        method: 'GET',
        path: '/c/{collection}',
        options: options('cheap', Joi.object({ collection: Joi.string().pattern(idPattern) }), { after }),
        handler: (request, h) => respondKept(h, request, async () => {
            const { collection: id } = request.params;
            const found = await findCollection(db, id, placeOf({ ...request.query, count: MANY }), null);
            if (found === undefined) {
                return undefined;
            }

            const { title, description, user_id: owner, visibility } = parseLike<{ title: string; description: string; user_id: string; visibility: Visibility }>(found.json, { title: '', description: '', user_id: '', visibility: 'public' });
            const [name, list] = await Promise.all([findUsername(db, owner), shownList(db, found)]);
            return {
                state: [found.json, name, list.projects, [...list.thumbnails], list.next],
                make: (page) => (
                    <Document page={page} built={built} title={title} unlisted={visibility !== 'public'} head={<FeedLinks page={page} address={`/c/${id}`} title={title} />}>
                        <Listing page={page} list={list} address={`/c/${id}`}><CollectionHeading page={page} title={title} description={description} username={String(name)} /></Listing>
                    </Document>
                )
            };
        })
    });
}
