import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { maybeUser } from '../auth/credentials';
import { optionalToken } from '../auth/strategy';
import { addressOf } from '../http/address';
import { notFound } from '../http/faults';
import { list, listQuery, placeOf } from '../http/lists';
import type { ListQuery } from '../http/lists';
import { conditional, heldTags } from '../http/revisions';
import { ids, language, text } from '../http/schema';
import { listFeatured, listFeaturedFor, listProjects, listTagged } from '../projects/lists';
import { findProjectWithStats } from '../projects/queries';
import { normalTag } from '../projects/tags';
import type { Services } from '../services';
import { mostUsedTags } from './queries';
import { countView } from './views';
import type { Salts } from './views';

export const discovery: Plugin<Services> = {
    name: 'discovery',
    dependencies: ['token-strategy'],
    register(server, { config, db, now }) {
        const salts: Salts = new Map();

        server.route<{ Query: ListQuery }>({
            method: 'GET',
            path: '/discover',
            options: { validate: { query: listQuery } },
            handler: async (request, h) => list(h, request, 'projects', await listFeatured(db, placeOf(request.query)))
        });

        server.route<{ Params: { language: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/discover/{language}',
            options: { validate: { params: Joi.object({ language }), query: listQuery } },
            handler: async (request, h) => {
                return list(h, request, 'projects', await listFeaturedFor(db, request.params.language, placeOf(request.query)));
            }
        });

        server.route({
            method: 'GET',
            path: '/featured-tags',
            handler: async () => {
                const featured = config.featuredTags.length > 0 ? config.featuredTags : await mostUsedTags(db);
                return { status: 'success', featured };
            }
        });

        server.route<{ Query: ListQuery }>({
            method: 'GET',
            path: '/projects',
            options: { validate: { query: listQuery } },
            handler: async (request, h) => list(h, request, 'projects', await listProjects(db, placeOf(request.query)))
        });

        server.route<{ Params: { tag: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/projects/tagged/{tag}',
            options: { validate: { params: Joi.object({ tag: text(1, 1000) }), query: listQuery } },
            handler: async (request, h) => {
                const tag = normalTag(request.params.tag.replace(/^#/, ''));
                return list(h, request, 'projects', await listTagged(db, tag, placeOf(request.query)));
            }
        });

        server.route<{ Params: { project: string } }>({
            method: 'GET',
            path: '/projects/{project}',
            options: { validate: { params: ids('project') } },
            handler: async (request, h) => {
                const found = await findProjectWithStats(db, request.params.project, heldTags(request));
                if (found === undefined) {
                    throw notFound('project');
                }

                return conditional(h, found.tag, found.json === null ? null : `{"status":"success","project":${found.json}}`, true);
            }
        });

        server.route<{ Params: { project: string } }>({
            method: 'POST',
            path: '/view-project/{project}',
            options: { auth: optionalToken, app: { limit: 'views' }, validate: { params: ids('project'), payload: Joi.object({}) } },
            handler: async (request) => {
                const user = maybeUser(request);
                const viewer = user === undefined ? `${addressOf(request, config.trustedProxies)} ${request.headers['user-agent'] ?? ''}` : `user ${user.id}`;
                const counted = await countView(db, salts, {
                    projectId: request.params.project,
                    day: new Date(now()).toISOString().slice(0, 10),
                    viewer,
                    userId: user?.id ?? null
                });
                if (counted === undefined) {
                    throw notFound('project');
                }

                return { status: 'success', counted };
            }
        });
    }
};
