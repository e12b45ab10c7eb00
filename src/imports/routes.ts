import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';

import type { Plugin, Request } from '@hapi/hapi';

import { needs } from '../auth/strategy';
import { poolQueue } from '../concurrency/work-queue';
import type { Config } from '../config';
import { transaction } from '../db/transaction';
import { fault, forbidden, notFound } from '../errors/errors';
import { currentUser, maybeUser } from '../http/caller';
import type { CurrentUser } from '../http/caller';
import type { ClientLimits } from '../http/client-limits';
import { laterCors } from '../http/cross-origin';
import { once } from '../http/idempotency';
import { places } from '../http/load/places';
import { checkEncoding } from '../http/read-body';
import { created } from '../http/responses';
import { ids } from '../http/schema';
import { spoolBody } from '../http/spool-body';
import type { SpooledBody } from '../http/spool-body';
import { findProject } from '../projects/queries';
import type { Services } from '../services';
import { writeUnder } from '../users/open-account';
import { findUser } from '../users/queries';
import { badZipFault, openImport } from './archive';
import { checkFile } from './check';
import { operation } from './docs';
import { storeFile } from './store';

/** Imports that a process works on together. */
const MOST = 8;

/** Types that browsers and tools give a zip. */
const zipTypes = new Set(['application/zip', 'application/x-zip-compressed', 'application/octet-stream']);

export interface ImportOptions extends Pick<Services, 'db'> {
    config: Config;
    limits: ClientLimits;
}

export const imports: Plugin<ImportOptions> = {
    name: 'imports',
    dependencies: ['token-strategy'],
    register(server, { config, db, limits }) {
        const take = places(MOST, 'imports too much at once', config.trustedProxies);
        const queue = poolQueue(config.databasePool);

        /** Before the body is read, as that may take minutes. */
        const checkUser = async (user: string, caller: CurrentUser | undefined): Promise<void> => {
            const account = caller && await findUser(db, user, caller.id, []);
            if (caller !== undefined && account?.allowed !== true) {
                throw account === undefined ? notFound('user') : forbidden('A project can be imported into one\'s own account only.');
            }
        };

        server.route<{ Params: { user: string } }>({
            method: 'POST',
            path: '/users/{user}/imports',
            options: {
                ...operation('importProject'), cors: laterCors, auth: needs('projects'), app: { limit: 'writes', opensAccount: true, readsBody: true, mostBytes: config.maxImportBytes },
                validate: { params: ids('user') }
            },
            handler: async (request, h) => {
                checkType(request.headers);
                await checkUser(request.params.user, maybeUser(request));
                const giveBack = take(request);
                let body: SpooledBody | undefined;
                try {
                    body = await spoolBody(request, tmpdir(), { most: config.maxImportBytes, charge: () => undefined }, limits);
                    noteKey(request, body);
                    const file = await openImport(body);
                    const checked = await checkFile(file);
                    return await queue.run(() => once(request, h, db, (given) => transaction(given, request.app.traceId, (trx) => writeUnder(trx, request, config, async (own, userId) => {
                        const { id, json } = await storeFile(own, file, checked, { userId, version: config.apiVersion });
                        return created(h, 'created', 'project', json, `/users/${userId}/projects/${id}`);
                    })), async (trx, id) => {
                        const found = await findProject(trx, currentUser(request).id, id, []);
                        return found && `{"status":"created","project":${found.json}}`;
                    }), maybeUser(request)?.id);
                }
                catch (error) {
                    throw badZipFault(error);
                }
                finally {
                    giveBack();
                    await body?.handle.close();
                }
            }
        });
    }
};

/** @throws 415 if the body is no zip by its headers */
function checkType(headers: Request['headers']): void {
    checkEncoding(headers);
    const [type] = String(headers['content-type']).toLowerCase().split(';');
    if (!zipTypes.has(String(type).trim())) {
        throw fault('unsupported_media_type', 'The body has to be a zip: send it with "Content-Type: application/zip".');
    }
}

/** Notes the `Idempotency-Key`, with what was sent with it. */
function noteKey(request: Pick<Request, 'app' | 'headers' | 'method' | 'path' | 'url'>, { size, digest }: SpooledBody): void {
    const key: unknown = request.headers['idempotency-key'];
    if (key !== undefined) {
        const { method, path, url } = request;
        request.app.sent = { key: String(key), fingerprint: createHash('sha256').update(`${method} ${path}${url.search} `).update(digest).digest('base64'), bytes: size };
    }
}
