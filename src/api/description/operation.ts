import type { RouteOptions } from '@hapi/hapi';
import type Joi from 'joi';

import type { Errors } from '../errors/registry';
import type { Deprecated } from '../request/deprecation';

/** Headers that only some successful responses have. */
export type HeaderName = 'ETag' | 'Link' | 'Location';

/** The media type of a stream of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';

/** The media type of what is taken along. */
export const ZIP = 'application/zip';
export const HTML = 'text/html';
export const MARKDOWN = 'text/markdown';

type AnswerType = typeof EVENT_STREAM | readonly string[];

/** The texts of a route for the description, in addition to hapi's options. */
export interface Operation {
    /** name for programs (`operationId`) */
    operationId: string;
    /** schemas of the successful responses, by status */
    answers: Readonly<Record<number, Joi.Schema>>;
    /** the media type of those responses, JSON if left out; event streams with a query, which says where they begin, read `Last-Event-ID` too. With a list, they are bytes of one of these types, without a schema. */
    type: AnswerType | undefined;
    /** the media types of the body, if it is bytes; besides JSON, if it has a schema too */
    takes: readonly string[] | undefined;
    /** headers of those responses; operations with `ETag` read `If-None-Match` */
    headers: readonly HeaderName[];
    /** in addition to those that follow from the route's options */
    errors: Errors;
    /** schema of the current representation in a 409 or 412, if the revision did not match */
    current: Joi.Schema | undefined;
    /** schema of the body, if the route's own leaves some of it to the handler */
    body: Joi.Schema | undefined;
    /** since when it should not be used, until when it works, and what replaces it */
    deprecated: Deprecated | undefined;
}

declare module '@hapi/hapi' {
    interface PluginSpecificConfiguration {
        /** A function, since hapi copies options that are objects several times for each route. */
        description?: () => Operation;
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
    deprecated?: Deprecated;
}

/** The options of a route that describe it. */
export type Described = Pick<RouteOptions, 'description' | 'notes' | 'tags' | 'response' | 'plugins'>;

/** Describes the operations of a group, each by its name for programs. */
export function operations<Name extends string>(group: string, texts: Readonly<Record<Name, OperationText>>): (operationId: Name) => Described {
    return (operationId) => {
        const { summary, notes, answers, type, takes, headers = [], errors = [], current, body, deprecated } = texts[operationId];
        const operation: Operation = { operationId, answers, type, takes, headers, errors, current, body, deprecated };
        return {
            description: summary,
            notes,
            tags: [group],
            response: { status: { ...answers } },
            plugins: { description: () => operation }
        };
    };
}
