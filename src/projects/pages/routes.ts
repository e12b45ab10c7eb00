import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { writerOf } from '../../rules/access';
import { createdOrError } from '../../rules/conditional-write';
import { lockProject } from '../../rules/lock-project';
import { readAs } from '../../rules/visibility';
import type { AuthoringServices } from '../../rules/project-turns';
import { writtenOrError, updatedOrError } from '../../rules/written-or-error';
import { transaction } from '../../database/statements/transaction';
import { fixedCors } from '../../api/request/cross-origin';
import { notFound } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import { idempotent } from '../../api/request/idempotency';
import { answerRendered, renderedBodies } from '../../api/request/rendered-pages';
import { created, reply, thing } from '../../api/request/responses';
import { ids, revisionOnly } from '../../api/request/schema';
import type { Against } from '../../api/request/schema';
import type { PageFields } from '../../api/representations/page';
import { operation } from './docs';
import { allPages, bodyMaker, onePage } from './pieces';
import { deletePage, findPage, findPagesTag, findPageTag, findWrittenPage, insertPage, listPages, updatePage } from './queries';
import { newPage, pageChanges } from './schema';

type ProjectChain = {
    user: string;
    project: string;
};

type PageChain = ProjectChain & {
    page: string;
};

export const pages: Plugin<AuthoringServices> = {
    name: 'pages',
    dependencies: ['token-strategy'],
    register(server, { config, db, inTurn }) {
        const bodies = renderedBodies();
        const bodyOf = bodyMaker(db, config);
        const chain = ids('user', 'project', 'page');
        const path = '/users/{user}/projects/{project}/pages';

        server.route<{ Params: ProjectChain }>({
            method: 'GET',
            path,
            options: { ...operation('listPages'), app: { cost: 'cheap' }, validate: { params: ids('user', 'project') } },
            handler: async (request, h) => {
                const { user, project } = request.params;
                const answer = await readAs(request, (reader) => answerRendered(h, request, bodies, [user, project], {
                    tagFirst: true,
                    tag: () => findPagesTag(db, user, project, reader),
                    contents: async () => {
                        const found = await listPages(db, user, project, reader);
                        return found && bodyOf(request, found, ['{"status":"success","pages":[', ']}'], (read) => allPages(read, found.pages));
                    }
                }));
                if (answer === undefined) {
                    throw notFound('project');
                }

                return answer.response;
            }
        });

        server.route<{ Params: ProjectChain; Payload: Partial<PageFields> }>({
            method: 'POST',
            path,
            options: { ...operation('createPage'), auth: needs('projects'), app: { cost: 'cheap', limit: 'writes' }, validate: { params: ids('user', 'project'), payload: newPage } },
            handler: (request, h) => inTurn(request, () => idempotent(request, h, db, async (trx) => {
                const { user, project } = request.params;
                const { id, json } = createdOrError(await insertPage(trx, user, project, writerOf(request, 'create'), request.payload), 'project');
                return created(h, 'created', 'page', json, `${request.path}/${id}`);
            }, async (trx, id) => {
                const found = await findWrittenPage(trx, request.params.user, request.params.project, id, currentUser(request));
                return found && `{"status":"created","page":${found.json}}`;
            }))
        });

        server.route<{ Params: PageChain }>({
            method: 'GET',
            path: `${path}/{page}`,
            options: { ...operation('getPage'), app: { cost: 'cheap' }, cors: fixedCors, validate: { params: chain } },
            handler: async (request, h) => {
                const { user, project, page } = request.params;
                const answer = await readAs(request, (reader) => answerRendered(h, request, bodies, [user, project, page], {
                    tag: () => findPageTag(db, user, project, page, reader),
                    contents: async () => {
                        const found = await findPage(db, user, project, page, reader);
                        return found && bodyOf(request, found, ['{"status":"success","page":', '}'], (read) => onePage(read, { id: page, revision: found.tag }));
                    }
                }));
                if (answer === undefined) {
                    throw notFound('page');
                }

                return answer.response;
            }
        });

        server.route<{ Params: PageChain; Payload: Partial<PageFields> & Against }>({
            method: 'PATCH',
            path: `${path}/{page}`,
            options: { ...operation('updatePage'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap', limit: 'writes' }, validate: { params: chain, payload: pageChanges } },
            handler: async (request, h) => {
                const { user, project, page } = request.params;
                const { revision, merge, ...fields } = request.payload;
                const writer = writerOf(request, 'update', revision);
                const outcome = await inTurn(request, () => transaction(db, request.app.traceId, async (trx) => {
                    await lockProject(trx, project, writer, 'page');
                    return updatePage(trx, [user, project, page], writer, fields);
                }));
                return reply(h, await updatedOrError(request, { db, inTurn }, outcome, {
                    kind: 'page', chain: [user, project, page], writer, fields, merge, write: (trx, ...given) => updatePage(trx, [user, project, page], ...given)
                }));
            }
        });

        server.route<{ Params: PageChain; Payload: { revision?: number } }>({
            method: 'DELETE',
            path: `${path}/{page}`,
            options: { ...operation('deletePage'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap', limit: 'writes' }, validate: { params: chain, payload: revisionOnly } },
            handler: async (request, h) => {
                const { user, project, page } = request.params;
                const writer = writerOf(request, 'removeInside', request.payload.revision);
                const outcome = await inTurn(request, () => transaction(db, request.app.traceId, async (trx) => {
                    await lockProject(trx, project, writer, 'page');
                    return deletePage(trx, [user, project, page], writer);
                }));
                return thing(h, 'deleted', 'page', await writtenOrError(db, outcome, { kind: 'page', chain: [user, project, page], writer }));
            }
        });
    }
};
