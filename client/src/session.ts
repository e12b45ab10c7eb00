import type { User } from './things.js';

/** Who is signed in, and with what. */
export interface Session {
    /** the secret; it goes into the `Authorization` header and nowhere else */
    readonly token: string;
    /** id to revoke it by; null for a token that the service did not make itself */
    readonly tokenId: string | null;
    readonly user: Readonly<Pick<User, 'id' | 'username'>>;
}

/** Where a session is kept: `localStorage`, `sessionStorage`, or anything with these three methods. */
export interface SessionStore {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
}

/** Keeps a session for as long as the page, or the process. */
export function memoryStore(): SessionStore {
    const items = new Map<string, string>();
    return {
        getItem: (key) => items.get(key) ?? null,
        setItem: (key, value) => void items.set(key, value),
        removeItem: (key) => void items.delete(key)
    };
}

/** The session in a store, and whoever wants to be told when it changes. */
export interface KeptSession {
    /** The same object until it changes; null if nobody is signed in. */
    read(): Session | null;
    write(session: Session | null): void;
    /** Calls the listener after each change, also one by another tab. @returns what ends that */
    subscribe(listener: () => void): () => void;
}

export function keepSession(store: SessionStore, key: string): KeptSession {
    const listeners = new Set<() => void>();
    let text: string | null = null;
    let session: Session | null = null;

    const tell = (): void => listeners.forEach((listener) => listener());

    // A browser sends this to the other tabs of a `localStorage`. Without a key, all of it was cleared.
    const changedElsewhere = ({ key: changed, storageArea }: StorageEvent): void => {
        if (storageArea === store && (changed === key || changed === null)) {
            tell();
        }
    };

    return {
        read: () => {
            const kept = store.getItem(key);
            if (kept !== text) {
                text = kept;
                session = parse(kept);
            }

            return session;
        },

        write: (given) => {
            if (given === null) {
                store.removeItem(key);
            }
            else {
                store.setItem(key, JSON.stringify(given));
            }

            tell();
        },

        subscribe: (listener) => {
            // One function may be given twice, and each ends by itself.
            const own = (): void => listener();
            if (listeners.size === 0) {
                globalThis.addEventListener?.('storage', changedElsewhere);
            }

            listeners.add(own);
            return () => {
                listeners.delete(own);
                if (listeners.size === 0) {
                    globalThis.removeEventListener?.('storage', changedElsewhere);
                }
            };
        }
    };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function isSession(value: unknown): value is Session {
    return isRecord(value) && typeof value.token === 'string' && (typeof value.tokenId === 'string' || value.tokenId === null) &&
        isRecord(value.user) && typeof value.user.id === 'string' && typeof value.user.username === 'string';
}

/** What a store holds; null if that is nothing, or not a session. */
function parse(text: string | null): Session | null {
    try {
        const value: unknown = JSON.parse(text ?? 'null');
        return isSession(value) ? value : null;
    }
    catch {
        return null;
    }
}
