import Joi from 'joi';

import { bodyOf, history, record, shownRevision } from '../representations/shapes';
import type { Status } from '../http/responses';
import { freeForm, idOf, revision, text } from '../http/schema';

export const elementType = text(1, 64)
    .description('What it is, as editors agree among themselves: `text`, `image`, `link`… Of a `link`, a remix points the targets in its attributes at the copy.')
    .example('text');

export const elementFields = {
    attributes: freeForm('What it says or shows.', { text: 'Encha o vaso até dois dedos da borda.' }),
    styles: freeForm('How an editor draws it.', { left: 20, top: 314, width: 280, fontSize: 16 })
};

/** POST …/elements */
export const newElement = Joi.object({ type: elementType.required(), ...elementFields });

/** PATCH …/elements/{element} */
export const elementChanges = Joi.object({ ...elementFields, revision }).or('attributes', 'styles')
    .messages({ 'object.missing': 'at least one of "attributes" and "styles" is needed' });

/** What is shown of an element beside its type, which has another name in a bulk. */
export const shownElement = {
    id: idOf('element'),
    page_id: idOf('page'),
    user_id: idOf('user').description('Id of the project\'s author.'),
    ...elementFields,
    revision: shownRevision,
    history
};

/** An element, as it is shown. */
export const element = record({ type: elementType, ...shownElement }).id('Element').description('Something on a page.');

export const elementBody = (status: Status): Joi.ObjectSchema => bodyOf(status, { element });

export const elementList = bodyOf('success', { elements: Joi.array().items(element).max(1000).description('All of them, in order of creation.') });
