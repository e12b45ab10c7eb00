import { createSocket } from 'node:dgram';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { addressRule, isPublic } from '../../../src/api/outgoing/addresses';
import { NotSent, mayBeAllowed, nameServers, post } from '../../../src/api/outgoing/post';
import type { Answer, PostOptions } from '../../../src/api/outgoing/post';
import { MAX_WEBHOOK_ANSWER_BYTES } from '../../../src/limits';
import { selfSigned } from '../../support/certificate';
import { startReceiver } from '../../support/receiver';
import type { Receiver } from '../../support/receiver';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const never = new AbortController().signal;

/** Addresses, as they can be written in a URL, of what only this machine or its network reaches. */
const literals = [
    '127.0.0.1', '127.1', '127.0.1', '0x7f000001', '0x7F.0.0.1', '2130706433', '017700000001', '0177.0.0.1', '0177.0.0.01', '127.0.0.1.', '127.255.255.254', '0', '0.0.0.0', '0.0.0.1', '00000000.0',
    '①②⑦.⓪.⓪.①', '127。0。0。1', '１２７．０．０．１', '%31%32%37.0.0.1', '127.0.0.1%2e', '10.0.0.1', '10.255.255.255', '012.0.0.1', '0xa.0.0.1', '167772161', '172.16.0.1', '172.31.255.255', '192.168.0.1', '3232235521', '192.168.257',
    '169.254.169.254', '0xa9fea9fe', '2852039166', '169.254.1.1', '100.64.0.1', '100.100.100.200', '100.127.255.255', '168.63.129.16', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255',
    '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255',
    '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:10.0.0.1]', '[::ffff:169.254.169.254]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::1]', '[2002:a9fe:a9fe::]', '[2001::7f00:1]', '[2001:0:7f00:1::1]', '[2001:10::1]', '[2001:db8::1]', '[3fff::1]', '[fc00::1]', '[fd00:ec2::254]', '[fdff::1]', '[fe80::1]', '[febf::1]', '[fec0::1]',
    '[ff02::1]', '[ff0e::1]', '[100::1]', '[5f00::1]', '[4000::1]'
];

/** What names may lead to. */
const answers: Readonly<Record<string, string[]>> = {
    localhost: ['127.0.0.1', '::1'], 'localhost.': ['127.0.0.1'], 'a.localhost': ['127.0.0.1'], 'internal.example': ['10.1.2.3'], 'metadata.google.internal': ['169.254.169.254'], 'six.example': ['::1', 'fe80::1'], 'mapped.example': ['::ffff:127.0.0.1'],
    'nat64.example': ['64:ff9b::7f00:1'], 'many.example': ['127.0.0.1', '10.0.0.1', '192.168.1.1', '::1', 'fd00::1'], 'late.example': [...Array.from({ length: 8 }, () => '10.0.0.1'), '8.8.8.8'], 'strange.example': ['', 'localhost', '127.0.0.1\n', '8.8.8.8 ', 'fe80::1%lo'],
    '127.0.0.1.nip.example': ['127.0.0.1'], 'none.example': []
};

const internal: PostOptions = { rule: addressRule(['public']), resolve: (name) => Promise.resolve(answers[name] ?? ['127.0.0.1']) };

/** The hosts of the sockets that were made to go out meanwhile. */
async function connectionsOf(work: () => Promise<unknown>): Promise<number> {
    let made = 0;
    const note = (): void => {
        made++;
    };

    subscribe('net.client.socket', note);
    await work().finally(() => unsubscribe('net.client.socket', note));
    return made;
}

