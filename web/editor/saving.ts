import { indexedDbQueue, mergeWords } from '../../client/src/index.js';
import type { Change, Client, Queue, QueueFailure } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { connection } from '../offline/copies.js';
import { queueName } from '../offline/device.js';
import { withFailed } from './failures.js';
import { KeptProject } from './kept-project.js';
import { Ids, applied, caughtUp, isSame, itemOf, renamed, withItem, withUnsent, without, withoutTwins } from './document.js';
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
    /** Called for each save that the service has, with its time there. */
    onStored: (changes: readonly Change[], at: string) => void = () => undefined;
    /** Called when several saves were sent as one. */
    onJoined: () => void = () => undefined;
    /** Resolves when the project has all that waits to be sent, from before the page was loaded. */
    readonly ready: Promise<void>;
    readonly ids = new Ids();
    /** ids, as the service or a save has them, of what was edited last */
    lastEdited: ReadonlySet<string> = new Set();
    readonly #client: Client;
    readonly #queue: Queue;
    readonly #drafts = new Map<string, Draft>();
    readonly #listeners = new Set<() => void>();
    readonly #closed = new AbortController();
    readonly #kept: KeptProject;
    /** the project as the service had it at the revision `#seen` */
    #served: Doc;
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
        this.#served = doc;
        this.#seen = doc.project.revision;
        this.#queue = client.queue({
            storage: indexedDbQueue(queueName(client.session?.user.id, doc.project.id)),
            ...client.session !== null && { user: client.session.user.id },
            onSaved: ({ ids, things }, changes, saves) => {
                ids.forEach((id, temporary) => this.ids.add(temporary, id));
                this.doc = withoutTwins(this.doc, this.ids);
                this.#served = renamed(withoutTwins(this.#served, this.ids), this.ids);
                const at = things.map(({ thing }) => fieldOf(fieldOf(thing, 'history'), 'updated_at')).find((time) => typeof time === 'string');
                if (at !== undefined) {
                    this.onStored(changes, at);
                }

                if (saves > 1) {
                    this.onJoined();
                }
            }
        });
        this.#kept = new KeptProject(client, this.ids, doc, this.#seen);
        this.ready = this.#queue.unsent().then((unsent) => {
            if (unsent.saves.length > 0) {
                this.doc = withUnsent(this.doc, unsent, this.ids);
                this.#served = renamed(this.#served, this.ids);
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
        return state === 'idle' || state === 'failed' ? (this.isBusy ? 'saving' : state === 'idle' ? 'saved' : state) : state === 'sending' ? (this.isOffline ? 'offline' : 'saving') : state;
    }

    /** saves that wait */
    get waiting(): number {
        return this.#queue.status.waiting;
    }

    /** Whether the service could not be reached last. */
    get isOffline(): boolean {
        return connection.isOffline;
    }

    /** Failures to save that wait for a decision. */
    get failures(): readonly QueueFailure[] {
        return this.#queue.status.failures;
    }

    /** The project as the service has it, as far as that is known here. */
    get served(): Doc {
        return this.#served;
    }

    /** Whether something that was done here is not even in the queue yet. */
    get isBusy(): boolean {
        return this.#adding > 0 || this.#drafts.size > 0;
    }

    /** Whether everything that was done here is with the service, but for what waits for a decision. */
    get #isIdle(): boolean {
        const { state } = this.#queue.status;
        return this.#adding === 0 && (state === 'idle' || state === 'failed');
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

        this.lastEdited = new Set(changes.map((change) => (change.method === 'create' ? change.id : change.base.id)));
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
            if (this.#adding === 0 && state !== 'sending') {
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
                this.#served = caughtUp(this.#served, differences, since, this.ids);
                const now = this.failures.reduce((doc, failure) => withFailed(doc, failure, this.ids), this.#served);
                this.#drafts.forEach((draft, id) => this.#drafts.set(id, onto(draft, itemOf(now, id))));
                this.doc = [...this.#drafts].reduce((doc, [id, { attributes, styles }]) => withItem(doc, id, (item) => patched(item, attributes, styles)), now);
                this.#seen = differences.revision;
                this.#kept.know(this.#served, this.#seen, this.doc);
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
