import type { Plugin } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import { writerOf } from '../../rules/access';
import { createdOrError } from '../../rules/conditional-write';
import { readAs } from '../../rules/visibility';
import type { AuthoringServices } from '../../rules/project-turns';
import { writtenOrError, updatedOrError } from '../../rules/written-or-error';
import { fixedCors } from '../../api/request/cross-origin';
import { notFound } from '../../api/errors/errors';
import { currentUser } from '../../api/request/caller';
import { idempotent } from '../../api/request/idempotency';
import { answerRendered, renderedBodies } from '../../api/request/rendered-pages';
import { created, reply, thing } from '../../api/request/responses';
import { conditional, tagsOfClient } from '../../api/request/entity-tags';
import { ids, revisionOnly } from '../../api/request/schema';
import type { Against } from '../../api/request/schema';
import { bodyMaker, elementsOf } from '../pages/pieces';
import { findPageTag } from '../pages/queries';
import type { ElementFields } from '../../api/representations/element';
import { editElement, elementEditor } from './batched-edits';
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

export const elements: Plugin<AuthoringServices> = {
    name: 'elements',
    dependencies: ['token-strategy'],
    register(server, { config, db, inTurn }) {
        const bodies = renderedBodies();
        const bodyOf = bodyMaker(db, config);
        const edit = elementEditor(db);
        const pageIds = ids('user', 'project', 'page');
        const elementIds = ids('user', 'project', 'page', 'element');
        const path = '/users/{user}/projects/{project}/pages/{page}/elements';

        server.route<{ Params: PageChain }>({
            method: 'GET',
            path,
            options: { ...operation('listElements'), app: { cost: 'cheap' }, validate: { params: pageIds } },
            handler: async (request, h) => {
                const { user, project, page } = request.params;
                const answer = await readAs(request, (reader) => answerRendered(h, request, bodies, [user, project, page], {
                    tag: () => findPageTag(db, user, project, page, reader),
                    contents: async () => {
                        const found = await listElements(db, [user, project, page], reader);
                        return found && bodyOf(request, found, ['{"status":"success","elements":[', ']}'], (read) => elementsOf(read, { id: page, revision: found.tag }));
                    }
                }));
                if (answer === undefined) {
                    throw notFound('page');
                }

                return answer.response;
            }
        });

        server.route<{ Params: PageChain; Payload: Partial<ElementFields> }>({
            method: 'POST',
            path,
            options: { ...operation('createElement'), auth: needs('projects'), app: { cost: 'cheap', limit: 'writes' }, validate: { params: pageIds, payload: newElement } },
            handler: (request, h) => inTurn(request, () => idempotent(request, h, db, async (trx) => {
                const { user, project, page } = request.params;
                const { id, json } = createdOrError(await insertElement(trx, [user, project, page], writerOf(request, 'create'), request.payload), 'page');
                return created(h, 'created', 'element', json, `${request.path}/${id}`);
            }, async (trx, id) => {
                const found = await findElement(trx, chainOf({ ...request.params, element: id }), [], currentUser(request));
                return found && `{"status":"created","element":${found.json}}`;
            }))
        });

        server.route<{ Params: ElementChain }>({
            method: 'GET',
            path: `${path}/{element}`,
            options: { ...operation('getElement'), app: { cost: 'cheap' }, cors: fixedCors, validate: { params: elementIds } },
            handler: async (request, h) => {
                const found = await readAs(request, (reader) => findElement(db, chainOf(request.params), tagsOfClient(request), reader));
                if (found === undefined) {
                    throw notFound('element');
                }

                return conditional(h, found.tag, found.json === null ? null : `{"status":"success","element":${found.json}}`);
            }
        });

        server.route<{ Params: ElementChain; Payload: Partial<ElementFields> & Against }>({
            method: 'PATCH',
            path: `${path}/{element}`,
            options: { ...operation('updateElement'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap', limit: 'writes' }, validate: { params: elementIds, payload: elementChanges } },
            handler: async (request, h) => {
                const { revision, merge, ...fields } = request.payload;
                const chain = chainOf(request.params);
                const writer = writerOf(request, 'update', revision);
                // Edits of one project are in different batches. Who may not see it does not wait for them.
                const outcome = await request.maySee(request.params.project) ? await edit({ chain, writer, fields }) : await editElement(db, { chain, writer, fields });
                return reply(h, await updatedOrError(request, { db, inTurn }, outcome, {
                    kind: 'element', chain, writer, fields, merge, write: (trx, own, merged) => editElement(trx, { chain, writer: own, fields: merged })
                }));
            }
        });

        server.route<{ Params: ElementChain; Payload: { revision?: number } }>({
            method: 'DELETE',
            path: `${path}/{element}`,
            options: { ...operation('deleteElement'), auth: needs('projects'), cors: fixedCors, app: { cost: 'cheap', limit: 'writes' }, validate: { params: elementIds, payload: revisionOnly } },
            handler: async (request, h) => {
                const writer = writerOf(request, 'removeInside', request.payload.revision);
                const chain = chainOf(request.params);
                const outcome = await inTurn(request, () => deleteElement(db, chain, writer));
                return thing(h, 'deleted', 'element', await writtenOrError(db, outcome, { kind: 'element', chain, writer }));
            }
        });
    }
};
