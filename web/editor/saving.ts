import { SaveError, indexedDbQueue, mergeWords } from '../../client/src/index.js';
import type { Change, Client, Queue, QueueFailure } from '../../client/src/index.js';
import { fieldOf, isObject } from '../../src/api/json/is-object';
import { connection } from '../offline/copies.js';
import { queueName } from '../offline/device.js';
import { KeptProject } from './kept-project.js';
import { Ids, applied, caughtUp, itemOf, withItem, withUnsent, withoutTwins } from './document.js';
import type { Doc, Fields, Item } from './document.js';

/** An edit that was typed or dragged and is not in the queue yet: the element as it was before, and the fields that are different now. */
interface Draft {
    base: Item;
    /** id of its page */
    pageId: string;
    attributes: Fields;
    styles: Fields;
}

export type SavingState = 'saved' | 'saving' | 'offline' | 'signed-out' | 'failed';

/** Milliseconds without a further edit until a draft is saved, and after which it is saved anyway. */
const PAUSE = 500;
const LONGEST = 2000;

/** Who changed the project, as far as it is known. */
export type Changed = (username: string | undefined) => void;

/** Keeps the project on the screen and the one of the service the same: saves by the client's queue, and takes over what others do. */
export class Saving {
    doc: Doc;
    /** Whether an input method is at work, which a change of its field would break: what others do is shown afterwards. */
    isComposing = false;
    /** Called for each save, with the project before it. */
    onSave: (changes: readonly Change[], before: Doc) => void = () => undefined;
    /** Called when several saves were sent as one. */
    onJoined: () => void = () => undefined;
    /** Resolves when the project has all that waits to be sent, from before the page was loaded. */
    readonly ready: Promise<void>;
    readonly ids = new Ids();
    readonly #client: Client;
    readonly #queue: Queue;
    readonly #drafts = new Map<string, Draft>();
    readonly #listeners = new Set<() => void>();
    readonly #closed = new AbortController();
    readonly #kept: KeptProject;
    #seen: number;
    /** grows with whatever happens in the queue */
    #turn = 0;
    #adding = 0;
    #refreshing: Promise<boolean> | undefined;
    #timer: ReturnType<typeof setTimeout> | undefined;
    #oldest = 0;

