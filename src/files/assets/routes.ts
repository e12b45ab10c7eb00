import type { Plugin, Request } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { someoneElses, writerOf } from '../../rules/access';
import { writtenOrError } from '../../rules/write';
import type { AuthoringServices } from '../../rules/write';
import { forbidden, invalid, notFound } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import type { ClientLimits } from '../../api/request/client-limits';
import type { ListQuery } from '../../api/request/list-url';
import { feedQuery, placeOf, replyBounded } from '../../api/request/pagination';
import { originFor } from '../../api/request/path';
import { reply, thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { THUMBNAIL_WIDTHS } from '../../api/representations/project';
import { updateProject } from '../../projects/queries';
import type { AssetServices } from './services';
import { assetOperation } from './docs';
import { findMissing, listSent, mayWriteTo, showAsset, userExists } from './queries';
import { pictureScaler } from './scaled';
import { assetPath, ownAssetPath, sizeQuery, missingAssetsBody } from './schema';
import { assetServer } from './serving';
import { POSTER } from './storage';
import type { Size, Width } from './storage';
import { isImage, isPicture } from './types';
import { assetUploads } from './uploads';

/** @throws 400 for a height without the width that it goes with */
function sizeOf({ width, height }: { width?: Width; height?: number }): Size | undefined {
    const size = height === POSTER.height && width === POSTER.width ? POSTER.size : height === 198 && width === 320 ? '320x198' as const : undefined;
    if (height !== undefined && size === undefined) {
        throw invalid([{
            path: 'height', message: `"height" goes with "width" alone, as 320 and 198, or ${POSTER.width} and ${POSTER.height}`
        }]);
    }

    return size ?? width;
}

export const assets: Plugin<AssetServices & Pick<AuthoringServices, 'write'> & { limits: ClientLimits }> = {
    name: 'assets',
    dependencies: ['token-strategy'],
    register(server, services) {
        const { config, db, assets: storage } = services;
        const path = '/users/{user}/assets';
        const serve = assetServer(db, storage, pictureScaler(storage, services.files));
        const receive = assetUploads(services);

        /** The caller, whose assets they have to be. @throws 404 without such a user, 403 if it is another */
        const owner = async (request: Pick<Request, 'auth'> & { params: { user: string } }): Promise<string> => {
            const { id } = currentUser(request);
            const { user } = request.params;
            if (id !== user) {
                throw await userExists(db, user) ? forbidden('Assets are listed and sent under one\'s own account only.') : notFound('user');
            }

            return id;
        };

        server.route<{ Params: { sha256: string }; Query: { width?: Width; height?: number } }>({
            method: 'GET',
            path: '/assets/{sha256}',
            options: { ...assetOperation('getAsset'), app: { cost: 'cheap' }, validate: { params: assetPath, query: sizeQuery } },
            handler: (request, h) => serve(request, h, request.params.sha256, sizeOf(request.query))
        });

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...assetOperation('listAssets'), app: { cost: 'cheap' }, auth: needs('projects'), validate: { params: ids('user'), query: feedQuery } },
            handler: async (request, h) => {
                const user = await owner(request);
                const page = await listSent(db, user, placeOf(request.query), originFor(request, config));
                return replyBounded(h, request, 'assets', page, `"quota":{"used":${page.used},"limit":${config.assetQuota}},`);
            }
        });

        server.route<{ Params: { user: string; sha256: string } }>({
            method: 'PUT',
            path: `${path}/{sha256}`,
            options: { ...assetOperation('putAsset'), auth: needs('projects'), app: { cost: 'work', readsBody: true }, validate: { params: ownAssetPath } },
            handler: async (request, h) => {
                await owner(request);
                const { sha256: hash } = request.params;
                return receive(request, {
                    hash,
                    then: async (trx, _asset, before) => {
                        const json = await showAsset(trx, hash, originFor(request, config));
                        return before ? thing(h, 'success', 'asset', json) : thing(h, 'created', 'asset', json).code(201);
                    }
                });
            }
        });

        server.route<{ Params: { user: string }; Payload: { ids: string[] } }>({
            method: 'POST',
            path: `${path}/missing`,
            options: { ...assetOperation('findMissingAssets'), auth: needs('projects'), app: { cost: 'cheap' }, validate: { params: ids('user'), payload: missingAssetsBody } },
            handler: async (request, h) => {
                const missing = await findMissing(db, await owner(request), request.payload.ids);
                return reply(h, JSON.stringify({ status: 'success', missing }));
            }
        });

        server.route<{ Params: { user: string; project: string } }>({
            method: 'PUT',
            path: '/users/{user}/projects/{project}/thumbnail',
            options: { ...assetOperation('putThumbnail'), auth: needs('projects'), app: { cost: 'work', readsBody: true }, validate: { params: ids('user', 'project') } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const writer = writerOf(request, 'update');
                const may = await mayWriteTo(db, [user, project], writer);
                if (may !== true) {
                    throw may === false ? someoneElses('project') : notFound('project');
                }

                const written = await receive(request, {
                    accepted: isImage,
                    then: async (trx, { hash, type }) => {
                        const address = `${originFor(request, config)}/assets/${hash}`;
                        const thumbnail = Object.fromEntries(THUMBNAIL_WIDTHS.map((width) => [
                            width, isPicture(type) ? `${address}?width=${width}` : address
                        ]));
                        const outcome = await updateProject(trx, [user, project], writer, { thumbnail });
                        if (outcome?.allowed === false) {
                            await request.checkStillAllowed(trx);
                        }

                        return writtenOrError(trx, outcome, { kind: 'project', chain: [user, project], writer });
                    }
                });
                return thing(h, 'updated', 'project', written);
            }
        });
    }
};
