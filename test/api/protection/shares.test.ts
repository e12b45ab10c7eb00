import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { needs } from '../../../src/api/auth/strategy';
import { clientLimits } from '../../../src/api/request/client-limits';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const KIB = 1024;
const MIB = 1024 * KIB;

/** So small that a test reaches them soon. */
const limits = { ...clientLimits, bodyBytes: 8 * MIB, responseBytes: 96 * MIB };

/** Bytes of a response that does not fit into the operating system's buffers of a connection. */
const LARGE = 12 * MIB;

interface Reply {
    status: number;
    headers: IncomingHttpHeaders;
    code: unknown;
}

describe('the share of a caller', () => {
    let server: TestServer;
    let ada: Author;
    let bob: Author;
    let adas: MadeProject;
    let bobs: MadeProject;
    let sockets: Socket[] = [];
    let writes = 0;
    /** the server's ends of the connections */
    const ends = new Set<Socket>();

    const port = (): number => Number(server.server.info.port);

    const setUp = async (options: Parameters<typeof startTestServer>[0]): Promise<void> => {
        server = await startTestServer({ ...options, config: { trustedProxies: 1 } });
        server.server.route([
            { method: ['GET', 'POST'], path: '/large', options: { app: { cost: 'cheap' } }, handler: () => Buffer.alloc(LARGE, 32) },
            { method: 'GET', path: '/text', options: { app: { cost: 'cheap' } }, handler: () => 'é'.repeat(LARGE / 2) },
            { method: 'GET', path: '/stream', options: { app: { cost: 'cheap' } }, handler: () => Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(64 * KIB)), { objectMode: false, highWaterMark: MIB }) },
            { method: 'GET', path: '/small', options: { app: { cost: 'cheap' } }, handler: () => Buffer.alloc(15 * KIB, 32) },
            { method: 'POST', path: '/large-write', options: { app: { cost: 'cheap' }, auth: needs('projects') }, handler: () => {
                ++writes;
                return Buffer.alloc(LARGE, 32);
            } }
        ]);
        [ada, bob] = [await openAuthor(server, 'ada'), await openAuthor(server, 'bob')];
        [adas, bobs] = [await ada.project(), await bob.project()];
        server.server.listener.on('connection', (socket: Socket) => {
            ends.add(socket);
            socket.once('close', () => ends.delete(socket));
        });
        await server.server.start();
    };

    afterEach(async () => {
        sockets.forEach((socket) => socket.destroy());
        sockets = [];
        await until(() => ends.size <= 1);
    });

    /** A connection on which something was sent, and which reads nothing. */
    const open = async (text: string): Promise<Socket> => {
        const socket = connect(port(), '127.0.0.1').on('error', () => undefined).pause();
        sockets.push(socket);
        await once(socket, 'connect');
        socket.write(text);
        return socket;
    };

    /** The status of the response on a connection; the rest is not read. */
    const statusOn = async (socket: Socket): Promise<number> => {
        const data = once(socket, 'data');
        socket.resume();
        const [chunk] = await data;
        socket.pause();
        return Number(String(chunk).slice(9, 12));
    };

    const head = (method: string, path: string, headers: Record<string, string>): string => {
        const lines = Object.entries({ 'Host': 'x', 'Content-Type': 'application/json', ...headers }).map(([name, value]) => `${name}: ${value}`);
        return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
    };

    const save = (author: Author, project: MadeProject, from = '192.0.2.1'): { path: string; headers: Record<string, string> } => ({
        path: project.url, headers: { 'Authorization': `token ${author.token}`, 'X-Forwarded-For': from }
    });

    /** Sends a request and reads the whole response. */
    const send = (method: string, { path, headers }: { path: string; headers: Record<string, string> }, body = ''): Promise<Reply> => new Promise((resolve, reject) => {
        httpRequest({ port: port(), host: '127.0.0.1', method, path, headers: { 'content-type': 'application/json', 'origin': 'https://editor.example', ...headers } }, (response) => {
            let text = '';
            response.on('data', (data) => {
                text += data;
            });
            response.on('end', () => resolve({ status: Number(response.statusCode), headers: response.headers, code: text.startsWith('{') ? JSON.parse(text).code : undefined }));
        }).on('error', reject).end(body);
    });

    const saved = (author: Author, project: MadeProject, from?: string): Promise<Reply> => send('PATCH', save(author, project, from), `{"title": ${' '.repeat(400 * KIB)}"Saved"}`);

    const get = (path: string, from: string): Promise<Reply> => send('GET', { path, headers: { 'X-Forwarded-For': from } });

    /** The statuses of GETs, one after the other, whose responses nobody reads. */
    const unread = async (path: string, from: string, count: number): Promise<number[]> => {
        const statuses: number[] = [];
        for (let n = 0; n < count; ++n) {
            statuses.push(await statusOn(await open(head('GET', path, { 'X-Forwarded-For': from }))));
        }

        return statuses;
    };

    const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

    describe('with the limits of a process', () => {
        before(() => setUp({}));
        after(() => server.stop());

        const announcements: [string, Record<string, string>][] = [
            ['of 10 MiB', { 'Content-Length': String(10 * MIB) }],
            ['of chunks', { 'Transfer-Encoding': 'chunked' }],
            ['of gzip', { 'Content-Length': String(200 * KIB), 'Content-Encoding': 'gzip' }]
        ];
        for (const [name, announced] of announcements) {
            it(`is not touched by bodies ${name} that are announced but not sent`, async () => {
                const { path, headers } = save(ada, adas);
                for (let n = 0; n < 28; ++n) {
                    await open(head('PATCH', path, { ...headers, ...announced }));
                }

                await sleep(50);
                expect(await saved(bob, bobs)).to.include({ status: 200 });
                expect(await saved(ada, adas)).to.include({ status: 200 });
            });
        }

        it('holds hundreds of stalled bodies of 255 KiB to 32 MiB', async () => {
            const { path, headers } = save(ada, adas);
            const refused: number[] = [];
            for (let n = 0; n < 300; ++n) {
                const socket = await open(head('PATCH', path, { ...headers, 'Content-Length': String(256 * KIB) }));
                socket.write(Buffer.alloc(255 * KIB, 32));
                void statusOn(socket).then((status) => refused.push(status));
            }

            const most = Math.floor(32 * MIB / (255 * KIB + 16 * KIB));
            await until(() => refused.length >= 300 - most);
            await sleep(50);
            expect(refused).to.equal(times(refused.length, 429));
            expect(300 - refused.length).to.be.within(most - 10, most);
            expect(await saved(bob, bobs)).to.include({ status: 200 });
        });
    });

    describe('of bodies', () => {
        before(() => setUp({ limits }));
        after(() => server.stop());

        /** Bodies that take almost 1 MiB each, and stay. */
        const stall = async (author: Author, project: MadeProject, from: string, count: number): Promise<void> => {
            const { path, headers } = save(author, project, from);
            for (let n = 0; n < count; ++n) {
                const socket = await open(head('PATCH', path, { ...headers, 'Content-Length': String(960 * KIB) }));
                const earlier = arrived();
                socket.write(Buffer.alloc(959 * KIB, 32));
                await until(() => arrived() >= earlier + 959 * KIB);
            }
        };

        const arrived = (): number => [...ends].reduce((sum, { bytesRead }) => sum + bytesRead, 0);

        it('of one user leaves room for others at the same address, and is free again when the bodies are gone', async () => {
            await stall(ada, adas, '192.0.2.1', 2);
            const refused = await saved(ada, adas);
            expect(refused).to.include({ status: 429, code: 'too_much_in_progress' });
            expect(refused.headers).to.include({ 'retry-after': '2', 'access-control-allow-origin': 'https://editor.example' });
            expect(await saved(ada, adas, '192.0.2.2')).to.include({ status: 429 });
            expect(await saved(bob, bobs)).to.include({ status: 200 });

            sockets.forEach((socket) => socket.destroy());
            await sleep(50);
            expect(await saved(ada, adas)).to.include({ status: 200 });
        });

        it('counts a body in many chunks by its bytes, and refuses one in thousands of tiny chunks at once', async () => {
            const { path, headers } = save(ada, adas);
            const body = `{"title":"x"${' '.repeat(300_000)}}`;
            const inChunksOf = async (size: number): Promise<number> => {
                const socket = await open(head('PATCH', path, { ...headers, 'Transfer-Encoding': 'chunked' }));
                const status = statusOn(socket);
                const chunks = body.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
                socket.write(`${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`);
                return await status;
            };

            expect(await inChunksOf(65)).to.equal(200);
            expect(await inChunksOf(1)).to.equal(400);
            await until(() => sockets.at(-1)?.destroyed);
        });

        it('counts decompressed bytes', async () => {
            const { gzipSync } = await import('node:zlib');
            const { path, headers } = save(ada, adas);
            const body = gzipSync(Buffer.alloc(9 * MIB, 32));
            const socket = await open(head('PATCH', path, { ...headers, 'Content-Encoding': 'gzip', 'Content-Length': String(body.length) }));
            const status = statusOn(socket);
            socket.write(body);
            expect(await status).to.equal(429);
        });

        it('is not used by decompression after the client has disconnected', async () => {
            const { gzipSync } = await import('node:zlib');
            const { path, headers } = save(ada, adas);
            const body = gzipSync(Buffer.alloc(MIB, 32));
            for (let n = 0; n < 40; ++n) {
                const socket = await open(head('PATCH', path, { ...headers, 'Content-Encoding': 'gzip', 'Content-Length': String(body.length + 1) }));
                // Some have gone while the token is looked up.
                await new Promise((sent) => void socket.write(body, sent));
                socket.destroy();
                await sleep(n % 5);
            }

            await sleep(50);
            expect(await saved(ada, adas)).to.include({ status: 200 });
        });

        it('of all requests without a token counts as one user, so users at that address have their own', async () => {
            const answers: Promise<number>[] = [];
            for (let n = 0; n < 40; ++n) {
                const socket = await open(head('POST', '/tokens', { 'X-Forwarded-For': '192.0.2.1', 'Content-Length': String(64 * KIB) }));
                socket.write(Buffer.alloc(64 * KIB - 1, 32));
                answers.push(statusOn(socket));
                await sleep(5);
            }

            expect(await Promise.race(answers)).to.equal(429);
            expect(await saved(bob, bobs)).to.include({ status: 200 });
            const signIn = JSON.stringify({ username: 'bob', password: 'not that one' });
            const here = { path: '/tokens', headers: { 'X-Forwarded-For': '192.0.2.1' } };
            const refused = await send('POST', here, signIn.padEnd(63 * KIB));
            expect(refused).to.include({ status: 429, code: 'too_much_in_progress' });
            expect(refused.headers).to.include({ 'access-control-allow-origin': 'https://editor.example' });
            expect(Number(refused.headers['retry-after'])).to.be.within(1, 2);
            expect(await send('POST', here, signIn)).to.include({ status: 401 });
            expect(await send('POST', { path: '/tokens', headers: { 'X-Forwarded-For': '192.0.2.2' } }, signIn)).to.include({ status: 401 });
        });

        it('is half of the total for an address, whoever sends from there', async () => {
            const [eve, mel] = [await openAuthor(server), await openAuthor(server)];
            await stall(ada, adas, '192.0.2.1', 1);
            await stall(eve, await eve.project(), '192.0.2.1', 2);
            await stall(mel, await mel.project(), '192.0.2.1', 1);
            expect(await saved(bob, bobs)).to.include({ status: 429 });
            expect(await saved(bob, bobs, '192.0.2.2')).to.include({ status: 200 });
        });

        it('is no more than the total', async () => {
            for (let n = 1; n <= 4; ++n) {
                const one = await openAuthor(server);
                await stall(one, await one.project(), `192.0.2.${n}`, 2);
            }

            expect(await saved(bob, bobs, '192.0.2.5')).to.include({ status: 503, code: 'overloaded' });
            expect((await send('GET', save(bob, bobs, '192.0.2.5'))).status).to.equal(200);
        });
    });

    describe('of responses that are not read', () => {
        before(() => setUp({ limits }));
        after(() => server.stop());

        it('of one address leaves room for others', async () => {
            expect(await unread('/large', '192.0.2.1', 5)).to.equal([...times(4, 200), 429]);
            const refused = await get('/large', '192.0.2.1');
            expect(refused).to.include({ status: 429, code: 'too_much_in_progress' });
            expect(refused.headers['retry-after']).to.equal('2');
            expect(await get('/large', '192.0.2.2')).to.include({ status: 200 });
            expect(await get('/small', '192.0.2.1')).to.include({ status: 200 });

            // The write has been done, so its response is sent.
            expect(await send('POST', { path: '/large', headers: { 'X-Forwarded-For': '192.0.2.1' } })).to.include({ status: 200 });

            sockets.forEach((socket) => socket.destroy());
            await sleep(50);
            expect(await get('/large', '192.0.2.1')).to.include({ status: 200 });
        });

        it('goes by the /64 and the /48 of an IPv6 address', async () => {
            expect(await unread('/large', '2001:db8:0:1::1', 2)).to.equal(times(2, 200));
            expect(await unread('/large', '2001:db8:0:1::2', 3)).to.equal([...times(2, 200), 429]);
            expect(await unread('/large', '2001:db8:0:2::1', 3)).to.equal([...times(2, 200), 429]);
            expect(await get('/large', '2001:db8:1:1::1')).to.include({ status: 200 });
        });

        it('counts the bytes of a text, and of a stream what it reads ahead and 1 MiB more', async () => {
            expect(await unread('/text', '192.0.2.1', 5)).to.equal([...times(4, 200), 429]);
            expect(await unread('/stream', '192.0.2.2', 25)).to.equal([...times(24, 200), 429]);
        });

        it('is no more than the total', async () => {
            for (let n = 1; n <= 4; ++n) {
                expect(await unread('/large', `192.0.2.${n}`, 2)).to.equal(times(2, 200));
            }

            expect(await get('/large', '192.0.2.5')).to.include({ status: 503, code: 'overloaded' });
        });

        it('blocks writes of a user who does not read responses', async () => {
            const write = (author: Author): string => head('POST', '/large-write', { ...save(author, adas).headers, 'Content-Length': '0' });
            expect(await statusOn(await open(write(ada)))).to.equal(200);
            expect(await statusOn(await open(write(ada)))).to.equal(200);
            const done = writes;
            expect(await statusOn(await open(write(ada)))).to.equal(429);
            expect(writes).to.equal(done);
            expect(await statusOn(await open(write(bob)))).to.equal(200);
            expect(await get(adas.url, '192.0.2.1')).to.include({ status: 200 });
        });
    });
});
