import { ASSETS, FILES, PAGES, dropPlayed, isGone, networkFirst, put, sizeOf } from './kept.js';

/**
 * The service worker: lets the pages of the site open without a network. It keeps the scripts, styles and texts of this release, and pages, pictures and sounds that were
 * opened. What is private to somebody is kept by the pages themselves (copies.ts), since they know whose it is.
 */

const files = FILES + builtSite.release;
const pages = PAGES + builtSite.release;

/** Pages that a script fills in, for each address of their kind. */
const NOTHING_KEPT = '/offline';
const EDITOR = '/edit/1';

const MAX_PAGES = [100, 20_000_000] as const;
const MAX_ASSETS = [500, 100_000_000] as const;
/** Bytes of the largest asset that is kept. */
const LARGEST = 8_000_000;
/** Most addresses that a page says it has loaded already. */
const MAX_TOLD = 200;

const isFile = (path: string): boolean => path.startsWith('/site/');
const isAsset = (path: string): boolean => /^\/assets\/[0-9a-f]{64}$/.test(path);
const isEditor = (path: string): boolean => /^\/edit\/\d+$/.test(path);

/** Pages that look the same to everybody, or that a script fills in. Signing in, moderation, apps and `/docs` need the network. */
const isPage = (path: string): boolean =>
    /^\/(?:(?:browse|tags|u|c|class)\/[^/]+|find|p\/\d+(?:\/(?!embed$)[\w-]+)?|account(?:\/\w+)?|classes|welcome|transparency|imprint|privacy)?$/.test(path);

const find = (cache: Cache, address: string): Promise<Response | undefined> => cache.match(address, { ignoreVary: true });

// ---- Scripts, styles, texts and fonts: another content has another name.

async function fileOf(address: string): Promise<Response> {
    const known = await caches.match(address, { ignoreVary: true });
    if (known !== undefined) {
        return known;
    }

    const response = await fetch(address);
    if (response.ok) {
        await (await caches.open(files)).put(address, response.clone());
    }

    return response;
}

// ---- Pictures, sounds and videos

async function keepAsset(address: string, response: Response): Promise<void> {
    const cache = await caches.open(ASSETS);
    if (isGone(response)) {
        await cache.delete(address, { ignoreVary: true });
        return;
    }

    // Players ask for parts, which cannot be kept.
    const whole = response.status === 206 && await find(cache, address) === undefined ? await fetch(address) : response;
    if (whole.status === 200 && sizeOf(whole) <= LARGEST) {
        await put(ASSETS, address, whole, MAX_ASSETS);
    }
}

/** The part of a response that `Range` asks for. */
async function partOf(response: Response, range: string): Promise<Response> {
    const blob = await response.blob();
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
    const [start, end] = [Number(from), to === '' ? blob.size - 1 : Math.min(Number(to), blob.size - 1)];
    const headers = { 'Content-Type': blob.type, 'Accept-Ranges': 'bytes', 'Content-Range': `bytes ${start}-${end}/${blob.size}` };
    return new Response(blob.slice(start, end + 1, blob.type), { status: 206, headers });
}

async function keptAsset({ url, headers }: Request): Promise<Response | undefined> {
    const cache = await caches.open(ASSETS);
    // In another size rather than not at all.
    const found = await find(cache, url) ?? await cache.match(url, { ignoreVary: true, ignoreSearch: true });
    const range = headers.get('range');
    return found !== undefined && range !== null ? await partOf(found, range) : found;
}

// ---- Pages

/** The address without the language. */
function plain(address: string): string {
    const url = new URL(address);
    url.searchParams.delete('lang');
    return url.pathname + url.search;
}

async function keepPage(address: string, response: Response): Promise<void> {
    const { pathname } = new URL(address);
    if (isGone(response)) {
        const project = /^\/p\/(\d+)$/.exec(pathname)?.[1];
        const cache = await caches.open(pages);
        await (project === undefined ? cache.delete(address, { ignoreVary: true }) : dropPlayed(project));
    }
    else if (response.status === 200 && response.type === 'basic') {
        const text = await response.text();
        const headers = new Headers(response.headers);
        headers.delete('content-encoding');
        headers.set('x-size', String(text.length));
        await put(pages, address, new Response(text, { headers }), MAX_PAGES);
    }
}

