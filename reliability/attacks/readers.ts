import { randomBytes } from 'node:crypto';

import { MIB, zipped } from './attacker';
import type { Account, Attacker } from './attacker';
import type { Attack } from './attack';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** A page of about this size, in elements of at most 1.5 MiB. */
async function pageOf(attacker: Attacker, account: Account, bytes: number): Promise<string> {
    const { page, pageId } = await attacker.project(account);
    const size = Math.min(bytes, 1.5 * MIB);
    const element = { type: 'elements', method: 'create', data: { pageId, type: 'text', attributes: { text: 'x'.repeat(size) } } };
    const actions = numbers(Math.max(1, Math.round(bytes / size))).map(() => element);
    await attacker.call({ method: 'POST', path: `${account.path}/bulk`, headers: account.headers, body: zipped({ actions }), encoding: 'gzip' });
    return page;
}

/** Requests responses of 8 MiB until they are rejected, then smaller ones to use up the budget, and reads none of them. */
async function slowReaders(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    for (const [size, count] of [[8 * MIB, 60], [2 * MIB, 40], [600 * 1024, 60], [270 * 1024, 100], [200 * 1024, 200]] as const) {
        const page = await pageOf(attacker, account, size);
        numbers(count).forEach(() => void attacker.unread(attacker.head('GET', page, account.headers)));
        await attacker.hold(1.5);
    }

    await attacker.hold(3);
}

/** The same without a token, since reading is public. */
async function namelessReaders(attacker: Attacker): Promise<void> {
    const page = await pageOf(attacker, await attacker.open(), 8 * MIB);
    for (let round = 0; round < 4; ++round) {
        numbers(50).forEach(() => void attacker.unread(attacker.head('GET', page)));
        await attacker.hold(1.5);
    }
}

/** Reads a few bytes now and then, so that no connection counts as stalled. */
async function tricklingReaders(attacker: Attacker): Promise<void> {
    const page = await pageOf(attacker, await attacker.open(), 8 * MIB);
    const sockets = numbers(60).map(() => attacker.unread(attacker.head('GET', page)));
    while (!attacker.over) {
        await attacker.hold(0.2);
        sockets.forEach((socket) => void socket.read(100));
    }
}

/** Writes whose responses are not read: they cannot be rejected once they are done. */
async function unreadWrites(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const page = await pageOf(attacker, account, 9 * MIB);
    for (let round = 0; round < 5; ++round) {
        numbers(30).forEach((n) => void attacker.unread(attacker.whole('PATCH', page, { headers: account.headers, body: { y: 1 + n + 30 * round } })));
        await attacker.hold(2);
    }
}

/** Hundreds of requests in one connection, without reading the responses. */
async function pipelined(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const page = await pageOf(attacker, account, 8 * MIB);
    const gets = (path: string, count: number): string => attacker.head('GET', path).repeat(count);
    numbers(5).forEach(() => void attacker.unread(gets(page, 200)));
    numbers(5).forEach(() => void attacker.unread(gets('/projects', 1000)));
    const patch = attacker.whole('PATCH', page, { headers: account.headers, body: { x: 5 } });
    attacker.unread(Buffer.concat(numbers(200).map(() => patch)));
    await attacker.hold(8);
}

/** Breaks connections in the middle of requests and responses. */
async function cut(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const page = await pageOf(attacker, account, 8 * MIB);
    const save = attacker.whole('PATCH', page, { headers: account.headers, body: { styles: { text: randomBytes(700 * 1024).toString('base64') } } });
    const get = Buffer.from(attacker.head('GET', page), 'latin1');
    await attacker.times(300, 20, async (n) => {
        const bytes = n % 3 === 0 ? get : save;
        const socket = attacker.unread(bytes.subarray(0, attacker.dice.between(20, bytes.length)));
        await attacker.hold(attacker.dice.next() / 5);
        socket.resetAndDestroy();
    });
}

export const readers: readonly Attack[] = [
    { name: 'slow-readers', short: true, title: '460 responses of 8 MiB down to 200 KiB that an account does not read', run: slowReaders, seconds: 16 },
    { name: 'nameless-readers', title: '200 responses of 8 MiB that a client without a token does not read', run: namelessReaders, seconds: 10 },
    { name: 'trickling-readers', title: '60 responses of 8 MiB, read 100 bytes at a time with pauses', run: tricklingReaders, seconds: 8 },
    { name: 'unread-writes', title: '150 PATCHes with responses of 9 MiB that nobody reads', run: unreadWrites, seconds: 14 },
    { name: 'pipelined', title: '6,200 requests in 11 connections, whose responses nobody reads', run: pipelined, seconds: 10 },
    { name: 'cut', title: '300 connections that end in the middle of a request or a response', run: cut, seconds: 12 }
];
