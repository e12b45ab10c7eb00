import { isDeepStrictEqual } from 'node:util';

import { must, openAccount } from './author';
import type { Account, Author } from './author';
import type { Dice } from '../../test/support/dice';
import { Follower } from './follower';
import { Mirror } from './mirror';
import type { Sender, Told } from './sender';

/** Points that are kept for the check, of all projects together. */
const MOST = 300;

/** Things of one kind that the project of the writers may have. */
const MAX_THINGS = 12;

interface PageShown {
    id: string;
    elements: { id: string }[];
}

/** A project as it read at a revision. */
interface Point {
    path: string;
    token: string;
    revision: number;
    contents: object;
    /** when it had been read, by `performance.now()` */
    at: number;
}

/**
 * A project that several clients write to at once, also by undo and restore; what this and other projects were at some revisions, as they read
 * right then; and a client that follows the project by its event stream.
 */
export class Histories {
    readonly path: string;
    /** by path and revision */
    readonly points = new Map<string, Point>();
    readonly follower: Follower;
    readonly #account: Account;
    readonly #load: Sender;
    readonly #authors: readonly Author[];

    private constructor(load: Sender, authors: readonly Author[], account: Account, path: string, revision: number, dice: Dice) {
        this.#load = load;
        this.#authors = authors;
        this.#account = account;
        this.path = path;
        this.follower = new Follower(load, path, revision, dice);
    }

    static async open(load: Sender, authors: readonly Author[], dice: Dice): Promise<Histories> {
        const account = await openAccount(load, dice);
        const mark = load.journal.mark('history');
        const { body: { project } } = await must(load, 'history', {
            method: 'POST', path: `/users/${account.id}/projects`, body: { title: mark, description: mark }, token: account.token, key: `key-of-${mark}`
        }, dice);
        load.journal.made('project', mark, 1, true);
        return new Histories(load, authors, account, `/users/${account.id}/projects/${project.id}`, project.revision, dice.split());
    }

    /** A client that writes, and reads what it or another one has written. */
    writer(dice: Dice): { step(): Promise<void> } {
        const step = async (): Promise<void> => {
            await this.#write(dice);
            await this.#observe(dice);
        };

        return { step };
    }

