import type { Client } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { caughtUp, renamed, withoutTwins } from './document.js';
import type { Doc, Ids } from './document.js';

/** Who shows the project. */
interface Viewer {
    /** Whether nothing that was done here waits, which an answer would undo on the screen. */
    isIdle(): boolean;
    /** The service has another state. */
    changed(): void;
}

/** Who changed the project, as far as it is known. */
export type Changed = (username: string | undefined) => void;

/** The project as the service has it, and its changes as they happen. */
export class ServedProject {
    doc: Doc;
    revision: number;
    readonly #client: Client;
    readonly #ids: Ids;
    readonly #viewer: Viewer;
    readonly #closed = new AbortController();
    /** grows with whatever happens in the queue */
    #turn = 0;
    #refreshing: Promise<boolean> | undefined;

    constructor(client: Client, doc: Doc, ids: Ids, viewer: Viewer) {
        this.#client = client;
        this.doc = doc;
        this.revision = doc.project.revision;
        this.#ids = ids;
        this.#viewer = viewer;
    }

    /** Something made here has an id of the service now. */
    named(): void {
        this.doc = renamed(withoutTwins(this.doc, this.#ids), this.#ids);
    }

    /** The queue has sent something, or has got more to send. */
    async queueChanged(): Promise<void> {
        ++this.#turn;
        await this.refresh();
    }

    /** Takes over everything anew, whatever the service says has changed. */
    readAnew(): Promise<boolean> {
        this.revision = 0;
        return this.refresh();
    }

    /** Takes over what has changed, once nothing that was done here waits. @returns whether the project is up to date */
    refresh(): Promise<boolean> {
        // One that is under way may have been answered before the latest change.
        const next = (this.#refreshing ?? Promise.resolve(true)).then(() => this.#catchUp());
        this.#refreshing = next;
        return next;
    }

    async #catchUp(): Promise<boolean> {
        if (!this.#viewer.isIdle() || this.#closed.signal.aborted) {
            return false;
        }

        const [since, turn] = [this.revision, this.#turn];
        try {
            const differences = await this.#client.history.since(this.doc.project, since);
            // What was done meanwhile would be undone on the screen, also if it is saved by now: the answer may be older. The queue asks again after each save.
            if (!this.#viewer.isIdle() || this.revision !== since || this.#turn !== turn) {
                return false;
            }

            if (differences.revision !== since || since === 0) {
                this.doc = caughtUp(this.doc, differences, since, this.#ids);
                this.revision = differences.revision;
                this.#viewer.changed();
            }

            return true;
        }
        catch (error) {
            if (fieldOf(error, 'code') === 'history_gone') {
                void this.readAnew();
            }

            return false;
        }
    }

    /** Takes over each change as it happens. @param gone called once the project is gone, or the right to see it */
    async watch(changed: Changed, gone: () => void): Promise<void> {
        const { signal } = this.#closed;
        for await (const { revision, author } of this.#client.watch(this.doc.project, { since: this.revision, signal })) {
            if (revision > this.revision) {
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

    close(): void {
        this.#closed.abort();
    }
}
