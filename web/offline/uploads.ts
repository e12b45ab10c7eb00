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

/** Opens a database. @param makes whether it is made if there is none @returns undefined if there is none */
const open = (name: string, makes: boolean): Promise<IDBDatabase | undefined> => new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => void (makes ? request.result.createObjectStore(STORE, { keyPath: 'hash' }) : request.transaction?.abort());
    request.onsuccess = () => {
        // People sign out: an open database would hold that up.
        request.result.onversionchange = () => request.result.close();
        resolve(request.result);
    };

    request.onerror = () => (makes ? reject(request.error) : resolve(undefined));
});

/** Files that wait, in IndexedDB. All tabs of a person share them. There is no database until the first one waits: an empty one would stay behind when somebody signs out. */
export class KeptFiles {
    readonly #name: string;
    #opened: Promise<IDBDatabase | undefined> | undefined;

    constructor(name: string) {
        this.#name = name;
    }

    async #open(makes: boolean): Promise<IDBDatabase | undefined> {
        const database = await this.#opened?.catch(() => undefined);
        if (database === undefined) {
            this.#opened = open(this.#name, makes);
        }

        return await (database ?? this.#opened);
    }

    /** @returns `none` if there is no database */
    async #read<Result>(none: Result, ask: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
        const database = await this.#open(false);
        return database === undefined ? none : await within(database, 'readonly', ask);
    }

    async all(): Promise<KeptFile[]> {
        return await this.#read<KeptFile[]>([], (store) => store.getAll());
    }

    async put(file: KeptFile): Promise<void> {
        const database = await this.#open(true);
        await (database && within(database, 'readwrite', (store) => store.put(file)));
    }

    async remove(hash: string): Promise<void> {
        const database = await this.#open(false);
        await (database && within(database, 'readwrite', (store) => store.delete(hash)));
    }

    async count(): Promise<number> {
        return await this.#read(0, (store) => store.count());
    }

    async close(): Promise<void> {
        (await this.#opened)?.close();
    }
}

async function within<Result>(database: IDBDatabase, mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
    const transaction = database.transaction(STORE, mode, { durability: 'strict' });
    const request = ask(transaction.objectStore(STORE));
    return await new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
    });
}

/** How many files wait in a database. */
export async function countFiles(name: string): Promise<number> {
    const files = new KeptFiles(name);
    const count = await files.count();
    await files.close();
    return count;
}
