import Joi from 'joi';

import { id, shownId } from '../../api/request/schema';
import { MAX_ELEMENTS, MAX_PAGES } from '../../limits';
import { change } from '../../api/representations/change';
import { wholeElement } from '../../projects/elements/schema';
import { pageFields } from '../../api/representations/page';
import { projectFields } from '../../api/representations/project';
import { history, record, shownRevision } from '../../api/representations/shapes';
import { thingTypes } from '../../api/representations/things';

/*
 * The file `project.json` of an export, as docs/format.md explains it. The fields are those of the API, with the rules of the API. What only
 * informs a reader may be left out, and an import does not look at it.
 */

/** The names and the version that files state. A change that an older service would misread gets another version. */
export const FORMAT = { project: 'pagewright-project', history: 'pagewright-history', takeout: 'pagewright-takeout', class: 'pagewright-class', version: 1 } as const;

/** The names of what is in a zip. */
export const PROJECT_FILE = 'project.json';
export const HISTORY_FILE = 'history.json';

/** The name of an asset's file. */
export const assetFile = (hash: string, extension: string): string => `assets/${hash}.${extension}`;

const idInFile = (what: string): Joi.Schema => id.description(`Id of the ${what} where it was exported. An import gives it another one.`).example('12');
const times = history.optional().description('When it was made and last changed, where it was exported. An import does not look at it.');

/** An element in a file. */
export const fileElement = Joi.object({ id: idInFile('element') }).concat(wholeElement).keys({ history: times });

const ownPageFields = { id: idInFile('page').description('Id of the page where it was exported, which links name. An import gives it another one.'), ...pageFields, x: pageFields.x.required(), y: pageFields.y.required(), history: times };

/** A page in a file, whose elements are looked at one by one. */
export const filePage = Joi.object({ ...ownPageFields, elements: Joi.array().required() });

const ownFields = {
    id: idInFile('project').description('Id of the project where it was exported, which links name. An import gives it another one.'),
    ...projectFields, title: projectFields.title.required(), history: times
};

/** Who and what a file is from. */
const origin = Joi.object({
    author: Joi.string().max(256).description('Username of the author.').example('eva'),
    revision: Joi.number().integer().min(1).description('The revision of the project that was exported.').example(3),
    exported_at: Joi.string().max(64).description('When it was exported, in UTC.').example('2026-03-01T18:30:00.000Z')
}).description('Where the file is from. An import does not look at it.');

const head = {
    $schema: Joi.string().max(2048).description('Where the JSON Schema of the file is.').example('/schemas/project.json'),
    format: Joi.valid(FORMAT.project).required().description('What kind of file this is.').example(FORMAT.project),
    version: Joi.valid(FORMAT.version).required().description('Version of the format.').example(FORMAT.version),
    origin,
    project: Joi.object(ownFields).required().description('The project\'s own fields.')
};

/** The file itself, whose pages are looked at one by one. */
export const fileHead = Joi.object({ ...head, pages: Joi.array().required() });

/** The whole file, for its JSON Schema. */
export const projectFile = Joi.object({
    ...head,
    pages: Joi.array().items(Joi.object({
        ...ownPageFields,
        elements: Joi.array().items(fileElement).max(MAX_ELEMENTS).required().description('What is on the page, in order of creation: the first is drawn first, below the others.')
    })).max(MAX_PAGES).required().description('All pages, in order of creation. No two of them are at the same place.')
}).description('A project of Pagewright, with all that is in it.');

/** The file `history.json`. An import does not look at it. */
export const historyFile = Joi.object({
    $schema: Joi.string().max(2048).description('Where the JSON Schema of the file is.').example('/schemas/history.json'),
    format: Joi.valid(FORMAT.history).required().description('What kind of file this is.').example(FORMAT.history),
    version: Joi.valid(FORMAT.version).required().description('Version of the format.').example(FORMAT.version),
    revision: shownRevision.required(),
    changes: Joi.array().items(change.fork('app', (app) => app.optional().description('The app whose token the user made it with. Files of releases before 0.4 do not say so.'))).required().description('All changes that are kept, the oldest first.'),
    before: Joi.array().items(record({
        type: Joi.valid(...thingTypes).description('What was changed.').example('element'),
        id: shownId.description('Its id.').example('95'),
        field: Joi.string().max(64).description('The field that was changed.').example('attributes'),
        until: Joi.number().integer().min(1).description('The revision of the change that gave it another value.').example(3),
        value: Joi.any().description('What it was before that change.').example({ text: 'Tomatoes' })
    })).required().description('What fields were before they were changed. A field at revision R has the value with the smallest `until` above R, or else its present one.'),
    removed: record({
        pages: Joi.array().items(Joi.object(ownPageFields)).description('Pages that were removed, as they were last.'),
        elements: Joi.array().items(fileElement.keys({ page_id: idInFile('page') })).description('Elements that were removed, and those of removed pages, as they were last.')
    }).description('What was removed, and is not deleted for good.')
}).description('The history of a project of Pagewright.');
