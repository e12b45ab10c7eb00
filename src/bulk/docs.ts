import Joi from 'joi';

import { element, elementType, shownElement } from '../representations/element';
import { bodyOf, orMerged, record, shownRevision } from '../representations/shapes';
import { onceErrors, opensAccount, revised } from '../errors/registry';
import { MOST_ACTIONS, inWords } from '../limits';
import { operations } from '../openapi/operation';
import { idOf } from '../http/schema';
import { page, writtenPage } from '../representations/page';
import { project } from '../representations/project';
import { actionList, bulkBody, schemas } from './schema';
import type { Kind, Method } from './schema';

const kinds: readonly Kind[] = ['projects', 'pages', 'elements'];
const methods: readonly Method[] = ['create', 'update', 'remove'];

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const nameOf = (kind: Kind): string => capital(kind.slice(0, -1));

const actions = kinds.flatMap((kind) => methods.map((method) => Joi.object({
    type: Joi.string().valid(kind).required().description('What it works on.'),
    method: Joi.string().valid(method).required().description('What it does.'),
    data: schemas[kind][method].required().description('What to do it with.')
}).id(`${capital(method)}${nameOf(kind)}Action`).description(`${capital(method)}s ${kind === 'elements' ? 'an' : 'a'} ${nameOf(kind).toLowerCase()}.`)));

const body = bulkBody.keys({ actions: actionList.items(Joi.alternatives(...actions).match('one')).description('What to do, in this order.') }).example({
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
    type: Joi.string().valid(...types).required().description('What was acted on.'),
    method: Joi.string().valid('create', 'update').required().description('What was done.').example('create')
});

const results = Joi.alternatives(
    orMerged(project.keys(acted('projects'))).id('ProjectResult').description('A project that was made or changed.'),
    orMerged(page.keys(acted('pages'))).id('PageResult').description('A page that was made or changed.'),
    orMerged(record({ ...shownElement, element_type: elementType, ...acted('elements') })).id('ElementResult').description('An element that was made or changed; its own type is `element_type` here.'),
    orMerged(record({ id: idOf('element').description('Id of what was made or changed.'), revision: shownRevision, ...acted(...kinds) })).id('ShortResult')
        .description('Something that was made or changed and is not shown whole, to keep the answer small: an earlier result has shown it, or it is too large.'),
    record({
        status: Joi.string().valid('deleted').description('What came of it.'),
        type: Joi.string().valid(...kinds).description('What was acted on.').example('elements'),
        method: Joi.string().valid('remove').description('What was done.'),
        id: idOf('element').description('Id of what was removed.')
    }).id('RemovedResult').description('What was removed.')
).match('one');

const current = Joi.alternatives(project, writtenPage, element).id('Thing').description('Whatever the action worked on.');

const errors = onceErrors(
    ...revised, ...opensAccount, 'bad_reference', 'bulk_stopped', 'bulk_too_large',
    'coordinates_taken', 'element_limit', 'page_limit', 'asset_limit', 'asset_missing', 'page_size_limit', 'project_size_limit'
);

export const operation = operations('Bulk', {
    saveBulk: {
        summary: 'Save many changes at once',
        notes: `Runs 1 to ${inWords(MOST_ACTIONS)} actions in order, as one transaction: all or nothing. A body that does not validate is 400 before anything runs;
then the first action that fails decides the answer, whose \`action\` is its place in the list, counted from 0.

An id is an integer, a decimal string, or a reference \`$N.path\` to an id in the result of the earlier action N: \`$0.id\`, \`$0.page_id\`, \`$0.project_id\`.
A path may lead into \`attributes\` and \`styles\`, of which the references of one bulk may read 256 KiB in all. The link targets
in the attributes of a \`link\` (\`targetProjectId\`, \`targetPageId\`, \`targetUserId\`) may be references too. An update or a removal may state the
\`revision\` it was made against, and an update \`merge\` beside it. Who may do what is as on the single routes, and the user in the path has to be the token's.
A project made here has no page of its own.

Each result is the whole thing as it was after its action, or a short result with its \`id\` and \`revision\` alone, so that a small bulk
cannot ask for a huge answer. A result is short if the whole answer would be larger than 32 MiB with it; if an earlier result has shown the same thing, and the answer
would be larger than 1 MiB; or if the bulk touches more than the service loads for one (16 MiB of \`styles\` of pages, 32 MiB of \`attributes\` and \`styles\` of elements, 40,000 elements of pages).
A bulk may take 10 seconds. It is stopped, and nothing is done, if its client closes the connection.`,
        answers: { 200: bodyOf('success', { results: Joi.array().items(results).min(1).max(MOST_ACTIONS).description('One for each action, in their order.') }) },
        errors,
        current,
        body
    }
});
