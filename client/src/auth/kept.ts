/** A place to keep tokens: `localStorage`, `sessionStorage`, or anything with these three methods, such as the keychain of a phone. They may answer later. */
export interface AuthStore {
    getItem(key: string): string | null | Promise<string | null>;
    setItem(key: string, value: string): void | Promise<void>;
    removeItem(key: string): void | Promise<void>;
}

/** The tokens of a sign-in. */
export interface Kept {
    token: string;
    refresh: string | null;
    /** milliseconds since 1970 */
    until: number;
    scope: string[];
}

export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The tokens that the service sent. */
export const tokensOf = (body: Record<string, unknown>): Kept => ({
    token: String(body.access_token), refresh: typeof body.refresh_token === 'string' ? body.refresh_token : null,
    until: Date.now() + Number(body.expires_in) * 1000, scope: String(body.scope ?? '').split(' ').filter((name) => name !== '')
});

/** The tokens, from their text; null if there is none, or it is not ours. */
function parsed(text: string | null): Kept | null {
    const value: unknown = JSON.parse(text ?? 'null');
    return isRecord(value) && typeof value.token === 'string' && typeof value.until === 'number' && Array.isArray(value.scope) ?
        { token: value.token, refresh: typeof value.refresh === 'string' ? value.refresh : null, until: value.until, scope: value.scope.map(String) } : null;
}

/** Keeps nothing past the end of the page or program. */
export function memory(): AuthStore {
    const items = new Map<string, string>();
    return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value), removeItem: (key) => void items.delete(key) };
}

/** The tokens in a store, which may answer late, or fail. */
export interface KeptTokens {
    /** what was last read or saved */
    readonly known: Kept | null;
    read(): Promise<Kept | null>;
    /** Tokens that the store refuses are used all the same, and offered again at the next read. */
    save(tokens: Kept): Promise<Kept>;
    forget(): Promise<void>;
    /** Whether the store, which had tokens, has none any more. */
    wasCleared(): Promise<boolean>;
}

export function keepTokens(store: AuthStore, key: string): KeptTokens {
    let known: Kept | null = null;
    /** what the store has not taken yet. A refresh token works once, so without the new one the sign-in would end */
    let unsaved: Kept | null = null;

    const stored = async (): Promise<Kept | null> => parsed(await store.getItem(key));

    const save = async (tokens: Kept): Promise<Kept> => {
        known = tokens;
        unsaved = tokens;
        try {
            await store.setItem(key, JSON.stringify(tokens));
            unsaved = unsaved === tokens ? null : unsaved;
        }
        catch {
            // It is tried again when it is next read.
        }

        return tokens;
    };

    const forget = async (): Promise<void> => {
        known = null;
        unsaved = null;
        await store.removeItem(key);
    };

    return {
        get known() {
            return known;
        },

        read: async () => {
            if (unsaved !== null) {
                return save(unsaved);
            }

            known = await stored();
            return known;
        },

        save,
        forget,

        wasCleared: async () => {
            if (unsaved !== null || await stored().catch(() => known) !== null) {
                return false;
            }

            known = null;
            return true;
        }
    };
}
