import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { textAt } from '../../seeds/calls';
import { drawing } from '../../test/support/files';
import type { Attack, Run } from './attack';
import { PASSWORD } from './attacker';
import type { Answer, Attacker } from './attacker';
import { upload } from './uploads';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
const from = (address: string): { 'x-forwarded-for': string } => ({ 'x-forwarded-for': address });

/** Another ordinary user's address, beside the one who is there in every attack. */
const OTHER = from('192.0.2.7');

/** A password that is tried in three forms: its letters are composed in another way, and a blank is after it. */
const THREE_FORMS = 'A\u0308 wrong password ';

/** Rows of limits that may be written in a second, whoever asks how often. */
const MAX_WRITTEN = 50;

/** Milliseconds after which PostgreSQL shows what was written. */
const SHOWN = 1500;

/** Views that are refused already: a refusal comes from memory, so that what is written does not grow with them. */
async function refused(attacker: Attacker, db: Knex): Promise<Run> {
    const { id } = await attacker.project(await attacker.open());
    const written = async (): Promise<number> => {
        const { rows } = await db.raw<{ rows: { count: string }[] }>(`select n_tup_ins + n_tup_upd + n_tup_del as count from pg_stat_user_tables where relname = 'rate_limits'`);
        return Number(rows[0]?.count);
    };

    return async () => {
        const [before, began] = [await written(), performance.now()];
        await attacker.times(1e6, 200, () => attacker.call({ method: 'POST', path: `/view-project/${id}` }));
        await sleep(SHOWN);
        const [rows, seconds] = [await written() - before, (performance.now() - began) / 1000];
        if (rows > MAX_WRITTEN * seconds) {
            attacker.achieve(`${rows} rows of rate_limits are written in ${seconds.toFixed(0)} s`);
        }
    };
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** How much of the time of a password that waits for others what costs nothing may take. */
const PART = 1 / 3;

/** Asks for what costs nothing until the time is up, notes what is not answered, and returns how long each took. */
async function free(attacker: Attacker, path: string, etag: string): Promise<number[]> {
    const ways = [{ path, headers: OTHER }, { path, headers: { ...OTHER, 'if-none-match': etag } }, { method: 'HEAD', path, headers: OTHER }];
    const times: number[] = [];
    for (let n = 0; !attacker.over; n++) {
        const { status, ms } = await attacker.call(ways[n % ways.length] ?? { path });
        times.push(ms);
        if (status !== 200 && status !== 304) {
            attacker.achieve(`what costs nothing is answered with ${status} after ${ms.toFixed(0)} ms`);
        }

        await sleep(100);
    }

    return times;
}

/** Wrong passwords from many addresses, or of many accounts at one. */
async function passwords(attacker: Attacker, areAccounts: boolean): Promise<Run> {
    const owner = await attacker.open(OTHER);
    const { id } = await attacker.project(owner);
    const page = { path: `/p/${id}`, headers: OTHER };
    const { headers: { etag } } = await attacker.call(page);
    const accounts = areAccounts ? await Promise.all(numbers(14).map(() => attacker.open())) : [];
    const wrong = (n: number): Promise<Answer> => {
        const { path, headers } = accounts[n] ?? { path: '', headers: from(`203.0.113.${n}`) };
        return areAccounts ? attacker.call({ method: 'PUT', path: `${path}/password`, headers, body: { current_password: THREE_FORMS, password: PASSWORD } }) :
            attacker.call({ method: 'POST', path: '/tokens', headers, body: { username: `nobody-${n}`, password: THREE_FORMS } });
    };

    return async () => {
        const tried: number[] = [];
        const [times] = await Promise.all([free(attacker, page.path, String(etag)), ...numbers(14).map(async (n) => {
            while (!attacker.over) {
                const { status, ms } = await wrong(n);
                if (status === 429) {
                    await sleep(1000);
                }
                else {
                    tried.push(ms);
                }
            }
        })]);
        if (median(times) > PART * median(tried)) {
            attacker.achieve(`what costs nothing waits as passwords do: ${median(times).toFixed(0)} ms, and they ${median(tried).toFixed(0)}`);
        }
    };
}

/** Stories that take too long to read, beside somebody who sends small pictures. */
async function stories(attacker: Attacker): Promise<Run> {
    const accounts = await Promise.all(numbers(4).map(() => attacker.open()));
    const other = await attacker.open(OTHER);
    const story = Buffer.from(`<tw-storydata name="Slow" startnode="1"><tw-passagedata pid="1" name="One">${'<b>'.repeat(300_000)}</tw-passagedata></tw-storydata>`);
    return async () => {
        const small = async (): Promise<void> => {
            for (let n = 0; !attacker.over; n++) {
                const { status, code } = await attacker.call(upload(other, 'image/svg+xml', drawing(`<desc>${process.pid} ${n}</desc>`)));
                if (status >= 500) {
                    attacker.achieve(`a small picture is ${status} ${code}`);
                }
            }
        };

        await Promise.all([small(), ...accounts.map(async ({ path, headers }) => {
            while (!attacker.over) {
                const { status } = await attacker.call({ method: 'POST', path: `${path}/imports`, headers, type: 'text/html', body: story });
                await sleep(status === 503 ? 500 : 0);
            }
        })]);
    };
}

/** Receivers that answer late, beside one that answers at once. */
async function receivers(attacker: Attacker): Promise<Run> {
    const seen = new Map<string, number>();
    const server = createServer((request, response) => {
        void text(request).then((body) => {
            if (request.url === '/good') {
                seen.set(textAt(JSON.parse(body), 'data.project.title'), performance.now());
            }

            setTimeout(() => response.writeHead(200).end(), request.url === '/good' ? 0 : 9000);
        }, () => undefined);
    });
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const watched = async (path: string, count: number): Promise<{ headers: Readonly<Record<string, string>>; path: string }> => {
        const account = await attacker.open();
        for (let n = 0; n < count; n++) {
            await attacker.call({ method: 'POST', path: `${account.path}/webhooks`, headers: account.headers, body: { url: `${url}${path}`, events: ['project.changed'] } });
        }

        return { headers: account.headers, path: (await attacker.project(account)).path };
    };

    const slow: Awaited<ReturnType<typeof watched>>[] = [];
    for (let n = 0; n < 16; n++) {
        slow.push(await watched('/slow', 2));
    }

    const good = await watched('/good', 1);
    const change = (project: typeof good, title: string): Promise<Answer> => attacker.call({ method: 'PATCH', path: project.path, headers: project.headers, body: { title } });
    return async () => {
        for (let n = 0; !attacker.over; n++) {
            await Promise.all(slow.map((project) => change(project, `Title ${n}`)));
            const title = `Good ${n}`;
            const began = performance.now();
            await change(good, title);
            while (!seen.has(title) && performance.now() - began < 20_000) {
                await sleep(50);
            }

            const took = (seen.get(title) ?? Infinity) - began;
            if (took > 5000) {
                attacker.achieve(`another's delivery took ${(took / 1000).toFixed(1)} s`);
            }
        }

        server.close();
        server.closeAllConnections();
    };
}

/** Fills the limits of an address without guessing anything. */
async function lockOut(attacker: Attacker): Promise<Run> {
    const { username } = await attacker.open();
    return async () => {
        await attacker.times(650, 16, () => attacker.call({ method: 'POST', path: '/passkeys/options', body: {} }));
        await attacker.times(650, 16, () => attacker.call({ path: '/oauth/auth?client_id=1' }));
        const { status, code } = await attacker.call({ method: 'POST', path: '/tokens', body: { username, password: PASSWORD } });
        if (status !== 201) {
            attacker.achieve(`somebody else at the address who signs in gets ${status} ${code}`);
        }
    };
}

/** Names of hosts that clients make up: each other port of one's own machine, and two at once. */
async function hosts(attacker: Attacker): Promise<void> {
    await attacker.times(100, 8, async (n) => {
        const { status } = await attacker.call({ path: '/.well-known/openid-configuration', headers: { host: `127.0.0.1:${10_000 + n}` } });
        if (status === 200) {
            attacker.achieve(`an authorization server of its own for port ${10_000 + n}`);
        }
    });
    const socket = connect(attacker.port, '127.0.0.1');
    socket.write('GET /projects HTTP/1.1\r\nHost: one.example\r\nHost: two.example\r\nConnection: close\r\n\r\n');
    const answer = await text(socket);
    if (!answer.startsWith('HTTP/1.1 400')) {
        attacker.achieve('a request with two Host headers is answered');
    }
}

const proxied = { settings: { TRUSTED_PROXIES: '1' } };

export const fairness: readonly Attack[] = [
    { name: 'refused-views', short: true, title: '200 views in flight that are refused already', prepare: refused, seconds: 10, answers: ['429 rate_limited'] },
    { name: 'lock-out', title: '650 questions for options of passkeys and as many for an app, from an address where somebody signs in', prepare: lockOut, seconds: 25, answers: ['429 rate_limited'] },
    { name: 'hosts', title: '100 ports of one\'s own machine as Host, and two Host headers', run: hosts },
    { name: 'slow-receivers', title: '16 accounts with two webhooks each whose receiver answers after 9 s', prepare: receivers, seconds: 30, settings: { WEBHOOKS_TO: '127.0.0.0/8' } },
    { name: 'wrong-passwords', short: true, title: 'a wrong password in three forms from each of 14 addresses, again and again', prepare: (attacker) => passwords(attacker, false), seconds: 12, ...proxied },
    { name: 'wrong-passwords-of-accounts', title: 'the same by 14 accounts at one address', prepare: (attacker) => passwords(attacker, true), seconds: 12, ...proxied },
    { name: 'slow-stories', title: 'stories of four accounts that take too long to read, beside small pictures', prepare: stories, seconds: 25, ...proxied }
];
