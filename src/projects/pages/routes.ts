import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { writerOf } from '../../rules/access';
import { pageOf, projectOf } from '../../rules/chain';
import type { PageIds, ProjectIds } from '../../rules/chain';
import { largeReads } from '../../rules/read';
import type { AuthoringServices } from '../../rules/write';
import { fixedCors } from '../../api/request/cross-origin';
import { ids, revisionOnly } from '../../api/request/schema';
import type { Against } from '../../api/request/schema';
import type { PageFields } from '../../api/representations/page';
import { pageOperation } from './docs';
import { allPages, onePage } from './pieces';
import { deletePage, findPage, findPagesTag, findPageTag, findWrittenPage, insertPage, listPages, updatePage } from './queries';
import { newPage, pageChanges } from './schema';

export const pages: Plugin<AuthoringServices> = {
    name: 'pages',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const { answerLarge } = largeReads(db, config);
        const projectIds = ids('user', 'project');
        const pageIds = ids('user', 'project', 'page');
        const path = '/users/{user}/projects/{project}/pages';

        server.route<{ Params: ProjectIds }>({
            method: 'GET',
            path,
            options: { ...pageOperation('listPages'), app: { cost: 'cheap' }, validate: { params: projectIds } },
            handler: (request, h) => {
                const chain = projectOf(request.params);
                return answerLarge(request, h, 'project', {
                    chain,
                    tagFirst: true,
                    tag: (reader) => findPagesTag(db, chain, reader),
                    contents: (reader) => listPages(db, chain, reader),
                    around: ['{"status":"success","pages":[', ']}'],
                    pieces: (read, found) => allPages(read, found.pages)
                });
            }
        });

        server.route<{ Params: ProjectIds; Payload: Partial<PageFields> }>({
            method: 'POST',
            path,
            options: { ...pageOperation('createPage'), auth: needs('projects'), app: { cost: 'cheap' }, validate: { params: projectIds, payload: newPage } },
            handler: (request, h) => {
                const chain = projectOf(request.params);
                const writer = writerOf(request, 'create');
                return write.create(request, h, {
                    kind: 'page', within: 'project',
                    statement: (trx) => insertPage(trx, chain, writer, request.payload),
                    find: (trx, id) => findWrittenPage(trx, [...chain, id], writer)
                });
            }
        });

        server.route<{ Params: PageIds }>({
            method: 'GET',
            path: `${path}/{page}`,
            options: { ...pageOperation('getPage'), app: { cost: 'cheap' }, cors: fixedCors, validate: { params: pageIds } },
            handler: (request, h) => {
                const chain = pageOf(request.params);
                return answerLarge(request, h, 'page', {
                    chain,
                    tag: (reader) => findPageTag(db, chain, reader),
                    contents: (reader) => findPage(db, chain, reader),
                    around: ['{"status":"success","page":', '}'],
                    pieces: (read, { tag }) => onePage(read, { id: chain[2], revision: tag })
                });
            }
        });

        server.route<{ Params: PageIds; Payload: Partial<PageFields> & Against }>({
            method: 'PATCH',
            path: `${path}/{page}`,
            options: { ...pageOperation('updatePage'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap' }, validate: { params: pageIds, payload: pageChanges } },
            handler: (request, h) => {
                const { revision, merge, ...fields } = request.payload;
                const writer = writerOf(request, 'update', revision);
                return write.change(request, h, 'updated', { kind: 'page', chain: pageOf(request.params), writer, fields, merge, statement: updatePage, isLocking: true });
            }
        });

        server.route<{ Params: PageIds; Payload: { revision?: number } }>({
            method: 'DELETE',
            path: `${path}/{page}`,
            options: { ...pageOperation('deletePage'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap' }, validate: { params: pageIds, payload: revisionOnly } },
            handler: (request, h) => {
                const writer = writerOf(request, 'removeInside', request.payload.revision);
                return write.change(request, h, 'deleted', { kind: 'page', chain: pageOf(request.params), writer, fields: {}, statement: deletePage, isLocking: true });
            }
        });
    }
};
