import Joi from 'joi';

import { guarded } from '../../api/errors/registry';
import { shownId, text } from '../../api/request/schema';
import { operations } from '../../api/description/operation';
import { writer } from '../../api/representations/change';
import { element } from '../../api/representations/element';
import { pageAlone } from '../../api/representations/page';
import { project } from '../../api/representations/project';
import { bodyOf, listBody, record, time } from '../../api/representations/shapes';
import { thingTypes } from '../../api/representations/things';

const type = Joi.valid(...thingTypes).description('What it is.').example('page');
const thing = Joi.alternatives(project, pageAlone, element).description('The thing as it was when it was removed, without its pages or elements.');

const entry = record({
    id: shownId.description('Id of the entry.').example('7'),
    type, thing,
    project: record({ id: shownId.description('Its id.').example('12'), title: text(1, 256).description('Its title.').example('Manjericão na janela em cinco passos') }).description('The project that it was in, or the removed project itself.'),
    deleted_at: time.description('When it was removed, in UTC.').example('2026-03-01T18:30:00.000Z'),
    deleted_by: writer.description('Who removed it.'),
    purge_at: time.description('When it will be deleted for good, in UTC.').example('2026-03-31T18:30:00.000Z')
}).id('TrashEntry').description('Something that a request removed, with everything that was in it.');

export const trashOperation = operations('Trash', {
    listTrash: {
        summary: 'List the trash',
        notes: 'Removed projects, pages and elements, newest first, each with everything that was in it. They stay in the trash for {TRASH_DAYS} days. A moderator can list what moderators removed from someone else\'s projects, and nothing else of their trash.',
        answers: { 200: listBody('trash', entry) },
        headers: ['Link'],
        errors: guarded
    },
    restoreTrash: {
        summary: 'Restore something',
        notes: `It is restored with everything that was in it, and keeps its id, so links to it work again. If another page is at its place by now, a page needs new \`x\` and \`y\`. Only a moderator can restore what a moderator removed, and only the owner of the trash what anybody else removed.`,
        answers: { 200: bodyOf('restored', { type, thing }) },
        errors: [
            ...guarded, 'coordinates_taken', 'element_limit', 'own_decision', 'page_limit', 'page_size_limit', 'parent_deleted',
            'project_size_limit', 'publish_bound', 'removed_by_moderator'
        ]
    },
    deleteTrash: {
        summary: 'Delete something for good',
        notes: 'It is deleted at once, also from the history: points that contained it have `incomplete: true` from then on. This cannot be undone. Only a moderator can do this to what a moderator removed, and only the owner of the trash to what anybody else removed. What was handed in to a class cannot be deleted for good while the class exists.',
        answers: { 200: bodyOf('deleted', {}) },
        errors: [...guarded, 'removed_by_moderator', 'handed_in']
    }
});
