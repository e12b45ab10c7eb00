import Joi from 'joi';

import { guarded, missing } from '../../api/errors/registry';
import { shownId } from '../../api/request/schema';
import { MAX_ELEMENTS, MAX_PAGES, MAX_REMOVED, MAX_UNDONE_BYTES, inBytes, inWords } from '../../limits';
import { operations } from '../../api/description/operation';
import { change } from '../../api/representations/change';
import { element } from '../../api/representations/element';
import { page, pageAlone } from '../../api/representations/page';
import { project } from '../../api/representations/project';
import { bodyOf, listBody, record, shownRevision } from '../../api/representations/shapes';

const ids = (example: string): Joi.ArraySchema => Joi.array().items(shownId.example(example)).max(MAX_REMOVED);

/** The response of what is written as a change of many things. */
export const rewritten = (status: 'restored' | 'undone' | 'pulled'): Joi.ObjectSchema => bodyOf(status, {
    project, change: Joi.alternatives(change, Joi.valid(null)).description('The new change in the history; null if nothing was different.'),
    skipped: Joi.array().items(record({ type: Joi.valid('page', 'element').description('What it is.').example('page'), id: shownId.description('Its id.').example('41') })).max(2 * MAX_PAGES * (1 + MAX_ELEMENTS)).optional().description('Things that a moderator removed, which are not restored.')
});
const labelled = (status: 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { change });

export const historyOperation = operations('History', {
    listChanges: {
        summary: 'List the changes of a project',
        notes: `Newest first. Each change leads from one revision to a later one, without gaps; the first one begins at 0. The author, the members and moderators can read them.
All points are kept for {HISTORY_DAYS} days, then one for each day for a year, then one for each month. Points with a label are kept for good. The change after a point that is gone includes what the changes before it did.`,
        answers: { 200: listBody('changes', change) },
        headers: ['Link'],
        errors: guarded
    },
    getPoint: {
        summary: 'Read a project as it was',
        notes: `With its pages and their elements. If no change ended at this revision, the response shows the last point before it, and \`revision\` says which. Featuring and counters are not part of the history: the response has the present ones.
Teachers of a class can read the points that were handed in to it, also if the project is deleted.`,
        answers: { 200: bodyOf('success', {
            revision: shownRevision, project, pages: Joi.array().items(page).max(MAX_PAGES).description('All its pages at that time, in order of creation.'),
            incomplete: Joi.valid(true).optional().description('There if something is missing because it was deleted for good.').example(true)
        }) },
        headers: ['ETag'],
        errors: [...guarded, 'not_a_point', 'history_gone']
    },
    labelPoint: {
        summary: 'Name a point of the history',
        notes: 'A point with a name is kept for good. A change must have ended at this revision. The revision of the project stays the same.',
        answers: { 200: labelled('updated') },
        errors: [...guarded, 'not_a_point', 'history_gone']
    },
    unlabelPoint: {
        summary: 'Remove the name of a point',
        notes: 'A point that was handed in to a class keeps its name as long as the class exists.',
        answers: { 200: labelled('deleted') },
        errors: [...guarded, 'not_a_point', 'history_gone', 'handed_in']
    },
    restorePoint: {
        summary: 'Restore a project as it was',
        notes: `Fields, pages and elements become what they were, and newer ones go to the trash. With \`pages\`, only these pages are restored. This is a new change, which can be undone like any other.
Restored things keep their ids. \`change\` is null if nothing is different. Featuring stays as it is. What a moderator removed is not restored: \`skipped\` lists it.`,
        answers: { 200: rewritten('restored') },
        errors: [
            ...guarded, 'not_a_point', 'history_gone', 'coordinates_taken', 'element_limit', 'own_decision', 'page_limit',
            'page_size_limit', 'project_size_limit'
        ]
    },
    undoChange: {
        summary: 'Undo one change',
        notes: `This is a new change, which can be undone like any other. Later changes of other fields stay: each top-level key of \`attributes\` and \`styles\` counts as a field. If one of its fields was changed again later, nothing is done (409), and \`conflicts\` lists these fields.
All that the change did is taken back, or nothing (409). The first change of a project, featuring, changes that replaced more than ${inBytes(MAX_UNDONE_BYTES)}, and those that removed something that was deleted for good since, cannot be undone.`,
        answers: { 200: rewritten('undone') },
        errors: [
            ...guarded, 'not_a_point', 'history_gone', 'not_undoable', 'undo_conflict', 'coordinates_taken', 'element_limit',
            'own_decision', 'page_limit', 'page_size_limit', 'project_size_limit'
        ]
    },
    listDifferences: {
        summary: 'List the differences of a project since a revision',
        notes: `Everything that has changed since then, in its current state; pages come without their elements. A copy that is updated from these responses always equals the project. If nothing has changed, \`project\` is null and the rest is empty.
410 \`history_gone\` if it is no longer known what was removed since then, or if it was more than ${inWords(MAX_REMOVED)} pages or elements: begin again with \`since=0\`, which returns everything.`,
        answers: { 200: bodyOf('success', {
            since: Joi.number().integer().min(0).description('The revision in the request.').example(3), revision: shownRevision, project: Joi.alternatives(project, Joi.valid(null)).description('The project; null if nothing changed.'),
            pages: Joi.array().items(pageAlone).max(MAX_PAGES).description('Pages that have changed, without their elements.'),
            elements: Joi.array().items(element).max(MAX_PAGES * MAX_ELEMENTS).description('Elements that have changed.'),
            removed: record({ pages: ids('41').description('Ids of pages.'), elements: ids('96').description('Ids of elements.') }).description('Ids of everything that was removed since then.')
        }) },
        headers: ['ETag'],
        errors: [...missing, 'history_gone']
    }
});
