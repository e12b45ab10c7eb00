/** One item, and whoever waits for what becomes of it. */
interface Waiting<Item, Result> {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
}

export interface GatherOptions<Item> {
    /** most batches under way at a time, so that one that waits for a lock does not hold up all others */
    lanes?: number;
    /** items of the same key are never in one batch */
    key?: (item: Item) => string;
    /** bytes of an item, where they vary much */
    size?: (item: Item) => number;
}

/** Most items in one batch. */
const MOST = 200;
/** Most bytes in one batch of more than one item. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Writes items that arrive while others are being written together, as the next batch: one commit for all of them.
 * `write` answers one result an item, in order, once they are committed; where it fails, it fails for all of a batch.
 * A single item is written at once: nothing waits for a timer.
 */
export function gather<Item, Result>(write: (batch: Item[]) => Promise<Result[]>, { lanes = 1, key, size = () => 0 }: GatherOptions<Item> = {}): (item: Item) => Promise<Result> {
    let waiting: Waiting<Item, Result>[] = [];
    let busy = 0;

    return (item) => new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (busy < lanes) {
            void work();
        }
    });

    async function work(): Promise<void> {
        busy++;
        // What arrives in this turn of the event loop goes along.
        await new Promise(setImmediate);
        for (let batch = take(); batch.length > 0; batch = take()) {
            try {
                const results = await write(batch.map(({ item }) => item));
                batch.forEach(({ resolve, reject }, index) => {
                    const result = results[index];
                    if (result === undefined) {
                        reject(new Error('A batch was answered in part'));
                    }
                    else {
                        resolve(result);
                    }
                });
            }
            catch (error) {
                batch.forEach(({ reject }) => reject(error));
            }
        }

        busy--;
    }

    /** The next batch: the longest waiting, one of each key. */
    function take(): Waiting<Item, Result>[] {
        const keys = new Set<string>();
        const batch: Waiting<Item, Result>[] = [];
        const later: Waiting<Item, Result>[] = [];
        let bytes = 0;
        for (const one of waiting) {
            const name = key?.(one.item) ?? String(batch.length);
            const next = bytes + size(one.item);
            if (batch.length < MOST && !keys.has(name) && (batch.length === 0 || next <= MOST_BYTES)) {
                keys.add(name);
                bytes = next;
                batch.push(one);
            }
            else {
                later.push(one);
            }
        }

        waiting = later;
        return batch;
    }
}
