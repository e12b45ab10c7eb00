import { Readable } from 'node:stream';

import type { Plugin, ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { zipOf } from '../zip/write-zip';
import { needs } from '../../api/auth/strategy';
import { checkTeacher } from '../../classes/access';
import { findReadPoint } from '../../projects/history/queries';
import { writerFor } from '../../rules/access';
import type { ProjectChain, ProjectIds } from '../../rules/chain';
import { pieceReader, readAs } from '../../rules/read';
import type { Reader } from '../../rules/visibility';
import { readNow } from '../../database/statements/snapshot';
import type { Read } from '../../database/statements/snapshot';
import { forbidden, lacksScope, notFound } from '../../api/errors/errors';
import { currentUser, noAccount } from '../../api/request/caller';
import type { CurrentUser } from '../../api/request/caller';
import { slotsByCaller } from '../../api/protection/places';
import { ids } from '../../api/request/schema';
import { ChangedWhileSent } from '../../api/request/streamed-body';
import { originFor } from '../../api/request/path';
import { HTML, ZIP } from '../../api/description/operation';
import type { AssetServices } from '../assets/services';
import { drawingPolicy } from '../assets/serving';
import { findUser } from '../../accounts/users/queries';
import { builtPlayer } from './built-player';
import { exportOperation } from './docs';
import { classTakeoutEntries } from './class-takeout';
import { entriesAt, entriesOf } from './entries';
import { htmlFile } from './html-file';
import type { From } from './html-file';
import { findExported } from './queries';
import type { Exported } from './queries';
import { classExportQuery, exportQuery } from './schema';
import { takeoutEntries } from './takeout';

/** Maximum number of exports and takeouts that a process sends at a time: each compresses data and uses the database. */
const MOST = { exports: 64, takeouts: 8 };

/** How much of an HTML file is made before the client takes it: whatever the pieces have, one piece more than the client has taken. */
const READ_AHEAD = { objectMode: false, highWaterMark: 1024 * 1024 };

export const exporting: Plugin<AssetServices> = {
    name: 'exports',
    dependencies: ['token-strategy'],
    register(server, { config, db, assets: storage }) {
        const readInPieces = pieceReader(db, config);
        const takeExport = slotsByCaller(MOST.exports, 'exports too much at once', config.trustedProxies);
        const takeTakeout = slotsByCaller(MOST.takeouts, 'takes out too much at once', config.trustedProxies);

        /** Sends a project as it was at a point, to whoever reads that point of its history. @throws 404, 403 or 410 as reading the point does */
        async function sendPoint<Refs extends ReqRef>(request: Request<Refs>, h: ResponseToolkit<Refs>, chain: ProjectChain, revision: string): Promise<ResponseObject> {
            const who = await readerOfHistory(request);
            const point = await findReadPoint(db, chain, writerFor(who, 'history'), revision, config.teachers === 'open', 'point');
            noteIfModerator(request, who);
            return send(request, h, `project-${chain[1]}-at-${point.revision}.zip`, takeExport(request), () => zipOf(readInPieces(request, (read) => entriesAt(read, storage, chain[1], point)))).type(ZIP);
        }

        server.route<{ Params: ProjectIds; Query: { as?: 'zip' | 'html'; history?: string; point?: string } }>({
            method: 'GET',
            path: '/users/{user}/projects/{project}/export',
            options: { ...exportOperation('exportProject'), app: { cost: 'heavy', limit: 'writes' }, validate: { params: ids('user', 'project'), query: exportQuery } },
            handler: async (request, h) => {
                const { params: { user, project }, query: { point } } = request;
                if (point !== undefined) {
                    return sendPoint(request, h, [user, project], point);
                }

                const history = request.query.history === 'true';
                const find = (read: Read, reader: Reader): ReturnType<typeof findExported> => findExported(read, user, project, reader);
                const who = history ? await readerOfHistory(request) : undefined;
                let reader: Reader = { id: null, moderator: false };
                const found = await (who === undefined ? readAs(request, (one) => {
                    reader = one;
                    return find(readNow(db), one);
                }) : find(readNow(db), who));
                if (found === undefined) {
                    throw notFound('project');
                }

                if (history && !found.history) {
                    throw forbidden('The history of this project is its author\'s.');
                }

                if (who !== undefined) {
                    noteIfModerator(request, who);
                }

                const findAgain = async (inSnapshot: Read): Promise<Exported> => {
                    const again = await find(inSnapshot, who ?? reader);
                    if (again === undefined) {
                        throw new ChangedWhileSent();
                    }

                    return again;
                };

                if (request.query.as === 'html') {
                    const from = { origin: originFor(request, config), place: config.site?.name ?? 'Pagewright', player: await builtPlayer() };
                    const response = send(request, h, `project-${project}.html`, takeExport(request), () => Readable.from(readInPieces(request, (read) => htmlFile(read, storage, findAgain, from)), READ_AHEAD));
                    return response.type(`${HTML}; charset=utf-8`).header('content-security-policy', drawingPolicy);
                }

                return send(request, h, `project-${project}.zip`, takeExport(request), () => zipOf(readInPieces(request, (read) => entriesOf(read, storage, { find: findAgain, history })))).type(ZIP);
            }
        });

        server.route<{ Params: { user: string } }>({
            method: 'GET',
            path: '/users/{user}/takeout',
            options: { ...exportOperation('takeOut'), auth: needs('user'), app: { cost: 'heavy', limit: 'writes' }, validate: { params: ids('user') } },
            handler: async (request, h) => {
                const { user } = request.params;
                const account = await findUser(db, user, currentUser(request).id, []);
                if (account?.allowed !== true) {
                    throw account === undefined ? notFound('user') : forbidden('This account is someone else\'s.');
                }

                return send(request, h, 'pagewright.zip', takeTakeout(request), () => zipOf(takeoutEntries({
                    db, storage, userId: user, trashDays: config.trashDays, withAddress: currentUser(request).signedIn !== false, inPieces: (pieces) => readInPieces(request, pieces)
                }))).type(ZIP);
            }
        });

        server.route<{ Params: { class_id: string }; Query: { pupil?: string } }>({
            method: 'GET',
            path: '/classes/{class_id}/takeout',
            options: { ...exportOperation('takeOutClass'), auth: needs('projects'), app: { cost: 'heavy', limit: 'writes', signedIn: true }, validate: { params: ids('class_id'), query: classExportQuery } },
            handler: async (request, h) => {
                const { params: { class_id: classId }, query: { pupil } } = request;
                const teacher = { ...currentUser(request), moderator: false, everybody: config.teachers === 'open' };
                await checkTeacher(db, classId, teacher);
                const from = async (): Promise<From> => ({ origin: originFor(request, config), place: config.site?.name ?? 'Pagewright', player: await builtPlayer() });
                return send(request, h, `class-${classId}.zip`, takeTakeout(request), () => zipOf(classTakeoutEntries({
                    db, storage, classId, teacher, pupil, from, inPieces: (pieces) => readInPieces(request, pieces)
                }))).type(ZIP);
            }
        });
    }
};

/** The caller who requests a history, which needs a token. @throws 401 without a valid one, 403 if it lacks the scope */
async function readerOfHistory(request: Pick<Request, 'app' | 'callerOfHeader'>): Promise<CurrentUser> {
    request.app.isPrivate = true;
    const { user, mayReadProjects } = await request.callerOfHeader();
    if (!mayReadProjects) {
        throw lacksScope('projects');
    }

    if (user === undefined) {
        throw noAccount();
    }

    return user;
}

/** Notes that a moderator reads a history. */
function noteIfModerator(request: Pick<Request, 'app'>, who: CurrentUser): void {
    if (who.moderator) {
        request.app.moderatorRead = { id: who.id, noted: 'read_history', others: [] };
    }
}

/** Sends a file that is created while it is sent. @param giveBack is called when it has been sent, or the client has disconnected */
function send<Refs extends ReqRef>(
    request: Pick<Request, 'app' | 'log' | 'method'>, h: ResponseToolkit<Refs>, name: string, giveBack: () => void, made: () => Readable
): ResponseObject {
    const body = request.method === 'head' ? Readable.from([], { objectMode: false }) : made();
    body.once('close', giveBack).on('error', (error) => {
        if (!(error instanceof ChangedWhileSent)) {
            request.log(['error', 'fault'], error);
        }
    });
    return h.response(body).header('content-disposition', `attachment; filename="${name}"`).header('cache-control', 'no-cache');
}
