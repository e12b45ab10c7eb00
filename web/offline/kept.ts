/** Names of caches, which the pages and the service worker share. All begin with the same word; those of built files say nothing about anybody. */
export const ALL = 'pagewright ';
export const FILES = `${ALL}files `;
export const PAGES = `${ALL}pages `;
export const ASSETS = `${ALL}assets`;
export const COPIES = `${ALL}copies `;

/** Milliseconds that a copy waits for the network. */
const PATIENCE = 8000;

const GONE = new Set([403, 404, 410]);

/** Whether a response says that something is not there, or not for this reader, any more: then no copy of it may stay. */
export const isGone = ({ status }: Response): boolean => GONE.has(status);

/** The response of the network, or a copy if there is none, or if it takes long. @throws the error of the network if there is no copy either */
export async function networkFirst(asked: Promise<Response>, copy: () => Promise<Response | undefined>): Promise<Response> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), PATIENCE);
    });
    try {
        const response = await Promise.race([asked, late]);
        if (response !== undefined) {
            return response;
        }
    }
    catch (error) {
        const kept = await copy();
        if (kept === undefined) {
            throw error;
        }

        return kept;
    }
    finally {
        clearTimeout(timer);
    }

    return await copy() ?? asked;
}

/** The bytes of a response, as its headers say. */
export const sizeOf = ({ headers }: Response): number => Number(headers.get('x-size') ?? headers.get('content-length') ?? 0);

/** Most entries of a cache, and most bytes. */
export type Bounds = readonly [entries: number, bytes: number];

/** Milliseconds after which a cache that has grown is looked through. */
const TRIM_AFTER = 2000;

const trimming = new Set<string>();

/** Puts a response into a cache, and soon removes the oldest if there are too many. */
export async function put(name: string, address: string, response: Response, bounds: Bounds): Promise<void> {
    await (await caches.open(name)).put(address, response);
    if (!trimming.has(name)) {
        trimming.add(name);
        setTimeout(() => {
            trimming.delete(name);
            void trim(name, bounds).catch(() => undefined);
        }, TRIM_AFTER);
    }
}

async function trim(name: string, [entries, bytes]: Bounds): Promise<void> {
    // Opening it would make it anew, if somebody has signed out meanwhile.
    const cache = await caches.has(name) ? await caches.open(name) : undefined;
    if (cache === undefined) {
        return;
    }

    const keys = await cache.keys();
    let [count, sum] = [0, 0];
    // Caches keep the order in which entries were put.
    for (const key of keys.toReversed()) {
        const found = await cache.match(key, { ignoreVary: true });
        sum += found === undefined ? 0 : sizeOf(found);
        if (++count > entries || sum > bytes) {
            await cache.delete(key, { ignoreVary: true });
        }
    }
}

/** Removes the copies of a project's pages as everybody sees them. */
export async function dropPlayed(project: string): Promise<void> {
    for (const name of (await caches.keys()).filter((one) => one.startsWith(PAGES))) {
        const cache = await caches.open(name);
        const keys = (await cache.keys()).filter(({ url }) => /^\/p\/(\d+)/.exec(new URL(url).pathname)?.[1] === project);
        await Promise.all(keys.map((key) => cache.delete(key, { ignoreVary: true })));
    }
}
