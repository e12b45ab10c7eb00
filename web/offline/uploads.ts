/** A picture, sound or video that was chosen on this device, and that the service does not have yet. */
export interface KeptFile {
    /** the SHA-256 of its bytes, in hex */
    hash: string;
    /** with its media type */
    file: Blob;
    /** as people call it */
    name: string;
}

const PREFIX = 'pagewright-uploads ';
const STORE = 'files';

/** The name of the database with the files of a person that wait. */
export const uploadsName = (user: string | undefined): string => `${PREFIX}${user}`;

export const isUploads = (name: string | undefined): name is string => name?.startsWith(PREFIX) === true;

/** Files that wait, in IndexedDB. All tabs of a person share them. */
export class KeptFiles {
    readonly #opened: Promise<IDBDatabase>;

    constructor(name: string) {
        this.#opened = new Promise((resolve, reject) => {
            const request = indexedDB.open(name, 1);
            request.onupgradeneeded = () => void request.result.createObjectStore(STORE, { keyPath: 'hash' });
            request.onsuccess = () => {
                // People sign out: an open database would hold that up.
                request.result.onversionchange = () => request.result.close();
                resolve(request.result);
            };

            request.onerror = () => reject(request.error);
        });
        // Reported by the first use.
        this.#opened.catch(() => undefined);
    }

    async #in<Result>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
        const transaction = (await this.#opened).transaction(STORE, mode, { durability: 'strict' });
        const request = ask(transaction.objectStore(STORE));
        return await new Promise((resolve, reject) => {
            transaction.oncomplete = () => resolve(request.result);
            transaction.onabort = () => reject(transaction.error);
        });
    }

    async all(): Promise<KeptFile[]> {
        return await this.#in<KeptFile[]>('readonly', (store) => store.getAll());
    }

    async put(file: KeptFile): Promise<void> {
        await this.#in('readwrite', (store) => store.put(file));
    }

    async remove(hash: string): Promise<void> {
        await this.#in('readwrite', (store) => store.delete(hash));
    }

    async count(): Promise<number> {
        return await this.#in('readonly', (store) => store.count());
    }

    async close(): Promise<void> {
        (await this.#opened).close();
    }
}

/** How many files wait in a database. */
export async function countFiles(name: string): Promise<number> {
    const files = new KeptFiles(name);
    const count = await files.count();
    await files.close();
    return count;
}