describe('a request to an address that a user chose', () => {
    let receiver: Receiver;
    const servers: Server[] = [];
    const sockets = new Set<Socket>();

    before(async () => {
        receiver = await startReceiver();
    });

    after(() => {
        receiver.stop();
        sockets.forEach((socket) => socket.destroy());
        servers.forEach((server) => server.close());
    });

    /** A port of this machine at which each connection is treated like this. */
    const portOf = async (onConnection: (socket: Socket) => void): Promise<number> => {
        const server = createServer((socket) => {
            sockets.add(socket);
            socket.on('error', () => undefined);
            onConnection(socket);
        });
        servers.push(server);
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const address = server.address();
        return typeof address === 'object' && address !== null ? address.port : 0;
    };

    const send = (url: string, options: Partial<PostOptions> = {}): Promise<Answer> => post(new URL(url), { 'content-type': 'application/json' }, '{}', { ...internal, ...options }, never);
    const here = { rule: addressRule(['127.0.0.0/8']) };
    const errorOf = async (work: Promise<unknown>): Promise<string> => {
        const error = await work.then(() => new Error('It was sent'), (reason: unknown) => reason);
        return error instanceof NotSent ? error.message : `not a NotSent: ${String(error)}`;
    };

    it('never goes to what is internal, however that is written', async () => {
        const { port } = new URL(receiver.url);
        const urls = [...literals, ...Object.keys(answers)].flatMap((host) => [`http://${host}:${port}/in`, `https://${host}:${port}/in`, `https://${host}/`]);
        urls.push(`https:\\\\127.0.0.1:${port}\\in`, `https:/127.0.0.1:${port}/in`, `https:127.0.0.1:${port}/in`, `https://hooks.example@127.0.0.1:${port}/in`, `https://127.0.0.1:${port}#@hooks.example/`, `https://127.0.0.1:${port}\\@hooks.example/`);
        expect(urls.length).to.be.above(250);
        const made = await connectionsOf(async () => {
            for (const url of urls) {
                expect(await errorOf(send(url)), url).to.match(/^The (address is not on the public internet, or it is not https|name of the host has no address)\.$/);
            }
        });
        expect([made, receiver.received.length]).to.equal([0, 0]);
    });

    it('is refused at once if its address says so', () => {
        for (const host of literals) {
            expect([mayBeAllowed(`https://${host}/`, internal.rule), mayBeAllowed(`http://${host}/`, internal.rule)], host).to.equal([false, false]);
        }

        const allowed = ['https://hooks.example/in', 'https://8.8.8.8/', 'https://[2606:4700::1111]/'];
        expect(allowed.map((url) => mayBeAllowed(url, internal.rule))).to.equal([true, true, true]);
        expect(['http://hooks.example/in', 'http://8.8.8.8/', 'https://', 'https://a b/'].map((url) => mayBeAllowed(url, internal.rule))).to.equal([false, false, false, false]);
        expect(['http://hooks.example/in', 'http://127.0.0.1/', 'http://8.8.8.8/', 'https://8.8.8.8/'].map((url) => mayBeAllowed(url, here.rule))).to.equal([true, true, false, false]);
    });

    it('does not go to an address of this machine, even if it is public', () => {
        const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []).map(({ address }) => address);
        expect(own.filter((address) => isPublic(address))).to.equal([]);
        expect(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001::1'].map((address) => isPublic(address))).to.equal([true, true, true, true]);
        expect(['', 'localhost', '127.0.0.1', '8.8.8.8/8'].map((address) => isPublic(address))).to.equal([false, false, false, false]);
    });

    it('goes to the address that was checked, whatever the name leads to a moment later', async () => {
        const { port } = new URL(receiver.url);
        let asked = 0;
        const changing = (): Promise<string[]> => Promise.resolve(asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
        expect((await send(`http://changing.example:${port}/in`, { rule: addressRule(['127.0.0.1/32']), resolve: changing })).status).to.equal(204);
        expect(asked).to.equal(1);
        expect(receiver.received.at(-1)?.headers.host).to.equal(`changing.example:${port}`);
        // Of several addresses only those that are allowed.
        expect((await send(`http://mixed.example:${port}/in`, { rule: addressRule(['127.0.0.1/32']), resolve: () => Promise.resolve(['10.0.0.1', '127.0.0.1']) })).status).to.equal(204);
    });

    it('follows no redirect', async () => {
        let followed = 0;
        const inside = await portOf(() => {
            followed++;
        });
        for (const status of [301, 302, 303, 307, 308]) {
            receiver.answer = (response) => response.writeHead(status, { location: `http://127.0.0.1:${inside}/` }).end();
            expect((await send(receiver.url, here)).status).to.equal(status);
        }

        expect(followed).to.equal(0);
        receiver.answer = (response) => response.writeHead(204).end();
    });

    it('is by https on the public internet, with a certificate that is right for the name', async () => {
        const { key, cert } = selfSigned('hooks.example');
        const server = createSecureServer({ key, cert }, (_request, response) => response.writeHead(201, { 'retry-after': '7' }).end());
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        const there = { ...here, resolve: () => Promise.resolve(['127.0.0.1']) };
        expect(await send(`https://hooks.example:${port}/`, { ...there, ca: cert })).to.equal({ status: 201, retryAfter: 7 });
        expect(await errorOf(send(`https://hooks.example:${port}/`, there))).to.match(/^The connection failed: [A-Z_]+\.$/);
        expect(await errorOf(send(`https://other.example:${port}/`, { ...there, ca: cert }))).to.equal('The connection failed: ERR_TLS_CERT_ALTNAME_INVALID.');
        server.close();
        server.closeAllConnections();
    });

    it('ends in time, and reads a bounded part of the answer', async () => {
        const silent = await portOf(() => undefined);
        const soon = { ...here, timeout: 300 };
        expect(await errorOf(send(`http://127.0.0.1:${silent}/`, soon))).to.equal('There was no answer in time.');
        expect(await errorOf(send('http://slow.example/', { ...soon, resolve: () => new Promise(() => undefined) }))).to.equal('There was no answer in time.');

        // It answers, and does not end.
        const endless = await portOf((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx'));
        expect((await send(`http://127.0.0.1:${endless}/`, soon)).status).to.equal(200);

        let written = 0;
        const flood = (socket: Socket, first: string, again: string): void => {
            socket.write(first);
            const more = (): void => {
                while (!socket.destroyed && socket.write(again)) {
                    written += again.length;
                }
            };

            socket.on('drain', more);
            more();
        };

        const flooding = await portOf((socket) => flood(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n', 'x'.repeat(16_384)));
        expect((await send(`http://127.0.0.1:${flooding}/`, here)).status).to.equal(200);
        const informing = await portOf((socket) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n'.repeat(100)));
        expect(await errorOf(send(`http://127.0.0.1:${informing}/`, here))).to.match(/^The answer had more than 64 KiB\.$|^The connection failed/);
        const headers = await portOf((socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', `X-More: ${'x'.repeat(1000)}\r\n`));
        expect(await errorOf(send(`http://127.0.0.1:${headers}/`, here))).to.equal('The connection failed: HPE_HEADER_OVERFLOW.');
        // What the system holds for the connections is more than what was read; in ten seconds it would be gigabytes.
        expect(written).to.be.below(1000 * MAX_WEBHOOK_ANSWER_BYTES);
    });

    it('fails in words where the other side does not speak HTTP, is not there, or goes away', async () => {
        const nonsense = await portOf((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
        expect(await errorOf(send(`http://127.0.0.1:${nonsense}/`, here))).to.match(/^The connection failed: HPE_[A-Z_]+\.$/);
        const closing = await portOf((socket) => socket.destroy());
        expect(await errorOf(send(`http://127.0.0.1:${closing}/`, here))).to.match(/^The connection failed: E[A-Z]+\.$/);
        const upgrading = await portOf((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'));
        expect(await errorOf(send(`http://127.0.0.1:${upgrading}/`, here))).to.match(/^The connection (failed|was closed)/);
        expect(await errorOf(send('http://127.0.0.1:1/', here))).to.equal('The connection failed: ECONNREFUSED.');
        expect(await errorOf(send('http://unknown.example/', { ...here, resolve: () => Promise.reject(new Error('without a code')) }))).to.equal('The connection failed: no answer.');
    });

    it('ends early if the service does', async () => {
        const silent = await portOf(() => undefined);
        const ending = new AbortController();
        const sent = post(new URL(`http://127.0.0.1:${silent}/`), {}, '{}', { ...internal, ...here }, ending.signal);
        setTimeout(() => ending.abort(new Error('ending')), 50);
        await expect(sent).to.reject(Error, 'ending');
    });

    it('looks names up at the name servers, and finds nothing if they do not answer', async () => {
        expect(await nameServers()('no-such-name.invalid')).to.equal([]);
    });

    it('goes to the addresses that a name server gives, of one kind if it gives none of the other', async () => {
        const ofType: Readonly<Record<number, number[]>> = { 1: [192, 0, 2, 7], 28: [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9] };
        const given = new Set([1, 28]);
        const server = createSocket('udp4');
        server.on('message', (query, from) => {
            // The question is a name, as parts that have their length before them, a type and a class; whatever follows is left out (RFC 1035).
            const question = query.subarray(12, query.indexOf(0, 12) + 5);
            const type = question.readUInt16BE(question.length - 4);
            const data = given.has(type) ? ofType[type] ?? [] : [];
            const answer = data.length === 0 ? [] : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data];
            const header = [...query.subarray(0, 2), 0x81, data.length === 0 ? 0x83 : 0x80, 0, 1, 0, data.length === 0 ? 0 : 1, 0, 0, 0, 0];
            server.send(Buffer.from([...header, ...question, ...answer]), from.port, from.address);
        });
        server.bind(0, '127.0.0.1');
        await once(server, 'listening');
        const resolver = new Resolver({ timeout: 2000, tries: 2 });
        resolver.setServers([`127.0.0.1:${server.address().port}`]);
        const resolve = nameServers(resolver);
        expect(await resolve('hooks.example')).to.equal(['192.0.2.7', '2001:db8::9']);
        given.delete(1);
        expect(await resolve('hooks.example')).to.equal(['2001:db8::9']);
        given.clear();
        expect(await resolve('hooks.example')).to.equal([]);
        server.close();
    });
});
