import type { Server, ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import pino from 'pino';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import { readConfig } from '../../src/config';
import type { Config } from '../../src/config';
import type { Replica } from '../../src/db/replica';
import type { Patience } from '../../src/http/load/timeouts';
import { createServer } from '../../src/server';
import { cloneDatabase } from './database';
import type { TestDatabase } from './database';
import { holdToDescription } from './described';

/** Whoever a test acts as. */
export interface Actor {
    id: string;
    username: string;
    token: string;
}

export interface Answer {
    status: number;
    headers: ServerInjectResponse['headers'];
    // The tests say what they expect of a body; a wrong guess fails there.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    body: any;
    text: string;
}

export interface Call {
    token?: string;
    headers?: Record<string, string>;
}

/** A server on a database of its own, and short ways to talk to it. */
export interface TestServer {
    server: Server;
    database: TestDatabase;
    /** lines logged at level error or above */
    faults: string[];
    call(method: string, url: string, body?: unknown, options?: Call): Promise<Answer>;
    /** an account with a token of both scopes */
    open(username?: string, more?: { language?: string; moderator?: boolean }): Promise<Actor>;
    stop(): Promise<void>;
}

export interface TestServerOptions {
    config?: Partial<Config>;
    now?: () => number;
    logger?: Logger;
    registry?: Registry;
    waits?: Patience;
    database?: TestDatabase;
    replica?: Replica;
    pool?: number;
}

let serial = 0;

export const PASSWORD = 'correct horse battery';

export async function startTestServer({ config = {}, now = Date.now, logger, registry, waits, database: given, replica, pool }: TestServerOptions = {}): Promise<TestServer> {
    const database = given ?? await cloneDatabase({ pool });
    const faults: string[] = [];
    const settings = { ...readConfig({ RATE_LIMIT: 'off', LIST_MAX_AGE: '0', PORT: '0' }), ...config };
    const server = await createServer({
        config: settings,
        db: database.db,
        replica,
        now,
        registry,
        waits,
        logger: logger ?? pino({ level: 'error' }, { write: (line) => faults.push(line) })
    });
    const mismatches: string[] = [];
    holdToDescription(server, settings, mismatches);
    await server.initialize();

    const matchDescription = (): void => {
        if (mismatches.length > 0) {
            throw new Error(`An answer is not as it is described:\n${mismatches.splice(0).join('\n')}`);
        }
    };

    const call: TestServer['call'] = async (method, url, body, { token, headers = {} } = {}) => {
        const options: ServerInjectOptions = { method, url, headers: { ...token !== undefined && { authorization: `token ${token}` }, ...headers } };
        if (body !== undefined) {
            options.payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
            options.headers = { 'content-type': 'application/json', ...options.headers };
        }

        const response = await server.inject(options);
        matchDescription();
        const json = String(response.headers['content-type']).startsWith('application/json') && response.payload !== '';
        return { status: response.statusCode, headers: response.headers, body: json ? JSON.parse(response.payload) : undefined, text: response.payload };
    };

    return {
        server,
        database,
        faults,
        call,
        open: async (username = `user-${++serial}`, { language, moderator = false } = {}) => {
            const { status, body, text } = await call('POST', '/users', { username, password: PASSWORD, language });
            if (status !== 201) {
                throw new Error(`No account: ${text}`);
            }

            if (moderator) {
                await database.db.raw('update users set moderator = true where id = ?', [body.user.id]);
            }

            return { id: body.user.id, username, token: body.token.access_token };
        },
        stop: async () => {
            await server.stop();
            await database.drop();
            // Those that came over a real connection, or were injected some other way.
            matchDescription();
        }
    };
}
