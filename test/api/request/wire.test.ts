import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Cast, stored } from '../../support/cast';
import type { Target } from '../../support/cast';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

/** What needs a real connection: bodies that end early or late, and bytes that are not HTTP. */
lab.experiment('On the wire', () => {

    let server: TestServer;
    let target: Target;
    let token: string;
    let port: number;
    let path: string;

    lab.before(async () => {
        server = await startTestServer();
        const cast = new Cast(server);
        target = await cast.target();
        token = await cast.token(target.user);
        path = `/users/${target.user}/projects/${target.project}/pages`;
        await server.server.start();
        port = Number(server.server.info.port);
    });

    lab.after(() => server.stop());

    const head = (more: string): string => {
        return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: token ${token}\r\nContent-Type: application/json\r\nConnection: close\r\n${more}\r\n\r\n`;
    };

    type Ending = 'wait' | 'end' | 'reset';

    /** Sends bytes unchanged, ends the connection in the given way, and returns what was received. */
    const send = async (parts: readonly (string | Buffer)[], ending: Ending = 'wait'): Promise<{ status: number; text: string }> => {
        const socket = connect(port, '127.0.0.1');
        let text = '';
        const closed = new Promise<void>((resolve) => {
            socket.on('data', (chunk) => {
                text += chunk.toString('latin1');
            });
            socket.on('error', () => undefined);
            socket.on('close', () => resolve());
        });
        for (const part of parts) {
            socket.write(part);
            await sleep(20);
        }

        if (ending === 'end') {
            socket.end();
        }
        else if (ending === 'reset') {
            socket.resetAndDestroy();
        }

        await closed;
        return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
    };

    const whole = '{"x": 3, "y": 3}';
    const mebibyte = Buffer.alloc(1024 * 1024, 32);
    const chunk = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    const chunked = (): string => head('Transfer-Encoding: chunked');

    // name, bytes, how the connection ends, and the status; 0 if the client has disconnected
    const cases: readonly (readonly [string, () => readonly (string | Buffer)[], Ending, number])[] = [
        ['a body cut short by the client\'s end', () => [head('Content-Length: 100'), '{"x": 3'], 'end', 0],
        ['a body cut short by a reset', () => [head('Content-Length: 100'), '{"x": 3'], 'reset', 0],
        ['a whole value in a body cut short', () => [head('Content-Length: 100'), whole], 'end', 0],
        ['a body longer than it says, cut', () => [head('Content-Length: 7'), whole], 'wait', 400],
        ['chunks without an end', () => [chunked(), '5\r\n{"x":\r\n'], 'end', 0],
        ['chunks, reset', () => [chunked(), '5\r\n{"x":\r\n'], 'reset', 0],
        ['a chunk of no size', () => [chunked(), 'zz\r\n{"x":\r\n0\r\n\r\n'], 'wait', 400],
        ['a chunk larger than it says', () => [chunked(), '2\r\n{"x": 3}\r\n0\r\n\r\n'], 'wait', 400],
        ['chunks that come to too much', () => [chunked(), ...Array.from({ length: 11 }, () => chunk(mebibyte)), '0\r\n\r\n'], 'wait', 413],
        ['chunks of gzip that come to too much', () => [head('Transfer-Encoding: chunked\r\nContent-Encoding: gzip'), chunk(gzipSync(Buffer.alloc(64 * 1024 * 1024))), '0\r\n\r\n'], 'wait', 413],
        ['too much, by its own account', () => [head(`Content-Length: ${11 * 1024 * 1024}`), ...Array.from({ length: 11 }, () => mebibyte)], 'wait', 413],
        ['another expectation', () => [head('Expect: a miracle\r\nContent-Length: 16'), whole], 'wait', 417],
        ['a length that is no number', () => [head('Content-Length: many'), whole], 'wait', 400],
        ['a negative length', () => [head('Content-Length: -1'), whole], 'wait', 400],
        ['two lengths', () => [head('Content-Length: 16\r\nContent-Length: 17'), whole], 'wait', 400],
        ['a length and chunks', () => [head('Content-Length: 16\r\nTransfer-Encoding: chunked'), '0\r\n\r\n'], 'wait', 400],
        ['NUL in a header', () => [head('X-Any: a\u0000b\r\nContent-Length: 16'), whole], 'wait', 400],
        ['a header without a name', () => [head(': x\r\nContent-Length: 16'), whole], 'wait', 400],
        ['a header that never ends', () => [head(`X-Any: ${'x'.repeat(20_000)}`)], 'wait', 400],
        ['no HTTP', () => ['\u0016\u0003\u0001 hello\r\n\r\n'], 'wait', 400],
        ['bytes above ASCII in a path', () => [Buffer.from('GET /users/\u00ff HTTP/1.1\r\nHost: localhost\r\n\r\n', 'latin1')], 'wait', 400],
        ['OPTIONS *', () => ['OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'], 'wait', 400],
        ['an invalid path', () => ['GET http://[/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'], 'wait', 400],
        ['a URL without a path', () => ['GET foo://x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'], 'wait', 400],
        ['no host', () => ['GET /projects HTTP/1.1\r\nConnection: close\r\n\r\n'], 'wait', 400]
    ];
    for (const [name, parts, ending, status] of cases) {
        lab.test(`${name} is ${status || 'given up'}, and stores nothing`, async () => {
            const before = await stored(server);
            const answer = await send(parts(), ending);
            expect(answer.status, answer.text.slice(0, 600)).to.equal(status);
            await sleep(30);
            expect(await stored(server)).to.equal(before);
            expect(server.faults).to.equal([]);

            // The service still works.
            expect((await server.call('GET', '/health')).status).to.equal(200);
        });
    }

    lab.test('header bytes that are not text cause no error', async () => {
        const bytes = Buffer.from(`GET /tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: token \u00ff\u00fe\r\nX-Request-Id: \u00ff\r\nIf-None-Match: "\u00ff"\r\nUser-Agent: \u00ff\r\nConnection: close\r\n\r\n`, 'latin1');
        expect((await send([bytes])).status).to.equal(401);
        const view = Buffer.from(`POST /view-project/${target.project} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: \u00ff\u00fe\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, 'latin1');
        expect((await send([view])).status).to.equal(200);
        expect(server.faults).to.equal([]);
    });

    lab.test('a chunked body is accepted, plain or compressed', async () => {
        for (const [more, bytes] of [['', Buffer.from('{"x": 5, "y": 5}')], ['\r\nContent-Encoding: gzip', gzipSync('{"x": 6, "y": 6}')]] as const) {
            const { status, text } = await send([head(`Transfer-Encoding: chunked${more}`), chunk(bytes.subarray(0, 3)), chunk(bytes.subarray(3)), '0\r\n\r\n']);
            expect(status, text).to.equal(201);
        }
    });

    lab.test('a slow body is waited for', async () => {
        const slow = await send([head('Content-Length: 16'), whole.slice(0, 5), whole.slice(5, 10), whole.slice(10)]);
        expect(slow.status, slow.text).to.equal(201);
    });
});