    /** Reads a project in one statement and remembers what it is. */
    async #observe(dice: Dice): Promise<void> {
        const authors = this.#authors.flatMap((author) => [...author.projects.values()].map((project) => ({ path: author.pathOf(project), token: author.token })));
        const { path, token } = (dice.chance(0.5) ? undefined : dice.pick(authors)) ?? { path: this.path, token: this.#account.token };
        const copy = new Mirror(this.#load, path);
        if (!await copy.update(dice)) {
            return;
        }

        const { revision } = copy;
        const name = `${path} ${revision}`;
        const contents = copy.contents();
        const known = this.points.get(name);
        if (known !== undefined && !isDeepStrictEqual(known.contents, contents)) {
            this.#load.journal.find(`${path} was read twice at revision ${revision}, and differed`);
        }

        this.points.set(name, { path, token, revision, contents, at: performance.now() });
        if (this.points.size > MOST) {
            this.points.delete(dice.pick([...this.points.keys()]) ?? '');
        }
    }

    /**
     * Forgets what was read since then, by `performance.now()`. When its postmaster dies, a PostgreSQL stops waiting for its standby, and for an
     * instant its other processes show writes that are on no other machine. Nobody was told that these succeeded.
     */
    forgetSince(at: number): void {
        for (const [name, point] of this.points) {
            if (point.at >= at) {
                this.points.delete(name);
            }
        }

        this.follower.beginAgain();
    }

    /** One random write. Others may write to the same thing, so many outcomes are right; what counts is what the history says of it. */
    async #write(dice: Dice): Promise<void> {
        const { body } = await this.#load.read(`${this.path}/pages`, dice);
        const pages: PageShown[] = body.pages;
        const page = dice.pick(pages);
        const element = dice.pick(page?.elements ?? []);
        const pageUrl = `${this.path}/pages/${page?.id}`;
        const elementUrl = `${pageUrl}/elements/${element?.id}`;
        const object = (): object => ({ [`k${dice.below(4)}`]: dice.below(5), text: `ñ${dice.below(9)}` });
        const place = (): object => ({ x: dice.below(40), y: dice.below(40) });
        const own = [...this.points.values()].filter(({ path }) => path === this.path);
        const point = `${this.path}/history/${dice.pick(own)?.revision}`;
        const room = (page?.elements.length ?? 0) < MAX_THINGS;
        const calls: [string, string, object?][] = [
            ['PATCH', this.path, { title: `T${dice.below(99)}` }],
            ...pages.length < MAX_THINGS ? [['POST', `${this.path}/pages`, { ...place(), styles: object() }] as [string, string, object]] : [],
            ...page === undefined ? [] : [
                ['PATCH', pageUrl, dice.chance(0.5) ? place() : { styles: object() }] as [string, string, object],
                ...room ? [['POST', `${pageUrl}/elements`, { type: 'text', attributes: object() }] as [string, string, object]] : [],
                ['POST', `/users/${this.#account.id}/bulk`, { actions: bulkOf(page, dice, object, room) }] as [string, string, object],
                ...dice.chance(0.2) ? [['DELETE', pageUrl] as [string, string]] : []
            ],
            ...element === undefined ? [] : [
                ['PATCH', elementUrl, { attributes: object() }] as [string, string, object],
                ['PATCH', elementUrl, { styles: object() }] as [string, string, object],
                ['DELETE', elementUrl] as [string, string]
            ],
            // They take no key, so they cannot be repeated.
            ...own.length === 0 || this.#load.keyed === 1 ? [] : [
                ['POST', `${point}/restore`, {}] as [string, string, object],
                ['POST', `${point}/undo`, {}] as [string, string, object]
            ]
        ];
        const [method, path, sent] = dice.pick(calls) ?? ['PATCH', this.path, { title: 'T' }];
        await this.#send(method, path, sent, dice);
    }

    async #send(method: string, path: string, body: object | undefined, dice: Dice): Promise<void> {
        const { journal } = this.#load;
        const kind = /(undo|restore)$/.exec(path)?.[0];
        const key = method === 'POST' && kind === undefined ? `key-of-${journal.mark('history')}` : undefined;
        const told = await this.#load.write(kind ?? 'history', { method, path, body, token: this.#account.token, key }, dice);
        // Somebody else has removed it, or changed it; a bulk says so with 400 or 404.
        if (told !== null && told.status >= 300 && ![400, 404, 409].includes(told.status)) {
            journal.find(`${method} ${path} got ${told.status}: ${JSON.stringify(told.body).slice(0, 300)}`);
        }
    }

    /** While nobody writes: every point reads as it read then, the changes are a chain without a gap, and a mirror and the stream have missed nothing. */
    async check(dice: Dice): Promise<string[]> {
        const found: string[] = [];
        const chains = new Map<string, Set<number> | string>();
        for (const [name, { path, token, revision, contents }] of this.points) {
            const chain = chains.get(path) ?? await this.#chainOf(path, token, dice);
            chains.set(path, chain);
            if (chain === 'deleted') {
                this.points.delete(name);
                continue;
            }

            const { status, body } = await this.#read(`${path}/history/${revision}`, token, dice);
            const shown = { revision: body.revision, project: body.project, pages: body.pages };
            if (typeof chain === 'string') {
                found.push(chain);
            }
            else if (!chain.has(revision)) {
                found.push(`${path}: it was read at revision ${revision}, which no change leads to`);
            }

            if (status !== 200 || !isDeepStrictEqual(shown, contents)) {
                found.push(`${path}: revision ${revision} was ${JSON.stringify(contents).slice(0, 600)}, and is answered ${status} ${JSON.stringify(shown).slice(0, 600)}`);
            }
        }

        return [...await this.follower.check(dice), ...new Set(found)];
    }

    /** The points of a project from the present back to 0, or what is wrong with them. */
    async #chainOf(path: string, token: string, dice: Dice): Promise<Set<number> | string> {
        const { status, body: { project } } = await this.#load.read(path, dice);
        if (status === 404) {
            return 'deleted';
        }

        const points = new Set<number>();
        let [revision, after]: [number, string | null] = [project.revision, ''];
        while (after !== null) {
            const { body } = await this.#read(`${path}/history?count=100${after}`, token, dice);
            for (const change of body.changes) {
                if (change.revision !== revision) {
                    return `${path}: after the change from ${revision} on comes one to ${change.revision}`;
                }

                points.add(revision);
                revision = change.from;
            }

            after = body.next && `&after=${body.next}`;
        }

        return revision === 0 ? points : `${path}: its first change is from ${revision} on`;
    }

    async #read(path: string, token: string, dice: Dice): Promise<Told> {
        const told = await this.#load.write('read', { method: 'GET', path, token }, dice);
        if (told === null) {
            throw new Error('A GET can always be repeated');
        }

        return told;
    }
}

/** Actions on a page and its first elements. */
function bulkOf({ id, elements }: PageShown, dice: Dice, object: () => object, room: boolean): object[] {
    return [
        { type: 'pages', method: 'update', data: { id, styles: object() } },
        ...room ? [{ type: 'elements', method: 'create', data: { pageId: id, type: 'text', attributes: object() } }] : [],
        ...elements.slice(0, 3).map((element) => (dice.chance(0.2) ? { type: 'elements', method: 'remove', data: { id: element.id } }
            : { type: 'elements', method: 'update', data: { id: element.id, attributes: object() } }))
    ];
}
