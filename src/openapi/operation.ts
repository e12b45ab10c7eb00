import type { RouteOptions } from '@hapi/hapi';
import type Joi from 'joi';

import type { Errors } from '../errors/registry';

/** Headers that some successes have, and others have not. */
export type HeaderName = 'ETag' | 'Link' | 'Location';

/** The media type of a stream of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';

/** The media type of what is taken along. */
export const ZIP = 'application/zip';

type AnswerType = typeof EVENT_STREAM | readonly string[];

/** What a description needs of a route, and hapi's options have no place for. */
export interface Operation {
    /** a name for programs */
    operationId: string;
    /** what comes out by status, where it is no error */
    answers: Readonly<Record<number, Joi.Schema>>;
    /** the media type of those answers, JSON if not given; with that of event streams goes `Last-Event-ID`. With a list, they are bytes of one of these types, without a schema. */
    type: AnswerType | undefined;
    /** the media types of the body, if it is bytes */
    takes: readonly string[] | undefined;
    /** of those answers; with `ETag` goes `If-None-Match` */
    headers: readonly HeaderName[];
    /** besides those that follow from the route's options */
    errors: Errors;
    /** what an answer of 409 or 412 shows where a revision did not match */
    current: Joi.Schema | undefined;
    /** the body, where its schema leaves some of it to the handler */
    body: Joi.Schema | undefined;
}

declare module '@hapi/hapi' {
    interface PluginSpecificConfiguration {
        description?: Operation;
    }
}

export interface OperationText {
    summary: string;
    notes?: string;
    answers: Operation['answers'];
    type?: AnswerType;
    takes?: readonly string[];
    headers?: Operation['headers'];
    errors?: Errors;
    current?: Joi.Schema;
    body?: Joi.Schema;
}

/** Options of a route that describe it, for it to spread into its own. */
export type Described = Pick<RouteOptions, 'description' | 'notes' | 'tags' | 'response' | 'plugins'>;

/** Describes the operations of a group, each by its name for programs. */
export function operations<Name extends string>(group: string, texts: Readonly<Record<Name, OperationText>>): (operationId: Name) => Described {
    return (operationId) => {
        const { summary, notes, answers, type, takes, headers = [], errors = [], current, body } = texts[operationId];
        return {
            description: summary,
            notes,
            tags: [group],
            response: { status: { ...answers } },
            plugins: { description: { operationId, answers, type, takes, headers, errors, current, body } }
        };
    };
}
