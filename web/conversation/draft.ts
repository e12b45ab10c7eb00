import { useState } from 'preact/hooks';

import { canStore } from '../storage';

/** Where what somebody has begun to write is kept. It goes when they sign out, as all that begins so (offline/device.ts). */
const keyOf = (user: string, place: string): string => `pagewright draft ${user} ${place}`;

export const hasDraft = (user: string, place: string): boolean => canStore() && localStorage.getItem(keyOf(user, place)) !== null;

/**
 * Something that is being written, which stays when the page is loaded again.
 * @param place where it is written
 * @param start what is there if there is no draft
 */
export function useDraft(user: string, place: string, start = ''): [text: string, change: (text: string) => void] {
    const key = keyOf(user, place);
    const [text, setText] = useState(() => (canStore() ? localStorage.getItem(key) : null) ?? start);
    const change = (next: string): void => {
        setText(next);
        try {
            if (next === start || next === '') {
                localStorage.removeItem(key);
            }
            else {
                localStorage.setItem(key, next);
            }
        }
        catch {
            // There is no room, or nothing may be kept.
        }
    };

    return [text, change];
}

/** Forgets a draft: it was sent, or given up. */
export function dropDraft(user: string, place: string): void {
    if (canStore()) {
        localStorage.removeItem(keyOf(user, place));
    }
}
