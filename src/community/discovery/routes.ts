import type { Plugin, ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';
import type { Knex } from 'knex';

import { maybeUser, onlyReads } from '../../api/request/caller';
import { optionalToken } from '../../api/auth/strategy';
import { readerOf } from '../../database/statements/replica';
import { clientAddress } from '../../api/request/client-address';
import { notFound } from '../../api/errors/errors';
import { listQuery, placeOf, projectList } from '../../api/request/pagination';
import type { ListPlace, ListRow } from '../../api/request/pagination';
import { listUrl } from '../../api/request/list-url';
import type { ListQuery } from '../../api/request/list-url';
import { ids } from '../../api/request/schema';
import { fromCacheFirst, listCache, respondShared, sharedResponse } from '../../api/request/shared-responses';
import { listFeatured, listFeaturedFor, listProjects, listTagged, listTrending, numberedPlaceOf, readList } from '../../projects/lists';
import { findProjectWithStats } from '../../projects/queries';
import { normalTag } from '../../rules/tags';
import { answerThing } from '../../rules/read';
import { search } from '../search/queries';
import type { Services } from '../../api/services';
import { discoveryOperation } from './docs';
import { mostUsedTags } from './featured-tags';
import { languageParams, searchQuery, tagParams } from './schema';
import type { SearchQuery } from './schema';
import { viewCounter } from './views';

type ListRequest = Pick<Request, 'headers' | 'path' | 'raw' | 'turn'> & { query: ListQuery };

export const discovery: Plugin<Services> = {
    name: 'discovery',
    dependencies: ['token-strategy'],
    register(server, { config, db, replica, now }) {
        const countView = viewCounter(db);
        const cache = listCache(config.listMaxAge);
        const ext = fromCacheFirst(cache);
        const read = readerOf(db, replica);

        /**
         * Public lists may lag a little, so their responses are cached for everyone. `path` is made from the validated parameters. Pages after a cursor are
         * read from the primary, because the page before may have been: a replica that lags would leave out projects created just before its last one.
         */
        const respond = <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: ListRequest, path: string, page: (from: Knex) => Promise<ListRow>): Promise<ResponseObject> =>
            respondShared(h, request, cache, listUrl(path, request.query), async () => projectList(await (request.query.after === undefined ? read(page) : page(db))));

        /** As `respond`, for a list with numbered pages. What is kept waits for nothing, and nobody waits for the turn of somebody else who asks for the same. */
        const respondNumbered = <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: ListRequest, path: string, page: (from: Knex, place: ListPlace) => Promise<ListRow>): Promise<ResponseObject> => {
            const answer = (): Promise<ResponseObject> => respond(h, request, path, (from) => page(from, numberedPlaceOf(request.query)));
            return cache?.get(listUrl(path, request.query)) === undefined ? readList(request, answer) : answer();
        };

        for (const [path, operation, list] of [
            ['/discover', 'listFeaturedProjects', listFeatured], ['/projects', 'listProjects', listProjects], ['/trending', 'listTrending', listTrending]
        ] as const) {
            server.route<{ Query: ListQuery }>({
                method: 'GET',
                path,
                options: { ...discoveryOperation(operation), app: { cost: 'cheap' }, ext, validate: { query: listQuery } },
                handler: (request, h) => respondNumbered(h, request, path, list)
            });
        }

        server.route<{ Params: { language: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/discover/{language}',
            options: { ...discoveryOperation('listFeaturedProjectsFor'), app: { cost: 'cheap' }, ext, validate: { params: languageParams, query: listQuery } },
            handler: (request, h) => respondNumbered(h, request, `/discover/${request.params.language}`, (from, place) => listFeaturedFor(from, request.params.language, place))
        });

        server.route({
            method: 'GET',
            path: '/featured-tags',
            options: { ...discoveryOperation('listFeaturedTags'), app: { cost: 'cheap' }, ext },
            handler: (request, h) => respondShared(h, request, cache, '/featured-tags', async () => sharedResponse(JSON.stringify({
                status: 'success', featured: config.featuredTags.length > 0 ? config.featuredTags : await read(mostUsedTags)
            })))
        });

        server.route<{ Params: { tag: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/projects/tagged/{tag}',
            options: { ...discoveryOperation('listTaggedProjects'), app: { cost: 'cheap' }, ext, validate: { params: tagParams, query: listQuery } },
            handler: (request, h) => {
                const tag = normalTag(request.params.tag.replace(/^#/, ''));
                return respondNumbered(h, request, `/projects/tagged/${encodeURIComponent(tag)}`, (from, place) => listTagged(from, tag, place));
            }
        });

        server.route<{ Query: SearchQuery }>({
            method: 'GET',
            path: '/search',
            options: { ...discoveryOperation('search'), app: { cost: 'heavy' }, ext, validate: { query: searchQuery } },
            handler: (request, h) => respond(h, request, '/search', (from) => search(from, request.query, placeOf(request.query)))
        });

        server.route<{ Params: { project: string } }>({
            method: 'GET',
            path: '/projects/{project}',
            options: { ...discoveryOperation('findProject'), app: { cost: 'cheap' }, validate: { params: ids('project') } },
            handler: (request, h) => answerThing(request, h, 'project', (reader, tags) => findProjectWithStats(db, request.params.project, tags, reader), true)
        });

        server.route<{ Params: { project: string } }>({
            method: 'POST',
            path: '/view-project/{project}',
            options: { ...discoveryOperation('viewProject'), auth: optionalToken, app: { cost: 'cheap', limit: 'views', whileSuspended: true }, validate: { params: ids('project'), payload: Joi.object({}) } },
            handler: async (request) => {
                const user = maybeUser(request);
                // A token that may only read writes nothing.
                if (user !== undefined && onlyReads(request)) {
                    if (!await request.maySee(request.params.project, db)) {
                        throw notFound('project');
                    }

                    return { status: 'success', counted: false };
                }

                const viewer = user === undefined ? [clientAddress(request.raw.req, config.trustedProxies), request.headers['user-agent']].join(' ') : `user ${user.id}`;
                const counted = await countView({
                    projectId: request.params.project,
                    day: new Date(now()).toISOString().slice(0, 10),
                    viewer,
                    userId: user?.id ?? null,
                    moderator: user?.moderator ?? false,
                    teaches: user?.teaches ?? false
                });
                if (counted === undefined) {
                    throw notFound('project');
                }

                return { status: 'success', counted };
            }
        });
    }
};
