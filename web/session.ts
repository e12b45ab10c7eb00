import { createClient } from '../client/src/index.js';
import type { CallOptions, Client, Session } from '../client/src/index.js';
import { withCopies } from './offline/copies.js';
import { canStore } from './storage.js';
import { MARK, personHere, removeAll, settle } from './offline/device.js';

let made: Client | undefined;
let isLeaving = false;

const settleNow = (session: Session | null): void => {
    if (!isLeaving) {
        void settle(session?.user ?? null).catch(() => undefined);
    }
};

function begin(): Client {
    const own = createClient(location.origin, { store: canStore() ? localStorage : undefined, around: withCopies(() => made?.session ?? null) });
    settleNow(own.session);
    own.subscribe(() => settleNow(own.session));
    // Another tab has signed out: what this one shows was private.
    addEventListener('storage', ({ key, newValue }) => {
        if (key === MARK && newValue === null && own.session === null) {
            void removeAll().catch(() => undefined).then(() => location.pathname.startsWith('/edit/') && location.reload());
        }
    });
    return own;
}

/** The one client of this page. The session is in `localStorage`, so all pages and tabs of the site share it. */
export const client = (): Client => (made ??= begin());

/** Who is signed in; null if nobody is. */
export const currentSession = (): Session | null => client().session;

/** Signs out, and removes all that is on this device. Ask before, if edits wait. */
export async function signOut(options?: CallOptions & { everywhere?: boolean }): Promise<void> {
    isLeaving = true;
    try {
        await client().signOut(options);
    }
    finally {
        await removeAll();
        isLeaving = false;
    }
}

/** Somebody who was signed in here, and whose edits wait; null if there is nobody. */
export const personWaitedFor = (): ReturnType<typeof personHere> => (currentSession() === null && !isLeaving ? personHere() : null);

/** The address of the page to sign in, from where one comes back here. */
export const signInAddress = (back = location.pathname + location.search + location.hash): string => `/sign-in?back=${encodeURIComponent(back)}`;
