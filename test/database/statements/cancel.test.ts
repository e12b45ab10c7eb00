import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket, createSecureContext } from 'node:tls';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Client } from 'pg';

import { inOneShard } from '../../../src/database/declaration';
import { cancelStatement } from '../../../src/database/statements/cancel';
import { openDatabase } from '../../../src/database/statements/connection';
import type { Database } from '../../../src/database/statements/connection';
import { lookup, run, statement } from '../../../src/database/statements/statement';
import { transaction } from '../../../src/database/statements/transaction';
import { selfSigned } from '../../support/certificate';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { listen, until } from '../../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const slow = statement({ parameters: ['double precision'], place: inOneShard }, 'select pg_sleep($1::float8)');
const slowLookup = lookup({ parameters: ['double precision'], place: inOneShard }, 'select pg_sleep($1::float8)');
const quick = lookup({ parameters: ['integer'], row: { n: 'integer' }, place: inOneShard }, 'select $1::int as n');

/** How a request to cancel begins (PostgreSQL's documentation, "Message Formats", CancelRequest). */
const CANCEL = Buffer.from([0, 0, 0, 16, 0x04, 0xD2, 0x16, 0x2E]);

/** The request for TLS ("SSLRequest"). */
const TLS = Buffer.from([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]);

describe('A statement whose signal is aborted', () => {
    let database: TestDatabase;
    let other: Database;

    before(async () => {
        database = await cloneDatabase({ pool: 1 });
        other = openDatabase({ url: database.url, pool: 1, name: 'pagewright-test' });
    });

    after(async () => {
        await other.destroy();
        await database.drop();
    });

    const afterAWhile = (milliseconds: number): AbortSignal => {
        const gone = new AbortController();
        setTimeout(() => gone.abort(new Error('nobody waits')), milliseconds);
        return gone.signal;
    };

    const sleeping = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state = \'active\' and query like \'%pg_sleep%\'';
    const begun = (): Promise<void> => until(async () => (await other.raw(`select ${sleeping}`)).rows.length > 0);

    /** A signal that is aborted when PostgreSQL runs a statement that sleeps. */
    const onceBegun = (): AbortSignal => {
        const gone = new AbortController();
        void begun().then(() => gone.abort(new Error('nobody waits')));
        return gone.signal;
    };

    /** A statement whose connection passes a proxy ends, and the next on that connection does not. @param settings of the connection, as in its URL */
    const endsBehind = async (proxy: Server, settings: Readonly<Record<string, string>> = {}): Promise<void> => {
        const sockets = new Set<Socket>();
        proxy.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
        const url = new URL(database.url);
        url.host = `127.0.0.1:${await listen(proxy)}`;
        Object.entries(settings).forEach(([name, value]) => url.searchParams.set(name, value));
        const db = openDatabase({ url: url.href, pool: 1 });
        await expect(run(db, slow, [20], onceBegun())).to.reject('nobody waits');
        expect(await run(db, quick, [1])).to.equal([{ n: 1 }]);
        await db.destroy();
        sockets.forEach((socket) => socket.destroy());
        proxy.close();
    };

    it('ends in PostgreSQL, and the next on its connection does not', async () => {
        for (let n = 0; n < 20; ++n) {
            await expect(run(database.db, slow, [20], afterAWhile(5 * n))).to.reject('nobody waits');
            await run(database.db, slow, [0.01]);
        }
    });

    it('ends also if the server has ignored the first request, as it does before it begins the statement', async () => {
        const { hostname, port } = new URL(database.url);
        let requests = 0;
        const proxy = createServer((socket) => {
            socket.once('data', (first) => {
                requests += Number(CANCEL.equals(first.subarray(0, CANCEL.length)));
                if (CANCEL.equals(first.subarray(0, CANCEL.length)) && requests === 1) {
                    socket.destroy();
                    return;
                }

                const server = connect(Number(port), hostname).on('error', () => undefined);
                server.write(first);
                socket.pipe(server).pipe(socket);
            });
        });
        await endsBehind(proxy);
        expect(requests).to.be.at.least(2);
    });

    it('ends by a request with TLS if its connection has it, so that it also ends where nothing else passes', async () => {
        const { hostname, port } = new URL(database.url);
        const secureContext = createSecureContext(selfSigned('PostgreSQL'));
        let requests = 0;
        // Passes on what comes by TLS, as poolers and the networks of providers do.
        const proxy = createServer((socket) => {
            socket.once('data', (first) => {
                if (!first.equals(TLS)) {
                    socket.destroy();
                    return;
                }

                socket.write('S');
                const secure = new TLSSocket(socket, { isServer: true, secureContext });
                const server = connect(Number(port), hostname).on('error', () => undefined);
                secure.on('error', () => undefined).once('data', (data: Buffer) => {
                    requests += Number(CANCEL.equals(data.subarray(0, CANCEL.length)));
                    server.write(data);
                    secure.pipe(server).pipe(secure);
                });
            });
        });
        await endsBehind(proxy, { sslmode: 'no-verify' });
        expect(requests).to.be.at.least(1);
    });

    it('does not end lookups that were sent before it on the same connection', async () => {
        const signal = afterAWhile(1);
        const answers = await Promise.allSettled([...[1, 2, 3].map((n) => run(database.db, quick, [n])), run(database.db, slow, [20], signal)]);
        expect(answers.map(({ status }) => status)).to.equal(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    });

    it('is not begun if it was aborted before, and not touched if it ends before', async () => {
        const gone = new AbortController();
        expect(await run(database.db, slow, [0], gone.signal)).to.have.length(1);
        gone.abort(new Error('nobody waits'));
        await expect(run(database.db, slow, [0], gone.signal)).to.reject('nobody waits');
    });

    it('ends the transaction that it belongs to, with those inside', async () => {
        for (const nested of [false, true]) {
            const work = transaction(database.db, 'a-trace', async (trx) => {
                await run(trx, quick, [0]);
                await (nested ? transaction(trx, undefined, (inner) => run(inner, slow, [20])) : run(trx, slow, [20]));
            }, onceBegun());
            await expect(work).to.reject('nobody waits');
            expect(await run(database.db, quick, [1])).to.equal([{ n: 1 }]);
        }
    });

    it('fails alone if its connection is lost while it waits behind a lookup', async () => {
        const unhandled: unknown[] = [];
        const note = (reason: unknown): void => void unhandled.push(reason);
        process.on('unhandledRejection', note);
        const both = Promise.allSettled([run(database.db, slowLookup, [20]), run(database.db, slow, [20], new AbortController().signal)]);
        await begun();
        await other.raw(`select pg_terminate_backend(pid) ${sleeping}`);
        expect((await both).map(({ status }) => status)).to.equal(['rejected', 'rejected']);
        await new Promise(setImmediate);
        process.off('unhandledRejection', note);
        expect(unhandled).to.equal([]);
    });
});

describe('A request to cancel', () => {
    it('goes to the socket of a server that has no address', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        const received: Buffer[] = [];
        const server = createServer((socket) => {
            socket.on('data', (data) => {
                received.push(data);
                socket.end();
            });
        }).listen(join(folder, '.s.PGSQL.5432'));
        await once(server, 'listening');
        await cancelStatement(Object.assign(new Client({ host: folder, port: 5432 }), { processID: 7, secretKey: -8 }));
        expect(Buffer.concat(received)).to.equal(Buffer.concat([CANCEL, Buffer.from([0, 0, 0, 7, 0xFF, 0xFF, 0xFF, 0xF8])]));
        server.close();
        rmSync(folder, { recursive: true });
    });

    it('leaves it to the server to close the connection, because PgBouncer 1.18 exits otherwise', async () => {
        let early = false;
        const server = createServer({ allowHalfOpen: true }, (socket) => {
            const onEnd = (): void => {
                early = true;
            };

            socket.on('end', onEnd).once('data', () => setTimeout(() => socket.off('end', onEnd).end(), 100));
        });
        await cancelStatement(Object.assign(new Client({ host: '127.0.0.1', port: await listen(server) }), { processID: 7, secretKey: 8 }));
        expect(early).to.be.false();
        server.close();
    });

    it('is given up if there is no TLS any more, or none that the settings accept', async () => {
        const { cert, ...secret } = selfSigned('somebody');
        for (const answer of ['N', 'S']) {
            const received: Buffer[] = [];
            const server = createServer((socket) => {
                socket.on('error', () => undefined).once('data', (data) => {
                    received.push(data);
                    socket.write(answer);
                    if (answer === 'S') {
                        new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ cert, ...secret }) }).on('error', () => undefined).on('data', (more: Buffer) => received.push(more));
                    }
                });
            });
            await cancelStatement(Object.assign(new Client({ host: 'localhost', port: await listen(server), ssl: true }), { processID: 7, secretKey: 8 }));
            expect(Buffer.concat(received)).to.equal(TLS);
            server.close();
        }
    });

    it('is given up if nobody is there, or does not answer in 5 s', async () => {
        const sockets: Socket[] = [];
        const silent = createServer({ allowHalfOpen: true }, (socket) => sockets.push(socket.on('error', () => undefined)));
        const client = Object.assign(new Client({ host: '127.0.0.1', port: await listen(silent) }), { processID: 7, secretKey: 8 });
        await cancelStatement(client);
        expect(sockets).to.have.length(1);
        sockets.forEach((socket) => socket.destroy());
        await new Promise((resolve) => silent.close(resolve));
        await cancelStatement(client);
    });
});
