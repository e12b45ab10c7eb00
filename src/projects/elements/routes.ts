import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { writerOf } from '../../rules/access';
import { elementOf, pageOf } from '../../rules/chain';
import type { ElementIds, PageIds } from '../../rules/chain';
import { answerThing, largeReads } from '../../rules/read';
import type { AuthoringServices } from '../../rules/write';
import { fixedCors } from '../../api/request/cross-origin';
import { ids, revisionOnly } from '../../api/request/schema';
import type { Against } from '../../api/request/schema';
import { elementsOf } from '../pages/pieces';
import { findPageTag } from '../pages/queries';
import type { ElementFields } from '../../api/representations/element';
import { editElement, elementEditor } from './batched-edits';
import { elementOperation } from './docs';
import { deleteElement, findElement, insertElement, listElements } from './queries';
import { elementChanges, newElement } from './schema';

export const elements: Plugin<AuthoringServices> = {
    name: 'elements',
    dependencies: ['token-strategy'],
    register(server, { config, db, write }) {
        const { answerLarge } = largeReads(db, config);
        const edit = elementEditor(db);
        const pageSchema = ids('user', 'project', 'page');
        const elementSchema = ids('user', 'project', 'page', 'element');
        const path = '/users/{user}/projects/{project}/pages/{page}/elements';

        server.route<{ Params: PageIds }>({
            method: 'GET',
            path,
            options: { ...elementOperation('listElements'), app: { cost: 'cheap' }, validate: { params: pageSchema } },
            handler: (request, h) => {
                const chain = pageOf(request.params);
                return answerLarge(request, h, 'page', {
                    chain,
                    tag: (reader) => findPageTag(db, chain, reader),
                    contents: (reader) => listElements(db, chain, reader),
                    around: ['{"status":"success","elements":[', ']}'],
                    pieces: (read, { tag }) => elementsOf(read, { id: chain[2], revision: tag })
                });
            }
        });

        server.route<{ Params: PageIds; Payload: Partial<ElementFields> }>({
            method: 'POST',
            path,
            options: { ...elementOperation('createElement'), auth: needs('projects'), app: { cost: 'cheap' }, validate: { params: pageSchema, payload: newElement } },
            handler: (request, h) => {
                const chain = pageOf(request.params);
                const writer = writerOf(request, 'create');
                return write.create(request, h, {
                    kind: 'element', within: 'page',
                    statement: (trx) => insertElement(trx, chain, writer, request.payload),
                    find: (trx, id) => findElement(trx, [...chain, id], [], writer)
                });
            }
        });

        server.route<{ Params: ElementIds }>({
            method: 'GET',
            path: `${path}/{element}`,
            options: { ...elementOperation('getElement'), app: { cost: 'cheap' }, cors: fixedCors, validate: { params: elementSchema } },
            handler: (request, h) => answerThing(request, h, 'element', (reader, tags) => findElement(db, elementOf(request.params), tags, reader))
        });

        server.route<{ Params: ElementIds; Payload: Partial<ElementFields> & Against }>({
            method: 'PATCH',
            path: `${path}/{element}`,
            options: { ...elementOperation('updateElement'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap' }, validate: { params: elementSchema, payload: elementChanges } },
            handler: (request, h) => {
                const { revision, merge, ...fields } = request.payload;
                const chain = elementOf(request.params);
                const writer = writerOf(request, 'update', revision);
                return write.change(request, h, 'updated', { kind: 'element', chain, writer, fields, merge, statement: editElement, batch: () => edit({ chain, writer, fields }) });
            }
        });

        server.route<{ Params: ElementIds; Payload: { revision?: number } }>({
            method: 'DELETE',
            path: `${path}/{element}`,
            options: { ...elementOperation('deleteElement'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap' }, validate: { params: elementSchema, payload: revisionOnly } },
            handler: (request, h) => {
                const writer = writerOf(request, 'removeInside', request.payload.revision);
                return write.change(request, h, 'deleted', { kind: 'element', chain: elementOf(request.params), writer, fields: {}, statement: deleteElement });
            }
        });
    }
};
