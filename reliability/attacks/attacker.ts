import { Agent, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { Dice } from '../../test/support/dice';
import { textAt } from '../../seeds/calls';
import type { Tally } from './tally';

/** An account with its path and headers. */
export interface Account {
    id: string;
    username: string;
    /** /users/{user} */
    path: string;
    headers: Readonly<Record<string, string>>;
}

/** The paths and ids of a project and its first page. */
export interface Project {
    path: string;
    id: string;
    page: string;
    pageId: string;
}

export interface Call {
    method?: string;
    path: string;
    headers?: Readonly<Record<string, string>>;
    /** anything but a Buffer is sent as JSON */
    body?: unknown;
    /** the Content-Encoding of a body that is already encoded */
    encoding?: string;
    /** the most bytes of the response that are kept for parsing; 1 MiB if left out */
    read?: number;
    /** the Content-Type of a body that is no JSON */
    type?: string;
}

export interface Answer {
    status: number;
    /** of an error */
    code: string;
    headers: IncomingHttpHeaders;
    /** milliseconds until its end */
    ms: number;
    /** the parsed body; undefined if it is too large to be kept */
    json: unknown;
}

export const MIB = 1024 * 1024;
export const PASSWORD = 'correct horse battery';
/** Milliseconds to wait for a response. */
const PATIENCE = 60_000;

let accounts = 0;

/** Sends requests from one address, and counts their bytes and the responses. */
export class Attacker {
    readonly dice: Dice;
    readonly port: number;
    readonly #address: string;
    #end: number;
    readonly #agent: Agent;
    readonly #sockets: Socket[] = [];
    readonly #answers = new Map<string, number>();
    readonly #achieved: string[] = [];
    /** bytes sent before the attack began */
    #before = 0;

    /**
     * @param url of the service
     * @param address that it connects from, such as 127.0.0.66
     * @param seconds until it must stop
     */
    constructor(url: string, { seed, address, seconds }: { seed: number; address: string; seconds: number }) {
        this.port = Number(new URL(url).port);
        this.dice = new Dice(seed);
        this.#address = address;
        this.#end = performance.now() + seconds * 1000;
        this.#agent = new Agent({ keepAlive: true, maxSockets: 256 });
        Object.assign(this.#agent, { createConnection: () => this.connect() });
    }

    /** Whether its time is up. */
    get over(): boolean {
        return performance.now() > this.#end;
    }

    get tally(): Omit<Tally, 'failure'> {
        return { sent: this.#written - this.#before, answers: Object.fromEntries(this.#answers), achieved: this.#achieved };
    }

    get #written(): number {
        return this.#sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    }

    /** Begins to count: what was sent before prepared the attack. */
    begin(seconds: number): void {
        this.#before = this.#written;
        this.#answers.clear();
        this.#end = performance.now() + seconds * 1000;
    }

    /** Opens a connection for incomplete requests, or for responses that are not read. */
    connect(): Socket {
        const socket = connect({ port: this.port, host: '127.0.0.1', localAddress: this.#address, noDelay: true });
        socket.on('error', () => undefined);
        this.#sockets.push(socket);
        return socket;
    }

    /** Sends bytes over a new connection, and reads nothing of the response. */
    unread(bytes: Buffer | string): Socket {
        const socket = this.connect().pause();
        socket.write(bytes);
        return socket;
    }

    /** The bytes of the head of a request. */
    head(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string {
        return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    }

    /** The bytes of a complete request. */
    whole(method: string, path: string, { headers = {}, body, encoding, type }: Omit<Call, 'method' | 'path'> = {}): Buffer {
        const bytes = bytesOf(body);
        return Buffer.concat([Buffer.from(this.head(method, path, { ...headersOf(bytes, encoding, type), ...headers }), 'latin1'), bytes ?? Buffer.alloc(0)]);
    }

    /** Sends a request and reads the response. The status is 0 if there is none. */
    async call({ method = 'GET', path, headers = {}, body, encoding, type, read = MIB }: Call): Promise<Answer> {
        const bytes = bytesOf(body);
        const answer = await new Promise<Answer>((resolve) => {
            const began = performance.now();
            const broken = (): void => resolve({ status: 0, code: 'broken', headers: {}, ms: performance.now() - began, json: undefined });
            const options = { method, host: '127.0.0.1', port: this.port, path, agent: this.#agent, headers: { ...headersOf(bytes, encoding, type), ...headers } };
            const sent = httpRequest(options, (response) => {
                const parts: Buffer[] = [];
                let length = 0;
                response.on('data', (part: Buffer) => {
                    length += part.length;
                    if (length <= read) {
                        parts.push(part);
                    }
                });
                response.on('error', broken);
                response.on('end', () => {
                    const json = length <= read ? parsed(Buffer.concat(parts)) : undefined;
                    const status = Number(response.statusCode);
                    const { code }: { code?: unknown } = Object(json);
                    resolve({ status, code: status >= 400 && typeof code === 'string' ? code : '', headers: response.headers, ms: performance.now() - began, json });
                });
            });
            sent.setTimeout(PATIENCE, () => sent.destroy());
            sent.on('error', broken);
            sent.end(bytes);
        });
        this.count(`${answer.status} ${answer.code}`.trim());
        return answer;
    }

    /** Sends a request whose client leaves after some milliseconds, whatever it has received by then. */
    async abandon(call: Call, after = 100): Promise<void> {
        const socket = this.connect().resume();
        socket.write(this.whole(call.method ?? 'GET', call.path, call));
        await sleep(after);
        socket.resetAndDestroy();
        this.count('abandoned');
    }

    /** Notes that the attack has achieved something that no measurement shows. */
    achieve(what: string): void {
        this.#achieved.push(what);
    }

    count(answer: string): void {
        this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + 1);
    }

    /** Opens an account. @throws Error if that is rejected */
    async open(headers: Readonly<Record<string, string>> = {}, username = `attacker-${process.pid}-${++accounts}`): Promise<Account> {
        const { json } = await this.call({ method: 'POST', path: '/users', headers, body: { username, password: PASSWORD } });
        return accountOf(json, headers, username);
    }

    /** Signs in to an account that an earlier attacker has opened; undefined if there is none. */
    async signIn(username: string): Promise<Account | undefined> {
        const { status, json } = await this.call({ method: 'POST', path: '/tokens', body: { username, password: PASSWORD } });
        return status === 201 || status === 200 ? accountOf(json, {}, username) : undefined;
    }

    /** Creates a project. @throws Error if that is rejected */
    async project({ path, headers }: Account): Promise<Project> {
        const { json } = await this.call({ method: 'POST', path: `${path}/projects`, headers, body: { title: 'A project' } });
        const [id, pageId] = [textAt(json, 'project.id'), textAt(json, 'page.id')];
        return { id, pageId, path: `${path}/projects/${id}`, page: `${path}/projects/${id}/pages/${pageId}` };
    }

    /** Does something a number of times, several at once, until the time is up. */
    async times(count: number, atOnce: number, work: (n: number) => Promise<unknown>): Promise<void> {
        let next = 0;
        await Promise.all(Array.from({ length: Math.min(count, atOnce) }, async () => {
            while (next < count && !this.over) {
                await work(next++);
            }
        }));
    }

    /** Waits, at most until the time is up. */
    async hold(seconds: number): Promise<void> {
        await sleep(Math.max(0, Math.min(seconds * 1000, this.#end - performance.now())));
    }

    close(): void {
        this.#agent.destroy();
        this.#sockets.forEach((socket) => socket.destroy());
    }
}

const accountOf = (json: unknown, headers: Readonly<Record<string, string>>, username: string): Account => {
    const id = textAt(json, 'user.id');
    return { id, username, path: `/users/${id}`, headers: { ...headers, authorization: `token ${textAt(json, 'token.access_token')}` } };
};

/** A value as gzipped JSON. */
export const zipped = (value: unknown): Buffer => gzipSync(JSON.stringify(value));

const bytesOf = (body: unknown): Buffer | undefined => (body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));

const headersOf = (bytes: Buffer | undefined, encoding: string | undefined, type = 'application/json'): Record<string, string | number> => (bytes === undefined ? {} : {
    'content-type': type, 'content-length': bytes.length, ...encoding !== undefined && { 'content-encoding': encoding }
});

function parsed(bytes: Buffer): unknown {
    try {
        return JSON.parse(bytes.toString());
    }
    catch {
        return undefined;
    }
}
