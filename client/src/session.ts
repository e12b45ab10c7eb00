import type { User } from './things.js';

/** Who is signed in, and with what. */
export interface Session {
    /** the secret; it goes into the `Authorization` header and nowhere else */
    token: string;
    /** id to revoke it by; null for a token that the service did not make itself */
    tokenId: string | null;
    user: Pick<User, 'id' | 'username'>;
}

/** Where a session is kept: `localStorage`, `sessionStorage`, or anything with these three methods. */
export interface SessionStore {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
}

/** Forgets with the page, or the process. */
export function memoryStore(): SessionStore {
    const items = new Map<string, string>();
    return {
        getItem: (key) => items.get(key) ?? null,
        setItem: (key, value) => void items.set(key, value),
        removeItem: (key) => void items.delete(key)
    };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function isSession(value: unknown): value is Session {
    return isRecord(value) && typeof value.token === 'string' && (typeof value.tokenId === 'string' || value.tokenId === null) &&
        isRecord(value.user) && typeof value.user.id === 'string' && typeof value.user.username === 'string';
}

/** What the store holds under a key; null where that is nothing, or nothing of ours. */
export function readSession(store: SessionStore, key: string): Session | null {
    try {
        const value: unknown = JSON.parse(store.getItem(key) ?? 'null');
        return isSession(value) ? value : null;
    }
    catch {
        return null;
    }
}
