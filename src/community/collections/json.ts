import Joi from 'joi';

import { fromProjects } from '../../projects/fragments';
import { historyJson, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { idOf, text } from '../../api/request/schema';
import { MAX_COLLECTED } from '../../limits';
import { visibilities } from '../../api/representations/visibility';
import type { Visibility } from '../../api/representations/visibility';
import { bodyOf, history, listBody, record } from '../../api/representations/shapes';

/**
 * SQL for the JSON text of a collection in the row `c`. Its count says nothing of projects that are not public. They are looked up by their keys,
 * as an array: as a join, PostgreSQL would rather read all projects there are. `isListed` says whether the project in the row `p` is public.
 */
export const collectionJsonWith = (isListed: string): string => jsonObject({
    id: plainQuoted('c.id'),
    user_id: plainQuoted('c.user_id'),
    title: quoted('c.title'),
    description: quoted('c.description'),
    visibility: plainQuoted('c.visibility'),
    projects: `(select count(*) ${fromProjects('p.id = any(array(select i.project_id from collection_projects i where i.collection_id = c.id))')} and ${isListed})`,
    history: historyJson('c')
});

/** The fields of a collection that its owner writes. */
export interface CollectionFields {
    title: string;
    description: string;
    visibility: Visibility;
}

export const collectionFields = {
    title: text(1, 256).description('The title.').example('Gardens'),
    description: text(0, 1000).description('The description.').example('Balconies, window sills, and one roof.'),
    visibility: Joi.valid(...visibilities)
        .description('Who can see it: everybody, and it is in the list of its owner\'s collections (`public`); everybody with its address (`unlisted`); only its owner (`private`).').example('public')
};

/** A collection, as it is shown. */
export const collection = record({
    id: idOf('collection'),
    user_id: idOf('user').description('Id of its owner.'),
    ...collectionFields,
    projects: Joi.number().integer().min(0).max(MAX_COLLECTED).description('Number of public projects in it.').example(7),
    history
}).id('Collection').description('A list of projects, made by a user.');

export const collectionBody = (status: 'success' | 'created' | 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { collection });

export const collectionList = listBody('collections', collection);
