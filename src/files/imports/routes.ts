import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

import type { Plugin, Request } from '@hapi/hapi';

import { deleteFile, receiveFile } from '../assets/receive-file';
import type { ReceivedFile } from '../assets/receive-file';
import { registerAssets } from '../assets/register';
import { blocksByLooks } from '../../community/filters';
import { needs } from '../../api/auth/strategy';
import { fault, forbidden, notFound } from '../../api/errors/errors';
import { currentUser, maybeUser } from '../../api/request/caller';
import type { CurrentUser } from '../../api/request/caller';
import { signalOf } from '../../api/request/client-gone';
import type { ClientLimits } from '../../api/request/client-limits';
import { checkKey } from '../../api/request/idempotency';
import { slotsByCaller } from '../../api/protection/places';
import { mediaTypeOf } from '../../api/request/media-type';
import { KEY_FIELD, checkEncoding } from '../../api/request/read-body';
import { reply } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { Database } from '../../database/statements/connection';
import { findProject } from '../../projects/queries';
import type { ProjectFields } from '../../api/representations/project';
import { defaultVisibility } from '../../classes/publish-levels';
import type { AuthoringServices } from '../../rules/write';
import type { StoryForm } from '../assets/file-work';
import type { AssetServices } from '../assets/services';
import { accountOf } from '../../accounts/users/open-account';
import { findUser } from '../../accounts/users/queries';
import { badZipFault, openImport } from './archive';
import { ImportedAssets } from './assets';
import { checkProjectFile } from './check';
import { importOperation } from './docs';
import { importQuery } from './schema';
import { storeFile } from './store';
import { firstPage } from './queries';
import { MAX_STORY_BYTES, convertedStory, storyIn, storyTypes } from './stories';

/** Maximum number of imports that a process works on at a time. */
const MOST = 8;

/** Media types that browsers and tools send for a zip. */
const zipTypes = new Set(['application/zip', 'application/x-zip-compressed', 'application/octet-stream']);

export interface ImportOptions extends AssetServices, AuthoringServices {
    limits: ClientLimits;
}

export const imports: Plugin<ImportOptions> = {
    name: 'imports',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, assets, files, limits }) {
        const take = slotsByCaller(MOST, 'imports too much at once', config.trustedProxies);

        /** Runs before the body is read, because reading may take minutes. */
        const checkUser = async (user: string, caller: CurrentUser | undefined): Promise<void> => {
            const account = caller && await findUser(db, user, caller.id, []);
            if (caller !== undefined && account?.allowed !== true) {
                throw account === undefined ? notFound('user') : forbidden('A project can be imported into one\'s own account only.');
            }
        };

        server.route<{ Params: { user: string }; Query: Pick<Partial<ProjectFields>, 'visibility'> }>({
            method: 'POST',
            path: '/users/{user}/imports',
            options: {
                ...importOperation('importProject'), auth: needs('projects'), app: { cost: 'work', opensAccount: true, readsBody: true, mostBytes: config.maxImportBytes },
                validate: { params: ids('user'), query: importQuery }
            },
            handler: async (request, h) => {
                const form = formOf(request.headers);
                const most = form === 'zip' ? config.maxImportBytes : Math.min(config.maxImportBytes, MAX_STORY_BYTES[form]);
                const key = keyOf(request);
                await checkUser(request.params.user, maybeUser(request));
                const giveBack = take(request);
                const signal = signalOf(request);
                let zip: FileHandle | undefined;
                const pictures = new ImportedAssets(assets);
                try {
                    assert(request.payload instanceof Readable, 'payloadOptions say so');
                    const received = await receiveFile(request.raw.req, request.payload, { folder: assets.incoming, most }, limits);
                    noteKey(request, key, received);
                    const checking = { pool: files, turn: request.turn(), signal };
                    zip = await opened(form === 'zip' ? received.file : await convertedStory(form, received.file, checking));
                    const { project: file, assets: zipped } = form === 'zip' ? await openImport(zip, received.size, { asset: config.maxAssetBytes, assets: config.assetQuota }) : await storyIn(zip);
                    const checked = await checkProjectFile(file, signal);
                    await pictures.receive(zipped, { ...checking, looks: zipped.length > 0 && await blocksByLooks(db) });
                    return await request.inQueue(() => write.idempotentTransaction(request, h, async (trx) => {
                        const { user: userId, caller: { app } } = await accountOf(trx, request, config);
                        if (zipped.length > 0) {
                            await registerAssets(trx, assets, userId, pictures.received, config);
                        }

                        const { id, json } = await storeFile(trx, file, { ...checked, project: { ...checked.project, ...defaultVisibility(maybeUser(request)?.publish), ...request.query } }, { owner: { id: userId, app }, version: config.apiVersion });
                        return reply(h, await bodyOf(trx, request, id, json)).code(201).location(`/users/${userId}/projects/${id}`);
                    }, async (trx, id) => {
                        const caller = currentUser(request);
                        const found = await findProject(trx, caller.id, id, [], caller);
                        return found && await bodyOf(trx, request, id, String(found.json));
                    }));
                }
                catch (error) {
                    throw badZipFault(error);
                }
                finally {
                    giveBack();
                    await zip?.close();
                    await pictures.discard();
                }
            }
        });
    }
};

/** The body of the response: where projects are created, it has their first page, too. @param json of the project */
async function bodyOf(db: Database, { app }: Pick<Request, 'app'>, id: string, json: string): Promise<string> {
    return `{"status":"created","project":${json}${app.createsProject === true ? `,"page":${await firstPage(db, id)}` : ''}}`;
}

/** The form of the body, by its headers. @throws 415 if it is none that can be imported */
function formOf(headers: Request['headers']): 'zip' | StoryForm {
    checkEncoding(headers);
    const type = mediaTypeOf(headers['content-type']);
    const form = zipTypes.has(type) ? 'zip' : storyTypes.get(type);
    if (form === undefined) {
        throw fault('unsupported_media_type', 'The body has to be a zip, a story of Twine, or Markdown: send it with "Content-Type: application/zip", "text/html" or "text/markdown".');
    }

    return form;
}

/** @throws 400 if the `Idempotency-Key` is malformed: before the zip is received */
function keyOf({ headers, url }: Pick<Request, 'headers' | 'url'>): string | undefined {
    const key: unknown = headers['idempotency-key'] ?? url.searchParams.get(KEY_FIELD) ?? undefined;
    return key === undefined ? undefined : checkKey(String(key));
}

/** Opens a file that is deleted when it is closed, or when the process ends. */
async function opened(file: string): Promise<FileHandle> {
    try {
        return await open(file);
    }
    finally {
        await deleteFile(file);
    }
}

/** Remembers the `Idempotency-Key`, with a hash of the request, until the response is stored. */
function noteKey(request: Pick<Request, 'app' | 'method' | 'path' | 'url'>, key: string | undefined, { size, hash }: ReceivedFile): void {
    if (key !== undefined) {
        const { method, path, url } = request;
        request.app.sent = { key, fingerprint: createHash('sha256').update(`${method} ${path}${url.search} `).update(hash).digest('base64'), bytes: size };
    }
}
