import Joi from 'joi';

import { keyField } from '../../api/request/idempotency';
import { idPattern, mergeable, messages, revision } from '../../api/request/schema';
import { validationOptions } from '../../api/request/validation-errors';
import { MAX_ACTIONS } from '../../limits';
import { elementFields } from '../../api/representations/element';
import type { ElementFields } from '../../api/representations/element';
import { pageFields } from '../../api/representations/page';
import type { PageFields } from '../../api/representations/page';
import { wholeElement } from '../elements/schema';
import { newProject } from '../schema';
import { projectFields } from '../../api/representations/project';
import type { ProjectFields } from '../../api/representations/project';
import { methods } from '../../api/representations/things';
import type { Method } from '../../api/representations/things';
import { shape } from './references';

export const kinds = ['projects', 'pages', 'elements'] as const;
export type Kind = typeof kinds[number];

/** The target of an action: the thing's id, or where a new one is made. */
export interface ActionTarget {
    id?: unknown;
    projectId?: unknown;
    pageId?: unknown;
    revision?: number;
    merge?: boolean;
    /** set by the service: the fields have been merged with what others wrote, and their references resolved */
    merged?: true;
}

/** A valid action. */
export type Action = { method: Method } & (
    { type: 'projects'; data: ActionTarget & Partial<ProjectFields> } | { type: 'pages'; data: ActionTarget & Partial<PageFields> } | { type: 'elements'; data: ActionTarget & Partial<ElementFields> });

const targetForms = 'an id (a positive integer or a decimal string), or a reference as "$0.id"';

// One pattern for both kinds of text: each alternative that does not match costs a report of why.
const target = Joi.alternatives(Joi.string().pattern(new RegExp(`${idPattern.source}|${shape.source}`), targetForms), Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER))
    .required().id('Target')
    .description('An id, or a reference to one in the result of an earlier action: `$0.id` is the `id` in the result of the first.').example('$0.id');

const noTarget = Joi.x(`{{#label}} must be ${targetForms}`);

/** How actions are validated when all their errors are wanted. */
export const options: Joi.ValidationOptions = { ...validationOptions, messages: { ...messages, 'alternatives.match': noTarget, 'alternatives.types': noTarget } };

const changes = (fields: Record<string, Joi.Schema>): Joi.ObjectSchema => mergeable(Joi.object({ id: target, revision, ...fields }))
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
        create: Joi.object({ pageId: target }).concat(wholeElement),
        update: changes(elementFields),
        remove
    }
};

/** The actions, run in this order. */
export const actionList = Joi.array().min(1).max(MAX_ACTIONS).required();

/** The fields of every action. */
export const envelope = Joi.object({
    type: Joi.string().valid(...Object.keys(schemas)).required(),
    method: Joi.string().valid(...methods).required(),
    data: Joi.object().unknown().required()
}).label('action');

/** The request body. hapi checks only that the actions are a list; `validateActions` checks them, between other requests. */
export const bulkBody = Joi.object({ actions: actionList, ...keyField });
