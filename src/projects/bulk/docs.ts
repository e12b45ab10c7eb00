import Joi from 'joi';

import { element, elementType, shownElement } from '../../api/representations/element';
import { bodyOf, orMerged, record, shownRevision } from '../../api/representations/shapes';
import { onceErrors, openingErrors, revised } from '../../api/errors/registry';
import { MAX_ACTIONS, MAX_BULK_SECONDS, MAX_LOADED, MAX_REFERENCED, MAX_REPEATED_BYTES, MAX_RESULT_BYTES, inBytes, inWords } from '../../limits';
import { operations } from '../../api/description/operation';
import { idOf } from '../../api/request/schema';
import { page, writtenPage } from '../../api/representations/page';
import { project } from '../../api/representations/project';
import { methods } from '../../api/representations/things';
import { actionList, bulkBody, kinds, schemas } from './schema';
import type { Kind } from './schema';

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const nameOf = (kind: Kind): string => capital(kind.slice(0, -1));

/** Actions of a bulk: one for each kind of thing and method. */
export const actions = kinds.flatMap((kind) => methods.map((method) => Joi.object({
    type: Joi.string().valid(kind).required().description('What kind of thing it works on.'),
    method: Joi.string().valid(method).required().description('What it does.'),
    data: schemas[kind][method].required().description('The input of the action.')
}).id(`${capital(method)}${nameOf(kind)}Action`).description(`${capital(method)}s ${kind === 'elements' ? 'an' : 'a'} ${nameOf(kind).toLowerCase()}.`)));

const body = bulkBody.keys({ actions: actionList.items(Joi.alternatives(...actions).match('one')).description('The actions, in the order in which they run.') }).example({
    actions: [
        { type: 'projects', method: 'create', data: { title: 'Manjericão na janela em cinco passos' } },
        { type: 'pages', method: 'create', data: { projectId: '$0.id', x: 0, y: 0, styles: { backgroundColor: '#f4f8ec' } } },
        { type: 'elements', method: 'create', data: { pageId: '$1.id', type: 'text', attributes: { text: '1. Semear' }, styles: { left: 20, top: 18 } } },
        { type: 'pages', method: 'update', data: { id: '40', revision: 3, y: 1 } },
        { type: 'elements', method: 'remove', data: { id: 95 } }
    ]
});

/** Fields of every result: what was acted on, and how. */
const acted = (...types: Kind[]): Joi.PartialSchemaMap => ({
    type: Joi.string().valid(...types).required().description('The kind of thing.'),
    method: Joi.string().valid('create', 'update').required().description('What was done.').example('create')
});

const results = Joi.alternatives(
    orMerged(project.keys(acted('projects'))).id('ProjectResult').description('A project that was created or changed.'),
    orMerged(page.keys(acted('pages'))).id('PageResult').description('A page that was created or changed.'),
    orMerged(record({ ...shownElement, element_type: elementType, ...acted('elements') })).id('ElementResult').description('An element that was created or changed. The type of the element is `element_type` here.'),
    orMerged(record({ id: idOf('element').description('Id of the thing that was created or changed.'), revision: shownRevision, ...acted(...kinds) })).id('ShortResult')
        .description('Something that was created or changed, without its content, because an earlier result shows it or because it is too large.'),
    record({
        status: Joi.string().valid('deleted').description('The outcome.'),
        type: Joi.string().valid(...kinds).description('The kind of thing.').example('elements'),
        method: Joi.string().valid('remove').description('What was done.'),
        id: idOf('element').description('Id of the removed thing.')
    }).id('RemovedResult').description('Something that was removed.')
).match('one');

const current = Joi.alternatives(project, writtenPage, element).id('Thing').description('The thing that the action worked on.');

const errors = onceErrors(
    ...revised, ...openingErrors, 'bad_reference', 'bulk_stopped', 'bulk_too_large',
    'coordinates_taken', 'element_limit', 'page_limit', 'asset_limit', 'asset_missing', 'page_size_limit', 'project_size_limit', 'publish_bound'
);

export const bulkOperation = operations('Bulk', {
    saveBulk: {
        summary: 'Save many changes at once',
        notes: `Runs 1 to ${inWords(MAX_ACTIONS)} actions in order, as one transaction: all of them or none. An invalid body is 400 before anything runs.
Otherwise the first action that fails decides the response; its \`action\` is the place of the action in the list, counted from 0.

An id is an integer, a decimal string, or a reference \`$N.path\` to an id in the result of the earlier action N: \`$0.id\`, \`$0.page_id\`, \`$0.project_id\`.
A path can lead into \`attributes\` and \`styles\`; the references of one bulk can read ${inBytes(MAX_REFERENCED)} of them in all. The link targets
in the attributes of a \`link\` (\`targetProjectId\`, \`targetPageId\`, \`targetUserId\`) can be references too. An update or a removal can name the
\`revision\` it was made against, and an update \`merge\` beside it. Who may do what is as on the single routes, and the user in the path has to be the token's.
A project that a bulk creates has no first page.

Each result is the thing as it was after its action, with the \`revision\` that it has after the whole bulk: the next write can state it. It is a short result with only its \`id\` and \`revision\` where a small bulk
would otherwise have a huge response. A result is short if the response would be larger than ${inBytes(MAX_RESULT_BYTES)} with it; if an earlier result shows the same thing, and the response
would be larger than ${inBytes(MAX_REPEATED_BYTES)}; or if the bulk needs more than the service loads for one bulk (${inBytes(MAX_LOADED.styles)} of \`styles\` of pages, ${inBytes(MAX_LOADED.contents)} of \`attributes\` and \`styles\` of elements, ${inWords(MAX_LOADED.elements)} elements of pages).
A bulk can take up to ${MAX_BULK_SECONDS} seconds. If its client closes the connection, it is stopped and nothing is done.`,
        answers: { 200: bodyOf('success', { results: Joi.array().items(results).min(1).max(MAX_ACTIONS).description('One result for each action, in their order.') }) },
        errors,
        current,
        body
    }
});
