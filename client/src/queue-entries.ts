import type { Change } from './changes.js';
import type { Entry, StoredEntry } from './queue-entry.js';
import type { QueueStorage } from './queue-storage.js';
import type { KnownThing } from './rebase.js';

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Most things that are remembered after everything was sent. */
const MAX_KNOWN = 1000;

/** A thing that a save has left, by its key; null for one that was removed. */
export type Left = readonly [key: string, thing: KnownThing | null];

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The entries of a queue in their order, and what earlier ones have left, in memory and in a storage. */
export class QueueEntries {
    readonly done = { ids: new Map<string, string>(), things: new Map<string, KnownThing | null>() };
    readonly #storage: QueueStorage;
    readonly #entries = new Map<string, StoredEntry>();
    readonly #failed = new Set<string>();
    #bytes = 0;
    #last = 0;

    constructor(storage: QueueStorage) {
        this.#storage = storage;
    }

    get size(): number {
        return this.#entries.size;
    }

    /** Whether one of them has failed. */
    get hasFailed(): boolean {
        return this.#failed.size > 0;
    }

    /** All of them, oldest first. */
    stored(): Iterable<StoredEntry> {
        return this.#entries.values();
    }

    get first(): Entry | undefined {
        return this.#entries.values().next().value?.entry;
    }

    get(id: string): Entry | undefined {
        return this.#entries.get(id)?.entry;
    }

    /** Reads everything again. */
    async load(): Promise<void> {
        const items = await this.#storage.read();
        this.#entries.clear();
        this.#failed.clear();
        this.#bytes = 0;
        for (const key of [...items.keys()].sort()) {
            const text = items.get(key) ?? '';
            const [kind] = key;
            if (kind === 'e') {
                this.#keep(JSON.parse(text), text);
            }
            else {
                const kept: Map<string, unknown> = kind === 'i' ? this.done.ids : this.done.things;
                kept.set(key.slice(2), JSON.parse(text));
            }
        }
    }

    /** @throws RangeError if there are too many, or they are too large */
    async add(user: string, changes: readonly Change[]): Promise<void> {
        this.#last = Math.max(this.#last + 1, Date.now());
        const entry: Entry = { id: `e ${String(this.#last).padStart(16, '0')} ${crypto.randomUUID()}`, key: crypto.randomUUID(), user, changes };
        const text = JSON.stringify(entry);
        if (this.#entries.size >= MAX_ENTRIES || this.#bytes + bytesOf(text) > MAX_BYTES) {
            throw new RangeError(`The queue is full: ${this.#entries.size} saves and ${this.#bytes} bytes wait, and it holds ${MAX_ENTRIES} and ${MAX_BYTES} at most. This one was not added.`);
        }

        await this.#storage.write(new Map([[entry.id, text]]));
        this.#keep(entry, text);
    }

    /** An id that sorts behind that of an entry, and before all later ones. */
    idAfter(id: string): string {
        return `${id} ${String(++this.#last).padStart(16, '0')}`;
    }

    /** Writes some, and forgets others, all at once. */
    async write(entries: readonly Entry[], gone: readonly string[] = []): Promise<void> {
        const texts = entries.map((entry) => [entry, JSON.stringify(entry)] as const);
        await this.#storage.write(new Map<string, string | null>([...texts.map(([{ id }, text]) => [id, text] as const), ...gone.map((id) => [id, null] as const)]));
        const isNew = entries.some(({ id }) => !this.#entries.has(id));
        texts.forEach(([entry, text]) => this.#keep(entry, text));
        gone.forEach((id) => this.#forget(id));
        if (isNew) {
            // What was one entry stays where it was among the others.
            const sorted = [...this.#entries].sort(([one], [other]) => (one < other ? -1 : 1));
            this.#entries.clear();
            sorted.forEach(([id, kept]) => this.#entries.set(id, kept));
        }
    }

    /** Removes one, and remembers what it has left for those after it. @param message for the other queues of the storage */
    async remove({ id }: Entry, ids: readonly (readonly [string, string])[], things: readonly Left[], message?: string): Promise<void> {
        const { done } = this;
        ids.forEach(([temporary, made]) => done.ids.set(temporary, made));
        things.forEach(([key, thing]) => done.things.set(key, thing));
        const items = new Map<string, string | null>([[id, null]]);
        if (this.#entries.size > 1) {
            ids.forEach(([temporary, made]) => items.set(`i ${temporary}`, JSON.stringify(made)));
            things.forEach(([key, thing]) => items.set(`t ${key}`, JSON.stringify(thing)));
        }
        else {
            // Nothing after it needs this; in memory some stays for edits that are on their way.
            done.ids.forEach((_made, temporary) => items.set(`i ${temporary}`, null));
            done.things.forEach((_thing, key) => items.set(`t ${key}`, null));
            forgetOldest(done.ids);
            forgetOldest(done.things);
        }

        await this.#storage.write(items, message);
        this.#forget(id);
    }

    #keep(entry: Entry, text: string): void {
        const bytes = bytesOf(text);
        this.#bytes += bytes - (this.#entries.get(entry.id)?.bytes ?? 0);
        this.#entries.set(entry.id, { entry, bytes });
        this.#failed[entry.failed === undefined ? 'delete' : 'add'](entry.id);
    }

    #forget(id: string): void {
        this.#bytes -= this.#entries.get(id)?.bytes ?? 0;
        this.#entries.delete(id);
        this.#failed.delete(id);
    }
}

/** Leaves the newest. */
function forgetOldest(known: Map<string, unknown>): void {
    for (const key of [...known.keys()].slice(0, -MAX_KNOWN)) {
        known.delete(key);
    }
}
