import type { Change } from './changes.js';
import type { PagewrightError } from './errors.js';
import { Hold, keyOf, laidOn, partsOf } from './held.js';
import type { IdOf } from './held.js';
import { joined } from './joined.js';
import type { QueueStorage } from './queue-storage.js';
import { thingKey } from './rebase.js';
import type { KnownThing } from './rebase.js';
import { SaveError } from './save.js';
import type { Saved } from './save.js';
import { isObject } from './merge.js';

/** A save that waits. */
export interface Entry {
    /** under which it is stored: sorts by time */
    id: string;
    /** its idempotency key: another one when its changes are replaced */
    key: string;
    /** the id of the user who made it */
    user: string;
    changes: readonly Change[];
    /** how many saves it was, if they were joined */
    saves?: number;
    /** why it cannot be saved, since when (milliseconds since 1970), and which of its changes is the reason */
    failed?: { status: number; body: PagewrightError['body']; index: number | undefined; at?: number };
    /** the changes as they were last sent; not stored */
    sent?: readonly Change[];
}

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Most things that are remembered after everything was sent. */
const MAX_KNOWN = 1000;

/** From so many saves on they are joined, to about so many. */
const MANY = 100;
const FEW = 15;
/** Most changes of a save that was joined, and bytes: far less than the service takes at once. */
const MAX_CHANGES = 200;
const MAX_JOINED = 1024 * 1024;

/** A queue's unsent changes, for whoever shows them. */
export interface Unsent {
    /** the saves that wait, oldest first */
    saves: readonly (readonly Change[])[];
    /** the service's ids of what earlier saves have made, by temporary id, as far as later ones may need them */
    ids: ReadonlyMap<string, string>;
    /** things that earlier saves have left, as far as later ones may need them; null for one that was removed */
    things: readonly { type: string; id: string; thing: KnownThing | null }[];
}

/** An entry that has failed, as the author has to decide about it. */
export interface FailedEntry {
    entry: Entry;
    /** its changes, with all later edits that wait for the decision */
    changes: readonly Change[];
    /** index of the change that is the reason; -1 if there is none, or if later edits have undone it */
    index: number;
    /** ids of the entries that have these edits */
    later: ReadonlySet<string>;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The entries of a queue, and what they have done so far, as they are stored. */
export class QueueContents {
    readonly done = { ids: new Map<string, string>(), things: new Map<string, KnownThing | null>() };
    readonly #storage: QueueStorage;
    readonly #entries = new Map<string, { entry: Entry; bytes: number }>();
    readonly #failed = new Set<string>();
    #bytes = 0;
    #last = 0;

    constructor(storage: QueueStorage) {
        this.#storage = storage;
    }

    get size(): number {
        return this.#entries.size;
    }

