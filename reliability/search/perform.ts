import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { MIB } from '../attacks/attacker';
import type { Account, Attacker, Call } from '../attacks/attacker';
import type { Sequence, Step, Value } from './sequence';

const repeated = (count: number, text: (n: number) => string): string => Array.from({ length: count }, (_, n) => text(n)).join(',');

/** Creates the JSON object that a content describes. */
function objectOf({ shape, bytes }: Value): object {
    switch (shape) {
        case 'keys':
            return JSON.parse(`{${repeated(Math.ceil(bytes / 12), (n) => `"k${n}":0`)}}`);
        case 'objects':
            return JSON.parse(`{"a":[${repeated(Math.ceil(bytes / 3), () => '{}')}]}`);
        case 'numbers':
            return JSON.parse(`{"a":[${repeated(Math.ceil(bytes / 3), (n) => String(n % 100))}]}`);
        case 'random':
            return { text: randomBytes(Math.ceil(bytes * 3 / 4)).toString('base64') };
        default:
            return { text: 'x'.repeat(bytes) };
    }
}

interface Known {
    id: string;
    path: string;
}

let serial = 0;

/** What one account has created so far, and its next requests. */
class Author {
    readonly #attacker: Attacker;
    readonly #account: Account;
    readonly #known: Record<Step['thing'], Known[]> = { project: [], page: [], element: [] };

    constructor(attacker: Attacker, account: Account) {
        this.#attacker = attacker;
        this.#account = account;
    }

    /** Begins with one project with a page and an element. */
    async begin(): Promise<void> {
        const { id, path, page, pageId } = await this.#attacker.project(this.#account);
        this.#known.project.push({ id, path });
        this.#known.page.push({ id: pageId, path: page });
        const { json } = await this.#attacker.call({ method: 'POST', path: `${page}/elements`, headers: this.#account.headers, body: { type: 'text' } });
        this.#learn(json, page);
    }

    async perform(step: Step): Promise<void> {
        await this.#attacker.times(step.times, step.atOnce, async (n) => {
            const call = this.#callOf(step, n);
            if (call === undefined) {
                return;
            }

            const bytes = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
            const headers = { ...this.#account.headers, ...step.key && call.method === 'POST' && { 'idempotency-key': `search-${process.pid}-${++serial}-key` } };
            const encoded = { ...call, headers, body: bytes && step.gzip ? gzipSync(bytes) : bytes, ...bytes && step.gzip && { encoding: 'gzip' } };
            if (step.unread) {
                this.#attacker.unread(this.#attacker.whole(call.method ?? 'GET', call.path, encoded));
                return;
            }

            const { json } = await this.#attacker.call({ ...encoded, read: 4 * MIB });
            this.#learn(json, call.path.replace(/\/elements$/, ''));
        });
    }

    #pick(thing: Step['thing'], which: number): Known | undefined {
        const known = this.#known[thing];
        return known[which % Math.max(1, known.length)];
    }

    /** The n-th request of a step; undefined if there is nothing that it could read or change. */
    #callOf(step: Step, n: number): Call | undefined {
        const { kind, thing, which } = step;
        const bulk = `${this.#account.path}/bulk`;
        const [project, page, one] = [this.#pick('project', which), this.#pick('page', which), this.#pick(thing, which)];
        const place = { x: ++serial, y: n };
        if (kind === 'read') {
            return this.#readOf(step);
        }

        if (project === undefined || page === undefined || one === undefined) {
            return undefined;
        }

        // Their contents would be made for nothing.
        if (kind === 'remove') {
            this.#known[thing] = this.#known[thing].filter((other) => other !== one);
            return { method: 'DELETE', path: one.path };
        }

        if (kind === 'remix') {
            return { method: 'POST', path: `${project.path}/remixes`, body: {} };
        }

        const content = thing === 'project' ? {} : this.#contentOf(step, page);
        const created = { project: { title: 'A project' }, page: { ...place, ...content }, element: { type: step.link ? 'link' : 'text', ...content } };
        const paths = { project: `${this.#account.path}/projects`, page: `${project.path}/pages`, element: `${page.path}/elements` };
        const changes = { project: { title: `title ${serial}` }, page: content, element: content };
        switch (kind) {
            case 'create':
                return { method: 'POST', path: paths[thing], body: created[thing] };
            case 'patch':
                return { method: 'PATCH', path: one.path, body: changes[thing] };
            default: {
                const data = (at: number): object => (kind === 'bulk update' ? { id: one.id, ...changes[thing] } : {
                    project: { title: 'A project' }, page: { projectId: project.id, x: serial, y: 1 + at, ...content }, element: { pageId: page.id, ...created.element }
                }[thing]);
                // A body has at most 10 MiB.
                const count = Math.max(1, Math.min(step.actions, Math.floor(9 * MIB / JSON.stringify(data(0)).length)));
                const method = kind === 'bulk update' ? 'update' : 'create';
                return { method: 'POST', path: bulk, body: { actions: Array.from({ length: count }, (_, at) => ({ type: `${thing}s`, method, data: data(at) })) } };
            }
        }
    }

    #contentOf({ thing, link, value }: Step, page: Known | undefined): object {
        const object = objectOf(value);
        return thing === 'page' ? { styles: object } : { attributes: link && page !== undefined ? { targetPageId: page.id, ...object } : object };
    }

    #readOf({ read, which, link }: Step): Call | undefined {
        const of = (thing: Step['thing'], rest = ''): string => `${this.#pick(thing, which)?.path ?? '/nothing'}${rest}`;
        const path = {
            project: of('project'), page: of('page'), pages: of('project', '/pages'), elements: of('page', '/elements'), element: of('element'),
            list: `${this.#account.path}/projects?count=100`, remixes: of('project', '/remixes')
        }[read];
        return path.startsWith('/nothing') ? undefined : { method: link ? 'HEAD' : 'GET', path };
    }

    /** Remembers what a response says was created. */
    #learn(json: unknown, path: string): void {
        const { status, project, page, element }: { status?: string; project?: { id: string }; page?: { id: string }; element?: { id: string } } = Object(json);
        if (status !== 'created' && status !== 'remixed') {
            return;
        }

        const projectPath = project === undefined ? path.replace(/\/pages$/, '') : `${this.#account.path}/projects/${project.id}`;
        if (project !== undefined) {
            this.#known.project.push({ id: project.id, path: projectPath });
        }

        if (page !== undefined) {
            this.#known.page.push({ id: page.id, path: `${projectPath}/pages/${page.id}` });
        }

        if (element !== undefined) {
            this.#known.element.push({ id: element.id, path: `${path}/elements/${element.id}` });
        }
    }
}

/** Opens an account with a first project. */
export async function newAuthor(attacker: Attacker): Promise<Author> {
    const author = new Author(attacker, await attacker.open());
    await author.begin();
    return author;
}

/** Sends a whole sequence, until the attacker's time is up. */
export async function perform(attacker: Attacker, author: Author, sequence: Sequence): Promise<void> {
    for (const step of sequence) {
        if (!attacker.over) {
            await author.perform(step);
        }
    }
}
