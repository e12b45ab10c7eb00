import * as Boom from '@hapi/boom';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DatabaseError } from 'pg';

import { openDatabase } from '../../../src/database/statements/connection';
import { databaseFault } from '../../../src/api/errors/database';
import { cloneDatabase } from '../../support/database';
import { startTestServer } from '../../support/server';

export const lab = Lab.script();
const { describe, it } = lab;

const fromDatabase = (code: string | undefined, constraint?: string): DatabaseError => {
    return Object.assign(new DatabaseError('relation "secret" at line 7', 1, 'error'), { code, constraint });
};

const withCode = (code: string): Error => Object.assign(new Error('connect 10.0.0.1:5432'), { code });
const named = (name: string): Error => Object.assign(new Error('x'), { name });

const rows: { why: string; error: unknown; status: number; code: string; retry?: number }[] = [
    { why: 'a name that is taken', error: fromDatabase('23505', 'users_username_key_key'), status: 409, code: 'username_taken' },
    { why: 'a place that is taken', error: fromDatabase('23P01', 'pages_coordinates_key'), status: 409, code: 'coordinates_taken' },
    { why: 'a page too many', error: fromDatabase('23514', 'projects_page_limit'), status: 409, code: 'page_limit' },
    { why: 'an element too many', error: fromDatabase('23514', 'pages_element_limit'), status: 409, code: 'element_limit' },
    ...['08000', '08006', '25P03', '28P01', '53300', '53200', '57P01', '57P02', '57P03'].map((code) => ({ why: code, error: fromDatabase(code), status: 503, code: 'service_unavailable', retry: 2 })),
    { why: 'a full disk', error: fromDatabase('53100'), status: 503, code: 'storage_full', retry: 30 },
    { why: 'a statement that takes too long', error: fromDatabase('57014'), status: 503, code: 'service_unavailable', retry: 5 },
    ...['40001', '40P01', '55P03'].map((code) => ({ why: code, error: fromDatabase(code), status: 503, code: 'try_again', retry: 1 })),
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].map((code) => ({ why: code, error: withCode(code), status: 503, code: 'service_unavailable', retry: 2 })),
    { why: 'a socket that is not there', error: Object.assign(withCode('ENOENT'), { syscall: 'connect' }), status: 503, code: 'service_unavailable', retry: 2 },
    { why: 'a full pool', error: named('KnexTimeoutError'), status: 503, code: 'service_unavailable', retry: 2 },
    ...['Connection terminated', 'Connection terminated unexpectedly', 'Client has encountered a connection error and is not queryable', 'Query read timeout', 'timeout expired', 'timeout exceeded when trying to connect', 'ROLLBACK - Connection terminated unexpectedly', 'BEGIN; - Client has encountered a connection error and is not queryable'].map((message) => {
        return { why: message, error: new Error(message), status: 503, code: 'service_unavailable', retry: 2 };
    })
];

describe('an error from the database', () => {
    for (const { why, error, status, code, retry } of rows) {
        it(`by ${why} is ${status} ${code}`, () => {
            const fault = databaseFault(error);
            expect(fault?.output.statusCode).to.equal(status);
            expect(fault?.data.code).to.equal(code);
            expect(fault?.output.headers['retry-after']).to.equal(retry);
            expect(fault?.message).to.not.match(/secret|10\.0\.0\.1/);
        });
    }

    const ours: unknown[] = [
        fromDatabase('23514', 'projects_title_length'), fromDatabase('23503', 'pages_project_id_fkey'), fromDatabase('42P01'), fromDatabase('22P05'), fromDatabase('25P02'), fromDatabase(undefined),
        new Error('The connection terminated'), new TypeError('x is undefined'), withCode('EACCES'), withCode('ENOENT'), Object.assign(withCode('ENOENT'), { syscall: 'open' }), Boom.badImplementation(), 'text', null, undefined, {}
    ];
    it('is otherwise an internal error', () => {
        for (const error of ours) {
            expect(databaseFault(error)).to.be.undefined();
        }
    });

    it('is 503 while the database is down, and not logged as an internal error', async () => {
        const { drop } = await cloneDatabase();
        const away = openDatabase({ url: 'postgres://127.0.0.1:1/nowhere', pool: 1 });
        const server = await startTestServer({ database: { db: away, url: '', drop: async () => {
            await away.destroy();
            await drop();
        } } });
        for (const [method, url] of [['GET', '/projects'], ['GET', '/projects/1'], ['GET', '/users/1/projects/1/pages'], ['POST', '/view-project/1']] as const) {
            const { body, headers } = await server.call(method, url);
            expect(body).to.include({ statusCode: 503, code: 'service_unavailable' });
            expect(headers['retry-after']).to.equal('2');
        }

        expect(server.faults).to.equal([]);
        await server.stop();
    });
});
