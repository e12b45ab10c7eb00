import { DatabaseError } from 'pg';

import { errorCode } from '../error-code';
import { mayBeChangedSession } from './pooled-session';

/** Codes of Node's own network errors, which pg hands on as they are, and what they mean. */
const networkCodes: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'Nothing listens at the address of the database.',
    ECONNRESET: 'The connection to the database was lost.',
    EPIPE: 'The connection to the database was lost.',
    ETIMEDOUT: 'The database does not answer.',
    EHOSTUNREACH: 'There is no way through the network to the database.',
    ENETUNREACH: 'There is no way through the network to the database.',
    ENOTFOUND: 'The host name of the database is not known.',
    EAI_AGAIN: 'The host name of the database cannot be looked up.'
};

/** The message of pg, without a code, if the connection is lost during a query; Knex puts the SQL before it. */
const lostConnection = /(?:^| - )(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired|timeout exceeded when trying to connect)/;

/** The meaning of an SQLSTATE, or of the start of several, for an operator, and whether it may pass by itself. */
const states: Readonly<Record<string, { words: string; passes: boolean }>> = {
    '08': { words: 'The connection to the database was lost.', passes: true },
    '25006': { words: 'The database is read-only.', passes: true },
    '28': { words: 'The database rejects the name or the password of the service.', passes: false },
    '3D000': { words: 'There is no such database on the server.', passes: false },
    '3F000': { words: 'The search_path of the database has no schema that the role of the service may use.', passes: false },
    '42501': { words: 'The role of the service lacks a right in the database.', passes: false },
    '53': { words: 'The database has no connections, memory or room left.', passes: true },
    '55P03': { words: 'The database takes too long.', passes: true },
    '57014': { words: 'The database takes too long.', passes: true },
    '57P': { words: 'The database is shutting down or starting up, or is a standby.', passes: true }
};

/** Why the database cannot be used, in words that show nothing private; undefined if the error is about something else. */
export function outageOf(error: unknown): { words: string; passes: boolean } | undefined {
    if (mayBeChangedSession(error)) {
        return { words: 'Another client of the pooler changed the session.', passes: true };
    }

    const code = errorCode(error) ?? '';
    if (error instanceof DatabaseError) {
        return states[code] ?? states[code.slice(0, 3)] ?? states[code.slice(0, 2)];
    }

    if (!(error instanceof Error)) {
        return undefined;
    }

    const words = networkCodes[code] ?? (isNoSocket(error) ? 'There is no socket of the database.' : undefined)
        ?? (error.name === 'KnexTimeoutError' ? 'All connections to the database are in use.' : undefined)
        ?? (lostConnection.test(error.message) ? 'The connection to the database was lost.' : undefined);
    return words === undefined ? undefined : { words, passes: true };
}

/** Whether there is no socket of PostgreSQL; a file of the service that is gone has the same code. */
const isNoSocket = (error: Error): boolean => errorCode(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
