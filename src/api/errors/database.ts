import * as Boom from '@hapi/boom';
import { DatabaseError } from 'pg';

import { outageOf } from '../../database/statements/outage';
import { mayBeChangedSession } from '../../database/statements/pooled-session';
import { fault, faultWith, notFound } from './errors';
import type { PlainCode } from './registry';

/** Constraints that a request can violate, those that triggers raise among them. */
const constraints: Readonly<Record<string, PlainCode | ((error: DatabaseError) => Boom.Boom)>> = {
    // The function use_assets says which one in the detail.
    assets_exist: (error) => fault('asset_missing', String(error.detail)),
    audience_bound: () => notFound('class'),
    elements_page_id_fkey: () => notFound('page'),
    members_bound: 'not_in_class',
    projects_asset_limit: 'asset_limit',
    publish_bound: 'publish_bound',
    statements_own_decision: 'own_decision',
    works_points_grow: 'handed_in',
    users_username_key_key: 'username_taken',
    pages_coordinates_key: 'coordinates_taken',
    projects_page_limit: 'page_limit',
    pages_element_limit: 'element_limit',
    pages_size_limit: 'page_size_limit',
    pages_size_limit_new: 'page_size_limit',
    projects_size_limit: 'project_size_limit',
    projects_size_limit_new: 'project_size_limit'
};

/** Whether a request can violate a constraint, and gets an answer for it. */
export const hasAnswer = (constraint: string): boolean => Object.hasOwn(constraints, constraint);

const unreachable = (): Boom.Boom => faultWith('service_unavailable', [], { retryAfter: 2 });
const slow = (): Boom.Boom => faultWith('service_unavailable', ['The database takes too long just now. Try again in a moment.'], { retryAfter: 5 });
const inTheWay = (): Boom.Boom => fault('try_again');

/** SQLSTATEs, or the first three or two characters of them (PostgreSQL's documentation, appendix A). */
const states: Readonly<Record<string, () => Boom.Boom>> = {
    '08': unreachable,                                  // connection exceptions
    '25006': () => fault('database_read_only'),         // a standby, or a server that its operator lets only read
    '25P03': unreachable,                               // a transaction in which nothing was sent for too long
    '28': unreachable,                                  // the name or password is not valid any more
    '40': inTheWay,                                     // serialization failure, deadlock
    '53': unreachable,                                  // insufficient resources
    '53100': () => fault('storage_full'),               // disk full
    '55P03': inTheWay,                                  // waited for a lock for too long
    '57014': slow,                                      // the statement took too long
    '57P': unreachable                                  // shut down, crashed, starting up
};

/**
 * The error response for an error of the database or the connection to it; undefined if it is an error of the service itself.
 * PostgreSQL's own message never reaches a client.
 */
export function databaseFault(error: unknown): Boom.Boom | undefined {
    if (error instanceof DatabaseError) {
        const constraint = constraints[error.constraint ?? ''];
        const known = constraint === undefined ? stateFault(error.code ?? '') : typeof constraint === 'string' ? fault(constraint) : constraint(error);
        return known ?? (mayBeChangedSession(error) ? unreachable() : undefined);
    }

    return outageOf(error) === undefined ? undefined : unreachable();
}

function stateFault(state: string): Boom.Boom | undefined {
    const made = states[state] ?? states[state.slice(0, 3)] ?? states[state.slice(0, 2)];
    return made?.();
}
