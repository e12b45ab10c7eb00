import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Server, ServerInjectResponse } from '@hapi/hapi';
import pino from 'pino';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import type { FilePool } from '../../src/files/assets/file-work';
import { openStorage } from '../../src/files/assets/open-storage';
import type { AssetStorage } from '../../src/files/assets/storage';
import { readConfig } from '../../src/config/index';
import type { Config } from '../../src/config/index';
import type { Replica } from '../../src/database/statements/replica';
import { clientLimits } from '../../src/api/request/client-limits';
import type { ClientLimits } from '../../src/api/request/client-limits';
import { createServer } from '../../src/operations/server';
import { canRecycle, cloneDatabase, empty } from './database';
import type { TestDatabase } from './database';
import { holdToDescription } from './described';
import { inThisProcess } from './file-pools';
import { mailSettings } from './mail-server';
import { PASSWORD } from './passwords';
import { Shelf, emptyFolder, flush, watchChanges } from './recycled';
import './routes-again';

export { PASSWORD };

/** The user that a test acts as. */
export interface Actor {
    id: string;
    username: string;
    token: string;
}

export interface Answer {
    status: number;
    headers: ServerInjectResponse['headers'];
    // The tests state what they expect of a body; a wrong assumption fails there.
    // eslint-disable-next-line no-restricted-syntax
    body: any;
    text: string;
}

export interface Call {
    token?: string;
    headers?: Record<string, string>;
}

/** Short ways to talk to a service. */
export interface Caller {
    /** Sends a request with this token; anything but text is sent as JSON. */
    call(method: string, url: string, body?: unknown, options?: Call): Promise<Answer>;
    /** Opens an account, with a token of both scopes. */
    open(username?: string, more?: { language?: string }): Promise<Actor>;
}

/** A server on a database of its own. */
export interface TestServer extends Caller {
    server: Server;
    database: TestDatabase;
    assets: AssetStorage;
    /** lines logged at level error or above */
    faults: string[];
    open(username?: string, more?: { language?: string; moderator?: boolean }): Promise<Actor>;
    stop(): Promise<void>;
}

/** Sends a request as it is given. */
type Send = (method: string, url: string, headers: Record<string, string>, payload: string | Buffer | undefined) => Promise<Pick<Answer, 'status' | 'headers' | 'text'>>;

export interface TestServerOptions {
    config?: Partial<Config>;
    now?: () => number;
    logger?: Logger;
    registry?: Registry;
    limits?: ClientLimits;
    database?: TestDatabase;
    replica?: Replica;
    assets?: AssetStorage;
    files?: FilePool;
    pool?: number;
    fresh?: boolean;
}

let serial = 0;

/** Event streams end soon, so that a request for one has a response. */
const shortStreams: ClientLimits = { ...clientLimits, streamLife: 1 };

/** Servers that test files of this process no longer need, by their options. To start one, and to connect, takes half a second of the processor until it is as quick. */
const shelf = new Shelf<TestServer>(3);

/** What two servers have in common that can stand for each other; undefined if no other can stand for it. */
function keyOf({ fresh, config = {}, pool, limits, ...others }: TestServerOptions): string | undefined {
    const isPlain = fresh !== true && canRecycle && Object.values(others).every((value) => value === undefined) && (limits === undefined || limits === clientLimits);
    return isPlain ? JSON.stringify([config, pool, limits === undefined]) : undefined;
}

/**
 * A server on a database of its own, without accounts. It may be one that another file has used, if it was left as it was; its database was made as it was.
 * With `fresh` (which a test needs that moves sequences, since ids go on), or with options other than `config`, `pool` and the usual limits, it is a new one.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
    const key = keyOf(options);
    const kept = key === undefined ? undefined : shelf.take(key);
    if (kept !== undefined) {
        return kept.thing;
    }

    const server = await newTestServer(options);
    if (key === undefined) {
        return server;
    }

    const isAsItWas = watchChanges(server.server);
    const { database, faults, folder, matchDescription, stop } = server;
    return Object.assign(server, {
        stop: async () => {
            if (!isAsItWas()) {
                return stop();
            }

            await flush(server.server);
            matchDescription();
            await emptyFolder(folder);
            faults.length = 0;
            await (await empty(database) ? shelf.put(key, { thing: server, end: stop }) : stop());
        }
    });
}

async function newTestServer({ fresh, config = {}, now = Date.now, logger, registry, limits = shortStreams, database: given, replica, assets: givenAssets, files = inThisProcess, pool }: TestServerOptions): Promise<TestServer & { folder: string; matchDescription(): void }> {
    const database = given ?? await cloneDatabase({ pool, fresh });
    const faults: string[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'pagewright-assets-'));
    const settings = { ...readConfig({ RATE_LIMIT: 'off', LIST_MAX_AGE: '0', PORT: '0', SITE: 'off' }), mail: mailSettings, ...config };
    const assets = givenAssets ?? await openStorage({ assetsUrl: null, dataDir: folder, ...config });
    const server = await createServer({
        config: settings,
        assets,
        files,
        db: database.db,
        replica,
        now,
        registry,
        limits,
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

    const caller = callerOf(async (method, url, headers, payload) => {
        const response = await server.inject({ method, url, headers, payload });
        matchDescription();
        return { status: response.statusCode, headers: response.headers, text: response.payload };
    });

    return {
        server,
        // Another server on it does not drop it: on the shelf it would be lent a second time, and be emptied under this one.
        database: { ...database, drop: () => Promise.resolve() },
        assets,
        faults,
        folder,
        matchDescription,
        call: caller.call,
        open: async (username, { language, moderator = false } = {}) => {
            const actor = await caller.open(username, { language });
            if (moderator) {
                await database.db.raw('update users set moderator = true where id = ?', [actor.id]);
            }

            return actor;
        },
        stop: async () => {
            await server.stop();
            await database.drop();
            await rm(folder, { recursive: true });
            // Responses over a real connection, or injected in another way.
            matchDescription();
        }
    };
}

/** Short ways to talk to a service, through a function that sends requests. */
export function callerOf(send: Send): Caller {
    const call: Caller['call'] = async (method, url, body, { token, headers = {} } = {}) => {
        const sent = { ...body !== undefined && { 'content-type': 'application/json' }, ...token !== undefined && { authorization: `token ${token}` }, ...headers };
        const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
        const answer = await send(method, url, sent, payload);
        const isJson = /^application\/(?:problem\+)?json/.test(String(answer.headers['content-type'])) && answer.text !== '';
        return { ...answer, body: isJson ? JSON.parse(answer.text) : undefined };
    };

    return {
        call,
        open: async (username = `user-${process.pid}-${++serial}`, { language } = {}) => {
            const { status, body, text } = await call('POST', '/users', { username, password: PASSWORD, language });
            if (status !== 201) {
                throw new Error(`No account: ${text}`);
            }

            return { id: body.user.id, username, token: body.token.access_token };
        }
    };
}
