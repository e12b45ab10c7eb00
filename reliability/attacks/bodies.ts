import { gzipSync } from 'node:zlib';

import { MIB, zipped } from './attacker';
import type { Account, Attacker } from './attacker';
import type { Attack } from './attack';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** A new account with an element. */
async function withElement(attacker: Attacker): Promise<{ account: Account; element: string }> {
    const account = await attacker.open();
    const { page } = await attacker.project(account);
    const { json } = await attacker.call({ method: 'POST', path: `${page}/elements`, headers: account.headers, body: { type: 'text' } });
    const { element }: { element?: { id: string } } = Object(json);
    return { account, element: `${page}/elements/${element?.id ?? '1'}` };
}

/** Sends the headers of large saves, and then nothing. */
async function headersOnly(attacker: Attacker): Promise<void> {
    const { account: { headers, path }, element } = await withElement(attacker);
    const announced = { ...headers, 'content-type': 'application/json', 'content-length': 10 * MIB - 1 };
    const chunked = { ...headers, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const packed = { ...announced, 'content-length': 20_000, 'content-encoding': 'gzip' };
    for (const round of numbers(3)) {
        numbers(14).forEach(() => {
            attacker.unread(attacker.head('PATCH', element, announced));
            attacker.unread(attacker.head('POST', `${path}/bulk`, chunked));
            attacker.unread(attacker.head('POST', `${path}/bulk`, packed));
        });
        await attacker.hold(2 + round);
    }
}

/** Bodies that never end: each too small to matter, together enough to fill the memory. */
async function stalledBodies(attacker: Attacker): Promise<void> {
    const { account: { headers }, element } = await withElement(attacker);
    const length = 255 * 1024;
    const most = Buffer.from(`${attacker.head('PATCH', element, { ...headers, 'content-type': 'application/json', 'content-length': length })}{"attributes":{"text":"${'x'.repeat(length - 100)}`);
    await attacker.times(900, 50, async () => {
        attacker.unread(most);
        await attacker.hold(0.05);
    });
    await attacker.hold(6);
}

/** The same without a token, where at most 64 KiB are accepted. */
async function namelessBodies(attacker: Attacker): Promise<void> {
    const most = Buffer.from(`${attacker.head('POST', '/tokens', { 'content-type': 'application/json', 'content-length': 64_000 })}{"username":"${'x'.repeat(63_000)}`);
    await attacker.times(3000, 100, async () => {
        attacker.unread(most);
        await attacker.hold(0.05);
    });
    await attacker.hold(4);
}

/** Bodies in chunks of one byte. */
async function tinyChunks(attacker: Attacker): Promise<void> {
    const { account: { headers }, element } = await withElement(attacker);
    const head = attacker.head('PATCH', element, { ...headers, 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    const body = JSON.stringify({ attributes: { text: 'x'.repeat(200_000) } });
    const request = Buffer.from(`${head}${[...body].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`);
    await attacker.times(40, 8, async () => {
        const socket = attacker.connect().resume();
        socket.write(request);
        await attacker.hold(0.5);
        socket.destroy();
    });
}

/** Bodies that are far larger after decompression: within the limit, and a hundred times beyond it. */
async function gzipBombs(attacker: Attacker): Promise<void> {
    const { account, element } = await withElement(attacker);
    const { headers, path } = account;
    const within = zipped({ attributes: { text: 'x'.repeat(2 * MIB - 100) }, styles: { text: 'x'.repeat(2 * MIB - 100) } });
    const blanks = gzipSync(`{"attributes":${' '.repeat(9 * MIB)}{}}`);
    const beyond = gzipSync(Buffer.alloc(1000 * MIB, ' '));
    const twice = gzipSync(beyond);
    await attacker.times(160, 8, (n) => {
        const body = [within, blanks, beyond, twice][n % 4];
        return attacker.call({ method: n % 8 < 4 ? 'PATCH' : 'POST', path: n % 8 < 4 ? element : `${path}/bulk`, headers, body, encoding: n % 16 < 8 ? 'gzip' : 'deflate' });
    });
}

/** Text that gzip compresses, because its window has 32 KiB, and PostgreSQL does not, because its window has 4 KiB: the worst case for stored bytes. */
async function packedStorage(attacker: Attacker): Promise<void> {
    const { account: { headers }, element } = await withElement(attacker);
    const block = numbers(5000).map(() => String.fromCharCode(attacker.dice.between(35, 91))).join('');
    const text = block.repeat(Math.floor((2 * MIB - 100) / block.length)).replaceAll('\\', '/');
    const body = zipped({ attributes: { text }, styles: { text } });
    await attacker.times(50, 2, () => attacker.call({ method: 'PATCH', path: element, headers, body, encoding: 'gzip' }));
}

export const bodies: readonly Attack[] = [
    { name: 'headers-only', title: '126 connections with the headers of large saves and nothing else', run: headersOnly, seconds: 12 },
    { name: 'stalled-bodies', short: true, title: '900 bodies of 255 KiB that never end', run: stalledBodies, seconds: 14 },
    // Node.js handles all that has arrived before anything else: 60 to 160 ms were seen, with other programs beside it.
    { name: 'nameless-bodies', title: '3,000 bodies of 63 KiB without a token that never end', run: namelessBodies, seconds: 10, bounds: { stall: 250 } },
    { name: 'tiny-chunks', title: '40 bodies of 200,000 chunks of one byte', run: tinyChunks, seconds: 10, bounds: { stall: 250 } },
    { name: 'gzip-bombs', short: true, title: '160 bodies that inflate to 4 MiB, 9 MiB or 1,000 MiB', run: gzipBombs, seconds: 15, bounds: { stored: 30 } },
    // At best gzip needs two bytes for 258 bytes of text that is not all one letter: 5 KB to 15 KB for 2 MiB.
    { name: 'packed-storage', title: '50 saves of 4 MiB that gzip compresses and PostgreSQL does not', run: packedStorage, seconds: 15, bounds: { stored: 400 } }
];
