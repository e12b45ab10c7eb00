import type { Plugin } from '@hapi/hapi';

import { needs } from '../auth/strategy';
import { writerOf } from '../authoring/access';
import { settle, settleNew } from '../authoring/conditional-write';
import { fixedCors } from '../http/cross-origin';
import { notFound } from '../errors/errors';
import { once } from '../http/idempotency';
import { created, thing } from '../http/responses';
import { conditional, heldTags, holdsTag } from '../http/entity-tags';
import { ids, revisionOnly } from '../http/schema';
import { bodyMaker, elementsOf } from '../pages/pieces';
import type { ElementFields } from '../representations/element';
import type { Services } from '../services';
import { elementEditor } from './batched-edits';
import { operation } from './docs';
import { deleteElement, findElement, insertElement, listElements } from './queries';
import { elementChanges, newElement } from './schema';

type PageChain = {
    user: string;
    project: string;
    page: string;
};

type ElementChain = PageChain & {
    element: string;
};

const chainOf = ({ user, project, page, element }: ElementChain): [string, string, string, string] => [user, project, page, element];

export const elements: Plugin<Services> = {
    name: 'elements',
    dependencies: ['token-strategy'],
    register(server, { config, db }) {
        const bodyOf = bodyMaker(db, config);
        const edit = elementEditor(db);
        const pageIds = ids('user', 'project', 'page');
        const elementIds = ids('user', 'project', 'page', 'element');
        const path = '/users/{user}/projects/{project}/pages/{page}/elements';

        server.route<{ Params: PageChain }>({
            method: 'GET',
            path,
            options: { ...operation('listElements'), validate: { params: pageIds } },
            handler: async (request, h) => {
                const { user, project, page } = request.params;
                const found = await listElements(db, [user, project, page], heldTags(request));
                if (found === undefined) {
                    throw notFound('page');
                }

                if (holdsTag(request, found.tag)) {
                    return conditional(h, found.tag, null);
                }

                const { tag, body } = bodyOf(request, found, ['{"status":"success","elements":[', ']}'], (read) => elementsOf(read, { id: page, revision: found.tag }));
                return conditional(h, tag, body);
            }
        });

        server.route<{ Params: PageChain; Payload: Partial<ElementFields> }>({
            method: 'POST',
            path,
            options: { ...operation('createElement'), auth: needs('projects'), app: { limit: 'writes' }, validate: { params: pageIds, payload: newElement } },
            handler: (request, h) => once(request, h, db, async (trx) => {
                const { user, project, page } = request.params;
                const { id, json } = settleNew(await insertElement(trx, [user, project, page], writerOf(request, 'create'), request.payload), 'page');
                return created(h, 'created', 'element', json, `${request.path}/${id}`);
            }, async (trx, id) => {
                const found = await findElement(trx, chainOf({ ...request.params, element: id }), []);
                return found && `{"status":"created","element":${found.json}}`;
            })
        });

        server.route<{ Params: ElementChain }>({
            method: 'GET',
            path: `${path}/{element}`,
            options: { ...operation('getElement'), cors: fixedCors, validate: { params: elementIds } },
            handler: async (request, h) => {
                const found = await findElement(db, chainOf(request.params), heldTags(request));
                if (found === undefined) {
                    throw notFound('element');
                }

                return conditional(h, found.tag, found.json === null ? null : `{"status":"success","element":${found.json}}`);
            }
        });

        server.route<{ Params: ElementChain; Payload: Partial<ElementFields> & { revision?: number } }>({
            method: 'PATCH',
            path: `${path}/{element}`,
            options: { ...operation('updateElement'), auth: needs('projects'), cors: fixedCors, app: { limit: 'writes' }, validate: { params: elementIds, payload: elementChanges } },
            handler: async (request, h) => {
                const writer = writerOf(request, 'update', request.payload.revision);
                const outcome = await edit({ chain: chainOf(request.params), writer, changes: request.payload });
                return thing(h, 'updated', 'element', await settle(outcome, 'element', writer, () => findElement(db, chainOf(request.params), [])));
            }
        });

        server.route<{ Params: ElementChain; Payload: { revision?: number } }>({
            method: 'DELETE',
            path: `${path}/{element}`,
            options: { ...operation('deleteElement'), auth: needs('projects'), cors: fixedCors, app: { limit: 'writes' }, validate: { params: elementIds, payload: revisionOnly } },
            handler: async (request, h) => {
                const writer = writerOf(request, 'remove', request.payload.revision);
                const outcome = await deleteElement(db, chainOf(request.params), writer);
                return thing(h, 'deleted', 'element', await settle(outcome, 'element', writer, () => findElement(db, chainOf(request.params), [])));
            }
        });
    }
};
