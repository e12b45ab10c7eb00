import * as Boom from '@hapi/boom';
import { DatabaseError } from 'pg';

import { fault, faultWith } from './errors';

/** Constraints that a request can violate. */
const constraints: Readonly<Record<string, () => Boom.Boom>> = {
    users_username_key: () => fault('username_taken'),
    pages_coordinates_key: () => fault('coordinates_taken'),
    projects_page_limit: () => fault('page_limit'),
    pages_element_limit: () => fault('element_limit'),
    pages_size_limit: () => fault('page_size_limit'),
    pages_size_limit_new: () => fault('page_size_limit'),
    projects_size_limit: () => fault('project_size_limit'),
    projects_size_limit_new: () => fault('project_size_limit')
};

const unreachable = (): Boom.Boom => faultWith('service_unavailable', [], { retryAfter: 2 });
const slow = (): Boom.Boom => faultWith('service_unavailable', ['The database takes too long just now. Try again in a moment.'], { retryAfter: 5 });
const inTheWay = (): Boom.Boom => fault('try_again');

/** SQLSTATEs, or the first three or two characters of them (PostgreSQL's documentation, appendix A). */
const states: Readonly<Record<string, () => Boom.Boom>> = {
    '08': unreachable,                                  // connection exceptions
    '25P03': unreachable,                               // a transaction in which nothing was sent for too long
    '40': inTheWay,                                     // serialization failure, deadlock
    '53': unreachable,                                  // insufficient resources
    '53100': () => fault('storage_full'),               // disk full
    '55P03': inTheWay,                                  // waited for a lock for too long
    '57014': slow,                                      // the statement took too long
    '57P': unreachable                                  // shut down, crashed, starting up
};

/** Codes of Node's own network errors, which pg hands on as they are. */
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

/** What pg says, without a code, when its connection goes away under a query; Knex sets that before it. */
const lostConnection = /(?:^| - )(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired|timeout exceeded when trying to connect)/;

/**
 * The error response for an error of the database or the connection to it; undefined if it is an error of the service itself.
 * PostgreSQL's own message never reaches a client.
 */
export function databaseFault(error: unknown): Boom.Boom | undefined {
    if (error instanceof DatabaseError) {
        const made = constraints[error.constraint ?? ''] ?? stateFault(error.code ?? '');
        return made?.();
    }

    if (error instanceof Error) {
        const code = 'code' in error ? String(error.code) : '';
        if (networkCodes.has(code) || error.name === 'KnexTimeoutError' || lostConnection.test(error.message)) {
            return unreachable();
        }
    }

    return undefined;
}

function stateFault(code: string): (() => Boom.Boom) | undefined {
    return states[code] ?? states[code.slice(0, 3)] ?? states[code.slice(0, 2)];
}
