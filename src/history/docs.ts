import Joi from 'joi';

import { guarded, missing } from '../errors/registry';
import { shownId } from '../http/schema';
import { MOST_ELEMENTS, MOST_PAGES } from '../limits';
import { operations } from '../openapi/operation';
import { change } from '../representations/change';
import { element } from '../representations/element';
import { page, pageAlone } from '../representations/page';
import { project } from '../representations/project';
import { bodyOf, next, record, shownRevision } from '../representations/shapes';

const ids = (example: string): Joi.ArraySchema => Joi.array().items(shownId.example(example));

const rewritten = (status: 'restored' | 'undone'): Joi.ObjectSchema => bodyOf(status, {
    project, change: Joi.alternatives(change, Joi.valid(null)).description('What was done, as the history shows it; null if nothing was different.'),
    skipped: Joi.array().items(record({ type: Joi.valid('page', 'element').description('What it is.').example('page'), id: shownId.description('Its id.').example('41') })).optional().description('What a moderator removed, and therefore stays gone.')
});
const labelled = (status: 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { change });

export const operation = operations('History', {
    listChanges: {
        summary: 'List the changes of a project',
        notes: `Newest first. Each takes the project from one revision to a later one, and none is missing in between; the first begins at 0. For the author, the members and moderators.
Points are kept for 30 days, then one of each day for a year, then one of each month; those with a label for good.`,
        answers: { 200: bodyOf('success', { changes: Joi.array().items(change).max(100).description('As many as were asked for, where there are as many.'), next }) },
        errors: guarded
    },
    getPoint: {
        summary: 'Read a project as it was',
        notes: `With its pages and their elements. A revision at which no change ended shows the last point before it; \`revision\` says which. Views, featuring and counters are not part of the history: what is shown of them is the present.`,
        answers: { 200: bodyOf('success', {
            revision: shownRevision, project, pages: Joi.array().items(page).max(MOST_PAGES).description('All pages that it had then, in order of creation.'),
            incomplete: Joi.valid(true).optional().description('Something that was there then was deleted for good.').example(true)
        }) },
        errors: [...guarded, 'not_a_point', 'history_gone']
    },
    labelPoint: {
        summary: 'Name a point of the history',
        notes: 'It is then kept for good. It must be the revision at which a change ended. Moves no revision.',
        answers: { 200: labelled('updated') },
        errors: [...guarded, 'not_a_point', 'history_gone']
    },
    unlabelPoint: {
        summary: 'Take the name of a point back',
        answers: { 200: labelled('deleted') },
        errors: [...guarded, 'not_a_point', 'history_gone']
    },
    restorePoint: {
        summary: 'Restore a project as it was',
        notes: `As a new change, which can be undone like any other: its fields, pages and elements become what they were, and what was made since goes to the trash. With \`pages\`, only these pages.
Restored things keep their ids. \`change\` is null if nothing is different. Featuring stays as it is, and what a moderator removed stays gone: \`skipped\` lists it.`,
        answers: { 200: rewritten('restored') },
        errors: [...guarded, 'not_a_point', 'history_gone', 'coordinates_taken', 'element_limit', 'page_limit', 'page_size_limit', 'project_size_limit']
    },
    undoChange: {
        summary: 'Take back one change',
        notes: `As a new change, which can be undone like any other. What later changes did to other fields stays: each top-level key of \`attributes\` and \`styles\` counts as a field. If something that it did was changed since, nothing is done, and \`conflicts\` says what.
The first change of a project and the featuring of it cannot be undone, nor one that replaced more than 32 MiB.`,
        answers: { 200: rewritten('undone') },
        errors: [...guarded, 'not_a_point', 'history_gone', 'not_undoable', 'undo_conflict', 'coordinates_taken', 'element_limit', 'page_limit', 'page_size_limit', 'project_size_limit']
    },
    listDifferences: {
        summary: 'Read what has changed in a project since a revision',
        notes: `Each thing that changed since then, whole, as it is now: pages without their elements. A copy that is kept from these answers always equals the project. \`project\` is null and all else is empty if nothing changed.
410 \`history_gone\` if it can no longer be said what was removed since then: begin again with \`since=0\`, which answers everything.`,
        answers: { 200: bodyOf('success', {
            since: Joi.number().integer().min(0).description('As in the request.').example(3), revision: shownRevision, project: Joi.alternatives(project, Joi.valid(null)).description('The project; null if nothing changed.'),
            pages: Joi.array().items(pageAlone).max(MOST_PAGES).description('Pages that have changed, without their elements.'),
            elements: Joi.array().items(element).max(MOST_PAGES * MOST_ELEMENTS).description('Elements that have changed.'),
            removed: record({ pages: ids('41').description('Ids of pages.'), elements: ids('96').description('Ids of elements.') }).description('Ids of what was removed since then, with what went with it.')
        }) },
        errors: [...missing, 'history_gone']
    }
});