    constructor(client: Client, doc: Doc, changed: Changed, gone: () => void) {
        this.#client = client;
        this.doc = doc;
        this.#seen = doc.project.revision;
        this.#queue = client.queue({
            storage: indexedDbQueue(queueName(client.session?.user.id, doc.project.id)),
            ...client.session !== null && { user: client.session.user.id },
            onSaved: ({ ids }, _changes, saves) => {
                ids.forEach((id, temporary) => this.ids.add(temporary, id));
                this.doc = withoutTwins(this.doc, this.ids);
                if (saves > 1) {
                    this.onJoined();
                }
            }
        });
        this.#kept = new KeptProject(client, this.ids, doc, this.#seen);
        this.ready = this.#queue.unsent().then((unsent) => {
            if (unsent.saves.length > 0) {
                this.doc = withUnsent(this.doc, unsent, this.ids);
                this.#kept.show(this.doc);
                this.#notify();
            }
        }, (error: unknown) => console.error(error));
        connection.listeners.add(() => this.#notify());
        this.#queue.subscribe(() => {
            ++this.#turn;
            this.#notify();
            void this.refresh();
        });
        void this.#watch(changed, gone);
    }

    subscribe = (listener: () => void): () => void => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
    };

    #notify(): void {
        this.#listeners.forEach((listener) => listener());
    }

    /** Another tab may be the one that sends: then only the requests of this one show that there is no connection. */
    get state(): SavingState {
        const { state } = this.#queue.status;
        return state === 'idle' ? (this.#adding > 0 || this.#drafts.size > 0 ? 'saving' : 'saved') : state === 'sending' ? (this.isOffline ? 'offline' : 'saving') : state;
    }

    /** saves that wait */
    get waiting(): number {
        return this.#queue.status.waiting;
    }

    /** Whether the service could not be reached last. */
    get isOffline(): boolean {
        return connection.isOffline;
    }

    get failure(): QueueFailure | null {
        return this.#queue.status.failure;
    }

    /** Whether something that was done here is not even in the queue yet. */
    get isBusy(): boolean {
        return this.#adding > 0 || this.#drafts.size > 0;
    }

    /** Whether everything that was done here is with the service. */
    get #isIdle(): boolean {
        return this.#adding === 0 && this.#queue.status.state === 'idle';
    }

    /** Shows changes at once, and saves them, after what was drafted before. */
    edit(changes: readonly Change[]): void {
        this.flush();
        this.#save(changes);
    }

    #save(changes: readonly Change[], before = this.doc): void {
        for (const change of changes) {
            this.doc = applied(this.doc, change, this.ids);
            if (change.method === 'remove' && change.type === 'elements') {
                this.#drafts.delete(this.ids.here('elements', change.base.id));
            }
        }

        this.onSave(changes, before);
        this.#kept.show(this.doc);
        ++this.#adding;
        this.#notify();
        this.#queue.add(changes).finally(() => {
            --this.#adding;
            this.#notify();
            void this.refresh();
        }).catch((error: unknown) => {
            // It could not even be kept, such as with a full disk: leaving asks first.
            ++this.#adding;
            console.error(error);
            this.#notify();
        });
    }

    /** Shows new values of some fields at once, and saves them after a short pause. A field that is undefined is removed. */
    draft(id: string, attributes: Fields, styles: Fields): void {
        const page = this.doc.pages.find(({ elements }) => elements.some((item) => item.id === id));
        const before = itemOf(this.doc, id);
        if (page === undefined || before === undefined) {
            return;
        }

        const draft = this.#drafts.get(id) ?? { base: before, pageId: page.id, attributes: {}, styles: {} };
        this.#drafts.set(id, { ...draft, attributes: { ...draft.attributes, ...attributes }, styles: { ...draft.styles, ...styles } });
        this.doc = withItem(this.doc, id, (item) => patched(item, attributes, styles));
        this.#notify();
        const now = Date.now();
        this.#oldest = this.#timer === undefined ? now : this.#oldest;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.flush(), Math.max(0, Math.min(PAUSE, this.#oldest + LONGEST - now)));
    }

    /** The project without drafts, which the page shows already: they are no part of what a draft is made of. */
    get #undrafted(): Doc {
        return [...this.#drafts].reduce((doc, [id, { base }]) => withItem(doc, id, () => base), this.doc);
    }

    /** Saves what was drafted. */
    flush(): void {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        const changes = [...this.#drafts.values()].flatMap(({ base, pageId, attributes, styles }): Change[] => {
            const mine = patched(base, attributes, styles);
            const data = { ...(isSame(mine.attributes, base.attributes) ? {} : { attributes: { ...mine.attributes } }), ...(isSame(mine.styles, base.styles) ? {} : { styles: { ...mine.styles } }) };
            return Object.keys(data).length === 0 ? [] : [{ type: 'elements', method: 'update', base: { ...this.base(base), page_id: this.ids.there(pageId) }, data }];
        });
        const before = this.#undrafted;
        const drafts = this.#drafts.size;
        this.#drafts.clear();
        if (changes.length < drafts) {
            // One that was taken back by hand may lie over what somebody else has changed.
            this.#seen = 0;
            void this.refresh();
        }

        if (changes.length > 0) {
            this.#save(changes, before);
        }
        else {
            this.#notify();
        }
    }

    /** A thing as the base of a change, with the id that the service knows. */
    base<Thing extends { readonly id: string }>(thing: Thing): Thing {
        return { ...thing, id: this.ids.there(thing.id) };
    }

    /** Waits until all is saved. @returns whether it is; false without a connection, or after a failure */
    async settled(): Promise<boolean> {
        this.flush();
        for (;;) {
            if (this.#isIdle) {
                return await this.refresh() || this.#isIdle;
            }

            const { state } = this.#queue.status;
            if (this.#adding === 0 && state !== 'sending' && state !== 'idle') {
                return false;
            }

            await new Promise<void>((resolve) => {
                const stop = this.subscribe(() => {
                    stop();
                    resolve();
                });
            });
        }
    }

    /** Takes over what has changed, once nothing that was done here waits. @returns whether the project is up to date */
    refresh(): Promise<boolean> {
        // One that is under way may have been answered before the latest change.
        const next = (this.#refreshing ?? Promise.resolve(true)).then(() => this.#catchUp());
        this.#refreshing = next;
        return next;
    }

    async #catchUp(): Promise<boolean> {
        if (!this.#isIdle || this.isComposing || this.#closed.signal.aborted) {
            return false;
        }

        const [since, turn] = [this.#seen, this.#turn];
        try {
            const differences = await this.#client.history.since(this.doc.project, since);
            // What was done meanwhile would be undone on the screen, also if it is saved by now: the answer may be older. The queue asks again after each save.
            if (!this.#isIdle || this.isComposing || this.#seen !== since || this.#turn !== turn) {
                return false;
            }

            if (differences.revision !== since || since === 0) {
                const now = caughtUp(this.#undrafted, differences, since, this.ids);
                this.#drafts.forEach((draft, id) => this.#drafts.set(id, onto(draft, itemOf(now, id))));
                this.doc = [...this.#drafts].reduce((doc, [id, { attributes, styles }]) => withItem(doc, id, (item) => patched(item, attributes, styles)), now);
                this.#seen = differences.revision;
                this.#kept.know(now, this.#seen, this.doc);
                this.#notify();
            }

            return true;
        }
        catch (error) {
            if (fieldOf(error, 'code') === 'history_gone') {
                this.#seen = 0;
                void this.refresh();
            }

            return false;
        }
    }

    async #watch(changed: Changed, gone: () => void): Promise<void> {
        const { signal } = this.#closed;
        for await (const { revision, author } of this.#client.watch(this.doc.project, { since: this.#seen, signal })) {
            if (revision > this.#seen) {
                await this.refresh();
            }

            if (author?.id !== this.#client.session?.user.id) {
                changed(author?.username);
            }
        }

        // Whoever is signed out does not see it either, and goes on afterwards.
        if (!signal.aborted && this.#client.session !== null) {
            gone();
        }
    }

    /** After a failure: sends other changes, or none, and shows the project as the service has it then. */
    async resolve(changes: readonly Change[] | null, failure: QueueFailure): Promise<void> {
        await this.#queue.resolve(changes === null || changes.length === 0 ? null : changes, failure);
        this.#seen = 0;
        await this.refresh();
    }

    /** The project is gone, or the right to see it. */
    forget(): void {
        this.#kept.drop();
    }

    close(): void {
        this.#closed.abort();
        this.#queue.close();
    }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const without = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const patched = (item: Item, attributes: Fields, styles: Fields): Item => ({ ...item, attributes: without({ ...item.attributes, ...attributes }), styles: without({ ...item.styles, ...styles }) });

/** The draft on what somebody else has made of the element meanwhile. It stays as it is if both have changed the same: then the author is asked once it is saved. */
function onto(draft: Draft, now: Item | undefined): Draft {
    const attributes: Record<string, unknown> = { ...draft.attributes };
    const isMine = (part: 'attributes' | 'styles', name: string): boolean => isSame(draft.base[part][name], now?.[part][name]) || isSame(draft[part][name], now?.[part][name]);
    for (const name of Object.keys(attributes).filter((one) => !isMine('attributes', one))) {
        const [was, mine, is] = [draft.base.attributes[name], attributes[name], now?.attributes[name]];
        const merged = typeof was === 'string' && typeof mine === 'string' && typeof is === 'string' ? mergeWords(was, mine, is) : undefined;
        if (merged === undefined) {
            return draft;
        }

        attributes[name] = merged;
    }

    return now === undefined || !Object.keys(draft.styles).every((name) => isMine('styles', name)) ? draft : { ...draft, base: now, attributes };
}

/** The fields of an object; none if it is no object. */
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Puts the fields that a change has changed on what is there now. */
function onTop(change: Change, current: object): Change {
    if (change.method !== 'update') {
        return Object.assign({}, change, { base: current });
    }

    const data = Object.fromEntries(Object.entries(change.data).map(([name, mine]) => {
        const [was, is] = [fieldOf(change.base, name), fieldOf(current, name)];
        if (name !== 'attributes' && name !== 'styles') {
            return [name, mine];
        }

        const changed = Object.entries(fieldsOf(mine)).filter(([key, value]) => !isSame(value, fieldOf(was, key)));
        return [name, { ...fieldsOf(is), ...Object.fromEntries(changed) }];
    }));
    return Object.assign({}, change, { base: current, data });
}

/** Whether both sides changed only how something looks or where it is. */
export const isOnlyLooks = ({ error }: QueueFailure): boolean => error.code === 'revision_conflict' && error.conflicts.length > 0 && error.conflicts.every((pointer) => pointer.startsWith('/styles/') || pointer === '/position');

/** The failed save with one's own version of what both sides changed, made against what is there now. */
export function keepingMine({ changes, error }: QueueFailure): Change[] {
    return error instanceof SaveError && error.current !== undefined ? changes.with(error.index, onTop(error.change, error.current)) : [...changes];
}

/** The failed save without what both sides changed: all else of it stays. */
export function takingTheirs({ changes, error }: QueueFailure): Change[] {
    const change = error instanceof SaveError ? changes[error.index] : undefined;
    if (!(error instanceof SaveError) || error.current === undefined || change?.method !== 'update') {
        return error instanceof SaveError ? changes.toSpliced(error.index, 1) : [];
    }

    const { current, conflicts, index } = error;
    const mine: Change = onTop(change, current);
    const isLost = (pointer: string): boolean => conflicts.includes(pointer);
    const data = Object.entries('data' in mine ? mine.data : {}).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
        const is = fieldOf(current, name);
        if (name !== 'attributes' && name !== 'styles') {
            return isLost(name === 'x' || name === 'y' ? '/position' : `/${name}`) ? [] : [[name, value]];
        }

        const kept = Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, one]) => [key, isLost(`/${name}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`) ? fieldOf(is, key) : one]));
        return isSame(kept, is) ? [] : [[name, without(kept)]];
    });
    return data.length === 0 ? changes.toSpliced(index, 1) : changes.with(index, Object.assign({}, mine, { data: Object.fromEntries(data) }));
}
