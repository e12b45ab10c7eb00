import { isObject } from './merge.js';
import type { User } from './things.js';

/** How a token of an identity provider is renewed. */
export interface Renewal {
    /** the provider, as the service calls it */
    readonly provider: string;
    readonly refreshToken: string;
    /** milliseconds since 1970 from which on the token is renewed; null if only after it was refused */
    readonly at: number | null;
}

/** The user who is signed in, and the token. */
export interface Session {
    /** the secret; sent only in the `Authorization` header */
    readonly token: string;
    /** its id, to revoke it; null for a token of an identity provider */
    readonly tokenId: string | null;
    readonly user: Readonly<Pick<User, 'id' | 'username'>>;
    /** with a token of an identity provider that gave a refresh token: then the client renews it by itself */
    readonly renewal?: Renewal;
}

/** A place to keep a session: `localStorage`, `sessionStorage`, or anything with these three methods. */
export interface SessionStore {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
}

/** Keeps a session in memory, until the page or process ends. */
export function memoryStore(): SessionStore {
    const items = new Map<string, string>();
    return {
        getItem: (key) => items.get(key) ?? null,
        setItem: (key, value) => void items.set(key, value),
        removeItem: (key) => void items.delete(key)
    };
}

/** The session in a store, and listeners for its changes. */
export interface KeptSession {
    /** The session, one object until it changes; null if signed out. */
    read(): Session | null;
    write(session: Session | null): void;
    /** Calls the listener after each change, also by another tab. @returns a function that unsubscribes */
    subscribe(listener: () => void): () => void;
}

export function keepSession(store: SessionStore, key: string): KeptSession {
    const listeners = new Set<() => void>();
    let text: string | null = null;
    let session: Session | null = null;

    const tell = (): void => listeners.forEach((listener) => listener());

    // Browsers send this to other tabs with the same `localStorage`. Without a key, all of it was cleared.
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
            // The same function may subscribe twice; each subscription ends separately.
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

const isRenewal = (value: unknown): boolean => isObject(value) && typeof value.provider === 'string' && typeof value.refreshToken === 'string' && (typeof value.at === 'number' || value.at === null);

function isSession(value: unknown): value is Session {
    return isObject(value) && typeof value.token === 'string' && (typeof value.tokenId === 'string' || value.tokenId === null) &&
        isObject(value.user) && typeof value.user.id === 'string' && typeof value.user.username === 'string' && (value.renewal === undefined || isRenewal(value.renewal));
}

/** The session in a store; null if there is none, or it is invalid. */
function parse(text: string | null): Session | null {
    try {
        const value: unknown = JSON.parse(text ?? 'null');
        return isSession(value) ? value : null;
    }
    catch {
        return null;
    }
}
