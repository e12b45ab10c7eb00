import { indexedDbQueue } from '../../client/src/index.js';
import type { Change, Client, Queue, QueueFailure } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { connection } from '../offline/copies.js';
import { queueName } from '../offline/device.js';
import { withFailed } from './failures.js';
import { KeptProject } from './kept-project.js';
import { Ids, applied, renamed, withUnsent, withoutTwins } from './document.js';
import type { Doc, Fields } from './document.js';
import { Drafts } from './drafts.js';
import { ServedProject } from './served-project.js';
import type { Changed } from './served-project.js';

export type SavingState = 'saved' | 'saving' | 'offline' | 'signed-out' | 'failed';

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
    readonly #queue: Queue;
    readonly #drafts = new Drafts(() => this.flush());
    readonly #listeners = new Set<() => void>();
    readonly #served: ServedProject;
    readonly #kept: KeptProject;
    #adding = 0;

    constructor(client: Client, doc: Doc, changed: Changed, gone: () => void) {
        this.doc = doc;
        this.#served = new ServedProject(client, doc, this.ids, { isIdle: () => this.#isIdle && !this.isComposing, changed: () => this.#takeOver() });
        this.#queue = client.queue({
            storage: indexedDbQueue(queueName(client.session?.user.id, doc.project.id)),
            ...client.session !== null && { user: client.session.user.id },
            onSaved: ({ ids, things }, changes, saves) => {
                ids.forEach((id, temporary) => this.ids.add(temporary, id));
                this.doc = withoutTwins(this.doc, this.ids);
                this.#served.named();
                const at = things.map(({ thing }) => fieldOf(fieldOf(thing, 'history'), 'updated_at')).find((time) => typeof time === 'string');
                if (at !== undefined) {
                    this.onStored(changes, at);
                }

                if (saves > 1) {
                    this.onJoined();
                }
            }
        });
        this.#kept = new KeptProject(client, this.ids, doc, doc.project.revision);
        this.ready = this.#queue.unsent().then((unsent) => {
            if (unsent.saves.length > 0) {
                this.doc = withUnsent(this.doc, unsent, this.ids);
                this.#served.doc = renamed(this.#served.doc, this.ids);
                this.#kept.show(this.doc);
                this.#notify();
            }
        }, (error: unknown) => console.error(error));
        connection.listeners.add(() => this.#notify());
        this.#queue.subscribe(() => {
            this.#notify();
            void this.#served.queueChanged();
        });
        void this.#served.watch(changed, gone);
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
        return this.#served.doc;
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
                this.#drafts.drop(this.ids.here('elements', change.base.id));
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
        const drafted = this.#drafts.add(this.doc, id, attributes, styles);
        if (drafted !== undefined) {
            this.doc = drafted;
            this.#notify();
        }
    }

    /** Saves what was drafted. */
    flush(): void {
        const before = this.#drafts.without(this.doc);
        const drafts = this.#drafts.size;
        const changes = this.#drafts.take().map(({ base, pageId, data }): Change => ({ type: 'elements', method: 'update', base: { ...this.base(base), page_id: this.ids.there(pageId) }, data }));
        if (changes.length < drafts) {
            // One that was taken back by hand may lie over what somebody else has changed.
            void this.#served.readAnew();
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
            // Something may be made while that is asked.
            if (this.#isIdle && (await this.refresh() || this.#isIdle)) {
                return true;
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
        return this.#served.refresh();
    }

    /** Shows the project as the service has it, with what waits for a decision, and what is drafted just now. */
    #takeOver(): void {
        const { doc, revision } = this.#served;
        this.doc = this.#drafts.onto(this.failures.reduce((now, failure) => withFailed(now, failure, this.ids), doc));
        this.#kept.know(doc, revision, this.doc);
        this.#notify();
    }

    /** After a failure: sends other changes, or none, and shows the project as the service has it then. */
    async resolve(changes: readonly Change[] | null, failure: QueueFailure): Promise<void> {
        await this.#queue.resolve(changes === null || changes.length === 0 ? null : changes, failure);
        await this.#served.readAnew();
    }

    /** The project is gone, or the right to see it. */
    forget(): void {
        this.#kept.drop();
    }

    close(): void {
        this.#served.close();
        this.#queue.close();
    }
}
