import Joi from 'joi';

import { guarded } from '../errors/registry';
import { shownId, text } from '../http/schema';
import { operations } from '../openapi/operation';
import { writer } from '../representations/change';
import { element } from '../representations/element';
import { pageAlone } from '../representations/page';
import { project } from '../representations/project';
import { bodyOf, next, record, time } from '../representations/shapes';

const type = Joi.valid('project', 'page', 'element').description('What it is.').example('page');
const thing = Joi.alternatives(project, pageAlone, element).description('The thing as it was when it was removed, without what was in it.');

const entry = record({
    id: shownId.description('Id of the entry.').example('7'),
    type, thing,
    project: record({ id: shownId.description('Its id.').example('12'), title: text(1, 256).description('Its title.').example('Manjericão na janela em cinco passos') }).description('The project that it was in, or that it is.'),
    deleted_at: time.description('When it was removed, in UTC.').example('2026-03-01T18:30:00.000Z'),
    deleted_by: writer.description('Who removed it.'),
    purge_at: time.description('When it will be deleted for good, in UTC.').example('2026-03-31T18:30:00.000Z')
}).id('TrashEntry').description('One thing that a request removed, with everything that went with it.');

export const operation = operations('Trash', {
    listTrash: {
        summary: 'List what was removed',
        notes: 'Newest first: projects, pages and elements, each with all that went with it. They stay here for 30 days.',
        answers: { 200: bodyOf('success', { trash: Joi.array().items(entry).max(100).description('As many as were asked for, where there are as many.'), next }) },
        errors: guarded
    },
    restoreTrash: {
        summary: 'Restore something',
        notes: `Whole, with its id, so that links to it work again. A page whose place was taken meanwhile needs \`x\` and \`y\` of another one. What a moderator removed, only a moderator restores.`,
        answers: { 200: bodyOf('restored', { type, thing }) },
        errors: [...guarded, 'coordinates_taken', 'element_limit', 'page_limit', 'page_size_limit', 'parent_deleted', 'project_size_limit', 'removed_by_moderator']
    },
    deleteTrash: {
        summary: 'Delete something for good',
        notes: 'Now, and from the history too: points that showed it do without it from then on, and say `incomplete: true`. This cannot be undone.',
        answers: { 200: bodyOf('deleted', {}) },
        errors: [...guarded, 'removed_by_moderator']
    }
});