    unsent(): Unsent {
        const things = [...this.done.things].map(([key, thing]) => {
            const [type = '', id = ''] = key.split(' ');
            return { type, id, thing };
        });
        return { saves: [...this.#entries.values()].map(({ entry }) => entry.changes), ids: new Map(this.done.ids), things };
    }

    readonly #idOf: IdOf = (id) => this.done.ids.get(id) ?? id;

    /** The first entry of which something can be sent, and those that have failed. */
    look(): { first: Entry | undefined; failed: FailedEntry[] } {
        if (this.#failed.size === 0) {
            return { first: this.#entries.values().next().value?.entry, failed: [] };
        }

        const { first, holds } = this.#holds();
        const failed = holds.map(({ entry, held }) => {
            const blamed = entry.changes[entry.failed?.index ?? -1];
            const changes = laidOn(entry.changes, [...held.values()].flat(), this.#idOf);
            const key = blamed && keyOf(blamed, this.#idOf);
            return { entry, changes, index: changes.findIndex((change) => keyOf(change, this.#idOf) === key), later: new Set(held.keys()) };
        });
        return { first, failed };
    }

    /** For each entry that has failed, the later changes that wait with it, by the entries that have them. */
    #holds(): { first: Entry | undefined; holds: { entry: Entry; hold: Hold; held: Map<string, Change[]> }[] } {
        const holds: { entry: Entry; hold: Hold; held: Map<string, Change[]> }[] = [];
        let first: Entry | undefined;
        for (const { entry } of this.#entries.values()) {
            if (entry.failed !== undefined) {
                holds.push({ entry, hold: this.#holdOf(entry), held: new Map() });
                continue;
            }

            let isFree = false;
            for (const change of entry.changes) {
                const by = holds.find(({ hold }) => hold.has(change));
                by?.hold.add(change);
                by?.held.set(entry.id, [...by.held.get(entry.id) ?? [], change]);
                isFree ||= by === undefined;
            }

            first ??= isFree || entry.changes.length === 0 ? entry : undefined;
        }

        return { first, holds };
    }

    #holdOf({ changes, failed }: Entry): Hold {
        const hold = new Hold(this.#idOf);
        const blamed = changes[failed?.index ?? -1];
        changes.forEach((change) => hold.add(change));
        if (blamed !== undefined && failed?.status === 404) {
            hold.addParentOf(blamed);
        }

        return hold;
    }

    /** The part of an entry that waits for no decision, which is an entry of its own from now on. */
    async freePart(entry: Entry): Promise<Entry> {
        const held = this.#failed.size === 0 ? [] : this.#holds().holds.flatMap((one) => one.held.get(entry.id) ?? []);
        if (held.length === 0) {
            return entry;
        }

        const { id, user, saves, changes } = entry;
        const free = { id, key: crypto.randomUUID(), user, changes: changes.filter((change) => !held.includes(change)), ...saves !== undefined && { saves } };
        await this.#writeAll([free, { id: this.#after(id), key: crypto.randomUUID(), user, changes: held }]);
        return free;
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

    /**
     * Joins saves that wait, if there are many, so that all of it is sent in a moment after a long time without a connection. The first one stays as it is: it may have
     * been sent already. The others were not, because each is sent only when those before it are done.
     */
    async join(): Promise<void> {
        const [, ...others] = this.#entries.values();
        // What waits for a decision stays apart.
        if (others.length < MANY || this.#failed.size > 0) {
            return;
        }

        const most = Math.ceil(others.length / FEW);
        const made = new Map<string, Entry>();
        const items = new Map<string, string | null>();
        let last: { entry: Entry; count: number; bytes: number } | undefined;
        for (const { entry, bytes } of others) {
            const fits = last !== undefined && last.count < most && last.entry.user === entry.user && last.bytes + bytes <= MAX_JOINED && last.entry.changes.length + entry.changes.length <= MAX_CHANGES;
            const changes = last !== undefined && fits ? joined(last.entry.changes, entry.changes) : undefined;
            if (last === undefined || changes === undefined) {
                last = { entry, count: 1, bytes };
                continue;
            }

            const { id, user, saves = 1 } = last.entry;
            last = { entry: { id, key: crypto.randomUUID(), user, changes, saves: saves + (entry.saves ?? 1) }, count: last.count + 1, bytes: last.bytes + bytes };
            made.set(id, last.entry);
            items.set(entry.id, null);
        }

        const texts = [...made].map(([id, entry]) => [id, JSON.stringify(entry), entry] as const);
        texts.forEach(([id, text]) => items.set(id, text));
        if (items.size > 0) {
            await this.#storage.write(items);
            texts.forEach(([, text, entry]) => this.#keep(entry, text));
            [...items].filter(([, text]) => text === null).forEach(([id]) => this.#forget(id));
        }
    }

    /** Sends other changes in place of an entry's. */
    async replace({ id, user, saves = 1 }: Entry, changes: readonly Change[]): Promise<void> {
        await this.#writeAll([{ id, key: crypto.randomUUID(), user, changes, saves }]);
    }

    /** Only what cannot be saved waits for a decision: all else of the entry goes on. */
    async fail({ id, key, user, changes, saves = 1, sent = changes }: Entry, error: PagewrightError): Promise<void> {
        const index = error instanceof SaveError ? error.index : -1;
        const { failed, others } = partsOf(sent, index, error.status === 404, this.#idOf);
        const { body } = error;
        const details = body.details?.map((detail) => ({ ...detail, path: detail.path.replace(`changes.${index}`, 'changes.0') }));
        const reason = { status: error.status, body: { ...body, ...details && { details } }, index: index < 0 ? undefined : 0, at: Date.now() };
        await this.#writeAll([{ id, key, user, changes: failed, saves, failed: reason }, ...others.length === 0 ? [] : [{ id: this.#after(id), key: crypto.randomUUID(), user, changes: others, saves: 0 }]]);
    }

    /** Sends other changes in place of an entry that has failed, or none, and without the later edits that were gathered. */
    async settle(entry: Entry, changes: readonly Change[] | null, later: ReadonlySet<string>): Promise<void> {
        const held = this.#holds().holds.find((one) => one.entry.id === entry.id)?.held;
        await (changes === null ? this.drop(entry) : this.replace(entry, changes));
        for (const id of later) {
            const more = this.#entries.get(id)?.entry;
            const rest = more?.changes.filter((one) => held?.get(id)?.includes(one) !== true) ?? [];
            if (more !== undefined) {
                await (rest.length === 0 ? this.#remove(more, [], []) : this.#writeAll([{ ...more, changes: rest }]));
            }
        }
    }

    /** Gives up an entry that has failed. What comes after it goes on from what the error has shown. */
    async drop(entry: Entry): Promise<void> {
        const { failed: { body, index } = {}, changes } = entry;
        const change = changes[index ?? -1];
        const things: Done[] = [];
        if (change !== undefined && change.method !== 'create' && isObject(body?.current)) {
            // The service shows the thing that the change is about.
            things.push([thingKey(change.type, change.base.id), body.current]);
        }

        await this.#remove(entry, [], things);
    }

    /** Removes an entry that was saved, and remembers what it has done for those after it. */
    async finish(entry: Entry, { ids, things }: Saved): Promise<void> {
        const message = JSON.stringify({ ids: [...ids], things, changes: entry.sent, saves: entry.saves ?? 1 });
        await this.#remove(entry, [...ids], things.map(({ type, id, thing }) => [thingKey(type, id), thing]), message);
    }

    #keep(entry: Entry, text: string): void {
        const bytes = bytesOf(text);
        this.#bytes += bytes - (this.#entries.get(entry.id)?.bytes ?? 0);
        this.#entries.set(entry.id, { entry, bytes });
        this.#failed[entry.failed === undefined ? 'delete' : 'add'](entry.id);
    }

    /** An id that sorts behind that of an entry, and before all later ones. */
    #after(id: string): string {
        return `${id} ${String(++this.#last).padStart(16, '0')}`;
    }

    async #writeAll(entries: readonly Entry[]): Promise<void> {
        const texts = entries.map((entry) => [entry, JSON.stringify(entry)] as const);
        await this.#storage.write(new Map(texts.map(([{ id }, text]) => [id, text])));
        const isNew = entries.some(({ id }) => !this.#entries.has(id));
        texts.forEach(([entry, text]) => this.#keep(entry, text));
        if (isNew) {
            // What was one entry stays where it was among the others.
            const sorted = [...this.#entries].sort(([one], [other]) => (one < other ? -1 : 1));
            this.#entries.clear();
            sorted.forEach(([id, kept]) => this.#entries.set(id, kept));
        }
    }

    async #remove({ id }: Entry, ids: (readonly [string, string])[], things: Done[], message?: string): Promise<void> {
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
            forget(done.ids);
            forget(done.things);
        }

        await this.#storage.write(items, message);
        this.#forget(id);
    }

    #forget(id: string): void {
        this.#bytes -= this.#entries.get(id)?.bytes ?? 0;
        this.#entries.delete(id);
        this.#failed.delete(id);
    }
}

type Done = readonly [string, KnownThing | null];

/** Removes the oldest. */
function forget(known: Map<string, unknown>): void {
    for (const key of [...known.keys()].slice(0, -MAX_KNOWN)) {
        known.delete(key);
    }
}
