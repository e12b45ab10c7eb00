import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';
import type { Knex } from 'knex';

import { existing } from '../../rules/existing';
import { someoneElses } from '../../rules/access';
import { needs } from '../../api/auth/strategy';
import { fault, notFound } from '../../api/errors/errors';
import { currentUser, ownId } from '../../api/request/caller';
import { feedQuery, nextOfBounded, placeOf, projectList } from '../../api/request/pagination';
import type { ListQuery } from '../../api/request/list-url';
import { created, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { respondWith, sharedResponse } from '../../api/request/shared-responses';
import type { CollectionFields } from './json';
import type { AuthoringServices, Sender } from '../../rules/write';
import { collectionOperation } from './docs';
import { deleteCollection, findCollection, holdCollection, insertCollection, listCollections, putProject, takeProject, updateCollection } from './queries';
import { readForCaller } from './reader';
import { collectionChanges, newCollection, placing } from './schema';

type CollectionIds = {
    user: string;
    collection: string;
};

type PlacingIds = CollectionIds & {
    project: string;
};

export const collections: Plugin<AuthoringServices> = {
    name: 'collections',
    dependencies: ['token-strategy'],
    register(server, { db, write }) {
        const path = '/users/{user}/collections';
        const writes = { auth: needs('projects'), app: { cost: 'cheap' } as const };
        const written = { ...writes, app: { ...writes.app, texts: ['title', 'description'] } };
        // Moderators see no more here than others.
        const place = { ...writes, app: { ...writes.app, noted: 'nothing' } } as const;

        /** Does something with a collection of the caller, which is locked meanwhile. */
        const withOwn = (request: Sender & { params: CollectionIds }, work: (trx: Knex.Transaction, id: string) => Promise<string>): Promise<string> => {
            const { user, collection: id } = request.params;
            return write.together(request, async (trx) => {
                const owned = existing(await holdCollection(trx, user, id, currentUser(request).id), 'collection');
                if (!owned) {
                    throw someoneElses('collection');
                }

                return await work(trx, id);
            });
        };

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            // The public projects in each are counted.
            options: { ...collectionOperation('listCollections'), app: { cost: 'heavy' }, validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                const row = await readForCaller(request, 'user', (readerId) => listCollections(db, request.params.user, placeOf(request.query), readerId));
                const next = nextOfBounded(row);
                return respondWith(h, request, sharedResponse(`{"status":"success","collections":[${row.items}],"next":${JSON.stringify(next)}}`, { weak: true, next }));
            }
        });

        server.route<{ Params: { user: string }; Payload: CollectionFields }>({
            method: 'POST',
            path,
            options: { ...collectionOperation('createCollection'), ...written, validate: { params: ids('user'), payload: newCollection } },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                const made = await insertCollection(trx, ownId(request, 'A collection can be made under one\'s own account only.'), request.payload);
                if (made === undefined) {
                    throw fault('collection_limit');
                }

                return created(h, 'created', 'collection', made.json, `/collections/${made.id}`);
            })
        });

        server.route<{ Params: { collection: string }; Query: ListQuery }>({
            method: 'GET',
            path: '/collections/{collection}',
            options: { ...collectionOperation('getCollection'), app: { cost: 'cheap' }, validate: { params: ids('collection'), query: feedQuery } },
            handler: async (request, h) => {
                const row = await readForCaller(request, 'collection', (readerId) => findCollection(db, request.params.collection, placeOf(request.query), readerId));
                return respondWith(h, request, projectList(row, `"collection":${row.json},`));
            }
        });

        server.route<{ Params: CollectionIds; Payload: Partial<CollectionFields> }>({
            method: 'PATCH',
            path: `${path}/{collection}`,
            options: { ...collectionOperation('updateCollection'), ...written, validate: { params: ids('user', 'collection'), payload: collectionChanges } },
            handler: async (request, h) => thing(h, 'updated', 'collection', await withOwn(request, (trx, id) => updateCollection(trx, id, request.payload)))
        });

        server.route<{ Params: CollectionIds }>({
            method: 'DELETE',
            path: `${path}/{collection}`,
            options: { ...collectionOperation('deleteCollection'), ...writes, validate: { params: ids('user', 'collection'), payload: Joi.object({}) } },
            handler: async (request, h) => thing(h, 'deleted', 'collection', await withOwn(request, deleteCollection))
        });

        server.route<{ Params: PlacingIds; Payload: { position?: number } }>({
            method: 'PUT',
            path: `${path}/{collection}/projects/{project}`,
            options: { ...collectionOperation('putIntoCollection'), ...place, validate: { params: ids('user', 'collection', 'project'), payload: placing } },
            handler: async (request, h) => thing(h, 'updated', 'collection', await withOwn(request, async (trx, id) => {
                const { params: { user, project }, payload: { position } } = request;
                const { found, put } = await putProject(trx, id, project, position, user);
                if (!found) {
                    throw notFound('project');
                }

                if (!put) {
                    throw fault('collection_full');
                }

                return await updateCollection(trx, id);
            }))
        });

        server.route<{ Params: PlacingIds }>({
            method: 'DELETE',
            path: `${path}/{collection}/projects/{project}`,
            options: { ...collectionOperation('takeFromCollection'), ...place, validate: { params: ids('user', 'collection', 'project'), payload: Joi.object({}) } },
            handler: async (request, h) => thing(h, 'updated', 'collection', await withOwn(request, async (trx, id) => {
                if (!await takeProject(trx, id, request.params.project)) {
                    throw fault('not_found', 'This project is not in the collection.');
                }

                return await updateCollection(trx, id);
            }))
        });
    }
};
