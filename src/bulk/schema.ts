import Joi from 'joi';

import { invalid } from '../errors/errors';
import type { Detail } from '../errors/errors';
import { pauses } from '../concurrency/yielding';
import { idPattern, messages, revision } from '../http/schema';
import { detailsOf, firstLook, validationOptions } from '../http/validation-errors';
import { elementFields, elementType } from '../representations/element';
import { pageFields } from '../representations/page';
import { newProject } from '../projects/schema';
import { projectFields } from '../representations/project';
import { referenceIn, shape } from './references';

export type Kind = 'projects' | 'pages' | 'elements';
export type Method = 'create' | 'update' | 'remove';

/** An action that validates, as it arrived. */
export interface Action {
    type: Kind;
    method: Method;
    data: Readonly<Record<string, unknown>>;
}

// One pattern for both kinds of text: each alternative that does not match costs a report of why.
const target = Joi.alternatives(Joi.string().pattern(new RegExp(`${idPattern.source}|${shape.source}`)), Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER))
    .required().id('Target')
    .description('An id, or a reference to one in the result of an earlier action: `$0.id` is the `id` in the result of the first.').example('$0.id');

const noTarget = Joi.x('{{#label}} must be an id (a positive integer or a decimal string), or a reference as "$0.id"');

/** As `messages` of the rules that all routes share. */
const options = { ...validationOptions, messages: { ...messages, 'alternatives.match': noTarget, 'alternatives.types': noTarget } };

const changes = (fields: Record<string, Joi.Schema>): Joi.ObjectSchema => Joi.object({ id: target, revision, ...fields })
    .or(...Object.keys(fields))
    .messages({ 'object.missing': `at least one of ${Object.keys(fields).map((field) => `"${field}"`).join(', ')} is needed` });

const remove = Joi.object({ id: target, revision });

export const schemas: Readonly<Record<Kind, Readonly<Record<Method, Joi.ObjectSchema>>>> = {
    projects: {
        create: newProject,
        update: changes(projectFields),
        remove
    },
    pages: {
        create: Joi.object({ projectId: target, ...pageFields, x: pageFields.x.required(), y: pageFields.y.required() }),
        update: changes(pageFields),
        remove
    },
    elements: {
        create: Joi.object({ pageId: target, type: elementType.required(), ...elementFields }),
        update: changes(elementFields),
        remove
    }
};

/** So many actions, run in this order. */
export const actionList = Joi.array().min(1).max(1000).required();

/** The body without what its actions hold, which `checkActions` looks at, a few at a time. */
export const bulkBody = Joi.object({
    actions: actionList.items(Joi.object({
        type: Joi.string().valid('projects', 'pages', 'elements').required(),
        method: Joi.string().valid('create', 'update', 'remove').required(),
        data: Joi.object().unknown().required()
    }))
});

/** Actions looked at in one go. */
const AT_ONCE = 50;

/** Faults told at most. */
const MOST = 100;

/** The data of several actions of one kind, for a first look: half of what Joi does is done once a call. */
const lists = new Map(Object.values(schemas).flatMap((methods) => Object.values(methods)).map((schema) => [schema, Joi.array().items(schema)]));

/** The actions as their schemas make them; undefined where one does not validate. */
function validated(actions: readonly Action[]): Action[] | undefined {
    const placed = actions.map((action, index) => ({ index, action }));
    const made: Action[] = [];
    for (const [schema, list] of lists) {
        const same = placed.filter(({ action: { type, method } }) => schemas[type][method] === schema);
        const { error, value } = same.length === 0 ? { value: [] } : list.validate(same.map(({ action }) => action.data), firstLook);
        if (error) {
            return undefined;
        }

        for (const [n, { index, action: { type, method } }] of same.entries()) {
            made[index] = { type, method, data: value[n] };
        }
    }

    return made;
}

/** What is wrong with one action, the place in the body with it. */
function faultsOf({ type, method, data }: Action, index: number): Detail[] {
    const { error } = schemas[type][method].validate(data, options);
    return error ? detailsOf(error, `actions.${index}.data`) : [];
}

/** References may only lead back. */
function aheadOf({ data }: Action, index: number): Detail[] {
    return ['id', 'projectId', 'pageId'].flatMap((field) => {
        const reference = referenceIn(data[field]);
        return reference === undefined || reference.action < index ? [] : [{
            path: `actions.${index}.data.${field}`, message: `"${field}" must refer to an earlier action than its own, ${index}`
        }];
    });
}

/** The actions as their schemas make them. @throws 400 with the faults of all; nothing has run by then */
export async function checkActions(actions: readonly Action[]): Promise<Action[]> {
    const pause = pauses();
    const details: Detail[] = [];
    const made: Action[] = [];
    for (let from = 0; from < actions.length; from += AT_ONCE) {
        const some = actions.slice(from, from + AT_ONCE);
        made.push(...validated(some) ?? []);
        if (made.length < from + some.length) {
            details.push(...some.flatMap((action, index) => faultsOf(action, from + index)));
        }

        details.push(...some.flatMap((action, index) => aheadOf(action, from + index)));
        await pause();
    }

    if (details.length > 0) {
        throw invalid(details.slice(0, MOST));
    }

    return made;
}
