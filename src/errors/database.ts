import * as Boom from '@hapi/boom';
import { DatabaseError } from 'pg';

import { elementLimit, fault, pageLimit, pageSizeLimit, projectSizeLimit } from './errors';

/** The rules of the schema that a client can run into, each with what it is told. */
const constraints: Readonly<Record<string, () => Boom.Boom>> = {
    users_username_key: () => fault(409, 'username_taken', 'That username is taken. Choose another one.'),
    pages_coordinates_key: () => fault(409, 'coordinates_taken', 'Another page of the project is at these coordinates already.'),
    projects_page_limit: pageLimit,
    pages_element_limit: elementLimit,
    pages_size_limit: pageSizeLimit,
    pages_size_limit_new: pageSizeLimit,
    projects_size_limit: projectSizeLimit,
    projects_size_limit_new: projectSizeLimit
};

const notNow = (): Boom.Boom => fault(503, 'service_unavailable', 'The database cannot be reached just now. Try again in a moment.', { retryAfter: 2 });

const inTheWay = (): Boom.Boom => fault(503, 'try_again', 'Another write was in the way. Send the request again.', { retryAfter: 1 });

/** SQLSTATE, or the first three or two characters of it, to what a client is told. */
const states: Readonly<Record<string, () => Boom.Boom>> = {
    '08': notNow,                                       // connection exceptions
    '25P03': notNow,                                    // a transaction that nothing was sent in for too long
    '40': inTheWay,                                     // serialization failure, deadlock
    '53': notNow,                                       // insufficient resources
    '53100': () => fault(503, 'storage_full', 'There is no room to store anything just now. Reading goes on; try again later.', { retryAfter: 30 }),
    '55P03': inTheWay,                                  // waited for a lock for too long
    '57014': () => fault(503, 'service_unavailable', 'The database takes too long just now. Try again in a moment.', { retryAfter: 5 }),
    '57P': notNow                                       // shut down, crashed, starting up
};

/** Codes of Node's own network errors, which pg hands on as they are. */
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

/** What pg says, without a code, when its connection goes away under a query; Knex sets that before it. */
const lostConnection = /(?:^| - )(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired|timeout exceeded when trying to connect)/;

/**
 * What a client is told of an error out of the data layer; undefined where it is a fault of ours.
 * PostgreSQL's own words stay inside.
 */
export function databaseFault(error: unknown): Boom.Boom | undefined {
    if (error instanceof DatabaseError) {
        const made = constraints[error.constraint ?? ''] ?? stateFault(error.code ?? '');
        return made?.();
    }

    if (error instanceof Error) {
        const code = 'code' in error ? String(error.code) : '';
        if (networkCodes.has(code) || error.name === 'KnexTimeoutError' || lostConnection.test(error.message)) {
            return notNow();
        }
    }

    return undefined;
}

function stateFault(code: string): (() => Boom.Boom) | undefined {
    return states[code] ?? states[code.slice(0, 3)] ?? states[code.slice(0, 2)];
}
