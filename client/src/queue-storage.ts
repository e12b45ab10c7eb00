import { fieldOf } from './merge.js';

/** Where a queue keeps what waits: texts by key. */
export interface QueueStorage {
    /** everything that is kept */
    read(): Promise<ReadonlyMap<string, string>>;
    /** Writes all of these, or none; null removes. Resolves when they are safe. @param message for the listeners of the other queues of this storage */
    write(items: ReadonlyMap<string, string | null>, message?: string): Promise<void>;
    /** Runs the work when no other queue of this storage is at it, such as one in another tab. The work ends when the queue is closed. */
    lead(work: () => Promise<void>): Promise<void>;
    /** Calls the listener when another queue of this storage has written. @returns a function that unsubscribes */
    subscribe(listener: (message?: string) => void): () => void;
}

const nothing = (): void => undefined;

/** Of a storage that nobody else uses. */
const single: Pick<QueueStorage, 'lead' | 'subscribe'> = { lead: (work) => work(), subscribe: () => nothing };

/** Keeps a queue in memory, until the page or process ends. */
export function memoryQueue(): QueueStorage {
    const items = new Map<string, string>();
    return { read: () => Promise.resolve(new Map(items)), write: (changed) => Promise.resolve(change(items, changed)), ...single };
}

function change(items: Map<string, string>, changed: ReadonlyMap<string, string | null>): void {
    for (const [key, text] of changed) {
        if (text === null) {
            items.delete(key);
        }
        else {
            items.set(key, text);
        }
    }
}

/** Keeps a queue in IndexedDB. All tabs of an origin that use the same name share one queue, and one of them at a time sends. */
export function indexedDbQueue(name = 'pagewright-queue'): QueueStorage {
    const STORE = 'items';
    const channel = new BroadcastChannel(name);
    const opened = new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name, 1);
        request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
        request.onsuccess = () => {
            // Somebody deletes the database, such as when people sign out: an open one would hold that up.
            request.result.onversionchange = () => request.result.close();
            resolve(request.result);
        };

        request.onerror = () => reject(request.error);
    });
    // Reported by the first read.
    opened.catch(() => undefined);

    return {
        read: async () => {
            const transaction = (await opened).transaction(STORE);
            const store = transaction.objectStore(STORE);
            const [keys, values] = [store.getAllKeys(), store.getAll()];
            await done(transaction);
            return new Map(keys.result.map((key, index) => [String(key), String(values.result[index])]));
        },

        write: async (items, message) => {
            const transaction = (await opened).transaction(STORE, 'readwrite', { durability: 'strict' });
            const store = transaction.objectStore(STORE);
            for (const [key, text] of items) {
                if (text === null) {
                    store.delete(key);
                }
                else {
                    store.put(text, key);
                }
            }

            await done(transaction);
            channel.postMessage(message);
        },

        // Without locks, as on a page that is not from a secure origin, the keys of the entries still keep what two tabs send from being done twice.
        lead: async (work) => await (globalThis.navigator.locks?.request(name, work) ?? work()),

        subscribe: (listener) => {
            const heard = ({ data }: MessageEvent<string | undefined>): void => listener(data);
            channel.addEventListener('message', heard);
            return () => channel.removeEventListener('message', heard);
        }
    };
}

function done(transaction: IDBTransaction): Promise<void> {
    return new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
    });
}

/** The functions of `node:fs/promises` that a file needs. */
export interface FileFunctions {
    readFile(path: string, encoding: 'utf8'): Promise<string>;
    appendFile(path: string, text: string, options: { flush: true }): Promise<void>;
    writeFile(path: string, text: string, options: { flush: true }): Promise<void>;
    rename(from: string, to: string): Promise<void>;
}

/**
 * Keeps a queue in a file, to which each change is appended as a line of JSON. Only one process at a time may use it.
 * @param fs `node:fs/promises`
 */
export function fileQueue(fs: FileFunctions, path: string): QueueStorage {
    let last: Promise<unknown> = Promise.resolve();
    const inOrder = <Result>(work: () => Promise<Result>): Promise<Result> => {
        const result = last.then(work);
        last = result.catch(() => undefined);
        return result;
    };

    const items = new Map<string, string>();
    const load = async (): Promise<void> => {
        const text = await fs.readFile(path, 'utf8').catch((error: unknown) => {
            if (fieldOf(error, 'code') === 'ENOENT') {
                return '';
            }

            throw error;
        });
        items.clear();
        for (const line of text.split('\n')) {
            try {
                change(items, new Map<string, string | null>(JSON.parse(line)));
            }
            catch {
                // The last line, if the process was stopped while it was written.
            }
        }

        // Without what is done.
        await fs.writeFile(`${path}.new`, `${JSON.stringify([...items])}\n`, { flush: true });
        await fs.rename(`${path}.new`, path);
    };

    return {
        read: () => inOrder(async () => {
            await load();
            return new Map(items);
        }),
        write: (changed) => inOrder(async () => {
            await fs.appendFile(path, `${JSON.stringify([...changed])}\n`, { flush: true });
            change(items, changed);
        }),
        ...single
    };
}
