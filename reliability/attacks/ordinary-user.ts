import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { median } from '../../bench/measure/figures';
import { textAt } from '../../seeds/calls';

const PASSWORD = 'correct horse battery';
/** Milliseconds between two requests: with six writes in twelve requests, far below the limit of 600 a minute. */
const PAUSE = 80;
/** Milliseconds after which a request counts as one without a response. */
const PATIENCE = 10_000;
const SAVE = 300 * 1024;
/** Milliseconds that a request may take without an attack: what is faster is measured by this. */
const LEAST = 20;

let serial = 0;

type Step = readonly [name: string, method: string, path: string, body?: object];

/** A user at another address who reads and saves, one request after the other, during the attack. */
export class OrdinaryUser {
    /** bytes of the bodies sent */
    sent = 0;
    requests = 0;
    slowest = 0;
    /** the slowest request */
    slowestStep = '';
    /** how many times longer each request took than that of the same step without an attack */
    readonly ratios: number[] = [];
    /** unexpected responses */
    readonly failures: string[] = [];
    readonly #url: string;
    readonly #name: string;
    /** the last number of the addresses that the user comes from: one for each user, as an address has its limit of sign-ins too */
    readonly #place = ++serial % 250 + 1;
    readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
    #token = '';
    #steps: readonly Step[] = [];
    /** milliseconds of each step without an attack */
    readonly #quiet = new Map<string, number[]>();
    #next = 0;
    #running: Promise<void> | undefined;
    #stopped = false;

    private constructor(url: string) {
        this.#url = url;
        this.#name = `user-${process.pid}-${serial}`;
    }

    /** Opens an account and creates a project. @throws Error if that fails */
    static async open(url: string): Promise<OrdinaryUser> {
        const user = new OrdinaryUser(url);
        const account = await user.#call('POST', '/users', { username: user.#name, password: PASSWORD });
        user.#token = textAt(account.json, 'token.access_token');
        const author = `/users/${textAt(account.json, 'user.id')}`;
        const made = await user.#call('POST', `${author}/projects`, { title: 'An ordinary project', description: 'of #somebody' });
        const project = `${author}/projects/${textAt(made.json, 'project.id')}`;
        const page = `${project}/pages/${textAt(made.json, 'page.id')}`;
        const [one, two] = [await user.#element(page), await user.#element(page)];
        const save = { attributes: { src: `data:image/png;base64,${randomBytes(SAVE * 3 / 4).toString('base64')}` } };
        const actions = Array.from({ length: 5 }, (_, n) => ({ type: 'elements', method: 'update', data: { id: one, attributes: { text: `words ${n}` } } }));
        const shown = `/p/${textAt(made.json, 'project.id')}`;
        user.#steps = [
            ['open its page of the site', 'GET', shown], ['read a page', 'GET', page], ['save an element', 'PATCH', `${page}/elements/${one}`, { attributes: { text: 'some words' } }],
            ['read all pages', 'GET', `${project}/pages`], ['save 300 KiB', 'PATCH', `${page}/elements/${two}`, save],
            ['open the gallery', 'GET', '/'],
            ['read 300 KiB', 'GET', `${page}/elements/${two}`], ['save by bulk', 'POST', `${author}/bulk`, { actions }],
            ['read the newest projects', 'GET', '/projects'], ['save a title', 'PATCH', project, { title: 'An ordinary project' }],
            ['sign in', 'POST', '/tokens', { username: user.#name, password: PASSWORD }], ['ask for /health', 'GET', '/health']
        ];
        user.#forget();
        return user;
    }

    /** Does a number of rounds of all steps, by which those during an attack are measured. */
    async rounds(count: number): Promise<void> {
        for (let left = count * this.#steps.length; left > 0; --left) {
            await this.#step((name, ms) => void this.#quiet.set(name, [...this.#quiet.get(name) ?? [], ms]));
        }
    }

    /** Repeats the steps until `stop`. */
    start(): void {
        this.#forget();
        this.#stopped = false;
        this.#running = (async () => {
            while (!this.#stopped) {
                await this.#step((name, ms) => void this.ratios.push(ms / Math.max(LEAST, median(this.#quiet.get(name) ?? []))));
            }
        })();
    }

    /** Stops after the current request. */
    async pause(): Promise<void> {
        this.#stopped = true;
        await this.#running;
    }

    /** Stops after the current request and one more round. */
    async stop(): Promise<void> {
        await this.pause();
        await this.rounds(1);
        this.#agent.destroy();
    }

    #forget(): void {
        [this.requests, this.slowest, this.sent, this.slowestStep] = [0, 0, 0, ''];
        this.failures.splice(0);
        this.ratios.splice(0);
    }

    async #element(page: string): Promise<string> {
        const { json } = await this.#call('POST', `${page}/elements`, { type: 'text' });
        return textAt(json, 'element.id');
    }

    async #step(note: (name: string, ms: number) => void): Promise<void> {
        const [name, method, path, body] = this.#steps[this.#next % this.#steps.length] ?? ['', 'GET', '/health'];
        // Sign-ins are limited to twenty in a quarter of an hour.
        if (name !== 'sign in' || this.#next < 15 * this.#steps.length) {
            const { status, ms, json } = await this.#call(method, path, body);
            this.requests++;
            note(name, ms);
            [this.slowest, this.slowestStep] = ms > this.slowest ? [ms, name] : [this.slowest, this.slowestStep];
            if (status < 200 || status > 299) {
                const { code }: { code?: unknown } = Object(json);
                this.failures.push(`${name}: ${status === 0 ? 'no answer' : `${status} ${String(code)}`}`);
            }
        }

        this.#next++;
        await sleep(PAUSE);
    }

    #call(method: string, path: string, body?: object): Promise<{ status: number; ms: number; json: unknown }> {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const began = performance.now();
        const headers = {
            'x-forwarded-for': `198.51.100.${this.#place}`, ...this.#token !== '' && { authorization: `token ${this.#token}` },
            ...text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
        };
        this.sent += text?.length ?? 0;
        return new Promise((resolve) => {
            const end = (status: number, json: unknown): void => resolve({ status, ms: performance.now() - began, json });
            // Also measure a new connection.
            const agent = path === '/health' ? false : this.#agent;
            const sent = httpRequest(new URL(path, this.#url), { method, headers, agent, localAddress: `127.0.1.${this.#place}` }, (response) => {
                const parts: Buffer[] = [];
                response.on('data', (part: Buffer) => parts.push(part));
                response.on('error', () => end(0, undefined));
                response.on('end', () => end(Number(response.statusCode), parsed(Buffer.concat(parts))));
            });
            sent.setTimeout(PATIENCE, () => sent.destroy());
            sent.on('error', () => end(0, undefined));
            sent.end(text);
        });
    }
}

function parsed(bytes: Buffer): unknown {
    try {
        return JSON.parse(bytes.toString());
    }
    catch {
        return undefined;
    }
}
