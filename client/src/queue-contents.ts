import type { Change } from './changes.js';
import type { PagewrightError } from './errors.js';
import { Hold, keyOf, laidOn, partsOf } from './held.js';
import type { IdOf } from './held.js';
import { joinedEntries } from './joined.js';
import { isObject } from './merge.js';
import { QueueEntries } from './queue-entries.js';
import type { Left } from './queue-entries.js';
import type { Entry, FailedEntry } from './queue-entry.js';
import type { QueueStorage } from './queue-storage.js';
import { thingKey } from './rebase.js';
import type { KnownThing } from './rebase.js';
import { SaveError } from './save.js';
import type { Saved } from './save.js';

/** A queue's unsent changes, for whoever shows them. */
export interface Unsent {
    /** the saves that wait, oldest first */
    saves: readonly (readonly Change[])[];
    /** the service's ids of what earlier saves have made, by temporary id, as far as later ones may need them */
    ids: ReadonlyMap<string, string>;
    /** things that earlier saves have left, as far as later ones may need them; null for one that was removed */
    things: readonly { type: string; id: string; thing: KnownThing | null }[];
}

/** A queue's saves: which one is sent next, which wait for a decision, and what becomes of each. */
export class QueueContents {
    readonly #entries: QueueEntries;

    constructor(storage: QueueStorage) {
        this.#entries = new QueueEntries(storage);
    }

    get size(): number {
        return this.#entries.size;
    }

    get done(): QueueEntries['done'] {
        return this.#entries.done;
    }

    load(): Promise<void> {
        return this.#entries.load();
    }

    /** @throws RangeError if there are too many, or they are too large */
    add(user: string, changes: readonly Change[]): Promise<void> {
        return this.#entries.add(user, changes);
    }

    unsent(): Unsent {
        const things = [...this.done.things].map(([key, thing]) => {
            const [type = '', id = ''] = key.split(' ');
            return { type, id, thing };
        });
        return { saves: [...this.#entries.stored()].map(({ entry }) => entry.changes), ids: new Map(this.done.ids), things };
    }

    readonly #idOf: IdOf = (id) => this.done.ids.get(id) ?? id;

    /** The first entry of which something can be sent, and those that have failed. */
    look(): { first: Entry | undefined; failed: FailedEntry[] } {
        if (!this.#entries.hasFailed) {
            return { first: this.#entries.first, failed: [] };
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
        for (const { entry } of this.#entries.stored()) {
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
        const held = !this.#entries.hasFailed ? [] : this.#holds().holds.flatMap((one) => one.held.get(entry.id) ?? []);
        if (held.length === 0) {
            return entry;
        }

        const { id, user, saves, changes } = entry;
        const free = { id, key: crypto.randomUUID(), user, changes: changes.filter((change) => !held.includes(change)), ...saves !== undefined && { saves } };
        await this.#entries.write([free, { id: this.#entries.idAfter(id), key: crypto.randomUUID(), user, changes: held }]);
        return free;
    }

    /** Joins saves that wait, if there are many. The first one stays as it is: it may have been sent already. The others were not, because each is sent only when those before it are done. */
    async join(): Promise<void> {
        const [, ...others] = this.#entries.stored();
        // What waits for a decision stays apart.
        const { made, gone } = this.#entries.hasFailed ? { made: [], gone: [] } : joinedEntries(others);
        if (gone.length > 0) {
            await this.#entries.write(made, gone);
        }
    }

    /** Sends other changes in place of an entry's. */
    async replace({ id, user, saves = 1 }: Entry, changes: readonly Change[]): Promise<void> {
        await this.#entries.write([{ id, key: crypto.randomUUID(), user, changes, saves }]);
    }

    /** Only what cannot be saved waits for a decision: all else of the entry goes on. */
    async fail({ id, key, user, changes, saves = 1, sent = changes }: Entry, error: PagewrightError): Promise<void> {
        const index = error instanceof SaveError ? error.index : -1;
        const { failed, others } = partsOf(sent, index, error.status === 404, this.#idOf);
        const { body } = error;
        const details = body.details?.map((detail) => ({ ...detail, path: detail.path.replace(`changes.${index}`, 'changes.0') }));
        const reason = { status: error.status, body: { ...body, ...details && { details } }, index: index < 0 ? undefined : 0, at: Date.now() };
        const rest = { id: this.#entries.idAfter(id), key: crypto.randomUUID(), user, changes: others, saves: 0 };
        await this.#entries.write([{ id, key, user, changes: failed, saves, failed: reason }, ...others.length === 0 ? [] : [rest]]);
    }

    /** Sends other changes in place of an entry that has failed, or none, and without the later edits that were gathered. */
    async settle(entry: Entry, changes: readonly Change[] | null, later: ReadonlySet<string>): Promise<void> {
        const held = this.#holds().holds.find((one) => one.entry.id === entry.id)?.held;
        await (changes === null ? this.drop(entry) : this.replace(entry, changes));
        for (const id of later) {
            const more = this.#entries.get(id);
            const rest = more?.changes.filter((one) => held?.get(id)?.includes(one) !== true) ?? [];
            if (more !== undefined) {
                await (rest.length === 0 ? this.#entries.remove(more, [], []) : this.#entries.write([{ ...more, changes: rest }]));
            }
        }
    }

    /** Gives up an entry that has failed. What comes after it goes on from what the error has shown. */
    async drop(entry: Entry): Promise<void> {
        const { failed: { body, index } = {}, changes } = entry;
        const change = changes[index ?? -1];
        const things: Left[] = [];
        if (change !== undefined && change.method !== 'create' && isObject(body?.current)) {
            // The service shows the thing that the change is about.
            things.push([thingKey(change.type, change.base.id), body.current]);
        }

        await this.#entries.remove(entry, [], things);
    }

    /** Removes an entry that was saved, and remembers what it has done for those after it. */
    async finish(entry: Entry, { ids, things }: Saved): Promise<void> {
        const message = JSON.stringify({ ids: [...ids], things, changes: entry.sent, saves: entry.saves ?? 1 });
        await this.#entries.remove(entry, [...ids], things.map(({ type, id, thing }) => [thingKey(type, id), thing]), message);
    }
}
