import type { ClientOptions, Session } from '../../client/src/index.js';
import { COPIES, dropPlayed, isGone, networkFirst, put } from './kept.js';

/** Paths of the API that pages need without a network: projects as the player and the editor read them, and the lists that lead to them. */
const kept = /^\/(?:projects\/\d+|users\/me|users\/(?:me|\d+)\/(?:projects|shared|classes)|users\/(?:me|\d+)\/projects\/\d+\/(?:pages(?:\/\d+)?|members|changes\?since=0)|classes\/\d+(?:\/(?:assignments|projects))?)$/;
const lists = /^(\/users\/(?:me|\d+)\/(?:projects|shared|classes)|\/classes\/\d+\/(?:assignments|projects))\?[\w=&%-]*$/;

/** Paths of a thing as a whole: without it, nothing else of it is there. */
const whole = /^(?:\/projects\/\d+|\/classes\/\d+|.*\/(?:pages|changes\?since=0))$/;

/** Of one person, and the bytes of one copy. */
const BOUNDS = [300, 60_000_000] as const;
const LARGEST = 6_000_000;

/** Whether the last request reached the service. */
export const connection = {
    isOffline: false,
    listeners: new Set<() => void>(),
    set(isOffline: boolean): void {
        if (isOffline !== this.isOffline) {
            this.isOffline = isOffline;
            this.listeners.forEach((listener) => listener());
        }
    }
};

/** Caches are there on secure pages only. */
const hasCaches = (): boolean => 'caches' in globalThis;

/** Each person has a cache of their own, so nobody is shown what somebody else has read. */
const nameFor = (session: Session | null): string => `${COPIES}${session?.user.id ?? 'guest'}`;

const pathOf = (url: string): string => url.slice(location.origin.length);

const aboutOf = (path: string): string | undefined => /\/(?:projects|classes)\/\d+/.exec(path)?.[0];

/** Removes copies of something that is not there, or not for this reader, any more. */
async function drop(name: string, path: string): Promise<void> {
    if (!await caches.has(name)) {
        return;
    }

    const cache = await caches.open(name);
    const about = whole.test(path) ? aboutOf(path) : undefined;
    const keys = (await cache.keys()).filter(({ url }) => pathOf(url) === path || (about !== undefined && aboutOf(pathOf(url)) === about));
    await Promise.all(keys.map((key) => cache.delete(key)));
    const project = /\/projects\/(\d+)/.exec(about ?? '')?.[1];
    await (project !== undefined && dropPlayed(project));
}

/** @param isAllowed whether the same person is still signed in: if not, all is removed, or was */
async function keep(name: string, path: string, text: string, isAllowed: () => boolean): Promise<void> {
    if (text.length <= LARGEST && isAllowed()) {
        await put(name, path, new Response(text, { headers: { 'Content-Type': 'application/json', 'x-size': String(text.length) } }), BOUNDS);
        if (!isAllowed()) {
            await caches.delete(name);
        }
    }
}

/** Has requests sent, keeps copies of what the pages need without a network, and answers with them if there is none. */
export function withCopies(session: () => Session | null): NonNullable<ClientOptions['around']> {
    return async (request, send) => {
        const asked = send(request);
        asked.then(() => connection.set(false), () => request.signal.aborted || connection.set(true));
        const path = pathOf(request.url);
        const now = session();
        const token = request.headers.get('Authorization');
        const isTheirs = (): boolean => session()?.user.id === now?.user.id;
        if (request.method !== 'GET' || !hasCaches() || !(kept.test(path) || lists.test(path)) || (token !== null && token !== `token ${now?.token}`)) {
            return await asked;
        }

        const name = nameFor(token === null ? null : now);
        const copy = async (): Promise<Response | undefined> => (request.signal.aborted || !isTheirs() ? undefined : await caches.match(path, { cacheName: name }));
        const keeping = asked.then(async (response) => {
            if (response.status === 200) {
                await keep(name, path, await response.clone().text(), isTheirs);
            }
            else if (isGone(response)) {
                await drop(name, path);
            }
        });
        // A full disk, or no connection.
        keeping.catch(() => undefined);
        return await networkFirst(asked, copy);
    };
}

/** Keeps what the pages know better than a response: a project as it is after edits. @param bodies by path */
export async function keepCopies(session: () => Session | null, project: string, bodies: Readonly<Record<string, object>>): Promise<void> {
    const now = session();
    if (now === null || !hasCaches()) {
        return;
    }

    const isTheirs = (): boolean => session()?.user.id === now.user.id;
    for (const [path, body] of Object.entries(bodies)) {
        await keep(nameFor(now), path, JSON.stringify(body), isTheirs);
    }

    // They would be older.
    await dropPlayed(project);
}

/** The copy of a response; undefined if there is none. */
export async function copyOf(session: Session | null, path: string): Promise<unknown> {
    return hasCaches() ? (await caches.match(path, { cacheName: nameFor(session) }))?.json() : undefined;
}

/** Removes all copies of a project. */
export async function dropCopies(session: Session | null, project: string): Promise<void> {
    await (hasCaches() && drop(nameFor(session), `/projects/${project}`));
}