/** A copy of a page, in another language if it has to be; or what stands in for it. It says that it is a copy. */
async function keptPage(address: string): Promise<Response | undefined> {
    const { pathname, searchParams } = new URL(address);
    const language = searchParams.get('lang') ?? '';
    const standing = (isEditor(pathname) ? EDITOR : NOTHING_KEPT) + (builtSite.languages.includes(language) ? `?lang=${language}` : '');
    const names = (await caches.keys()).filter((name) => name.startsWith(PAGES));
    for (const name of [...names.filter((one) => one === pages), ...names.filter((one) => one !== pages)]) {
        const cache = await caches.open(name);
        const other = (await cache.keys()).find(({ url }) => plain(url) === plain(address));
        const found = await find(cache, address) ?? (other && await find(cache, other.url));
        if (found !== undefined) {
            return await asCopy(found);
        }
    }

    const found = await find(await caches.open(files), standing);
    return found && await asCopy(found);
}

async function asCopy(response: Response): Promise<Response> {
    const headers = new Headers(response.headers);
    headers.delete('content-encoding');
    headers.delete('content-length');
    return new Response((await response.text()).replace('<html ', '<html data-copy '), { headers });
}

// ---- Events

addEventListener('install', (event) => {
    const standing = [NOTHING_KEPT, EDITOR].flatMap((path) => [path, ...builtSite.languages.map((language) => `${path}?lang=${language}`)]);
    // What is open goes on with the files of its own release.
    event.waitUntil(caches.open(files).then((cache) => cache.addAll([...builtSite.files, ...standing])).then(() => skipWaiting()));
});

addEventListener('activate', (event) => {
    event.waitUntil((async () => {
        const names = await caches.keys();
        for (const [kind, now] of [[FILES, files], [PAGES, pages]] as const) {
            const older = names.filter((name) => name.startsWith(kind) && name !== now);
            // Pages that are open, and copies, may still need the release before this one.
            await Promise.all(older.slice(0, -1).map((name) => caches.delete(name)));
        }

        await clients.claim();
    })());
});

addEventListener('fetch', (event) => {
    const { request } = event;
    const { url, method, mode } = request;
    const { origin, pathname } = new URL(url);
    if (method !== 'GET' || origin !== location.origin) {
        return;
    }

    const keeping = (keep: (address: string, response: Response) => Promise<void>): Promise<Response> => {
        const asked = fetch(request);
        // A full disk, or no connection.
        event.waitUntil(asked.then((response) => keep(url, response.clone())).catch(() => undefined));
        return asked;
    };

    if (isFile(pathname)) {
        event.respondWith(fileOf(url));
    }
    else if (isAsset(pathname) && !request.headers.has('authorization')) {
        event.respondWith(networkFirst(keeping(keepAsset), () => keptAsset(request)));
    }
    else if (mode === 'navigate' && isEditor(pathname)) {
        event.respondWith(networkFirst(fetch(request), () => keptPage(url)));
    }
    else if (mode === 'navigate' && isPage(pathname)) {
        event.respondWith(networkFirst(keeping(keepPage), () => keptPage(url)));
    }
});

/** A page that was loaded before there was a service worker says what it has loaded. */
addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    for (const address of Array.isArray(data) ? data.slice(0, MAX_TOLD).map(String) : []) {
        const { origin, pathname } = new URL(address);
        const keep = origin !== location.origin ? undefined : isAsset(pathname) ? keepAsset : isPage(pathname) ? keepPage : undefined;
        if (keep !== undefined) {
            void fetch(address).then((response) => keep(address, response)).catch(() => undefined);
        }
        else if (origin === location.origin && isFile(pathname)) {
            void fileOf(address).catch(() => undefined);
        }
    }
});
