import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { clientLimits } from '../../../src/api/request/client-limits';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { launchChromium } from '../../support/chromium';
import { listen } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;

/** One byte more than a body can have. */
const TOO_MUCH = 10 * MIB + 1;

/** So small that a test reaches them soon; large enough for a whole body. */
const limits = { ...clientLimits, linger: 4000, lingerBytes: 24 * MIB };

describe('a body that is too large by its Content-Length', () => {
    let server: TestServer;
    let ada: Author;
    let port: number;
    let url: string;

    before(async () => {
        server = await startTestServer({ limits });
        ada = await openAuthor(server, 'ada');
        await server.server.start();
        port = Number(server.server.info.port);
        url = `http://127.0.0.1:${port}/users/${ada.id}/projects`;
    });

    after(() => server.stop());

    /** Sends the head of a request, and returns the connection with everything received at its end. */
    const open = async (path: string, length: number, more = ''): Promise<{ socket: Socket; said: () => string; ended: Promise<unknown>; closed: Promise<unknown>; error: () => Error | undefined }> => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        let text = '';
        let failure: Error | undefined;
        socket.on('data', (data) => {
            text += data.toString('latin1');
        }).on('error', (error) => {
            failure = error;
        });
        const [ended, closed] = [once(socket, 'end').catch(() => undefined), new Promise((resolve) => void socket.once('close', resolve))];
        await once(socket, 'connect');
        socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nOrigin: https://editor.example\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`);
        return { socket, said: () => text, ended, closed, error: () => failure };
    };

    it('is rejected at once, readable for other origins, and the connection is closed', async () => {
        const cases = [
            [`/users/${ada.id}/projects`, TOO_MUCH, `Authorization: token ${ada.token}\r\n`, 413, 'payload_too_large'],
            [`/users/${ada.id}/projects`, TOO_MUCH, '', 401, 'invalid_token'],
            ['/tokens', 64 * 1024 + 1, '', 413, 'payload_too_large'],
            ['/nowhere', TOO_MUCH, '', 404, 'not_found']
        ] as const;
        for (const [path, length, more, status, code] of cases) {
            const began = performance.now();
            const { socket, said, ended } = await open(path, length, more);
            await ended;
            expect(performance.now() - began, path).to.be.below(limits.linger - 500);
            expect(said()).to.startWith(`HTTP/1.1 ${status} `).and.to.include(`"code":"${code}"`);
            expect(said()).to.match(/^access-control-allow-origin: https:\/\/editor\.example\r$/m).and.to.match(/^access-control-expose-headers: WWW-Authenticate,/m).and.to.match(/^connection: close\r$/m);
            socket.destroy();
        }
    });

    it('gets no 100 Continue', async () => {
        const { socket, said, ended } = await open(`/users/${ada.id}/projects`, TOO_MUCH, `Authorization: token ${ada.token}\r\nExpect: 100-continue\r\n`);
        await ended;
        expect(said()).to.startWith('HTTP/1.1 413 ');
        socket.destroy();
    });

    it('gets 100 Continue if its route takes so much, as a smaller one does', async () => {
        const cases = [
            ['POST', `/users/${ada.id}/imports`, TOO_MUCH, 100], ['POST', '/users', 100, 100], ['PUT', `/users/${ada.id}/password`, TOO_MUCH, 413], ['PUT', '/users', 100, 100],
            ['POST', 'http://x/nowhere', TOO_MUCH, 404]
        ] as const;
        for (const [method, path, length, status] of cases) {
            const socket = connect(port, '127.0.0.1');
            socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: token ${ada.token}\r\nContent-Type: application/${path.endsWith('imports') ? 'zip' : 'json'}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`);
            const [said] = await once(socket, 'data');
            expect(String(said), `${method} ${path}`).to.startWith(`HTTP/1.1 ${status} `);
            socket.destroy();
        }
    });

    it('is still received, without a reset, and then the connection is closed', async () => {
        const { socket, ended, closed, error } = await open(`/users/${ada.id}/projects`, TOO_MUCH, `Authorization: token ${ada.token}\r\n`);
        await ended;
        await new Promise<void>((resolve) => void socket.write(Buffer.alloc(TOO_MUCH, 32), () => resolve()));
        socket.end();
        await closed;
        expect(error()).to.be.undefined();
    });

    it('is received only for a limited time and size', async () => {
        // A client that keeps its half open does not notice the end, so the test looks at the server's side.
        const connections = (): Promise<number> => new Promise((resolve) => void server.server.listener.getConnections((_error, count) => resolve(count)));
        const untilClosed = async (): Promise<number> => {
            const began = performance.now();
            while (await connections() > 0 && performance.now() - began < 15_000) {
                await sleep(20);
            }

            return performance.now() - began;
        };

        const silent = await open(`/users/${ada.id}/projects`, TOO_MUCH, `Authorization: token ${ada.token}\r\n`);
        await silent.ended;
        expect(await untilClosed()).to.be.within(limits.linger - 1000, limits.linger + 5000);
        silent.socket.destroy();

        const endless = await open(`/users/${ada.id}/projects`, 1024 * MIB, `Authorization: token ${ada.token}\r\n`);
        await endless.ended;
        let sent = 0;
        const more = (): void => {
            sent += MIB;
            endless.socket.write(Buffer.alloc(MIB, 32), (error) => {
                if (!error && sent < 500 * MIB) {
                    more();
                }
            });
        };

        more();
        await endless.closed;
        expect(sent).to.be.within(limits.lingerBytes, 500 * MIB - 1);
    });

    it('gets a 413 that curl, Node and Chromium can read, from another origin and from this one', async () => {
        const { stdout } = await promisify(execFile)('bash', ['-c', `head -c ${TOO_MUCH} /dev/zero | curl -sS --data-binary @- -H 'Content-Type: application/json' -H 'Authorization: token ${ada.token}' ${url}`]);
        expect(JSON.parse(stdout)).to.include({ code: 'payload_too_large' });

        for (let n = 0; n < 5; ++n) {
            const reply = await fetch(url, { method: 'POST', body: Buffer.alloc(TOO_MUCH, 32), headers: { 'authorization': `token ${ada.token}`, 'content-type': 'application/json' } });
            expect([reply.status, Reflect.get(Object(await reply.json()), 'code')]).to.equal([413, 'payload_too_large']);
        }

        const browser = await launchChromium();
        const other = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
        try {
            const page = await browser.newPage();
            for (const origin of [`http://127.0.0.1:${await listen(other)}`, `http://127.0.0.1:${port}/health`]) {
                await page.goto(origin);
                const script = `fetch('${url}', { method: 'POST', body: new Blob([new Uint8Array(${TOO_MUCH})]), headers: { 'authorization': 'token ${ada.token}', 'content-type': 'application/json' } })
                    .then(async (reply) => [reply.status, (await reply.json()).code])`;
                expect(await page.evaluate(script), origin).to.equal([413, 'payload_too_large']);
            }
        }
        finally {
            other.close();
            await browser.close();
        }
    });
});
