/** One item, and the promise of its result. */
interface Waiting<Item, Result> {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
}

export interface GatherOptions<Item> {
    /** how many batches may be written at a time, so that one that waits for a lock does not hold up all others; 1 by default */
    lanes?: number;
    /** items with the same key are never in one batch */
    key?: (item: Item) => string;
    /** size of an item in bytes, if items differ much; 0 by default */
    size?: (item: Item) => number;
}

/** Maximum items in one batch. */
const MOST = 200;
/** Maximum bytes in a batch of more than one item. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Collects the items that arrive while others are being written, and writes them as the next batch: one commit for all of them.
 * `write` returns one result for each item, in order, after the commit; if it throws, every item of the batch fails.
 * A single item is written at once: nothing waits for a timer.
 */
export function batched<Item, Result>(write: (batch: Item[]) => Promise<Result[]>, { lanes = 1, key, size = () => 0 }: GatherOptions<Item> = {}): (item: Item) => Promise<Result> {
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
        // Items that arrive in the same turn of the event loop join the batch.
        await new Promise(setImmediate);
        for (let batch = take(); batch.length > 0; batch = take()) {
            try {
                const results = await write(batch.map(({ item }) => item));
                batch.forEach(({ resolve, reject }, index) => {
                    const result = results[index];
                    if (result === undefined) {
                        reject(new Error('A batch returned fewer results than it had items'));
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

    /** Takes the next batch: the items that have waited longest, one of each key. */
    function take(): Waiting<Item, Result>[] {
        const keys = new Set<string>();
        const batch: Waiting<Item, Result>[] = [];
        const later: Waiting<Item, Result>[] = [];
        let bytes = 0;
        for (const one of waiting) {
            const name = key?.(one.item) ?? String(batch.length);
            const next = bytes + size(one.item);
            if (batch.length < MOST && !keys.has(name) && (batch.length === 0 || next <= MAX_BYTES)) {
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
