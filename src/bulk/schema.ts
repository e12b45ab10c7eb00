import Joi from 'joi';

import { invalid } from '../http/faults';
import type { Detail } from '../http/faults';
import { coordinate, isId, jsonObject, revision } from '../http/schema';
import { detailsOf, validationOptions } from '../http/validation';
import { elementType } from '../elements/schema';
import { newProject } from '../projects/schema';
import { description, thumbnail, title } from '../projects/schema';
import { referenceIn } from './references';

export type Kind = 'projects' | 'pages' | 'elements';
export type Method = 'create' | 'update' | 'remove';

/** An action that validates, as it arrived. */
export interface Action {
    type: Kind;
    method: Method;
    data: Readonly<Record<string, unknown>>;
}

const target = Joi.any().custom((value: unknown, helpers) => {
    const good = typeof value === 'string' ? isId(value) || referenceIn(value) !== undefined : Number.isSafeInteger(value) && Number(value) > 0;
    return good ? value : helpers.error('target');
}).messages({ target: '{{#label}} must be an id (a positive integer or a decimal string), or a reference as "$0.id"' });

const changes = (fields: Record<string, Joi.Schema>): Joi.ObjectSchema => Joi.object({ id: target.required(), revision, ...fields })
    .or(...Object.keys(fields))
    .messages({ 'object.missing': `at least one of ${Object.keys(fields).map((field) => `"${field}"`).join(', ')} is needed` });

const remove = Joi.object({ id: target.required(), revision });

const schemas: Readonly<Record<Kind, Readonly<Record<Method, Joi.ObjectSchema>>>> = {
    projects: {
        create: newProject,
        update: changes({ title, description, thumbnail }),
        remove
    },
    pages: {
        create: Joi.object({ projectId: target.required(), x: coordinate.required(), y: coordinate.required(), styles: jsonObject }),
        update: changes({ x: coordinate, y: coordinate, styles: jsonObject }),
        remove
    },
    elements: {
        create: Joi.object({ pageId: target.required(), type: elementType.required(), attributes: jsonObject, styles: jsonObject }),
        update: changes({ attributes: jsonObject, styles: jsonObject }),
        remove
    }
};

/** The body without what its actions hold, which `checkActions` looks at, a few at a time. */
export const bulkBody = Joi.object({
    actions: Joi.array().min(1).max(1000).required().items(Joi.object({
        type: Joi.string().valid('projects', 'pages', 'elements').required(),
        method: Joi.string().valid('create', 'update', 'remove').required(),
        data: Joi.object().unknown().required()
    }))
});

/** Actions looked at in one go, so that a long bulk lets other requests in between. */
export const AT_ONCE = 50;

export const nextTurn = (): Promise<void> => new Promise((resolve) => {
    setImmediate(resolve);
});

/** Faults told at most. */
const MOST = 100;

/** @throws 400 with the faults of all actions; nothing has run by then */
export async function checkActions(actions: readonly Action[]): Promise<void> {
    const details: Detail[] = [];
    for (const [index, { type, method, data }] of actions.entries()) {
        if (index % AT_ONCE === AT_ONCE - 1) {
            await nextTurn();
        }

        const at = `actions.${index}.data`;
        const { error } = schemas[type][method].validate(data, validationOptions);
        details.push(...error ? detailsOf(error, at) : []);
        for (const [field, value] of Object.entries(data)) {
            const reference = referenceIn(value);
            if (reference !== undefined && ['id', 'projectId', 'pageId'].includes(field) && reference.action >= index) {
                details.push({ path: `${at}.${field}`, message: `"${field}" must refer to an earlier action than its own, ${index}` });
            }
        }
    }

    if (details.length > 0) {
        throw invalid(details.slice(0, MOST));
    }
}
